//! The one schema tree of the whole config.
//!
//! ```toml
//! [conversation.tools.'*']            # the literal key of a map
//! run = "ask"                         # an enum
//!
//! [conversation.tools.fs_modify_file] # any other key of the same map
//! source = "local"                    # a string with a format
//! enable = "explicit"                 # a union of boolean, enum and table
//! ```
//!
//! Every config path is described once, in the files below this module.
//! Validation, completion, hover, merging, the legality of `*` and the JSON Schema all walk this tree.

mod access;
mod assistant;
mod build;
mod conversation;
mod describe;
mod editor;
mod interrupt;
mod json_schema;
mod leaves;
mod lookup;
mod mergeable;
mod model;
mod node;
mod plugins;
mod policy;
mod providers;
mod root;
mod shared;
mod shorthand;
mod spec;
mod style;
mod tool;
mod unset;
pub mod wrapper;

use std::sync::LazyLock;

pub use self::{
    json_schema::json_schema,
    leaves::Leaf,
    lookup::{Lookup, LookupError, LookupErrorKind},
    node::{
        Effect, Field, KeyKind, MapShape, Merge, Node, NodeId, NullMeaning, PathKind, ReleasedForm,
        Requirement, Schema, Sensitivity, Shape, Strategy, StringFormat, StructShape, UnknownKeys,
        Variant,
    },
    providers::provider_names,
    shared::Shared,
    shorthand::Shorthand,
    tool::CANCELLATION_RESPONSE,
    unset::UnsetError,
    wrapper::{MapStrategy, Wrapped, WrapperSettings},
};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| build::compile(root::root()));

/// The schema of `jp`'s config, compiled on first use.
#[must_use]
pub fn schema() -> &'static Schema {
    &SCHEMA
}

/// Whether `key` may stand at the root of a config file.
#[must_use]
pub fn is_root_key(key: &str) -> bool {
    SCHEMA.field(SCHEMA.root(), key).is_some()
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
