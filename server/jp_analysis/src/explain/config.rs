//! The effective value of a config path, and every layer that sets it.
//!
//! ```json
//! {"path":"conversation.tools.fs_read_file.run","value":"unattended",
//!  "layers":[{"path":".jp/config.toml","line":4,"source":"workspace","value":"unattended"}]}
//! ```

use camino::Utf8PathBuf;
use jp_config::{
    graph::SourceKind,
    inquiry,
    merge::{Located, LocatedValue},
    schema::{NodeId, schema},
    view::View,
};
use serde_json::{Value, json};

use super::{
    config_path::{keys_of, known_path},
    error::ExplainError,
};
use crate::{
    place::{Place, line_of, shown_path},
    tool::DEFAULTS,
};

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
    /// The config path above it that a stronger layer set as a whole, so that there is no value of its own here.
    pub replaced_by: Option<String>,
    /// What a turn takes in place of the value, with its path; none where it takes the value itself.
    pub in_effect: Option<(String, Value)>,
    /// The layers that set it, or that set a table around it as a whole, weakest first.
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
                    "line": layer.line + 1,
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
            if let Some((path, value)) = &self.in_effect {
                object.insert(
                    "in_effect".to_owned(),
                    json!({ "path": path, "value": value }),
                );
            }
            if let Some(above) = &self.replaced_by {
                object.insert("replaced_by".to_owned(), above.as_str().into());
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

/// What a turn takes in place of a value that stands for another one.
fn in_effect(view: &View, keys: &[&str], value: &Value) -> Option<(String, Value)> {
    let key = keys.strip_prefix(&inquiry::REQUEST)?;
    if key.len() != 1 || !inquiry::takes_the_assistants(value) {
        return None;
    }
    let from = value_at(view, &[&["assistant", "request"][..], key].concat());
    Some((from.path, from.value))
}

/// The effective value below a path of keys; a number is the index of a list.
pub(crate) fn value_at(view: &View, keys: &[&str]) -> ConfigValue {
    let value = plain_value_at(view, keys);
    ConfigValue {
        in_effect: in_effect(view, keys, &value.value),
        ..value
    }
}

fn plain_value_at(view: &View, keys: &[&str]) -> ConfigValue {
    let layers = layers(view, keys);
    let replaced_by = replaced_by(view, keys);
    let set = |found: Located| ConfigValue {
        path: dotted(keys),
        value: found.to_json(),
        is_default: false,
        inherited_from: None,
        in_effect: None,
        replaced_by: replaced_by.clone(),
        layers: layers.clone(),
    };
    if let Some(found) = effective(view, keys) {
        return set(found);
    }
    if let Some(inherited) = inherited_path(view, keys)
        && replaced_by.is_none()
    {
        let found = value_at(view, &inherited);
        if !found.is_default && !found.value.is_null() {
            return ConfigValue {
                path: dotted(keys),
                inherited_from: Some(found.inherited_from.unwrap_or(found.path)),
                ..found
            };
        }
        // What nobody set anywhere comes from the schema, not from the other path.
        let default = || formatter(view, keys).or(found.is_default.then_some(found.value));
        let is_fixed = !formats_by_call(view, keys);
        return unset(keys, is_fixed.then(default).flatten());
    }
    let default = match replaced_by {
        Some(_) => None,
        None if formats_by_call(view, keys) => None,
        None => formatter(view, keys).or_else(|| default_at(keys)),
    };
    ConfigValue {
        replaced_by,
        layers,
        ..unset(keys, default)
    }
}

/// What no layer sets, with what stands instead.
fn unset(keys: &[&str], default: Option<Value>) -> ConfigValue {
    ConfigValue {
        path: dotted(keys),
        is_default: default.is_some(),
        value: default.unwrap_or(Value::Null),
        inherited_from: None,
        in_effect: None,
        replaced_by: None,
        layers: Vec::new(),
    }
}

/// Whether rules decide for each call whether a custom argument formatter runs without asking, so that no one word holds.
fn formats_by_call(view: &View, keys: &[&str]) -> bool {
    let ["conversation", "tools", tool, "format"] = keys else {
        return false;
    };
    let rules = value_at(view, &["conversation", "tools", tool, "policy", "run"]);
    rules.replaced_by.is_none() && !rules.value.is_null()
}

/// Whether a custom argument formatter runs without asking, where no layer says so: it follows `run`.
fn formatter(view: &View, keys: &[&str]) -> Option<Value> {
    let ["conversation", "tools", tool, "format"] = keys else {
        return None;
    };
    let run = value_at(view, &["conversation", "tools", tool, "run"]).value;
    let mode = match run.as_str()? {
        "unattended" => "unattended",
        _ => "ask",
    };
    Some(mode.into())
}

/// What a path holds that no layer sets, by the schema.
fn default_at(keys: &[&str]) -> Option<Value> {
    match keys {
        // Once one key of the block is set, `jp` takes zero for the others.
        ["conversation", "inquiry", "assistant", "request", key] if *key != "cache" => {
            Some(0.into())
        }
        _ => schema().node(node_of(keys)?).default.clone(),
    }
}

/// The path whose value stands in for one that no layer sets.
///
/// A tool takes from the tool defaults, its style only as a whole; an inquiry takes the assistant's request, also as a whole.
fn inherited_path<'a>(view: &View, keys: &[&'a str]) -> Option<Vec<&'a str>> {
    match keys {
        ["conversation", "tools", tool, key, rest @ ..] if *tool != DEFAULTS => {
            let is_inherited = match *key {
                "style" => view
                    .effective(&["conversation", "tools", tool, "style"])
                    .is_none(),
                key => INHERITED.contains(&key),
            };
            let from = [&["conversation", "tools", DEFAULTS, *key][..], rest].concat();
            is_inherited.then_some(from)
        }
        ["conversation", "inquiry", "assistant", "request", rest @ ..] => {
            let is_set = view
                .effective(&["conversation", "inquiry", "assistant", "request"])
                .is_some();
            (!is_set).then(|| [&["assistant", "request"][..], rest].concat())
        }
        _ => None,
    }
}

/// The path above one that a layer set as a whole.
fn replaced_by(view: &View, keys: &[&str]) -> Option<String> {
    let outer = keys.get(..keys_before_list(keys))?;
    let (above, _) = view.standing_above(outer)?;
    Some(dotted(above))
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
    view.values_or_above(outer)
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
            let source = view.layers().get(layer.index())?.source;
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
                crate::text::toml_text::key(key)
            }
        })
        .collect();
    keys.join(".")
}
