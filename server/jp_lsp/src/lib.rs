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

mod agent_host;
mod background;
mod capabilities;
mod client;
pub mod commands;
pub mod config_engine;
mod config_file_list;
mod config_files;
pub mod conversations;
mod diagnostics;
mod disk_changes;
mod disk_paths;
mod documents;
mod engine;
mod event;
mod event_loop;
mod features;
mod front;
mod line_index;
mod outbox;
mod parent;
pub mod runtime;
pub mod server;
mod to_protocol;
pub mod transport;
pub mod trust;
mod watch;
pub mod workspace;
mod world;

pub use client::{ClientProfile, Dialect, Folder};
pub use disk_changes::DiskChanges;
pub use documents::{Document, DocumentError, Documents, Edit, FileKey};
pub use engine::{Answer, Cancelled, Context, Engine, FileReport, RequestError, Routes, Work};
pub use event::{Event, EventSender, Outcome};
pub use front::Stop;
pub use line_index::{Converter, LineIndex, PositionEncoding};
pub use outbox::Outbox;
pub use server::Exit;
pub use world::Snapshot;
