//! One client's session: the loop that owns the state, and what is known about it.
//!
//! ```text
//! events -> [ event loop: world ] -> snapshot -> reading -> analysis -> diagnostics
//! ```

pub(crate) mod analysis;
pub(crate) mod at_rest;
pub(crate) mod background;
pub(crate) mod capabilities;
pub(crate) mod cell;
pub(crate) mod client;
pub(crate) mod commits;
pub(crate) mod comparer;
pub mod config_engine;
pub(crate) mod config_file_list;
pub(crate) mod content;
pub(crate) mod diagnostics;
pub(crate) mod disk_changes;
pub(crate) mod documents;
pub(crate) mod engine;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod event_loop;
pub(crate) mod examples;
pub(crate) mod parent;
pub(crate) mod reading;
pub(crate) mod record;
pub(crate) mod recorder;
pub(crate) mod replays;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod since_head;
pub(crate) mod snapshot;
pub(crate) mod to_protocol;
pub(crate) mod trusted_folders;
pub(crate) mod watch;
pub(crate) mod work;
pub(crate) mod world;

pub use client::{ClientProfile, Dialect, Folder};
pub use commits::Commits;
pub use disk_changes::DiskChanges;
pub use documents::{Document, DocumentError, Documents, Edit, FileKey};
pub use engine::Engine;
pub use error::{Cancelled, RequestError};
pub use record::Record;
pub use replays::Replays;
pub use report::FileReport;
pub use request::{Answer, Context, Routes};
pub use since_head::SinceHead;
pub use snapshot::Snapshot;
pub use work::Work;
