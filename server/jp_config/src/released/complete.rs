//! Filling in what the released `jp` requires.
//!
//! ```toml
//! [conversation.tools.'*']
//! run = "ask"                    # required
//!
//! [conversation.tools.describe_tools]
//! source = "builtin"             # its own tool, which needs to say so
//! ```

use serde_json::{Map, Value, json};

use super::{ReleasedNote, merged};
use crate::{
    enable::{AllowToggle, Enable},
    path::push_key,
    schema::{NodeId, Schema, Shared, schema},
    source::ToolSource,
    validate::{At, missing_required},
};

/// The tool that the released `jp` brings along.
const BUILTIN: &str = "describe_tools";

/// An alias that nobody defines: the released `jp` loads it, and asks for a model before it is used.
const NO_MODEL: &str = "no-model-was-set";

/// What is filled in.
pub(super) struct Completion<'a> {
    /// The model of a config without any.
    pub(super) model: Option<&'a Value>,
}

impl Completion<'_> {
    /// Completes a base config.
    pub(super) fn base(&self, base: &mut Map<String, Value>, notes: &mut Vec<ReleasedNote>) {
        let mut value = Value::Object(std::mem::take(base));
        name_builtin(&mut value, notes);
        while let Some((path, reason)) = first_incomplete(&value).or_else(|| unsupported(&value)) {
            if !remove_nearest(&mut value, &path, &reason, notes) {
                break;
            }
        }
        fill(
            &mut value,
            &["conversation", "tools", "*", "run"],
            &json!("ask"),
            "the released `jp` requires it, and asking is what happens without it",
            notes,
        );
        let (model, reason) = match self.model {
            Some(model) => (
                model.clone(),
                "the conversation named none, the workspace does",
            ),
            None => (
                json!(NO_MODEL),
                "no model is named, pass one with `jp query --model`",
            ),
        };
        fill(
            &mut value,
            &["assistant", "model", "id"],
            &model,
            reason,
            notes,
        );
        if let Value::Object(completed) = value {
            *base = completed;
        }
    }

    /// Completes a change of the config `state`, and answers the config after it.
    pub(super) fn delta(
        &self,
        state: &Value,
        delta: &mut Map<String, Value>,
        notes: &mut Vec<ReleasedNote>,
    ) -> Value {
        let mut after = merged(state, delta);
        let mut value = Value::Object(std::mem::take(delta));
        // What the change makes incomplete goes from the change, from the inside out.
        while let Some((path, reason)) = first_incomplete(&after).or_else(|| unsupported(&after)) {
            if !remove_nearest(&mut value, &path, &reason, notes) {
                break;
            }
            after = merged(state, value.as_object().unwrap_or(&Map::new()));
        }
        if let Value::Object(completed) = value {
            *delta = completed;
        }
        after
    }
}

/// Where something is missing: the keys that lead to the outermost table which cannot be without it, and why.
type Incomplete = (Vec<String>, String);

fn name_builtin(config: &mut Value, notes: &mut Vec<ReleasedNote>) {
    let tool = config
        .pointer_mut("/conversation/tools")
        .and_then(|tools| tools.get_mut(BUILTIN))
        .and_then(Value::as_object_mut);
    if let Some(tool) = tool
        && !tool.contains_key("source")
    {
        tool.insert("source".to_owned(), json!("builtin"));
        notes.push(ReleasedNote {
            path: format!("conversation.tools.{BUILTIN}.source"),
            now: Some(json!("builtin")),
            reason: "the released `jp` requires it".to_owned(),
        });
    }
}

fn first_incomplete(config: &Value) -> Option<Incomplete> {
    let schema = schema();
    let violations = missing_required(schema, schema.root(), config, "");
    let lacking: Vec<(*const Value, String)> = violations
        .into_iter()
        .map(|violation| match violation.at {
            At::Key((_, value)) | At::Value(value) => {
                (std::ptr::from_ref(value), violation.message)
            }
        })
        .collect();
    let mut search = Search {
        schema,
        lacking: &lacking,
        path: Vec::new(),
    };
    search.value(Some(schema.root()), config)
}

struct Search<'a> {
    schema: &'a Schema,
    lacking: &'a [(*const Value, String)],
    path: Vec<String>,
}

impl Search<'_> {
    /// The first table that lacks something; where its own table cannot be without it, that one.
    fn value(&mut self, id: Option<NodeId>, value: &Value) -> Option<Incomplete> {
        let here = self
            .lacking
            .iter()
            .find(|(place, _)| std::ptr::eq(*place, value));
        if let Some((_, reason)) = here {
            return Some((self.path.clone(), reason.clone()));
        }
        let children: Vec<(String, Option<NodeId>, &Value)> = match value {
            Value::Object(table) => table
                .iter()
                .map(|(key, value)| {
                    let child = id.and_then(|id| self.schema.child(id, key));
                    (key.clone(), child, value)
                })
                .collect(),
            Value::Array(items) => {
                let item = id.and_then(|id| self.schema.item(id));
                let numbered = items.iter().enumerate();
                numbered
                    .map(|(index, value)| (index.to_string(), item, value))
                    .collect()
            }
            _ => return self.lacking_model(id, value),
        };
        for (key, child, value) in children {
            self.path.push(key.clone());
            let found = self.value(child, value);
            self.path.pop();
            let Some((path, reason)) = found else {
                continue;
            };
            let is_own = path.len() == self.path.len() + 1;
            let field = id.and_then(|id| self.schema.field(id, &key));
            let is_needed = field.is_some_and(|field| field.requirement.is_for_loading());
            return Some(match is_own && is_needed {
                true => (self.path.clone(), reason),
                false => (path, reason),
            });
        }
        self.lacking_model(id, value)
    }

    /// A model block without its id; the assistant's own gets one.
    fn lacking_model(&self, id: Option<NodeId>, value: &Value) -> Option<Incomplete> {
        let is_model = id.is_some_and(|id| self.schema.node(id).name == Some(Shared::Model));
        let is_target = self.path.iter().any(|key| key == "questions");
        let lacks = is_model && value.get("id").is_none() && !is_target;
        (lacks && self.path != ["assistant", "model"]).then(|| {
            let path = self.path.join(".");
            (
                self.path.clone(),
                format!("missing required value for `{path}.id`"),
            )
        })
    }
}

/// What a released `jp` refuses although each part of it is legal.
fn unsupported(config: &Value) -> Option<Incomplete> {
    let tools = config.pointer("/conversation/tools")?.as_object()?;
    for (name, tool) in tools {
        let source = tool.get("source").and_then(Value::as_str);
        let Some(Ok(source)) = source.map(ToolSource::parse) else {
            continue;
        };
        let path = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        if let ToolSource::Builtin { tool } = &source
            && tool.as_deref().unwrap_or(name) != BUILTIN
        {
            let path = path(&["conversation", "tools", name]);
            return Some((path, "the released `jp` has no such tool".to_owned()));
        }
        if tool.get("access").is_some() && !matches!(source, ToolSource::Local { .. }) {
            let path = path(&["conversation", "tools", name, "access"]);
            return Some((path, "only local tools have `access`".to_owned()));
        }
    }
    let forced = config.pointer("/assistant/tool_choice")?.as_str()?;
    let enable = tools
        .get(forced)?
        .get("enable")
        .or_else(|| tools.get("*")?.get("enable"))?;
    let enable = Enable::from_value(enable).ok()?;
    let is_locked_off =
        enable.state == Some(false) && enable.allow_toggle == Some(AllowToggle::Never);
    is_locked_off.then(|| {
        let path = ["assistant", "tool_choice"].map(str::to_owned).to_vec();
        (path, format!("`{forced}` is locked off"))
    })
}

/// Removes what lies at a path, or what lies nearest above it; answers whether there was anything.
fn remove_nearest(
    config: &mut Value,
    path: &[String],
    reason: &str,
    notes: &mut Vec<ReleasedNote>,
) -> bool {
    let mut length = path.len();
    while length > 0 {
        let Some((last, parents)) = path.get(..length).and_then(<[String]>::split_last) else {
            return false;
        };
        let parent = parents
            .iter()
            .try_fold(&mut *config, |value, key| match value {
                Value::Object(table) => table.get_mut(key),
                Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
                _ => None,
            });
        let removed = match parent {
            Some(Value::Object(table)) => table.shift_remove(last).is_some(),
            Some(Value::Array(items)) => match last.parse::<usize>() {
                Ok(index) if index < items.len() => {
                    items.remove(index);
                    true
                }
                _ => false,
            },
            _ => false,
        };
        if removed {
            let mut dotted = String::new();
            for key in path.iter().take(length) {
                push_key(&mut dotted, key);
            }
            notes.push(ReleasedNote {
                path: dotted,
                now: None,
                reason: reason.to_owned(),
            });
            return true;
        }
        length -= 1;
    }
    false
}

/// Sets a value that is not there.
fn fill(
    config: &mut Value,
    path: &[&str],
    filling: &Value,
    reason: &str,
    notes: &mut Vec<ReleasedNote>,
) {
    let mut place = config;
    for key in path {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Some(table) = place.as_object_mut() else {
            return;
        };
        place = table.entry(*key).or_insert(Value::Null);
    }
    if !place.is_null() {
        return;
    }
    *place = filling.clone();
    let mut dotted = String::new();
    for key in path {
        push_key(&mut dotted, key);
    }
    notes.push(ReleasedNote {
        path: dotted,
        now: Some(filling.clone()),
        reason: reason.to_owned(),
    });
}
