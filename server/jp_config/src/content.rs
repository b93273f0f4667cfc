//! What a config file holds, whatever its format.
//!
//! ```json
//! { "conversation": { "tools": { "*": { "run": "ask" } } } } // comments are fine
//! ```
//!
//! TOML files are kept located, for an editor to point into.
//! JSON and YAML files take part in the effective view as plain data.

mod merge_keys;

use std::sync::Arc;

use camino::Utf8Path;
use serde_json::Value;
use serde_saphyr::options::MergeKeyPolicy;

use crate::{document::Document, schema::is_root_key};

/// The deepest nesting that a data file may have.
const MAXIMUM_NESTING: usize = 128;

/// More than any key of the config's top level has, with its quotes.
const LONGEST_KEY: usize = 64;

/// The formats that `jp` probes for, by file extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentFormat {
    /// `.toml`
    Toml,
    /// `.json`; comments and trailing commas are read.
    Json,
    /// `.json5`, which `jp` probes for and then cannot read.
    Json5,
    /// `.yaml` and `.yml`
    Yaml,
}

impl ContentFormat {
    /// The format that a path's extension stands for.
    #[must_use]
    pub fn of(path: &Utf8Path) -> Option<Self> {
        // `.jp.toml` has the extension `toml`; a file called `.toml` has none.
        match path.extension()? {
            "toml" => Some(Self::Toml),
            "json" => Some(Self::Json),
            "json5" => Some(Self::Json5),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// What a config file holds.
#[derive(Debug, Clone)]
pub enum Content {
    /// A TOML document, which may be broken and still hold facts.
    Toml(Document),
    /// The data of a JSON or YAML file.
    Data(Result<Value, DataError>),
}

/// A JSON or YAML file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DataError {
    /// What is wrong, in lower case.
    pub message: String,
    /// The line of the mistake, from 0, where it is known.
    pub line: u32,
    /// Whether the text has a key that the config has on its top level, as far as broken text has keys.
    pub names_config: bool,
}

impl DataError {
    fn new(message: impl Into<String>, line: u32) -> Self {
        Self {
            message: message.into(),
            line,
            names_config: false,
        }
    }
}

impl Content {
    /// Reads a text in the given format; broken text is content too.
    #[must_use]
    pub fn parse(format: ContentFormat, text: &str) -> Self {
        let text_without_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
        let data = match format {
            ContentFormat::Toml => return Self::Toml(Document::parse(text)),
            ContentFormat::Json => parse_json(text_without_mark),
            ContentFormat::Json5 => Err(DataError::new(
                "`jp` cannot read JSON5 config; write it as TOML, JSON or YAML",
                0,
            )),
            ContentFormat::Yaml => parse_yaml(text_without_mark),
        };
        Self::Data(data.map_err(|error| DataError {
            names_config: names_config(text_without_mark),
            ..error
        }))
    }

    /// Reads the text of a file in the format of its extension, and as TOML where that is none of config.
    ///
    /// Where `known` is a document with this very text it is kept, and nothing is parsed.
    #[must_use]
    pub fn of_file(path: &Utf8Path, text: &str, known: Option<&Arc<Self>>) -> Arc<Self> {
        if let Some(known) = known.filter(|known| known.has_text(text)) {
            return Arc::clone(known);
        }
        let format = ContentFormat::of(path).unwrap_or(ContentFormat::Toml);
        Arc::new(Self::parse(format, text))
    }

    /// Whether this is a TOML document with this text.
    #[must_use]
    pub fn has_text(&self, text: &str) -> bool {
        self.document()
            .is_some_and(|document| document.text() == text)
    }

    /// The TOML document, if that is what the file holds.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        match self {
            Self::Toml(document) => Some(document),
            Self::Data(_) => None,
        }
    }
}

fn parse_json(text: &str) -> Result<Value, DataError> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    if nesting_of(text) > MAXIMUM_NESTING {
        return Err(DataError::new(
            format!("invalid JSON: nested deeper than {MAXIMUM_NESTING} levels"),
            0,
        ));
    }
    match jsonc_parser::parse_to_serde_value::<Option<Value>>(
        text,
        &jsonc_parser::ParseOptions::default(),
    ) {
        Ok(value) => Ok(value.unwrap_or(Value::Object(serde_json::Map::new()))),
        Err(error) => Err(DataError::new(
            format!("invalid JSON: {}", lower_first(&error.to_string())),
            line_at(text, error.range().start),
        )),
    }
}

fn parse_yaml(text: &str) -> Result<Value, DataError> {
    // The library copies what is merged once for each level of nesting.
    let options = serde_saphyr::options! { merge_keys: MergeKeyPolicy::AsOrdinary };
    match serde_saphyr::from_str_with_options::<Value>(text, options) {
        Ok(Value::Null) => Ok(Value::Object(serde_json::Map::new())),
        Ok(mut value) => match surrogate_escape(text, &value) {
            None => match merge_keys::apply(&mut value) {
                Some(()) => Ok(value),
                None => Err(DataError::new(
                    "invalid YAML: `<<` takes a mapping, or a list of mappings",
                    only_line_with(text, "<<"),
                )),
            },
            Some((offset, escape)) => Err(DataError::new(
                format!(
                    "invalid YAML: `{escape}` is half of a character; write the character, or `\\U` and its 8 hexadecimal digits"
                ),
                line_at(text, offset),
            )),
        },
        Err(error) => Err(DataError::new(
            format!(
                "invalid YAML: {}",
                first_line(&lower_first(&error.to_string()))
            ),
            error.location().map_or(0, |location| {
                u32::try_from(location.line())
                    .unwrap_or(1)
                    .saturating_sub(1)
            }),
        )),
    }
}

/// Whether a word that stands before a colon, in quotes or at the start of a line, is a key of the config's top level.
fn names_config(text: &str) -> bool {
    text.match_indices(':').any(|(colon, _)| {
        let before = text.get(..colon).unwrap_or_default().trim_end();
        // No key is longer, and a long line has many colons.
        let from = before.floor_char_boundary(before.len().saturating_sub(LONGEST_KEY));
        let before = before.get(from..).unwrap_or_default();
        let key = match before.strip_suffix(['"', '\'']) {
            Some(inside) => inside.rsplit(['"', '\'']).next(),
            None => before.rsplit(['\n', '\r']).next(),
        };
        key.is_some_and(is_root_key)
    })
}

/// The first escape of half a UTF-16 pair, which JSON has and YAML has not, with its place.
///
/// What stands in the value as it is written was no escape, and neither is what a comment line says.
fn surrogate_escape<'t>(text: &'t str, value: &Value) -> Option<(usize, &'t str)> {
    text.match_indices("\\u").find_map(|(offset, _)| {
        let escape = text.get(offset..offset + 6)?;
        let unit = u16::from_str_radix(escape.get(2..)?, 16).ok()?;
        if !(0xD800..0xE000).contains(&unit) {
            return None;
        }
        let before = text.get(..offset)?;
        let backslashes = before
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count();
        let line = before.rsplit('\n').next()?;
        let is_escape = backslashes.is_multiple_of(2)
            && !line.trim_start().starts_with('#')
            && !holds_text(value, escape);
        is_escape.then_some((offset, escape))
    })
}

/// Whether a text stands in any string or key of a value.
fn holds_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| holds_text(item, text)),
        Value::Object(table) => table
            .iter()
            .any(|(key, item)| key.contains(text) || holds_text(item, text)),
        _ => false,
    }
}

/// The deepest bracket nesting of a JSON text, counting brackets in strings too, which can only raise it.
fn nesting_of(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The line of a text's part that stands there once; the first line where several may be meant.
fn only_line_with(text: &str, part: &str) -> u32 {
    let mut places = text.match_indices(part);
    match (places.next(), places.next()) {
        (Some((offset, _)), None) => line_at(text, offset),
        _ => 0,
    }
}

fn line_at(text: &str, offset: usize) -> u32 {
    let newlines = text
        .bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count();
    u32::try_from(newlines).unwrap_or(u32::MAX)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_lowercase().chain(characters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
