//! What a person can ask for.

use crate::Edit;

/// A change that a person can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What it does, as a menu shows it.
    pub title: String,
    /// Its kind.
    pub kind: ActionKind,
    /// Whether it is the one right answer to a finding.
    pub preferred: bool,
    /// The finding that it answers, by its place in [`Analysis::diagnostics`](crate::Analysis::diagnostics) of the file.
    pub diagnostic: Option<usize>,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
    /// Why it cannot be done here; such an action has no edits.
    pub disabled: Option<String>,
}

/// What kind of change an [`Action`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// It answers a finding (`quickfix`).
    QuickFix,
    /// It says the same in another way, or something stricter (`refactor.rewrite`).
    Rewrite,
    /// It answers every finding that has one safe answer (`source.fixAll`).
    FixAll,
}
