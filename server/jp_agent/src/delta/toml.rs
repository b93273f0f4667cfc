//! Config values as TOML that a person reads.
//!
//! ```toml
//! [assistant.model.id]
//! provider = "anthropic"
//! ```

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Key, Table, Value};

/// A partial config as a TOML document; `null` has no TOML form and is left out.
pub(super) fn document(config: &Json) -> DocumentMut {
    let mut document = DocumentMut::new();
    if let Item::Table(table) = item(config) {
        *document.as_table_mut() = table;
    }
    document.as_table_mut().set_implicit(true);
    document
}

/// Puts each element of every list on a line of its own, so that a difference shows the one that came.
pub(super) fn spread(table: &mut Table) {
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => spread(inner),
            Item::Value(Value::Array(list)) if !list.is_empty() => {
                for element in list.iter_mut() {
                    element.decor_mut().set_prefix("\n  ");
                }
                list.set_trailing("\n");
                list.set_trailing_comma(true);
            }
            _ => {}
        }
    }
}

/// A value as it stands in a document: tables with headers, everything else inline.
pub(super) fn item(json: &Json) -> Item {
    match json {
        Json::Object(entries) => {
            let mut table = Table::new();
            for (key, json) in entries {
                if !json.is_null() {
                    table.insert_formatted(&Key::new(key), item(json));
                }
            }
            let has_values = table.iter().any(|(_, item)| item.is_value());
            table.set_implicit(!has_values && !table.is_empty());
            Item::Table(table)
        }
        json => value(json).map_or(Item::None, Item::Value),
    }
}

/// A value on one line; `None` for `null`.
pub(super) fn value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => number.as_i64().map_or_else(
            || Value::from(number.as_f64().unwrap_or_default()),
            Value::from,
        ),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().filter_map(value).collect::<Array>()),
        Json::Object(entries) => {
            let mut table = InlineTable::new();
            for (key, json) in entries {
                if let Some(value) = value(json) {
                    table.insert_formatted(&Key::new(key), value);
                }
            }
            Value::InlineTable(table)
        }
    })
}

/// The value of a document as JSON; dates become strings.
pub(super) fn json_of(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.value().clone()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(value) => Json::Bool(*value.value()),
        Value::Datetime(date) => Json::String(date.value().to_string()),
        Value::Array(items) => items.iter().map(json_of).collect(),
        Value::InlineTable(table) => Json::Object(
            table
                .iter()
                .map(|(key, value)| (key.to_owned(), json_of(value)))
                .collect(),
        ),
    }
}
