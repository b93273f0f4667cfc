//! What a conversation that somebody else recorded may change in the config.
//!
//! ```json
//! {"type": "config_delta", "delta": {"providers": {"mcp": {"evil": {"type": "stdio", "command": "sh"}}}}}
//! ```
//!
//! A conversation of `jp` may come with the workspace, and nobody here has approved the changes that it records.
//! Those of what runs, who is asked, where keys go and what is granted are left out; the others hold.

use jp_config::schema::{NodeId, Schema, Sensitivity, schema};
use jp_conversation::{ConfigDelta, Conversation, ConversationEvent, EventKind};
use jp_tool::{ConfigPath, overlaps_sensitive, privileged_overlap};
use serde_json::{Map, Value};

/// The conversation without what nobody here has approved, and the config paths that were left out.
pub(crate) fn unprivileged(original: &Conversation) -> (Conversation, Vec<String>) {
    let mut left_out = Vec::new();
    let mut kept = Conversation::new(
        original.id,
        original.metadata.clone(),
        original.base_config.clone(),
    );
    let mut deltas = original.config_deltas(0);
    for event in original.events() {
        if !matches!(event.kind, EventKind::ConfigDelta(_)) {
            kept.push(event.clone());
            continue;
        }
        // As one that was taken back is empty here, the copy needs nothing to take it back.
        let Some(delta) = deltas.next() else { continue };
        let delta = ordinary(delta, &mut left_out);
        if !delta.is_empty() {
            kept.push(ConversationEvent {
                kind: EventKind::ConfigDelta(delta),
                ..event.clone()
            });
        }
    }
    left_out.sort();
    left_out.dedup();
    (kept, left_out)
}

fn ordinary(delta: &ConfigDelta, left_out: &mut Vec<String>) -> ConfigDelta {
    let schema = schema();
    let whole = Value::Object(delta.delta.clone());
    let kept = ordinary_part(schema, schema.root(), &whole, "", left_out);
    let (unsets, privileged): (Vec<String>, Vec<String>) = delta
        .unsets
        .iter()
        .cloned()
        .partition(|path| is_ordinary(path));
    left_out.extend(privileged);
    ConfigDelta {
        delta: match kept {
            Some(Value::Object(kept)) => kept,
            _ => Map::new(),
        },
        unsets,
        claims: delta
            .claims
            .iter()
            .filter(|(path, _)| is_ordinary(path))
            .map(|(path, claim)| (path.clone(), claim.clone()))
            .collect(),
        takes_back: false,
    }
}

/// A partial config without what decides what may happen; none where nothing is left of it.
fn ordinary_part(
    schema: &Schema,
    node: NodeId,
    value: &Value,
    path: &str,
    left_out: &mut Vec<String>,
) -> Option<Value> {
    if schema.node(node).sensitivity != Sensitivity::Ordinary {
        left_out.push(path.to_owned());
        return None;
    }
    let Value::Object(map) = value else {
        return Some(value.clone());
    };
    let mut kept = Map::new();
    for (key, value) in map {
        let path = match path {
            "" => key.clone(),
            path => format!("{path}.{key}"),
        };
        match schema.child(node, key) {
            Some(child) => {
                if let Some(value) = ordinary_part(schema, child, value, &path, left_out) {
                    kept.insert(key.clone(), value);
                }
            }
            // What the schema does not know means nothing anyway.
            None => left_out.push(path),
        }
    }
    (!kept.is_empty() || map.is_empty()).then_some(Value::Object(kept))
}

fn is_ordinary(path: &str) -> bool {
    ConfigPath::parse_unset(path)
        .is_ok_and(|(path, _)| !overlaps_sensitive(&path) && privileged_overlap(&path).is_none())
}

#[cfg(test)]
#[path = "copied_tests.rs"]
mod tests;
