//! Wire types between a host and a tool process, and the reference checks of tool access grants.
//!
//! A host hands a tool two JSON values, and the tool answers with one:
//!
//! ```json
//! {"action": "run", "root": "/work", "access": {"fs": [{"path": "src", "read": true}]},
//!  "workspace_id": "a1b2c", "conversation_id": "17127583920"}
//! {"name": "fs_read_file", "arguments": {"path": "src/lib.rs"}, "answers": {}, "options": {}}
//! {"type": "success", "content": "…"}
//! ```
//!
//! A tool reads [`Context`] and [`Tool`], asks [`Context::check_read`] and its siblings before it touches anything,
//! and prints an [`Outcome`].
//! A host builds the [`AccessPolicy`] with [`AccessPolicy::compile_rules`] and explains decisions with the same
//! compiled evaluators: [`FsPolicy`], [`NetPolicy`], [`EnvPolicy`] and [`ConfigPolicy`].
//!
//! The rules are RFD 076 (files, network, environment) and RFD 078 (config); questions are RFD 083.

mod access;
mod context;
mod outcome;
mod path;
mod question;
mod schema;
mod tool;

pub use access::{
    AccessPolicy,
    compare::{Grant, GrantChange, compare_grants},
    compile::{AccessWarning, ApprovedTargets, CompiledAccess},
    config::{
        ApplyMode, ConfigAccessError, ConfigCapability, ConfigPolicy, ConfigRule, WriteGrant,
    },
    config_path::{
        ConfigPath, ConfigPathError, ConfigSegment, PRIVILEGED_CONFIG_PATHS,
        SENSITIVE_CONFIG_PATHS, overlaps_sensitive, privileged_overlap, privileged_overlaps,
    },
    decision::{Decision, Reason},
    env::{EnvAccessError, EnvPattern, EnvPolicy, EnvRule, validate_env_name},
    fs::{FsCapability, FsPolicy, FsRule},
    fs_error::FsAccessError,
    host::{HostError, NormalizedHost, validate_host},
    list::{AccessRule, RuleList},
    net::{NetAccessError, NetPolicy, NetRule},
    problem::{AccessRuleError, AccessRuleProblem, EnvNameError, NetRuleError, Resource},
    protected::{
        PROTECTED_NAMES, is_protected_name, linked_places, names_git_directory, protected_place,
        protected_prefix,
    },
};
pub use context::{Action, Context, DeltaRejection, DeltaRejectionReason};
pub use outcome::{Outcome, OutcomeError};
pub use path::{Canonical, MAX_SYMLINKS, canonicalize, spellings};
pub use question::{AnswerReusePolicy, AnswerType, Question};
pub use schema::{
    ACCESS_CONFIG_VECTORS, ACCESS_ENV_VECTORS, ACCESS_FS_VECTORS, ACCESS_NET_VECTORS,
    TOOL_CONTEXT_SCHEMA, TOOL_OUTCOME_SCHEMA,
};
pub use tool::{Invocation, Tool};
pub use url::Url;

/// The program of the bundled file tools, which keep config closed unless a rule names it.
pub const BUNDLED_PROGRAM: &str = "jp-fs-tools";

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
