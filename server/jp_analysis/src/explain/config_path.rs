//! A config path in a question, such as `assistant.model.id`.

use jp_config::schema::schema;
use jp_tool::{ConfigPath, ConfigSegment};

use super::error::ExplainError;
use crate::tool::DEFAULTS;

/// The concrete config path of a text.
pub(super) fn parse_path(text: &str) -> Result<ConfigPath, ExplainError> {
    ConfigPath::parse(text).map_err(|error| ExplainError::MalformedPath {
        path: text.to_owned(),
        message: error.to_string(),
    })
}

/// A config path that the schema knows.
pub(super) fn known_path(text: &str) -> Result<ConfigPath, ExplainError> {
    let path = parse_path(text)?;
    let keys = keys_of(&path);
    schema()
        .lookup(keys.iter().copied())
        .map_err(|error| ExplainError::UnknownPath {
            path: text.to_owned(),
            segment: keys
                .get(error.index)
                .copied()
                .unwrap_or_default()
                .to_owned(),
            kind: error.kind,
            suggestion: error.suggestion.map(str::to_owned),
        })?;
    Ok(path)
}

/// The keys of a path; `*` is the key of the tool defaults.
pub(super) fn keys_of(path: &ConfigPath) -> Vec<&str> {
    path.segments()
        .iter()
        .map(|segment| match segment {
            ConfigSegment::Key(key) => key.as_str(),
            ConfigSegment::Any => DEFAULTS,
        })
        .collect()
}
