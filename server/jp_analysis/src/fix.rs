//! Edits that answer a diagnostic.

use crate::place::Place;

/// What kind of change a [`Fix`] is, as LSP's code action kinds name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixKind {
    /// It removes the diagnostic (`quickfix`).
    QuickFix,
    /// It rewrites without changing the meaning (`refactor.rewrite`).
    Rewrite,
}

/// How the title of a fix goes on that lets rules decide more calls: with the mode that they get.
pub(crate) const MORE_CALLS: &str = "more calls get";

/// A change that a person can accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, as a menu shows it; a risk is named here.
    pub title: String,
    /// Its kind.
    pub kind: FixKind,
    /// Whether it is the one right answer.
    ///
    /// A fix that grants more than before is never preferred.
    pub preferred: bool,
    /// Whether "fix all" may apply it unseen.
    pub safe: bool,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
}

/// The replacement of a span of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; an empty span inserts.
    pub place: Place,
    /// What stands there instead.
    pub text: String,
}

impl Fix {
    /// A preferred, safe quick fix.
    #[must_use]
    pub fn new(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            title: title.into(),
            kind: FixKind::QuickFix,
            preferred: true,
            safe: true,
            edits,
        }
    }

    /// A preferred, safe quick fix with one edit.
    #[must_use]
    pub fn replace(title: impl Into<String>, place: Place, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(title, vec![Edit { place, text }])
    }

    /// The same fix, which a person looks at before it is applied.
    #[must_use]
    pub fn with_review(mut self) -> Self {
        self.safe = false;
        self
    }

    /// The same fix, not preferred and never applied unseen.
    #[must_use]
    pub fn with_risk(mut self) -> Self {
        self.preferred = false;
        self.safe = false;
        self
    }

    /// The same fix, one of several right answers.
    #[must_use]
    pub fn one_of_several(mut self) -> Self {
        self.preferred = false;
        self.safe = false;
        self
    }
}
