//! Views of a document: tables, entries, arrays and scalars.
//!
//! ```toml
//! [conversation.tools.a]      # `conversation` is one table, whatever headers name it
//! run = "ask"                 # an entry: key `run`, value a string
//! ```
//!
//! Every view is a few indexes and a reference to the document, and cheap to copy.

mod entry;
mod key;
mod node;
mod node_ref;
mod scalar;
mod section_ref;
mod table;

pub(super) use node_ref::NodeRef;

pub use entry::Entry;
pub use key::Key;
pub use node::{Array, Kind, Node};
pub use scalar::{Scalar, Str};
pub use section_ref::SectionRef;
pub use table::{Entries, Table, TableKind};
