//! A difference between two policies, and one that may exist.
//!
//! ```json
//! {"witness": {"path": "src/x"}, "before": "ask", "after": "unattended"}
//! ```

use serde_json::Value;

use super::verdict::Direction;
use crate::mode::Mode;

/// One region that is decided otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyChange<M> {
    /// The arguments of a call in it, valid under the parameters of both sides.
    pub witness: Value,
    /// What happened to the call.
    pub before: M,
    /// The rule that decided, counted from 0; none for the implicit `ask`.
    pub before_rule: Option<usize>,
    /// What happens to it.
    pub after: M,
    /// The rule that decides, counted from 0; none for the implicit `ask`.
    pub after_rule: Option<usize>,
}

impl<M: Mode> PolicyChange<M> {
    /// Whether less or more is asked of a person.
    #[must_use]
    pub fn direction(&self) -> Direction {
        Direction::of(self.before, self.after)
    }
}

/// A possible difference for which no call was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided<M> {
    /// What would happen before.
    pub before: M,
    /// The rule that would decide before.
    pub before_rule: Option<usize>,
    /// What would happen after.
    pub after: M,
    /// The rule that would decide after.
    pub after_rule: Option<usize>,
    /// Why it is not known.
    pub reason: UndecidedReason,
}

/// Why it is not known whether two policies differ somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UndecidedReason {
    /// A `pattern` takes part, and no text was found that it and the other rules treat as needed.
    #[error("a `pattern` takes part, and no text was found that shows a difference")]
    Pattern,
    /// The shape of a parameter that rules look at is not the same on both sides.
    #[error("a parameter that rules look at has another shape")]
    Parameters,
    /// The values that would have to come together depend on each other, or are too many to try.
    #[error("no call was found that brings the values together")]
    Correlated,
}
