//! Values as TOML text.

use serde_json::Value;

/// A string as a TOML literal: a basic string unless that needs escapes that a literal string avoids.
#[must_use]
pub fn string(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// A key as TOML text, quoted where it has to be.
#[must_use]
pub fn key(text: &str) -> String {
    if text == "*" {
        // The tool defaults, as everyone writes them.
        return "'*'".to_owned();
    }
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !text.is_empty() && text.bytes().all(is_bare) {
        return text.to_owned();
    }
    toml_edit::Key::new(text).to_string()
}

/// A value as it is written in TOML, on one line.
#[must_use]
pub fn value(json: &Value) -> String {
    match json {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        // What toml_edit would write over several lines is written as JSON does, which TOML reads alike.
        Value::String(text) if text.contains(char::is_control) => {
            json.to_string().replace('\u{7f}', "\\u007F")
        }
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(table) => {
            let entries: Vec<String> = table
                .iter()
                .map(|(key, value)| format!("{} = {}", self::key(key), self::value(value)))
                .collect();
            if entries.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }
}
