//! The effective value of a config path, and every layer that sets it.
//!
//! ```json
//! {"path":"conversation.tools.fs_read_file.run","value":"unattended",
//!  "layers":[{"path":".jp/config.toml","line":4,"source":"workspace","value":"unattended"}]}
//! ```

use camino::Utf8PathBuf;
use jp_config::{
    graph::SourceKind,
    merge::{Located, LocatedValue},
    schema::{NodeId, schema},
    view::View,
};
use jp_tool::{ConfigPath, ConfigSegment};
use serde_json::{Value, json};

use super::{ExplainError, access::parse_path, line_of, shown_path};
use crate::{diagnostic::Place, tool::DEFAULTS};

/// The keys that a tool takes from the tool defaults where it does not set them itself.
pub(crate) const INHERITED: [&str; 6] = [
    "enable",
    "run",
    "format",
    "result",
    "policy",
    "cancellation_response",
];

/// What a config path holds.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigValue {
    /// The path.
    pub path: String,
    /// The effective value: of the layers, else of the tool defaults, else the built-in one.
    pub value: Value,
    /// Whether no layer sets it and the value is the built-in default.
    pub is_default: bool,
    /// The config path that the value is inherited from.
    pub inherited_from: Option<String>,
    /// The layers that set it, weakest first.
    pub layers: Vec<SettingLayer>,
}

/// A layer that sets a value.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingLayer {
    /// The file, relative to the workspace where it lies below it.
    pub path: Utf8PathBuf,
    /// The line of the value, from 0.
    pub line: u32,
    /// The place of the value.
    pub place: Place,
    /// What brought the file in.
    pub source: SourceKind,
    /// What the layer says.
    pub value: Value,
}

impl ConfigValue {
    /// The value as `explain config` prints it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let layers: Vec<Value> = self
            .layers
            .iter()
            .map(|layer| {
                json!({
                    "path": layer.path,
                    "line": layer.line,
                    "source": source_name(layer.source),
                    "value": layer.value,
                })
            })
            .collect();
        let mut object = json!({ "path": self.path, "value": self.value });
        if let Some(object) = object.as_object_mut() {
            if self.is_default {
                object.insert("default".to_owned(), true.into());
            }
            if let Some(from) = &self.inherited_from {
                object.insert("inherited_from".to_owned(), from.as_str().into());
            }
            object.insert("layers".to_owned(), layers.into());
        }
        object
    }
}

/// The word for what brought a file in.
#[must_use]
pub fn source_name(source: SourceKind) -> &'static str {
    match source {
        SourceKind::UserGlobal => "user_global",
        SourceKind::Workspace => "workspace",
        SourceKind::Local => "local",
        SourceKind::UserWorkspace => "user_workspace",
        SourceKind::Fragment => "fragment",
    }
}

/// The effective value of a config path.
///
/// # Errors
///
/// A path that the schema does not know.
pub fn config(view: &View, text: &str) -> Result<ConfigValue, ExplainError> {
    let path = known_path(text)?;
    let keys: Vec<&str> = keys_of(&path);
    Ok(value_at(view, &keys))
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

fn keys_of(path: &ConfigPath) -> Vec<&str> {
    path.segments()
        .iter()
        .map(|segment| match segment {
            ConfigSegment::Key(key) => key.as_str(),
            ConfigSegment::Any => DEFAULTS,
        })
        .collect()
}

/// The effective value below a path of keys; a number is the index of a list.
pub(crate) fn value_at(view: &View, keys: &[&str]) -> ConfigValue {
    let path = dotted(keys);
    let found = effective(view, keys);
    let layers = layers(view, keys);
    if let Some(found) = found {
        return ConfigValue {
            path,
            value: found.to_json(),
            is_default: false,
            inherited_from: None,
            layers,
        };
    }
    if let Some(inherited) = defaults_path(keys)
        && let Some(found) = effective(view, &inherited)
    {
        return ConfigValue {
            path,
            value: found.to_json(),
            is_default: false,
            inherited_from: Some(dotted(&inherited)),
            layers: self::layers(view, &inherited),
        };
    }
    let default = node_of(keys).and_then(|node| schema().node(node).default.clone());
    ConfigValue {
        path,
        is_default: default.is_some(),
        value: default.unwrap_or(Value::Null),
        inherited_from: None,
        layers,
    }
}

/// The path of the tool defaults that stand in for a tool's own value.
fn defaults_path<'a>(keys: &[&'a str]) -> Option<Vec<&'a str>> {
    match keys {
        ["conversation", "tools", tool, key, rest @ ..]
            if *tool != DEFAULTS && INHERITED.contains(key) =>
        {
            let mut path = vec!["conversation", "tools", DEFAULTS, *key];
            path.extend(rest);
            Some(path)
        }
        _ => None,
    }
}

pub(crate) fn node_of(keys: &[&str]) -> Option<NodeId> {
    let schema = schema();
    keys.iter()
        .try_fold(schema.root(), |node, key| match schema.item(node) {
            Some(item) if key.bytes().all(|byte| byte.is_ascii_digit()) => Some(item),
            _ => schema.child(node, key),
        })
}

/// How many of the keys lead to the first list.
fn keys_before_list(keys: &[&str]) -> usize {
    let schema = schema();
    let mut node = Some(schema.root());
    for (index, key) in keys.iter().enumerate() {
        let Some(current) = node else {
            return keys.len();
        };
        let numeric = key.bytes().all(|byte| byte.is_ascii_digit());
        if numeric && schema.item(current).is_some() {
            return index;
        }
        node = schema.child(current, key);
    }
    keys.len()
}

fn effective(view: &View, keys: &[&str]) -> Option<Located> {
    let (outer, inner) = keys.split_at_checked(keys_before_list(keys))?;
    let mut found = view.effective(outer)?;
    for key in inner {
        let next = match (&found.value, key.parse::<usize>()) {
            (value, Ok(index)) if value.as_list().is_some() => {
                value.as_list().and_then(|items| items.get(index))
            }
            _ => found.get(key),
        };
        found = next?.clone();
    }
    Some(found)
}

fn layers(view: &View, keys: &[&str]) -> Vec<SettingLayer> {
    let outer = keys.get(..keys_before_list(keys)).unwrap_or(keys);
    view.values(outer)
        .filter_map(|(layer, value)| {
            let located = value.located(layer);
            // A value that is still being typed sets nothing.
            if located.value == LocatedValue::Missing {
                return None;
            }
            let origin = located.origin()?;
            let place = Place {
                file: view.file(layer)?,
                span: origin.span,
            };
            let source = view.layers().get(layer.0 as usize)?.source;
            Some(SettingLayer {
                path: shown_path(view.graph(), place),
                line: line_of(view.graph(), place),
                place,
                source,
                value: located.to_json(),
            })
        })
        .collect()
}

/// Keys as a dotted path; a key that is not bare is quoted.
pub(crate) fn dotted(keys: &[&str]) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|key| {
            if *key == DEFAULTS {
                DEFAULTS.to_owned()
            } else {
                crate::toml_text::key(key)
            }
        })
        .collect();
    keys.join(".")
}
