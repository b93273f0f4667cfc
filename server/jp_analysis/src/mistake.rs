//! What is wrong in a file about the config that is no config itself.
//!
//! ```text
//! .jp/lsp.toml:3: unknown severity `warn`: write `error`, `warning`, `information`, `hint` or `off`
//! ```

use jp_config::document::{Document, Span};

/// Something that is wrong in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// Where.
    pub span: Span,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl Mistake {
    /// What of a text is not TOML.
    #[must_use]
    pub fn of_syntax(document: &Document) -> Vec<Self> {
        let errors = document.errors().into_iter();
        let mistakes = errors.map(|error| Self {
            span: error.span,
            message: error.message,
        });
        mistakes.collect()
    }
}
