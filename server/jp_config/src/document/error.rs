//! What is wrong with the text of a document.
//!
//! ```toml
//! run = [          # unclosed array: write `]`
//! [conversation]
//! ```

use super::span::Span;

/// What sort of mistake a [`SyntaxError`] reports.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum SyntaxErrorKind {
    /// The text is not TOML.
    Syntax,
    /// A key or table is defined twice, or as a value and as a table.
    DuplicateKey,
    /// A `*` stands as a key without quotes.
    BareStar,
}

/// A replacement of a part of the text that mends it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Repair {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// What stands there instead.
    pub text: String,
}

/// One mistake in the text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SyntaxError {
    /// What sort of mistake it is.
    pub kind: SyntaxErrorKind,
    /// Where it is.
    pub span: Span,
    /// What is wrong and what to write instead; lower-case, no final period.
    pub message: String,
    /// For a duplicate: the first definition, and what to say there.
    pub related: Option<(Span, String)>,
    /// What to write instead, where that can be told from the place alone.
    pub repair: Option<Repair>,
}

impl Repair {
    pub(super) fn insert(at: u32, text: impl Into<String>) -> Self {
        Self::replace(Span::new(at, at), text)
    }

    pub(super) fn remove(span: Span) -> Self {
        Self::replace(span, "")
    }

    pub(super) fn replace(span: Span, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }
}
