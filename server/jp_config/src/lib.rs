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
//!
//! ```
//! use std::sync::Arc;
//!
//! use jp_config::{
//!     graph::{Graph, Roots},
//!     memory::MemoryFiles,
//!     view::View,
//! };
//!
//! let mut files = MemoryFiles::default();
//! files.insert("/w/.jp/config.toml", "assistant.name = 'Ada'");
//! let graph = Graph::load(&Roots::workspace_only("/w"), &files);
//! let view = View::new(Arc::new(graph));
//! assert!(view.effective(&["assistant", "name"]).is_some());
//! assert!(view.effective(&["assistant", "title"]).is_none());
//! ```

pub mod builtin;
pub mod code;
pub mod content;
pub mod document;
pub mod effects;
pub mod enable;
pub mod graph;
pub mod inquiry;
pub mod meaning;
pub mod memory;
pub mod merge;
pub mod model_id;
mod path;
pub mod paths;
pub mod refusal;
pub mod released;
pub mod schema;
pub mod server_address;
pub mod source;
pub mod template;
pub mod tree;
pub mod validate;
pub mod view;
pub mod words;
