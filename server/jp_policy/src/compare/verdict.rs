//! What a change does as a whole.
//!
//! ```json
//! {"verdict": "mixed"}
//! ```

use std::{
    collections::BTreeSet,
    fmt::{Display, Formatter, Result as FmtResult},
};

use crate::mode::Mode;

/// Which way one decision changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Stricter than before.
    Tightened,
    /// Less strict than before.
    Loosened,
    /// Another decision of the same strictness: `edit` for `ask`, or `ask` for `edit`.
    Sideways,
}

impl Direction {
    /// The direction from one mode to another; [`Direction::Sideways`] where they are equally strict.
    #[must_use]
    pub fn of<M: Mode>(before: M, after: M) -> Self {
        if after.is_stricter_than(before) {
            Self::Tightened
        } else if before.is_stricter_than(after) {
            Self::Loosened
        } else {
            Self::Sideways
        }
    }
}

/// What a change does to everything that is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeVerdict {
    /// Everything is decided as before.
    Equal,
    /// Some of it is decided more strictly, and nothing less strictly.
    Tightened,
    /// Some of it is decided less strictly, and nothing more strictly.
    Loosened,
    /// Some of it is decided more and some less strictly; or all that changed is as strict as before, such as `edit` for `ask`.
    Mixed,
    /// Not known.
    Unknown,
}

impl ChangeVerdict {
    /// The verdict on changes that were seen, and on others that may exist.
    ///
    /// What is decided otherwise at the same strictness counts only where nothing else does.
    /// What may exist leaves the verdict alone where it would only repeat what was seen.
    #[must_use]
    pub fn of(
        seen: impl IntoIterator<Item = Direction>,
        possible: impl IntoIterator<Item = Direction>,
    ) -> Self {
        let seen: BTreeSet<Direction> = seen.into_iter().collect();
        let mut all: BTreeSet<Direction> = possible.into_iter().collect();
        all.extend(&seen);
        let verdict = Self::on(&seen);
        if Self::on(&all) == verdict {
            verdict
        } else {
            Self::Unknown
        }
    }

    fn on(directions: &BTreeSet<Direction>) -> Self {
        let tightens = directions.contains(&Direction::Tightened);
        let loosens = directions.contains(&Direction::Loosened);
        match (tightens, loosens) {
            (false, false) if directions.is_empty() => Self::Equal,
            (true, false) => Self::Tightened,
            (false, true) => Self::Loosened,
            (true, true) | (false, false) => Self::Mixed,
        }
    }

    /// The verdict on two changes together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Equal, one) | (one, Self::Equal) => one,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (one, two) if one == two => one,
            _ => Self::Mixed,
        }
    }

    /// Whether something may be decided less strictly than before.
    #[must_use]
    pub fn may_loosen(self) -> bool {
        matches!(self, Self::Loosened | Self::Mixed | Self::Unknown)
    }

    /// The word for the verdict in JSON.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Tightened => "tightened",
            Self::Loosened => "loosened",
            Self::Mixed => "mixed",
            Self::Unknown => "unknown",
        }
    }
}

impl Display for ChangeVerdict {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str(self.keyword())
    }
}
