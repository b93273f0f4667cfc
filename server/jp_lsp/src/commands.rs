//! The command line.
//!
//! ```text
//! jp-lsp check .jp --format sarif
//! ```

pub mod check;
pub mod explain;
pub mod report;
pub mod schema;
