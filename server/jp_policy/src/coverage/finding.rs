//! What the analysis of a rule list reports.
//!
//! ```toml
//! { arg = "/path", const = "./src", mode = "ask" } # never matches: values are compared in normal form, `src`
//! ```

use serde_json::Value;
use thiserror::Error;

/// One thing to say about a list of rules.
#[derive(Clone, Debug, PartialEq)]
pub enum CoverageFinding<M> {
    /// Earlier rules match whenever this one would, and decide otherwise in at least some case.
    Shadowed {
        /// The rule that never decides.
        rule: usize,
        /// A smallest set of earlier rules that together match whenever this one does, ascending.
        covered_by: Vec<usize>,
        /// Whether it is one of the five cases that RFD D25 lists, which are errors.
        rfd_table: bool,
        /// What the rule would decide.
        would: M,
        /// What is decided instead; several modes when it depends on the value, in the order of the rules.
        decides: Vec<M>,
    },
    /// Earlier rules match whenever this one would, and decide the same.
    Redundant {
        /// The rule that never decides.
        rule: usize,
        /// A smallest set of earlier rules that together match whenever this one does, ascending.
        covered_by: Vec<usize>,
        /// Whether it is one of the five cases that RFD D25 lists, which are errors.
        rfd_table: bool,
        /// What the rule would decide, and what is decided.
        would: M,
    },
    /// No value can satisfy the rule's matcher.
    NeverMatches {
        /// The rule.
        rule: usize,
        /// The member of an `enum`, counted from 0, when only that member is at fault and others can match.
        member: Option<usize>,
        /// Why.
        reason: NeverMatchesReason,
    },
    /// One element of an array lets a call run unattended, although another element would ask for more.
    MixedArrayHazard {
        /// The `unattended` rule.
        rule: usize,
        /// The later rule on the same argument that asks for more; none when the other element would only fall through to the default.
        stricter_rule: Option<usize>,
        /// Arguments with two elements that the rule decides.
        witness: Value,
    },
    /// No rule is without a condition: what matches nothing falls through to the implicit `ask`.
    MissingCatchAll,
}

impl<M> CoverageFinding<M> {
    /// The rule that the finding is about; none for a missing catch-all.
    #[must_use]
    pub fn rule(&self) -> Option<usize> {
        match self {
            Self::Shadowed { rule, .. }
            | Self::Redundant { rule, .. }
            | Self::NeverMatches { rule, .. }
            | Self::MixedArrayHazard { rule, .. } => Some(*rule),
            Self::MissingCatchAll => None,
        }
    }

    /// The rule that the finding leaves nothing to decide: shadowed, redundant, or with a matcher that nothing satisfies.
    #[must_use]
    pub fn unreached(&self) -> Option<usize> {
        match self {
            Self::Shadowed { rule, .. }
            | Self::Redundant { rule, .. }
            | Self::NeverMatches {
                rule, member: None, ..
            } => Some(*rule),
            _ => None,
        }
    }
}

/// Why no value can satisfy a matcher.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NeverMatchesReason {
    /// The list of an `enum` is empty.
    #[error("the list is empty; name the values to match, or remove the rule")]
    EmptyEnum,
    /// Paths are normalized before they are compared, and this one is not in normal form.
    #[error("paths are compared in normal form; write `{normal}`")]
    NotNormal {
        /// The normal form.
        normal: String,
    },
    /// The value is none of those that the parameter declares.
    #[error("the parameter's `enum` does not list the value")]
    NotDeclared {
        /// The declared values.
        declared: Vec<Value>,
    },
    /// None of the values that the parameter declares satisfies the matcher.
    #[error("none of the values in the parameter's `enum` satisfies it")]
    NoDeclaredValue {
        /// The declared values.
        declared: Vec<Value>,
    },
    /// No number lies beyond the bound.
    #[error("no number lies beyond the bound")]
    NoNumber,
}
