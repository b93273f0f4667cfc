//! Model aliases, and model ids in any part of the config.
//!
//! ```toml
//! [providers.llm.aliases]
//! haiku = "anthropic/claude-haiku-4-5"
//! fast = "haiku"
//! ```

use indexmap::{IndexMap, IndexSet};
use jp_config::{
    model_id::{ModelId, ModelIdError, ModelReference},
    schema::{NodeId, Schema, Shape, schema},
};
use serde_json::{Value, json};

use super::LeafPath;

/// The names under `providers.llm.aliases`.
#[derive(Debug, Clone, Default)]
pub struct AliasMap(IndexMap<String, Value>);

/// Why an alias names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AliasError {
    /// No such alias.
    #[error(
        "unknown model alias `{0}`, write an alias from `providers.llm.aliases` or `<provider>/<model>`"
    )]
    Unknown(String),
    /// The alias leads back to itself.
    #[error("model alias cycle detected: {0}")]
    Cycle(String),
    /// The alias stands for a table that lacks a part.
    #[error("model alias `{0}` names no whole model, it needs `provider` and `name`")]
    Incomplete(String),
    /// The text, or what the alias stands for, is no model id.
    #[error(transparent)]
    Invalid(#[from] ModelIdError),
}

impl AliasMap {
    /// The aliases of a config.
    #[must_use]
    pub fn of(config: &Value) -> Self {
        let aliases = config
            .pointer("/providers/llm/aliases")
            .and_then(Value::as_object);
        Self(
            aliases
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// The model that `text` names: `<provider>/<name>`, or an alias, which may name another alias.
    ///
    /// # Errors
    ///
    /// Fails where the text is neither, and where aliases lead nowhere or in a circle.
    pub fn resolve(&self, text: &str) -> Result<ModelId, AliasError> {
        let mut seen: IndexSet<&str> = IndexSet::new();
        let mut text = text;
        loop {
            let alias = match ModelReference::parse(text)? {
                ModelReference::Id(id) => return Ok(id),
                ModelReference::Alias(_) => text,
            };
            if !seen.insert(alias) {
                let mut chain: Vec<&str> = seen.into_iter().collect();
                chain.push(alias);
                return Err(AliasError::Cycle(chain.join(" -> ")));
            }
            match self.0.get(alias) {
                Some(Value::String(next)) => text = next,
                Some(table) => return whole(table, alias),
                None => return Err(AliasError::Unknown(alias.to_owned())),
            }
        }
    }
}

fn whole(table: &Value, alias: &str) -> Result<ModelId, AliasError> {
    let part = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    match (part("provider"), part("name")) {
        (Some(provider), Some(name)) => Ok(ModelId { provider, name }),
        _ => Err(AliasError::Incomplete(alias.to_owned())),
    }
}

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
        if node.name == Some("ModelId") {
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
