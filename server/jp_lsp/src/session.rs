//! One client's session: the loop that owns the state, and what is known about it.
//!
//! ```text
//! events -> [ event loop: world ] -> snapshot -> reading -> analysis -> diagnostics
//! ```

pub(crate) mod analysis;
pub(crate) mod background;
pub(crate) mod capabilities;
pub(crate) mod client;
pub mod config_engine;
pub(crate) mod config_file_list;
pub(crate) mod diagnostics;
pub(crate) mod disk_changes;
pub(crate) mod documents;
pub(crate) mod engine;
pub(crate) mod event;
pub(crate) mod event_loop;
pub(crate) mod parent;
pub(crate) mod reading;
pub(crate) mod to_protocol;
pub(crate) mod watch;
pub(crate) mod world;

pub use client::{ClientProfile, Dialect, Folder};
pub use disk_changes::DiskChanges;
pub use documents::{Document, DocumentError, Documents, Edit, FileKey};
pub use engine::{Answer, Cancelled, Context, Engine, FileReport, RequestError, Routes, Work};
pub use event::{Event, EventSender, Outcome};
pub use world::Snapshot;
