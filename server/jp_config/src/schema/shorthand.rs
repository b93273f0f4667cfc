//! Shorthands that stand for a table, and the table that each stands for.
//!
//! ```toml
//! model.id = "openai/gpt"   # the same as { provider = "openai", name = "gpt" }
//! enable = "explicit"       # the same as { state = false, allow_toggle = "if_named" }
//! ```

use serde_json::{Map, Value};

use super::{Merge, NodeId, Schema, Shared};
use crate::{
    enable::Enable,
    model_id::ModelId,
    tree::{Kind, Tree},
};

/// A value whose short form stands for a table.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum Shorthand {
    /// A boolean or a word for `state` and `allow_toggle` (RFD 081).
    Enable,
    /// A text for `provider` and `name`; an alias, which is a text too, stands for no table of its own.
    ModelId,
}

impl Schema {
    /// The short form that a value has beside its table, if it has one.
    #[must_use]
    pub fn shorthand(&self, id: NodeId) -> Option<Shorthand> {
        let node = self.node(id);
        match (node.merge, node.name) {
            (Merge::Enable, _) => Some(Shorthand::Enable),
            (_, Some(Shared::ModelId)) => Some(Shorthand::ModelId),
            _ => None,
        }
    }

    /// The table that a value in its short form stands for.
    ///
    /// Nothing for a table, and for a value that stands for none.
    pub fn table_of_shorthand<T: Tree>(&self, id: NodeId, tree: T) -> Option<Map<String, Value>> {
        let table = match self.shorthand(id)? {
            Shorthand::Enable => {
                let enable = match tree.kind() {
                    Kind::Boolean => Enable::from_bool(tree.as_bool()?),
                    Kind::String => Enable::from_shorthand(&tree.as_str()?)?,
                    _ => return None,
                };
                enable.to_value()
            }
            Shorthand::ModelId => {
                let id = ModelId::parse(&tree.as_str()?).ok()?;
                serde_json::json!({ "provider": id.provider, "name": id.name })
            }
        };
        match table {
            Value::Object(table) => Some(table),
            _ => None,
        }
    }
}
