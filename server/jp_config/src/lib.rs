//! The configuration model of `jp`: located documents, the schema tree, layers and merge, the load graph.
//!
//! ```toml
//! extends = ["config/personas/default.toml"]
//!
//! [conversation.tools.fs_modify_file]
//! source = "local"
//! ```
//!
//! Everything here is pure: text and trees in, facts out.
//! Files are read through the [`graph`] module's trait, which the caller implements.

pub mod content;
pub mod document;
pub mod effects;
pub mod enable;
pub mod graph;
pub mod memory;
pub mod merge;
pub mod model_id;
pub mod paths;
pub mod released;
pub mod schema;
pub mod source;
pub mod validate;
pub mod view;
