//! What was said to a call when it was made.
//!
//! ```json
//! {"allowedByPerson": 7, "refusedByPerson": 1, "unrecorded": 4}
//! ```

use jp_conversation::{CallDecision, DecidedBy, DecisionOutcome};

/// What was said to a call, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// The policy let it run and asked nobody.
    AllowedByPolicy,
    /// The policy refused it and asked nobody.
    RefusedByPolicy,
    /// A person let it run.
    AllowedByPerson,
    /// A person let it run with other arguments.
    EditedByPerson,
    /// A person refused it.
    RefusedByPerson,
    /// A person was needed, and there was none.
    Nobody,
    /// It was ended while a person was asked.
    Withdrawn,
    /// It ran, and nobody wrote down who let it: a record of `jp`, or one that is older than decisions.
    Unrecorded,
    /// As [`Answer::Unrecorded`], and its result says that a person refused it.
    UnrecordedRefusal,
    /// Nothing says that it ran: it ended before anything was decided, failed without a decision on record, or has no end there.
    Open,
}

impl Answer {
    /// Every answer, in the order of listings.
    pub const ALL: [Self; 10] = [
        Self::AllowedByPolicy,
        Self::RefusedByPolicy,
        Self::AllowedByPerson,
        Self::EditedByPerson,
        Self::RefusedByPerson,
        Self::Nobody,
        Self::Withdrawn,
        Self::Unrecorded,
        Self::UnrecordedRefusal,
        Self::Open,
    ];

    /// The key in JSON.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::AllowedByPolicy => "allowedByPolicy",
            Self::RefusedByPolicy => "refusedByPolicy",
            Self::AllowedByPerson => "allowedByPerson",
            Self::EditedByPerson => "editedByPerson",
            Self::RefusedByPerson => "refusedByPerson",
            Self::Nobody => "nobody",
            Self::Withdrawn => "withdrawn",
            Self::Unrecorded => "unrecorded",
            Self::UnrecordedRefusal => "unrecordedRefusal",
            Self::Open => "open",
        }
    }

    /// What follows a number of calls: "7 allowed by a person".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::AllowedByPolicy => "allowed by the policy",
            Self::RefusedByPolicy => "refused by the policy",
            Self::AllowedByPerson => "allowed by a person",
            Self::EditedByPerson => "edited by a person",
            Self::RefusedByPerson => "refused by a person",
            Self::Nobody => "refused, nobody to ask",
            Self::Withdrawn => "ended while asking",
            Self::Unrecorded => "ran, not on record who allowed it",
            Self::UnrecordedRefusal => "refused, not on record by which rule",
            Self::Open => "not on record whether it ran",
        }
    }

    /// Whether a person was asked, or would have been if there had been one.
    #[must_use]
    pub const fn is_prompt(self) -> bool {
        matches!(
            self,
            Self::AllowedByPerson
                | Self::EditedByPerson
                | Self::RefusedByPerson
                | Self::Nobody
                | Self::Withdrawn
                | Self::UnrecordedRefusal
        )
    }

    /// Whether a person said no to the call as the model made it.
    #[must_use]
    pub const fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::RefusedByPerson | Self::UnrecordedRefusal | Self::EditedByPerson
        )
    }

    /// What a recorded decision comes to.
    pub(crate) const fn of(decision: &CallDecision) -> Self {
        match (decision.by, decision.outcome) {
            (_, DecisionOutcome::Withdrawn) => Self::Withdrawn,
            (DecidedBy::Nobody, _) => Self::Nobody,
            (DecidedBy::Policy, DecisionOutcome::Refused) => Self::RefusedByPolicy,
            (DecidedBy::Policy, _) => Self::AllowedByPolicy,
            (DecidedBy::Person, DecisionOutcome::Refused) => Self::RefusedByPerson,
            (DecidedBy::Person, DecisionOutcome::Edited) => Self::EditedByPerson,
            (DecidedBy::Person, DecisionOutcome::Allowed) => Self::AllowedByPerson,
        }
    }

    /// What the result of a call says where no decision is on record.
    ///
    /// A tool may say the same words; its call then counts as refused, which promises less.
    pub(crate) fn of_result(content: &str, is_error: bool) -> Self {
        const SKIPPED: &str = "Tool skipped by user";
        let is_skip = content.strip_prefix(SKIPPED).is_some_and(|rest| {
            rest.starts_with('.') || rest.starts_with(':') || rest.starts_with(" (remembered)")
        });
        if is_skip {
            Self::UnrecordedRefusal
        } else if is_error {
            Self::Open
        } else {
            Self::Unrecorded
        }
    }
}
