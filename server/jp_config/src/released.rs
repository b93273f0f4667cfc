//! A config as the released `jp` reads it, with all that it does not know left out.
//!
//! ```json
//! {"conversation": {"tools": {"'*'": {}, "grep": {"source": "local", "policy": {"run": "unattended"}}}}}
//! {"conversation": {"tools": {"'*'": {"run": "ask"}, "grep": {"source": "local", "run": "unattended"}}}}
//! ```
//!
//! One key that the released `jp` refuses makes it drop the whole config, and then it finds no model and loads nothing.
//! So whatever is written for it goes through here.

mod complete;
mod reduce;

use serde_json::{Map, Value};

use self::{complete::Completion, reduce::reduce};
use crate::{
    merge::{LayerId, Located, merge},
    schema::schema,
};

/// A base config and what changes it later, such as the config of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleasedConfig {
    /// The base: it has every key that the released `jp` requires.
    pub base: Map<String, Value>,
    /// The changes, as many as there were; one of which nothing is left is empty.
    pub deltas: Vec<Map<String, Value>>,
    /// What is not as it was, in order.
    pub notes: Vec<ReleasedNote>,
}

/// Something that the released `jp` gets in another form, or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleasedNote {
    /// The config path.
    pub path: String,
    /// What stands there now; none where it was left out.
    pub now: Option<Value>,
    /// Why.
    pub reason: String,
}

/// Reduces a base config and its changes to what the released `jp` loads.
///
/// - What the schema marks as unreleased, does not know, or finds wrong is left out, and `null` too, which sets nothing.
/// - Where a `policy` goes, `run` and `result` say the same if a mode can, and `ask` otherwise: nothing gets looser.
/// - What must be there is filled in; a tool or model that cannot be completed is left out.
///
/// `model` is for a config without any: an id or alias.
#[must_use]
pub fn released(
    base: &Map<String, Value>,
    deltas: &[&Map<String, Value>],
    model: Option<&Value>,
) -> ReleasedConfig {
    let mut notes = Vec::new();
    let mut reduced = reduce(base, &mut notes);
    let mut changes: Vec<_> = deltas
        .iter()
        .map(|delta| reduce(delta, &mut notes))
        .collect();
    let completion = Completion { model };
    completion.base(&mut reduced, &mut notes);
    let mut state = Value::Object(reduced.clone());
    for change in &mut changes {
        state = completion.delta(&state, change, &mut notes);
    }
    ReleasedConfig {
        base: reduced,
        deltas: changes,
        notes,
    }
}

/// The config after a change.
fn merged(state: &Value, change: &Map<String, Value>) -> Value {
    let change = Value::Object(change.clone());
    let stack = [state, &change].map(|value| Located::from_json(value, LayerId(0)));
    let schema = schema();
    merge(schema, Some(schema.root()), stack.into())
        .map_or_else(|| state.clone(), |merged| merged.to_json())
}

#[cfg(test)]
#[path = "released_tests.rs"]
mod tests;
