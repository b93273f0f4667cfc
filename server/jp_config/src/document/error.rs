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
}
