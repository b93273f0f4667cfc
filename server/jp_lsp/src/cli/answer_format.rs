//! `--format` of commands that answer a question.
//!
//! ```text
//! jp-lsp history --format json
//! ```

use clap::ValueEnum;

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum AnswerFormat {
    /// In words, for people.
    #[default]
    Human,
    /// In JSON, for programs.
    Json,
}
