//! The language server of jp-lsp, and its command line.
//!
//! ```toml
//! # What a person types here ...
//! [conversation.tools.cargo]
//! run = "ask"
//! ```
//!
//! ... arrives on [`wire`]'s input, is read and judged in [`session`] and goes back as diagnostics.
//! No other crate of the workspace names the protocol's types.

mod acp;
mod agent;
pub mod cli;
pub mod disk;
mod features;
mod line_index;
mod published;
pub mod runtime;
pub mod server;
pub mod session;
pub mod trust;
pub mod wire;

pub use line_index::{Converter, LineIndex, PositionEncoding};
pub use server::Exit;
pub use session::{
    Answer, Cancelled, ClientProfile, Context, Dialect, DiskChanges, Document, DocumentError,
    Documents, Edit, Engine, FileKey, FileReport, Folder, RequestError, Routes, Snapshot, Work,
};
pub use wire::{Outbox, Stop};
