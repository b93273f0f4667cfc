//! What a person can ask for.

use camino::Utf8PathBuf;

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
    /// The file that it creates in the workspace.
    pub creates: Option<NewFile>,
    /// Why it cannot be done here; such an action has no edits.
    pub disabled: Option<String>,
}

/// A file that an [`Action`] creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// An absolute path at which no file stood when the workspace was read.
    pub path: Utf8PathBuf,
    /// What it holds; with nothing, a file that is there by now will do.
    pub text: String,
}

impl Action {
    /// Where a menu shows it: the one right answer first, other fixes next, rewrites behind them.
    #[must_use]
    pub fn rank(&self) -> u8 {
        match self.kind {
            ActionKind::QuickFix if self.preferred => 0,
            ActionKind::QuickFix => 1,
            ActionKind::Rewrite => 2,
            ActionKind::FixAll => 3,
        }
    }
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
