//! The config as of the start of a cycle.
//!
//! ```json
//! {"assistant": {"model": {"id": {"provider": "anthropic", "name": "claude-haiku-4-5"}}},
//!  "conversation": {"tools": {"grep": {"enable": {"state": true, "allow_toggle": "any"}}}}}
//! ```

use jp_config::{
    merge::{LayerId, Located, merge},
    schema::schema,
};
use serde_json::{Map, Value};

use super::model_ids::write_out_model_ids;
use crate::aliases::AliasMap;

/// The config as of the start of a cycle, with every shorthand written out.
///
/// Tools of one cycle all see this one, whatever the others propose meanwhile (RFD 078, "Within-cycle visibility").
#[derive(Debug, Clone)]
pub struct CycleConfig {
    value: Value,
    aliases: AliasMap,
}

impl CycleConfig {
    /// Writes out the shorthands of an effective config.
    #[must_use]
    pub fn new(effective: &Value) -> Self {
        let value = normalized(effective);
        let aliases = AliasMap::of(&value);
        Self { value, aliases }
    }

    /// The config.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// The workspace's model aliases.
    #[must_use]
    pub const fn aliases(&self) -> &AliasMap {
        &self.aliases
    }
}

/// The config with shorthands of `enable`, model ids and lone policy modes written out.
///
/// A table that a change sets one key of must be a table before, or its other keys would be lost.
/// An alias that names no model stays.
pub(super) fn normalized(config: &Value) -> Value {
    let mut value = merged(vec![config]);
    let aliases = AliasMap::of(&value);
    write_out_model_ids(&mut value, &aliases);
    value
}

/// Merges partial configs by the schema's rules, weakest first.
pub(super) fn merged(layers: Vec<&Value>) -> Value {
    let schema = schema();
    let stack = (0..)
        .map(LayerId)
        .zip(layers)
        .map(|(layer, value)| Located::from_json(value, layer))
        .collect();
    merge(schema, Some(schema.root()), stack)
        .map_or_else(|| Value::Object(Map::new()), |located| located.to_json())
}
