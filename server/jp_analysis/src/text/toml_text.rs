//! Values as TOML text.

use crate::tool::DEFAULTS;

/// A string as a TOML literal: a basic string unless that needs escapes that a literal string avoids.
#[must_use]
pub fn string(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// A key as TOML text, quoted where it has to be.
#[must_use]
pub fn key(text: &str) -> String {
    if text == DEFAULTS {
        // As the documents write it.
        return "'*'".to_owned();
    }
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !text.is_empty() && text.bytes().all(is_bare) {
        return text.to_owned();
    }
    toml_edit::Key::new(text).to_string()
}
