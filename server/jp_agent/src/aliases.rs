//! Names for models.
//!
//! ```toml
//! [providers.llm.aliases]
//! haiku = "anthropic/claude-haiku-4-5"
//! fast = "haiku"
//! ```

use indexmap::{IndexMap, IndexSet};
use jp_config::model_id::{ModelId, ModelIdError, ModelReference};
use serde_json::Value;

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
    #[error(
        "the model alias leads back to itself (`{0}`), write `<provider>/<model>` for one of its names"
    )]
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

    /// The alias of a model, where it has one and no more than one.
    #[must_use]
    pub fn only_name_of(&self, model: &ModelId) -> Option<&str> {
        let mut names = self
            .0
            .keys()
            .filter(|name| self.resolve(name).as_ref() == Ok(model));
        names
            .next()
            .filter(|_| names.next().is_none())
            .map(String::as_str)
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

/// The model that a table with `provider` and `name` names; `alias` stands for it.
fn whole(table: &Value, alias: &str) -> Result<ModelId, AliasError> {
    let part = |key: &str| table.get(key).and_then(Value::as_str);
    match (part("provider"), part("name")) {
        (Some(provider), Some(name)) => Ok(ModelId::parse(&format!("{provider}/{name}"))?),
        _ => Err(AliasError::Incomplete(alias.to_owned())),
    }
}

#[cfg(test)]
#[path = "aliases_tests.rs"]
mod tests;
