//! One client's session: the loop that owns the state, and what is known about it.
//!
//! ```text
//! events -> [ event loop: world ] -> snapshot -> reading -> analysis -> diagnostics
//! ```

pub(crate) mod analysis;
pub(crate) mod background;
pub(crate) mod capabilities;
pub(crate) mod cell;
pub(crate) mod client;
pub mod config_engine;
pub(crate) mod config_file_list;
pub(crate) mod diagnostics;
pub(crate) mod disk_changes;
pub(crate) mod documents;
pub(crate) mod engine;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod event_loop;
pub(crate) mod parent;
pub(crate) mod reading;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod snapshot;
pub(crate) mod to_protocol;
pub(crate) mod watch;
pub(crate) mod work;
pub(crate) mod world;

pub use client::{ClientProfile, Dialect, Folder};
pub use disk_changes::DiskChanges;
pub use documents::{Document, DocumentError, Documents, Edit, FileKey};
pub use engine::Engine;
pub use error::{Cancelled, RequestError};
pub use report::FileReport;
pub use request::{Answer, Context, Routes};
pub use snapshot::Snapshot;
pub use work::Work;
