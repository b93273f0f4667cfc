//! The language server of jp-lsp: transport, event loop and document synchronization.
//!
//! ```toml
//! # What a person types here ...
//! [conversation.tools.cargo]
//! run = "ask"
//! ```
//!
//! ... arrives on [`server`]'s input, is analysed by an [`Engine`] and goes back as diagnostics.
//! No other crate of the workspace names the protocol's types.

mod agent;
pub mod cli;
pub mod disk;
mod features;
mod line_index;
pub mod runtime;
pub mod server;
pub mod session;
pub mod trust;
pub mod wire;

pub use line_index::{Converter, LineIndex, PositionEncoding};
pub use server::Exit;
pub use session::{
    Answer, Cancelled, ClientProfile, Context, Dialect, DiskChanges, Document, DocumentError,
    Documents, Edit, Engine, Event, EventSender, FileKey, FileReport, Folder, Outcome,
    RequestError, Routes, Snapshot, Work,
};
pub use wire::{Outbox, Stop};
