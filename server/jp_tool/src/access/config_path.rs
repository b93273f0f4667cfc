//! Paths into the config, as config rules and `unset` write them (RFD 078).
//!
//! ```text
//! conversation.tools.fs_modify_file.access
//! conversation.tools.*.run
//! conversation.tools."name.with.dots".run
//! conversation.attachments["stale-file.md"]      only in `unset`
//! ```

use std::{fmt, ops::Range, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Paths where a write could extend the writer's own grants (RFD 078, "Sensitive paths").
pub const SENSITIVE_CONFIG_PATHS: [&str; 1] = ["conversation.tools.*.access"];

/// Paths that decide what runs, whether a person is asked, or where a key is sent.
pub const PRIVILEGED_CONFIG_PATHS: [&str; 16] = [
    "conversation.tools.*.source",
    "conversation.tools.*.command",
    "conversation.tools.*.run",
    "conversation.tools.*.result",
    "conversation.tools.*.format",
    "conversation.tools.*.policy",
    "conversation.tools.*.questions",
    "conversation.tools.*.style.parameters",
    "providers.mcp",
    "providers.llm.*.base_url",
    "providers.llm.*.base_url_env",
    "providers.llm.*.api_key_env",
    "plugins",
    "editor",
    "extends",
    "config_load_paths",
];

/// One step of a [`ConfigPath`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigSegment {
    /// The key with this name.
    Key(String),

    /// `*`: any key.
    Any,
}

impl ConfigSegment {
    /// Whether some key is meant by both.
    fn overlaps(&self, pattern: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Key(key) => pattern == "*" || key == pattern,
        }
    }
}

impl fmt::Display for ConfigSegment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => formatter.write_str("*"),
            Self::Key(key) if is_bare(key) => formatter.write_str(key),
            // A JSON string never fails to be written.
            Self::Key(key) => formatter.write_str(&serde_json::to_string(key).unwrap_or_default()),
        }
    }
}

/// Whether a key needs no quotes.
fn is_bare(key: &str) -> bool {
    !key.is_empty()
        && key.chars().all(|c| {
            !matches!(c, '.' | '*' | '[' | ']' | '"' | '\'')
                && !c.is_whitespace()
                && !c.is_control()
        })
}

/// A path into the config: at least one segment, `*` standing for any one key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigPath(Vec<ConfigSegment>);

impl ConfigPath {
    /// Reads a path in its dotted form; a key that holds a dot, a `*` or a space stands in double quotes.
    ///
    /// # Errors
    ///
    /// Empty paths and segments, a `*` that is only part of a segment, and list elements.
    pub fn parse(text: &str) -> Result<Self, ConfigPathError> {
        match Self::parse_unset(text)? {
            (path, None) => Ok(path),
            (path, Some(_)) => Err(ConfigPathError::Element {
                path: text.to_owned(),
                list: path.to_string(),
            }),
        }
    }

    /// Reads an entry of `unset`: a path, and the text between the brackets if it names an element of a list.
    ///
    /// # Errors
    ///
    /// As for [`ConfigPath::parse`], and brackets that are not closed at the end.
    pub fn parse_unset(text: &str) -> Result<(Self, Option<&str>), ConfigPathError> {
        let (segments, element) = read(text)?;
        let segments = segments.into_iter().map(|(segment, _)| segment);
        Ok((Self(segments.collect()), element))
    }

    /// Where the segments of a path stand in its text, in bytes; the quotes around a key belong to it.
    ///
    /// # Errors
    ///
    /// As for [`ConfigPath::parse_unset`].
    pub fn segment_ranges(text: &str) -> Result<Vec<Range<usize>>, ConfigPathError> {
        let (segments, _) = read(text)?;
        Ok(segments.into_iter().map(|(_, range)| range).collect())
    }

    /// A path of literal keys.
    ///
    /// `None` without any key.
    #[must_use]
    pub fn from_keys<K: Into<String>>(keys: impl IntoIterator<Item = K>) -> Option<Self> {
        let segments: Vec<_> = keys
            .into_iter()
            .map(|key| ConfigSegment::Key(key.into()))
            .collect();
        (!segments.is_empty()).then_some(Self(segments))
    }

    /// The segments, at least one.
    #[must_use]
    pub fn segments(&self) -> &[ConfigSegment] {
        &self.0
    }

    /// Whether some concrete path lies below both this path and the dotted `pattern`, or one below the other.
    fn overlaps(&self, pattern: &str) -> bool {
        self.0
            .iter()
            .zip(pattern.split('.'))
            .all(|(segment, pattern)| segment.overlaps(pattern))
    }
}

/// Segments with the bytes where they stand, and the text between the brackets of a list element.
type Segments<'a> = (Vec<(ConfigSegment, Range<usize>)>, Option<&'a str>);

/// Reads a path with the places of its segments.
fn read(text: &str) -> Result<Segments<'_>, ConfigPathError> {
    let error_at = |problem: fn(String) -> ConfigPathError| problem(text.to_owned());
    if text.is_empty() {
        return Err(ConfigPathError::Empty);
    }
    let mut segments = Vec::new();
    let mut rest = text;
    loop {
        let start = text.len() - rest.len();
        let (segment, after) = segment(rest, text)?;
        segments.push((segment, start..text.len() - after.len()));
        if after.is_empty() {
            return Ok((segments, None));
        }
        if let Some(element) = after.strip_prefix('[') {
            return match element.strip_suffix(']') {
                Some(element) => Ok((segments, Some(element))),
                None => Err(error_at(|path| ConfigPathError::Brackets { path })),
            };
        }
        rest = after
            .strip_prefix('.')
            .ok_or_else(|| error_at(|path| ConfigPathError::Quotes { path }))?;
    }
}

/// Takes one segment off `rest`; `path` is the whole for messages.
fn segment<'a>(rest: &'a str, path: &str) -> Result<(ConfigSegment, &'a str), ConfigPathError> {
    let owned = || path.to_owned();
    if rest.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let key = values
            .next()
            .and_then(Result::ok)
            .ok_or_else(|| ConfigPathError::Quotes { path: owned() })?;
        let after = rest.get(values.byte_offset()..).unwrap_or_default();
        return Ok((ConfigSegment::Key(key), after));
    }
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
    match name {
        "" => Err(ConfigPathError::EmptySegment { path: owned() }),
        "*" => Ok((ConfigSegment::Any, after)),
        name if name.contains('*') => Err(ConfigPathError::PartialWildcard {
            path: owned(),
            segment: name.to_owned(),
        }),
        name if !is_bare(name) => Err(ConfigPathError::Quotes { path: owned() }),
        name => Ok((ConfigSegment::Key(name.to_owned()), after)),
    }
}

impl FromStr for ConfigPath {
    type Err = ConfigPathError;

    fn from_str(text: &str) -> Result<Self, ConfigPathError> {
        Self::parse(text)
    }
}

impl fmt::Display for ConfigPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str(".")?;
            }
            segment.fmt(formatter)?;
        }
        Ok(())
    }
}

impl Serialize for ConfigPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ConfigPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// Whether a path covers, equals or lies below one of [`SENSITIVE_CONFIG_PATHS`] for some choice of keys.
///
/// `conversation`, `conversation.tools.x` and `conversation.tools.*.access.fs` do, `conversation.tools.x.run` does not.
#[must_use]
pub fn overlaps_sensitive(path: &ConfigPath) -> bool {
    SENSITIVE_CONFIG_PATHS
        .iter()
        .any(|pattern| path.overlaps(pattern))
}

/// The first of [`PRIVILEGED_CONFIG_PATHS`] that a path covers, equals or lies below for some choice of keys.
#[must_use]
pub fn privileged_overlap(path: &ConfigPath) -> Option<&'static str> {
    privileged_overlaps(path).next()
}

/// Every one of [`PRIVILEGED_CONFIG_PATHS`] that a path covers, equals or lies below for some choice of keys.
pub fn privileged_overlaps(path: &ConfigPath) -> impl Iterator<Item = &'static str> {
    PRIVILEGED_CONFIG_PATHS
        .iter()
        .copied()
        .filter(|pattern| path.overlaps(pattern))
}

/// Why a text is not a config path, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigPathError {
    /// There is no path.
    #[error("the config path is empty; write a path such as `assistant.model`")]
    Empty,

    /// Two dots in a row, or a dot at either end.
    #[error("config path `{path}` has an empty segment; write the dots only between keys")]
    EmptySegment {
        /// The path as written.
        path: String,
    },

    /// A `*` that does not stand alone.
    #[error(
        "config path `{path}` holds `{segment}`; write `*` alone for any key, or the whole key"
    )]
    PartialWildcard {
        /// The path as written.
        path: String,
        /// The segment.
        segment: String,
    },

    /// Quotes or white space out of place.
    #[error(
        "config path `{path}` has a key that needs quotes; write it as a whole in double quotes, as in `a.\"b.c\".d`"
    )]
    Quotes {
        /// The path as written.
        path: String,
    },

    /// `[` without `]` at the end.
    #[error(
        "config path `{path}` does not close its bracket; write a list element as `list[\"value\"]`"
    )]
    Brackets {
        /// The path as written.
        path: String,
    },

    /// A list element where only a path can stand.
    #[error(
        "config path `{path}` names an element of a list; write the path of the list, `{list}`"
    )]
    Element {
        /// The path as written.
        path: String,
        /// The path of the list.
        list: String,
    },
}

#[cfg(test)]
#[path = "config_path_tests.rs"]
mod tests;
