//! Why a pattern was refused, and what was forgiven in it.

use std::ops::Range;

/// Why a pattern was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatternError {
    /// Whose fault it is.
    pub kind: PatternErrorKind,
    /// Name of the refused construct, like `lookahead` or `quantifier`.
    pub construct: String,
    /// One sentence that says what is wrong and what to write instead.
    pub message: String,
    /// Bytes of the pattern's source that the error is about.
    pub offset: Range<usize>,
}

/// The reasons to refuse a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternErrorKind {
    /// ECMA-262 with the `u` flag rejects the pattern too.
    Invalid,
    /// ECMA-262 accepts the pattern, the linear-time engine cannot express it.
    Unsupported,
    /// The pattern, or the program it compiles to, exceeds a limit.
    TooLarge,
}

/// A spelling that ECMA-262 accepts only without the `u` flag, by its Annex B.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternWarning {
    /// The lenient spelling, like `]`.
    pub construct: String,
    /// The strict spelling of the same meaning, like `\]`.
    pub replacement: String,
    /// One sentence that says what the spelling means and what to write instead.
    pub message: String,
    /// Bytes of the pattern's source that the warning is about.
    pub offset: Range<usize>,
}
