//! Model ids in any part of a config, written out as tables.
//!
//! ```json
//! {"assistant": {"model": {"id": "haiku"}}}
//! {"assistant": {"model": {"id": {"provider": "anthropic", "name": "claude-haiku-4-5"}}}}
//! ```

use jp_config::schema::{NodeId, Schema, Shape, Shared, schema};
use serde_json::{Value, json};

use super::LeafPath;
use crate::aliases::{AliasError, AliasMap};

/// Writes out every model id of a config, also those inside of lists and merge wrappers, as a table.
///
/// Returns those that name no model, with their paths; they stay as they are.
pub(super) fn write_out_model_ids(
    config: &mut Value,
    aliases: &AliasMap,
) -> Vec<(LeafPath, AliasError)> {
    let mut walk = Walk {
        schema: schema(),
        aliases,
        path: Vec::new(),
        errors: Vec::new(),
    };
    walk.value(walk.schema.root(), config);
    walk.errors
}

struct Walk<'a> {
    schema: &'a Schema,
    aliases: &'a AliasMap,
    path: Vec<String>,
    errors: Vec<(LeafPath, AliasError)>,
}

impl Walk<'_> {
    fn value(&mut self, id: NodeId, value: &mut Value) {
        let node = self.schema.node(id);
        if node.name == Some(Shared::ModelId) {
            if let Value::String(text) = value {
                match self.aliases.resolve(text) {
                    Ok(id) => *value = json!({ "provider": id.provider, "name": id.name }),
                    Err(error) => self.errors.push((LeafPath::new(self.path.clone()), error)),
                }
            }
            return;
        }
        if matches!(node.shape, Shape::Any) {
            return;
        }
        match value {
            Value::Object(table) => {
                for (key, value) in table {
                    if let Some(child) = self.schema.child(id, key) {
                        self.step(key.clone(), child, value);
                    }
                }
            }
            Value::Array(items) => {
                let Some(item) = self.schema.item(id) else {
                    return;
                };
                for (index, value) in items.iter_mut().enumerate() {
                    self.step(index.to_string(), item, value);
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, key: String, id: NodeId, value: &mut Value) {
        self.path.push(key);
        self.value(id, value);
        self.path.pop();
    }
}
