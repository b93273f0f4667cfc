//! What nobody should read over a shoulder.
//!
//! ```toml
//! options.api_token = "…"                     # the whole value is withheld
//! arguments = ["--token", "…", "--key=…"]     # parts of it are
//! ```

use jp_config::schema::{NodeId, Shape, schema};
use serde_json::Value;

/// The words that make a name that of a secret.
const WORDS: [&str; 16] = [
    "key",
    "keys",
    "apikey",
    "token",
    "secret",
    "secrets",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "pat",
];

/// Parts of a name that make it that of a secret wherever they stand.
const PARTS: [&str; 6] = [
    "secret",
    "passw",
    "apikey",
    "api_key",
    "credential",
    "private_key",
];

/// What stands in place of a value that is withheld.
const WITHHELD: &str = "(withheld)";

/// The starts of the keys of well-known services.
const KEYS: [&str; 9] = [
    "sk-",
    "xai-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "xoxb-",
    "AKIA",
    "AIza",
];

/// Whether a config path looks like that of a secret.
///
/// A number or a boolean that the schema knows is none, such as `max_tokens`.
pub(super) fn is_secret(keys: &[&str], node: Option<NodeId>) -> bool {
    let is_harmless = node.is_some_and(|id| {
        matches!(
            schema().node(id).shape,
            Shape::Boolean | Shape::Integer { .. } | Shape::Float | Shape::Enum(_)
        )
    });
    !is_harmless && keys.iter().any(|key| names_secret(key))
}

/// A value without what in it looks like a secret.
pub(super) fn without_secrets(value: &Value) -> Value {
    match value {
        Value::String(text) => text_without(text).into(),
        Value::Array(items) => {
            let mut is_next = false;
            let shown = items.iter().map(|item| {
                let flag = item.as_str().filter(|text| text.starts_with('-'));
                let is_value = is_next && flag.is_none();
                is_next = flag.is_some_and(|flag| !flag.contains('=') && names_secret(flag));
                match is_value {
                    true => WITHHELD.into(),
                    false => without_secrets(item),
                }
            });
            Value::Array(shown.collect())
        }
        Value::Object(table) => table
            .iter()
            .map(|(key, value)| {
                let shown = match names_secret(key) {
                    true => WITHHELD.into(),
                    false => without_secrets(value),
                };
                (key.clone(), shown)
            })
            .collect(),
        other => other.clone(),
    }
}

/// Whether a name, such as `githubToken`, `X-Api-Key` or `--password`, is that of a secret.
fn names_secret(name: &str) -> bool {
    let mut spaced = String::new();
    let mut was_lower = false;
    for character in name.chars() {
        match character.is_alphanumeric() {
            true if character.is_uppercase() && was_lower => spaced.push('_'),
            true => {}
            false => spaced.push('_'),
        }
        if character.is_alphanumeric() {
            spaced.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    let is_word = |word: &str| WORDS.contains(&word.trim_end_matches(char::is_numeric));
    spaced.split('_').any(is_word) || PARTS.iter().any(|part| spaced.contains(part))
}

/// A text without its secrets: of an address the person, of `NAME=VALUE` the value, of a command what follows `--token`.
fn text_without(text: &str) -> String {
    let mut is_next = false;
    let words = text.split_inclusive(char::is_whitespace).map(|piece| {
        let word = piece.trim_end();
        let space = piece.get(word.len()..).unwrap_or_default();
        let is_value = is_next && !word.is_empty();
        if !word.is_empty() {
            let is_flag = word.starts_with('-') || word.ends_with(':') || word == "Bearer";
            is_next = is_flag && !word.contains('=') && names_secret(word);
        }
        match is_value {
            true => format!("{WITHHELD}{space}"),
            false => format!("{}{space}", word_without(word)),
        }
    });
    words.collect()
}

fn word_without(word: &str) -> String {
    if let Some((scheme, rest)) = word.split_once("://")
        && let Some((person, place)) = rest.split_once('@')
        && !person.contains('/')
    {
        return format!("{scheme}://{WITHHELD}@{place}");
    }
    let name = word.split_once('=').map(|(name, _)| name);
    match name.filter(|name| names_secret(name)) {
        Some(name) => format!("{name}={WITHHELD}"),
        None if KEYS.iter().any(|start| word.contains(start)) => WITHHELD.to_owned(),
        None => word.to_owned(),
    }
}
