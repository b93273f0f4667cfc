//! A tool's grants, and the decisions that follow from them.
//!
//! ```toml
//! [[conversation.tools.fs_create_file.access.fs]]
//! path = ".config/jp/tools"
//! read = true
//! write = true
//! ```
//!
//! In all four lists the most specific matching rule decides, alone and in full; of equally specific rules the last
//! one declared.
//! A list without rules leaves its resource unrestricted, except for config, which stays closed.

use std::{fmt, ops::Deref, slice, sync::Arc, sync::OnceLock, vec};

use camino::Utf8Path;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::{
    ConfigPathError, ConfigRule, EnvNameError, EnvRule, FsCapability, FsRule, HostError, NetRule,
    NetRuleError,
};

pub(crate) mod compile;
pub(crate) mod config;
pub(crate) mod config_path;
pub(crate) mod env;
pub(crate) mod fs;
pub(crate) mod host;
pub(crate) mod net;
pub(crate) mod protected;
mod trie;

/// The finalized grants of one tool, after the host merged all layers (RFD 076, "Runtime types").
///
/// Read from a JSON object only; anything else is an error, since no rules would mean no restriction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct AccessPolicy {
    /// Grants on files below the workspace.
    #[serde(default)]
    pub fs: RuleList<FsRule>,

    /// Grants to connect.
    #[serde(default)]
    pub net: RuleList<NetRule>,

    /// Grants to read environment variables.
    #[serde(default)]
    pub env: RuleList<EnvRule>,

    /// Grants on the config, for the tool to look at: the host enforces them (RFD 078).
    #[serde(default, skip_serializing_if = "RuleList::is_empty")]
    pub config: RuleList<ConfigRule>,
}

impl Serialize for AccessPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for AccessPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = AccessPolicy;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object with the lists `fs`, `net`, `env` and `config`")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AccessPolicy, A::Error> {
                AccessPolicy::deserialize(MapAccessDeserializer::new(map))
            }
        }

        // Derived code alone would take an array as well, and `[]` for a policy without rules.
        deserializer.deserialize_map(Object)
    }
}

impl AccessPolicy {
    /// Whether the rules grant reading `canonical`, a path as [`canonicalize`](crate::canonicalize) returns it.
    #[must_use]
    pub fn can_read(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Read, canonical)
    }

    /// Whether the rules grant creating `canonical`.
    ///
    /// Like its siblings below it looks at the path alone; [`Context::check_fs`](crate::Context::check_fs) looks at the
    /// disk as well, and knows every protected place.
    #[must_use]
    pub fn can_create(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Create, canonical)
    }

    /// Whether the rules grant changing `canonical`.
    #[must_use]
    pub fn can_update(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Update, canonical)
    }

    /// Whether the rules grant removing `canonical`.
    #[must_use]
    pub fn can_delete(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Delete, canonical)
    }

    /// Whether the rules grant running `canonical`.
    #[must_use]
    pub fn can_execute(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Execute, canonical)
    }

    fn can(&self, capability: FsCapability, canonical: &Utf8Path) -> bool {
        self.fs.compiled().is_ok_and(|policy| {
            let place = protected::protected_prefix(canonical);
            policy
                .decide_within(capability, canonical, place.as_deref())
                .allowed
        })
    }
}

/// A kind of rule, with the evaluator that a list of them compiles to.
pub trait AccessRule: Sized {
    /// The evaluator.
    type Policy;

    /// Builds the evaluator; rule indices in its decisions are positions in `rules`.
    ///
    /// # Errors
    ///
    /// The first rule that could never match what it says, so that no denial is lost silently.
    fn compile(rules: &[Self]) -> Result<Self::Policy, AccessRuleError>;
}

/// Rules in declaration order, with their evaluator, compiled once on first use.
///
/// The list changes only as a whole, so that the evaluator always belongs to the rules.
pub struct RuleList<R: AccessRule> {
    rules: Vec<R>,
    compiled: OnceLock<Arc<Result<R::Policy, AccessRuleError>>>,
}

impl<R: AccessRule> RuleList<R> {
    /// The evaluator of these rules.
    ///
    /// # Errors
    ///
    /// As for [`AccessRule::compile`].
    pub fn compiled(&self) -> Result<&R::Policy, AccessRuleError> {
        self.compiled
            .get_or_init(|| Arc::new(R::compile(&self.rules)))
            .as_ref()
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl<R: AccessRule> Deref for RuleList<R> {
    type Target = [R];

    fn deref(&self) -> &[R] {
        &self.rules
    }
}

impl<R: AccessRule> From<Vec<R>> for RuleList<R> {
    fn from(rules: Vec<R>) -> Self {
        Self {
            rules,
            compiled: OnceLock::new(),
        }
    }
}

impl<R: AccessRule> FromIterator<R> for RuleList<R> {
    fn from_iter<I: IntoIterator<Item = R>>(rules: I) -> Self {
        Self::from(Vec::from_iter(rules))
    }
}

impl<R: AccessRule> IntoIterator for RuleList<R> {
    type Item = R;
    type IntoIter = vec::IntoIter<R>;

    fn into_iter(self) -> Self::IntoIter {
        self.rules.into_iter()
    }
}

impl<'a, R: AccessRule> IntoIterator for &'a RuleList<R> {
    type Item = &'a R;
    type IntoIter = slice::Iter<'a, R>;

    fn into_iter(self) -> Self::IntoIter {
        self.rules.iter()
    }
}

impl<R: AccessRule> Default for RuleList<R> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<R: AccessRule + Clone> Clone for RuleList<R> {
    fn clone(&self) -> Self {
        Self {
            rules: self.rules.clone(),
            compiled: self.compiled.clone(),
        }
    }
}

impl<R: AccessRule + PartialEq> PartialEq for RuleList<R> {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
    }
}

impl<R: AccessRule + fmt::Debug> fmt::Debug for RuleList<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.fmt(formatter)
    }
}

impl<R: AccessRule + Serialize> Serialize for RuleList<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rules.serialize(serializer)
    }
}

impl<'de, R: AccessRule + Deserialize<'de>> Deserialize<'de> for RuleList<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

/// What the rules say about one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether the target may be accessed.
    pub allowed: bool,

    /// The position of the deciding rule in declaration order; `None` if no rule matched.
    pub rule: Option<usize>,

    /// The form of the target that was compared with the rules.
    pub target: String,

    /// Why.
    pub reason: Reason,
}

/// Why a decision is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// No rules were declared for this resource.
    Unrestricted,

    /// The deciding rule grants the capability.
    Granted,

    /// The deciding rule does not grant the capability.
    NotGranted,

    /// Rules were declared, and none matches the target.
    NoRule,

    /// The target is not in canonical form, so that no rule can be compared with it.
    NotCanonical,

    /// The target holds a backslash before its path, so that programs disagree on which host it names.
    Ambiguous,

    /// The target lies in a protected place, and the deciding rule lies neither at it nor below it.
    Protected,

    /// The target is a sensitive config path, and the deciding rule has no `write = "insecure_allow"`.
    Sensitive,
}

impl Reason {
    /// The reason in words, for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unrestricted => "no rules are declared for this resource",
            Self::Granted => "the rule grants it",
            Self::NotGranted => "the rule does not grant it",
            Self::NoRule => "no rule matches, and declared rules deny everything else",
            Self::NotCanonical => "the target is not in canonical form",
            Self::Ambiguous => {
                "programs disagree on the host of a URL with a backslash; write it with slashes"
            }
            Self::Protected => {
                "the place is protected, and only a rule whose `path` lies at or below it grants that"
            }
            Self::Sensitive => {
                "the path is sensitive, and the rule does not say `write = \"insecure_allow\"`"
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One of the lists of an [`AccessPolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// `access.fs`
    Fs,
    /// `access.net`
    Net,
    /// `access.env`
    Env,
    /// `access.config`
    Config,
}

impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Fs => "fs",
            Self::Net => "net",
            Self::Env => "env",
            Self::Config => "config",
        })
    }
}

/// A rule that cannot be evaluated, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("access.{resource}, rule {}: {problem}", .index + 1)]
pub struct AccessRuleError {
    /// The list that the rule stands in.
    pub resource: Resource,

    /// The position of the rule in that list, from 0.
    pub index: usize,

    /// What is wrong with the rule.
    #[source]
    pub problem: AccessRuleProblem,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessRuleProblem {
    /// An fs rule with an empty path.
    #[error("the path is empty; write `.` for the whole workspace")]
    FsPathEmpty,

    /// An fs rule path that cannot be compared with canonical paths.
    #[error(
        "access rule path is not workspace-relative: `{path}`; write it relative to the workspace, without `..`"
    )]
    FsPathNotRelative {
        /// The path as written.
        path: String,
    },

    /// An fs rule path that has no canonical form inside the workspace.
    #[error("access rule path is not workspace-relative: {reason}")]
    FsPathRejected {
        /// Why.
        reason: String,
    },

    /// An `external` rule that stays inside the workspace.
    #[error(
        "access rule `{path}` sets external = true but resolves inside the workspace; remove `external`"
    )]
    ExternalInside {
        /// The path as written.
        path: String,
    },

    /// A net rule that cannot match what it says.
    #[error(transparent)]
    Net(#[from] NetRuleError),

    /// A net rule with an unusable host.
    #[error(transparent)]
    Host(#[from] HostError),

    /// An env rule with an unusable name.
    #[error(transparent)]
    EnvName(#[from] EnvNameError),

    /// A config rule with an unusable path.
    #[error(transparent)]
    ConfigPath(#[from] ConfigPathError),
}

#[cfg(test)]
#[path = "access/properties_tests.rs"]
mod properties_tests;
