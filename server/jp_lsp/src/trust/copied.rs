//! What a conversation that somebody else recorded may change in the config.
//!
//! ```json
//! {"type": "config_delta", "delta": {"conversation": {"tools": {"test": {"options": {"filter": "; sh evil.sh"}}}}}}
//! ```
//!
//! A conversation of `jp` may come with the workspace, and nobody here has approved the changes that it records.
//! How the assistant speaks and how that is shown holds; everything else is left out: what runs and what goes into it,
//! who is asked, where requests and keys go, and what is granted.

use jp_config::schema::{NodeId, Schema, Sensitivity, schema};
use jp_conversation::{ConfigDelta, Conversation, ConversationEvent, EventKind};
use jp_tool::{ConfigPath, ConfigSegment};
use serde_json::{Map, Value};

/// The paths that a recorded change keeps, with everything below them.
///
/// A new config key is none of them before somebody has thought about it.
/// The identity of a model is none, as it decides who reads the conversation.
const KEPT: [&str; 21] = [
    "assistant.name",
    "assistant.system_prompt",
    "assistant.system_prompt_sections",
    "assistant.instructions",
    "assistant.model.parameters.max_tokens",
    "assistant.model.parameters.reasoning",
    "assistant.model.parameters.temperature",
    "assistant.model.parameters.top_p",
    "assistant.model.parameters.top_k",
    "assistant.model.parameters.stop_words",
    "style.code",
    "style.inline_code",
    "style.markdown",
    "style.reasoning.display",
    "style.reasoning.background",
    "style.reasoning.extend_across_tool_calls",
    "style.streaming",
    "style.tool_call",
    "style.mcp_startup",
    "style.lock_wait",
    "style.typewriter",
];

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
        let delta = kept_of(delta, &mut left_out);
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

fn kept_of(delta: &ConfigDelta, left_out: &mut Vec<String>) -> ConfigDelta {
    let schema = schema();
    let whole = Value::Object(delta.delta.clone());
    let kept = kept_part(schema, schema.root(), &whole, &[], left_out);
    let (unsets, others): (Vec<String>, Vec<String>) =
        delta.unsets.iter().cloned().partition(|path| is_kept(path));
    left_out.extend(others);
    ConfigDelta {
        delta: match kept {
            Some(Value::Object(kept)) => kept,
            _ => Map::new(),
        },
        unsets,
        claims: delta
            .claims
            .iter()
            .filter(|(path, _)| is_kept(path))
            .map(|(path, claim)| (path.clone(), claim.clone()))
            .collect(),
        takes_back: false,
    }
}

/// What a partial config may keep; none where nothing is left of it.
fn kept_part(
    schema: &Schema,
    node: NodeId,
    value: &Value,
    path: &[&str],
    left_out: &mut Vec<String>,
) -> Option<Value> {
    if is_below_kept(path) {
        return Some(value.clone());
    }
    // One name says enough of what decides something as a whole, such as a server.
    let map = match value {
        Value::Object(map) if schema.node(node).sensitivity == Sensitivity::Ordinary => map,
        _ => {
            left_out.push(path.join("."));
            return None;
        }
    };
    let mut kept = Map::new();
    for (key, value) in map {
        let path = [path, &[key.as_str()]].concat();
        match schema.child(node, key) {
            Some(child) => {
                if let Some(value) = kept_part(schema, child, value, &path, left_out) {
                    kept.insert(key.clone(), value);
                }
            }
            None => left_out.push(path.join(".")),
        }
    }
    if map.is_empty() && !path.is_empty() {
        left_out.push(path.join("."));
    }
    (!kept.is_empty()).then_some(Value::Object(kept))
}

/// Whether a dotted path is kept, as it is one of the [`KEPT`] or below one.
fn is_kept(path: &str) -> bool {
    let Ok((path, _)) = ConfigPath::parse_unset(path) else {
        return false;
    };
    let keys = path.segments().iter().map(|segment| match segment {
        ConfigSegment::Key(key) => Some(key.as_str()),
        ConfigSegment::Any => None,
    });
    keys.collect::<Option<Vec<_>>>()
        .is_some_and(|keys| is_below_kept(&keys))
}

fn is_below_kept(path: &[&str]) -> bool {
    KEPT.iter()
        .any(|kept| path.starts_with(&kept.split('.').collect::<Vec<_>>()))
}

#[cfg(test)]
#[path = "copied_tests.rs"]
mod tests;
