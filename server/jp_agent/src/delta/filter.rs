//! What a tool gets to see of the config.
//!
//! ```json
//! {"assistant": {"model": {"id": {"provider": "anthropic", "name": "opus"}}}}
//! ```

use jp_tool::ConfigCapability;
use serde_json::{Map, Value};

use super::{CycleConfig, Grants, LeafPath};

/// The part of the config that `read` rules grant, for `context.config` (RFD 078, "Input: context.config").
///
/// `None` without any such rule.
/// A list is shown whole or not at all: a rule that denies a part of it hides it.
#[must_use]
pub fn filter_config(config: &CycleConfig, grants: &Grants) -> Option<Value> {
    if !grants.grants_any(ConfigCapability::Read) {
        return None;
    }
    let readable = readable(config.value(), &mut Vec::new(), grants);
    Some(readable.unwrap_or_else(|| Value::Object(Map::new())))
}

fn readable(value: &Value, path: &mut Vec<String>, grants: &Grants) -> Option<Value> {
    match value {
        Value::Object(table) if !table.is_empty() => {
            let mut shown = Map::new();
            for (key, value) in table {
                path.push(key.clone());
                if let Some(value) = readable(value, path, grants) {
                    shown.insert(key.clone(), value);
                }
                path.pop();
            }
            (!shown.is_empty()).then_some(Value::Object(shown))
        }
        _ => {
            let decision = grants.decide(ConfigCapability::Read, &LeafPath::new(path.clone()));
            decision.allowed.then(|| value.clone())
        }
    }
}
