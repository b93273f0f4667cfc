//! Leaving out what the released `jp` does not know.
//!
//! ```toml
//! [conversation.tools.grep]
//! access.net = [{ host = "docs.rs" }]   # left out
//! parameters.path.type = "path"         # "string"
//! policy.run = [{ mode = "ask" }]       # run = "ask"
//! ```

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::ReleasedNote;
use crate::{
    code::Code,
    path::push_key,
    schema::{NodeId, ReleasedForm, Requirement, Schema, Shape, schema},
    validate::{At, Violation, rejected_by_released, validate},
};

/// A partial config without what the released `jp` refuses; what goes is added to `notes`.
pub(super) fn reduce(
    config: &Map<String, Value>,
    notes: &mut Vec<ReleasedNote>,
) -> Map<String, Value> {
    let mut config = Value::Object(config.clone());
    keep_modes(&mut config, notes);
    let schema = schema();
    let refused = refused(schema, &config);
    let mut reducer = Reducer {
        schema,
        refused,
        path: String::new(),
        notes,
    };
    match reducer.value(Some(schema.root()), &config) {
        Some(mut reduced) => {
            keep_denials(&config, &mut reduced, notes);
            match reduced {
                Value::Object(reduced) => reduced,
                _ => Map::new(),
            }
        }
        None => Map::new(),
    }
}

/// Keeps tools from everything whose rules all had to go: without rules there are no limits.
fn keep_denials(config: &Value, reduced: &mut Value, notes: &mut Vec<ReleasedNote>) {
    let rules_of = |tool: &Value| {
        let rules = tool.pointer("/access/fs")?;
        let rules = rules.get("value").unwrap_or(rules);
        Some(rules.as_array().is_some_and(Vec::is_empty))
    };
    let tools = config
        .pointer("/conversation/tools")
        .and_then(Value::as_object);
    for (name, tool) in tools.into_iter().flatten() {
        let kept = reduced
            .pointer_mut("/conversation/tools")
            .and_then(|tools| tools.get_mut(name))
            .filter(|kept| rules_of(tool) == Some(false) && rules_of(kept) != Some(false));
        let Some(kept) = kept.and_then(Value::as_object_mut) else {
            continue;
        };
        let nothing = json!([{ "path": "." }]);
        let access = kept.entry("access").or_insert_with(|| json!({}));
        if let Some(access) = access.as_object_mut() {
            access.insert("fs".to_owned(), nothing.clone());
        }
        let mut path = "conversation.tools".to_owned();
        push_key(&mut path, name);
        notes.push(ReleasedNote {
            path: format!("{path}.access.fs"),
            now: Some(nothing),
            reason: "none of its rules can be kept, so nothing is granted".to_owned(),
        });
    }
}

/// Why values are refused, by the place where they lie in memory: the tree is not changed while this is in use.
fn refused(schema: &Schema, config: &Value) -> HashMap<*const Value, String> {
    let wrong = validate(schema, schema.root(), config, "");
    let unreleased = rejected_by_released(schema, schema.root(), config, "");
    let reason = |violation: &Violation<&Value>| match violation.code {
        Code::ReleasedJpRejects => "the released `jp` does not know it".to_owned(),
        _ => violation.message.clone(),
    };
    let refused = wrong
        .iter()
        .chain(&unreleased)
        .map(|violation| match violation.at {
            At::Key((_, value)) | At::Value(value) => {
                (std::ptr::from_ref(value), reason(violation))
            }
        });
    refused.collect()
}

struct Reducer<'a> {
    schema: &'a Schema,
    refused: HashMap<*const Value, String>,
    path: String,
    notes: &'a mut Vec<ReleasedNote>,
}

impl Reducer<'_> {
    fn value(&mut self, id: Option<NodeId>, value: &Value) -> Option<Value> {
        // Free-form data is the user's, `null` and all.
        if id.is_some_and(|id| matches!(self.schema.node(id).shape, Shape::Any)) {
            return Some(value.clone());
        }
        if let Some(reason) = self.refused.get(&std::ptr::from_ref(value)) {
            self.notes.push(ReleasedNote {
                path: self.path.clone(),
                now: None,
                reason: reason.clone(),
            });
            return None;
        }
        match value {
            Value::Null => None,
            Value::Object(table) => {
                let wraps_map = id.is_some_and(|id| self.wraps_map(id, value));
                self.table(id, table, wraps_map)
            }
            Value::Array(items) => {
                let item = id.and_then(|id| self.schema.item(id));
                Some(Value::Array(
                    items
                        .iter()
                        .filter_map(|element| self.value(item, element))
                        .collect(),
                ))
            }
            Value::String(text) => self.text(id, text),
            scalar => Some(scalar.clone()),
        }
    }

    /// A table; none where it cannot do without what had to go.
    fn table(
        &mut self,
        id: Option<NodeId>,
        table: &Map<String, Value>,
        wraps_map: bool,
    ) -> Option<Value> {
        let mut reduced = Map::new();
        let mut needs = Vec::new();
        for (key, value) in table {
            let child = id.and_then(|id| self.schema.child(id, key));
            let length = push_key(&mut self.path, key);
            let kept = self.value(child, value);
            self.path.truncate(length);
            match kept {
                Some(value) => {
                    reduced.insert(key.clone(), value);
                }
                None => needs.extend(self.required(id, key, value.is_null())),
            }
        }
        let Some(key) = needs.first() else {
            // Without its strategy the wrapper of a map would be an entry of that name.
            if self.is_wrapped_map(id, table) && !reduced.contains_key("strategy") {
                return reduced.remove("value");
            }
            // Around nothing, what is left of the wrapper would be entries of those names.
            if wraps_map && !reduced.contains_key("value") {
                return None;
            }
            return Some(Value::Object(reduced));
        };
        self.notes.push(ReleasedNote {
            path: self.path.clone(),
            now: None,
            reason: format!("it is nothing without its `{key}`"),
        });
        None
    }

    fn wraps_map(&self, id: NodeId, value: &Value) -> bool {
        matches!(self.schema.node(id).shape, Shape::Map(_))
            && self.schema.wrapper_of(id, value).is_some()
    }

    /// Whether a table is the merge wrapper of a map, though its strategy may be `null` or wrong.
    fn is_wrapped_map(&self, id: Option<NodeId>, table: &Map<String, Value>) -> bool {
        let of_map = id.is_some_and(|id| {
            let node = self.schema.node(id);
            matches!(node.shape, Shape::Map(_)) && node.wrapper.is_some()
        });
        let says_how = ["strategy", "discard_when_merged"]
            .iter()
            .any(|key| table.contains_key(*key));
        of_map && says_how && table.get("value").is_some_and(Value::is_object)
    }

    /// The key, where its table has to have it; what `null` does not set, another layer may.
    fn required(&self, id: Option<NodeId>, key: &str, is_null: bool) -> Option<String> {
        let needed = match self.schema.field(id?, key)?.requirement {
            Requirement::Local => true,
            Requirement::Conditional => !is_null,
            Requirement::Optional | Requirement::Global | Requirement::Companion { .. } => false,
        };
        needed.then(|| key.to_owned())
    }

    fn text(&mut self, id: Option<NodeId>, text: &str) -> Option<Value> {
        let variants = id.map_or_else(Vec::new, |id| self.schema.variants(id));
        let variant = variants.iter().find(|variant| variant.value == text);
        let now = match variant.map(|variant| variant.released) {
            None | Some(ReleasedForm::Itself) => return Some(Value::from(text)),
            Some(ReleasedForm::Other(other)) => Some(Value::from(other)),
            Some(ReleasedForm::Nothing) => None,
        };
        self.notes.push(ReleasedNote {
            path: self.path.clone(),
            now: now.clone(),
            reason: format!("the released `jp` does not know `{text}`"),
        });
        now
    }
}

/// Lets `run` and `result` say what a policy says, before it goes.
fn keep_modes(config: &mut Value, notes: &mut Vec<ReleasedNote>) {
    let tools = config
        .pointer_mut("/conversation/tools")
        .and_then(Value::as_object_mut);
    for (name, tool) in tools.into_iter().flatten() {
        let Some(tool) = tool.as_object_mut() else {
            continue;
        };
        for key in ["run", "result"] {
            let policy = tool.get("policy").and_then(|policy| policy.get(key));
            let Some(mode) = policy.and_then(mode_of) else {
                continue;
            };
            let mut path = "conversation.tools".to_owned();
            push_key(&mut path, name);
            push_key(&mut path, key);
            notes.push(ReleasedNote {
                path,
                now: Some(mode.clone().into()),
                reason: format!(
                    "it stands for `policy.{key}`, which the released `jp` does not know"
                ),
            });
            tool.insert(key.to_owned(), mode.into());
        }
    }
}

/// The mode that says what a policy says, or that asks where only rules can say it.
fn mode_of(policy: &Value) -> Option<String> {
    let rules = match policy {
        Value::Null => return None,
        Value::String(mode) => return Some(mode.clone()),
        Value::Object(wrapper) => wrapper.get("value")?,
        other => other,
    };
    let only = match rules.as_array().map(Vec::as_slice) {
        Some([only]) => only.as_object().filter(|rule| rule.len() == 1),
        _ => None,
    };
    let mode = only
        .and_then(|rule| rule.get("mode"))
        .and_then(Value::as_str);
    Some(mode.unwrap_or("ask").to_owned())
}
