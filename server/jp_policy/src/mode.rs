//! What a rule decides: how a call runs, or how its result is delivered.
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [{ arg = "/path", prefix = ".env", mode = "ask" }, { mode = "unattended" }]
//! result = "unattended"
//! ```

use std::{
    fmt::{Debug, Display, Formatter, Result as FmtResult},
    hash::Hash,
};

/// A mode that a rule can decide (RFD D25, "Rule structure").
///
/// Modes are ordered by strictness: `skip` is stricter than `edit` and `ask`, which are equally strict, and both are stricter than
/// `unattended`.
/// Where both `edit` and `ask` come up for one call, it is edited: see [`Mode::outranks`].
pub trait Mode: Copy + Eq + Hash + Debug + Display + 'static {
    /// The mode of the implicit fallback that follows the last rule.
    const ASK: Self;
    /// The mode that asks nobody.
    const UNATTENDED: Self;
    /// The mode that opens an editor.
    const EDIT: Self;
    /// The strictest mode.
    const SKIP: Self;
    /// Every mode, in the order the documentation lists them.
    const ALL: &'static [Self];

    /// The word that configures the mode.
    fn keyword(self) -> &'static str;

    /// How strict the mode is: 0 for `unattended`, 1 for `ask` and `edit`, 2 for `skip`.
    fn strictness(self) -> u8;

    /// The mode that `keyword` configures, or `None` for any other word.
    #[must_use]
    fn from_keyword(keyword: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|mode| mode.keyword() == keyword)
    }

    /// Whether the mode is stricter than `other`.
    #[must_use]
    fn is_stricter_than(self, other: Self) -> bool {
        self.strictness() > other.strictness()
    }

    /// Whether this mode counts where both come up for one call: the stricter one, and of `edit` and `ask` the former.
    ///
    /// Who edits sees what would run and has to confirm it, so whoever wanted to be asked is asked as well.
    #[must_use]
    fn outranks(self, other: Self) -> bool {
        let rank = |mode: Self| (mode.strictness(), mode == Self::EDIT);
        rank(self) > rank(other)
    }
}

/// Whether a person is asked before a tool runs: the modes of `policy.run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunMode {
    /// Ask before the tool runs.
    Ask,
    /// Run the tool without asking.
    Unattended,
    /// Open the arguments for editing before the tool runs.
    Edit,
    /// Do not run the tool.
    Skip,
}

/// Whether a person is asked before a tool's result is delivered: the modes of `policy.result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultMode {
    /// Deliver the result without asking.
    Unattended,
    /// Ask before the result is delivered.
    Ask,
    /// Open the result for editing before it is delivered.
    Edit,
    /// Do not deliver the result.
    Skip,
}

impl Mode for RunMode {
    const ASK: Self = Self::Ask;
    const UNATTENDED: Self = Self::Unattended;
    const EDIT: Self = Self::Edit;
    const SKIP: Self = Self::Skip;
    const ALL: &'static [Self] = &[Self::Ask, Self::Unattended, Self::Edit, Self::Skip];

    fn keyword(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Unattended => "unattended",
            Self::Edit => "edit",
            Self::Skip => "skip",
        }
    }

    fn strictness(self) -> u8 {
        match self {
            Self::Unattended => 0,
            Self::Ask | Self::Edit => 1,
            Self::Skip => 2,
        }
    }
}

impl Mode for ResultMode {
    const ASK: Self = Self::Ask;
    const UNATTENDED: Self = Self::Unattended;
    const EDIT: Self = Self::Edit;
    const SKIP: Self = Self::Skip;
    const ALL: &'static [Self] = &[Self::Unattended, Self::Ask, Self::Edit, Self::Skip];

    fn keyword(self) -> &'static str {
        match self {
            Self::Unattended => "unattended",
            Self::Ask => "ask",
            Self::Edit => "edit",
            Self::Skip => "skip",
        }
    }

    fn strictness(self) -> u8 {
        match self {
            Self::Unattended => 0,
            Self::Ask | Self::Edit => 1,
            Self::Skip => 2,
        }
    }
}

impl Display for RunMode {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str(self.keyword())
    }
}

impl Display for ResultMode {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str(self.keyword())
    }
}

#[cfg(test)]
#[path = "mode_tests.rs"]
mod tests;
