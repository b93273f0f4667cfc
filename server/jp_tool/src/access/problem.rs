//! Why a rule cannot be evaluated, and what to write instead.

use std::fmt;

use crate::{ConfigPathError, HostError};

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

/// Why the scheme or path of a net rule cannot match what it says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetRuleError {
    /// Not a scheme alone.
    #[error("scheme `{scheme}` is not a scheme; write its name alone, such as `https`")]
    Scheme {
        /// The scheme as written.
        scheme: String,
    },

    /// A query or fragment, which rules are not compared with.
    #[error("path prefix `{path}` holds `{character}`; write the path alone, `{suggestion}`")]
    Query {
        /// The path as written.
        path: String,
        /// `?` or `#`.
        character: char,
        /// The part before it.
        suggestion: String,
    },

    /// A `.` or `..` segment, which no target has.
    #[error("path prefix `{path}` holds `{segment}`; write the path without it")]
    DotSegment {
        /// The path as written.
        path: String,
        /// The segment.
        segment: String,
    },
}

/// Why a text is not the name of an env rule, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvNameError {
    /// There is no name.
    #[error("the name is empty; write a variable's name, or `*` for all of them")]
    Empty,

    /// A `*` that is not the last character.
    #[error(
        "name `{name}` holds `*` before its end; write one `*` as the last character, as in `{suggestion}`"
    )]
    Wildcard {
        /// The name as written.
        name: String,
        /// The name up to its first `*`.
        suggestion: String,
    },

    /// A character that no variable's name has.
    #[error(
        "name `{name}` holds `{character}`, which no variable's name can hold; write the name alone"
    )]
    Character {
        /// The name as written.
        name: String,
        /// The character, escaped.
        character: String,
    },
}
