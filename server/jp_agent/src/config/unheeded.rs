//! Keys that the config may hold and that change nothing in a turn here.
//!
//! ```toml
//! [conversation]
//! attachments = ["file://notes.md"]   # the model does not get to see it
//! ```

use serde_json::Value;

/// The keys, and what happens instead.
const UNHEEDED: [(&str, &str); 4] = [
    (
        "conversation.attachments",
        "nothing is attached, so name the files in your question",
    ),
    (
        "conversation.compaction.rules",
        "conversations are not compacted by themselves",
    ),
    (
        "providers.llm.anthropic.chain_on_max_tokens",
        "an answer ends at the limit of tokens",
    ),
    ("template.values", "questions are no templates"),
];

/// The keys that are set without effect, and what to tell a person about each.
#[must_use]
pub fn unheeded(effective: &Value) -> Vec<(&'static str, String)> {
    let set = UNHEEDED.iter().filter(|(path, _)| {
        let value = path
            .split('.')
            .try_fold(effective, |value, key| value.get(key));
        value.is_some_and(asks_for_something)
    });
    set.map(|(path, instead)| (*path, format!("`{path}` has no effect here: {instead}.")))
        .collect()
}

fn asks_for_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
#[path = "unheeded_tests.rs"]
mod tests;
