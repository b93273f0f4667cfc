//! YAML's merge keys, applied as `jp` does.
//!
//! ```yaml
//! base: &base { run: ask }
//! other:
//!   <<: *base          # takes what `other` does not say itself
//!   result: skip
//! ```
//!
//! A merge key inside of what is merged stays a key, which `jp` does not know either: so the work is that of one look
//! at each value, however the merges are nested.

use serde_json::Value;

/// The key whose value is merged into the mapping that holds it.
const MERGE: &str = "<<";

/// Merges the values of all merge keys; none where one of them holds something else than mappings.
pub(super) fn apply(value: &mut Value) -> Option<()> {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(entries) => {
                match entries.shift_remove(MERGE) {
                    None => {}
                    Some(Value::Array(sources)) => {
                        for source in sources {
                            merge(entries, source)?;
                        }
                    }
                    Some(source) => merge(entries, source)?,
                }
                open.extend(entries.values_mut());
            }
            _ => {}
        }
    }
    Some(())
}

fn merge(entries: &mut serde_json::Map<String, Value>, source: Value) -> Option<()> {
    let Value::Object(source) = source else {
        return None;
    };
    for (key, value) in source {
        entries.entry(key).or_insert(value);
    }
    Some(())
}

#[cfg(test)]
#[path = "merge_keys_tests.rs"]
mod tests;
