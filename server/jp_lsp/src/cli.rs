//! The command line.
//!
//! ```text
//! jp-lsp check .jp --format sarif
//! ```

pub mod acp;
pub mod answer_format;
pub mod check;
pub mod completions;
pub mod conversation;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod explain;
pub mod history;
pub mod init;
pub mod key;
pub mod man;
mod page;
pub mod plugin;
pub mod query;
pub mod report;
pub mod schema;
mod signals;
pub mod suggest;
pub mod test;
pub mod trust;
mod unread;
