//! The command line.
//!
//! ```text
//! jp-lsp check .jp --format sarif
//! ```

pub mod check;
pub mod report;
