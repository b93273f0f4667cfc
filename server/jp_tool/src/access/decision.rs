//! What the rules say about one target, and why.

use std::fmt;

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

#[cfg(test)]
#[path = "decision_tests.rs"]
mod tests;
