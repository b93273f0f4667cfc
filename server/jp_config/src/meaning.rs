//! What a value means, its form put aside: two values are the same to `jp` where their meanings are equal.
//!
//! ```toml
//! assistant.model.id = "haiku"                 # "anthropic/claude-haiku-4-5", where the alias leads there
//! style.typewriter.text_delay = { secs = 1 }   # "1s"
//! style.code.file_link = true                  # "full"
//! ```

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    model_id::{ModelId, ModelReference},
    schema::{NodeId, Schema, Shape, Shared, StringFormat, schema},
};

/// The key under which the released `jp` keeps a date of TOML.
const DATE: &str = "$__toml_private_datetime";

/// What a value at a schema node means; `model` says which model an alias leads to.
///
/// Values of which each says nothing, such as a key that holds its default or an empty list, are left out of tables.
/// Merge wrappers and shorthands of tables are not looked at: read the value with [`crate::merge::finish`] first.
pub fn meaning(
    node: Option<NodeId>,
    value: &Value,
    model: &dyn Fn(&str) -> Option<String>,
) -> Value {
    Reader {
        schema: schema(),
        model,
    }
    .read(node, value)
}

/// Whether a meaning says nothing: `null`, and an empty list or table.
#[must_use]
pub fn says_nothing(meaning: &Value) -> bool {
    match meaning {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(table) => table.is_empty(),
        _ => false,
    }
}

struct Reader<'a> {
    schema: &'a Schema,
    model: &'a dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    fn read(&self, node: Option<NodeId>, value: &Value) -> Value {
        let Some(id) = node.filter(|id| !matches!(self.schema.node(*id).shape, Shape::Any)) else {
            return free(value);
        };
        if self.schema.node(id).name == Some(Shared::ModelId)
            && let Some(model) = self.model_id(value)
        {
            return model.into();
        }
        match value {
            Value::Bool(is) => self
                .word(id, if *is { "true" } else { "false" })
                .unwrap_or_else(|| value.clone()),
            Value::Number(number) => self.number(id, number),
            Value::String(text) => self.text(id, text),
            Value::Array(items) => self.list(id, items),
            Value::Object(table) => self.table(id, table),
            Value::Null => Value::Null,
        }
    }

    fn model_id(&self, value: &Value) -> Option<String> {
        let part = |key: &str| value.get(key).and_then(Value::as_str);
        let text = match value.as_str() {
            Some(text) => text.to_owned(),
            None => format!("{}/{}", part("provider")?, part("name")?),
        };
        match ModelReference::parse(&text).ok()? {
            ModelReference::Id(ModelId { provider, name }) => Some(format!("{provider}/{name}")),
            ModelReference::Alias(alias) => Some((self.model)(&alias).unwrap_or(alias)),
        }
    }

    /// What a word stands for among the legal words of a node; `true` and `false` may be such words too.
    fn word(&self, id: NodeId, text: &str) -> Option<Value> {
        let variants = self.schema.variants(id);
        let known = |name: &str| variants.iter().any(|variant| variant.value == name);
        let found = variants
            .iter()
            .find(|variant| variant.value == text || variant.aliases.contains(&text));
        let of_boolean = match text {
            "true" if known("full") => Some("full"),
            "true" if known("always") => Some("always"),
            "false" if known("never") => Some("never"),
            "false" if known("off") => Some("off"),
            _ => None,
        };
        let word = found.map(|variant| variant.deprecated.unwrap_or(variant.value));
        Some(word.or(of_boolean)?.into())
    }

    fn number(&self, id: NodeId, number: &serde_json::Number) -> Value {
        let formats = self.schema.formats(id);
        if formats.contains(&StringFormat::CompactionBound) {
            return number.to_string().into();
        }
        if formats.contains(&StringFormat::Number) {
            return json!({ "truncate": { "lines": number } });
        }
        match number.as_f64() {
            Some(float) if number.is_f64() => whole(single(float)),
            _ => number.clone().into(),
        }
    }

    fn text(&self, id: NodeId, text: &str) -> Value {
        if let Some(word) = self.word(id, text) {
            return word;
        }
        let formats = self.schema.formats(id);
        let has = |format: StringFormat| formats.contains(&format);
        let number = || text.trim().parse::<u64>().ok();
        if has(StringFormat::Number)
            && let Some(lines) = number()
        {
            return json!({ "truncate": { "lines": lines } });
        }
        if has(StringFormat::Color) {
            return number().map_or_else(|| text.to_lowercase().into(), Value::from);
        }
        if has(StringFormat::Duration)
            && let Ok(duration) = humantime::parse_duration(text)
        {
            return delay(duration);
        }
        if has(StringFormat::Url)
            && let Ok(url) = url::Url::parse(text)
        {
            return url.to_string().into();
        }
        text.into()
    }

    fn list(&self, id: NodeId, items: &[Value]) -> Value {
        let item = self.schema.item(id);
        let mut items: Vec<Value> = items.iter().map(|value| self.read(item, value)).collect();
        if item.is_some_and(|item| self.schema.field(item, "position").is_some()) {
            items.sort_by_key(|value| value.get("position").and_then(Value::as_i64).unwrap_or(0));
        }
        items.into()
    }

    fn table(&self, id: NodeId, table: &Map<String, Value>) -> Value {
        let part = |key: &str| table.get(key).map_or(Some(0), Value::as_u64);
        if self.schema.formats(id).contains(&StringFormat::Duration)
            && let (Some(seconds), Some(nanos)) = (part("secs"), part("nanos"))
        {
            let nanos = Duration::from_nanos(nanos);
            return delay(Duration::from_secs(seconds).saturating_add(nanos));
        }
        let is_map = self.schema.map(id).is_some();
        let mut read = Map::new();
        for (key, value) in table {
            let child = self.schema.child(id, key);
            let meaning = self.read(child, value);
            let default = child.and_then(|child| {
                let default = self.schema.node(child).default.as_ref()?;
                Some(self.read(Some(child), default))
            });
            let is_silent = says_nothing(&meaning) || default.as_ref() == Some(&meaning);
            if is_map && !value.is_null() || !is_silent {
                read.insert(key.clone(), meaning);
            }
        }
        // An assistant of which nothing else is said is the one of the conversation.
        if read.is_empty()
            && let Some(word) = self.word(id, "assistant")
        {
            return word;
        }
        // A plain text in `extends` is a path that goes before the file.
        let is_before = read.get("strategy").is_some_and(|word| word == "before");
        match read.get("path") {
            Some(path) if is_before && read.len() == 2 => path.clone(),
            _ => read.into(),
        }
    }
}

/// Free-form data, in which only the form of numbers and dates does not matter.
fn free(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => whole(float),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(free).collect(),
        Value::Object(table) => match table.get(DATE) {
            Some(date) if table.len() == 1 => date.clone(),
            _ => {
                let entries = table.iter().filter(|(_, value)| !value.is_null());
                let read = entries.map(|(key, value)| (key.clone(), free(value)));
                Value::Object(read.collect())
            }
        },
        other => other.clone(),
    }
}

/// A number in the precision that `jp` keeps it in.
fn single(float: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the loss is what is wanted: `jp` keeps 32 bits"
    )]
    let single = float as f32;
    f64::from(single)
}

/// A number without the dot where nothing stands behind it.
fn whole(float: f64) -> Value {
    let text = format!("{float}");
    text.parse::<i64>()
        .map_or_else(|_| Value::from(float), Value::from)
}

fn delay(duration: Duration) -> Value {
    humantime::format_duration(duration).to_string().into()
}

#[cfg(test)]
#[path = "meaning_tests.rs"]
mod tests;
