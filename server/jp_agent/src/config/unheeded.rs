//! Keys that the config may hold and that change nothing in a turn here.
//!
//! ```toml
//! [conversation]
//! attachments = ["file://notes.md"]   # the model does not get to see it
//! ```

use serde_json::Value;

/// The keys, and what happens instead. `*` stands for any key of a map; a table stands for everything in it.
///
/// Names of people and assistants are not among them: whoever sets one asks for nothing.
const UNHEEDED: [(&str, &str); 19] = [
    (
        "conversation.attachments",
        "attach files to the question itself",
    ),
    (
        "conversation.compaction",
        "conversations are not compacted by themselves",
    ),
    (
        "conversation.default_id",
        "a query begins a new conversation unless it names one",
    ),
    ("conversation.labels", "conversations have no labels"),
    (
        "conversation.start_local",
        "conversations lie in your data folder and nowhere else",
    ),
    (
        "conversation.title.from_heading",
        "no title is taken from a question",
    ),
    (
        "conversation.tools.*.style.error",
        "results are shown in the record of the conversation",
    ),
    (
        "conversation.tools.*.style.hidden",
        "every call and its result are shown",
    ),
    (
        "conversation.tools.*.style.inline_results",
        "results are shown in the record of the conversation",
    ),
    (
        "conversation.tools.*.style.results_file_link",
        "results are shown in the record of the conversation",
    ),
    ("editor.inline", "replies are typed as they are"),
    (
        "interrupt.streaming.compose_in_editor",
        "a reply is typed where the interrupt is answered",
    ),
    (
        "interrupt.tool_call.compose_in_editor",
        "a reply is typed where the interrupt is answered",
    ),
    ("plugins.auto_install", "plugins are started by `jp` alone"),
    ("plugins.command", "plugins are started by `jp` alone"),
    (
        "plugins.shutdown_timeout_secs",
        "plugins are started by `jp` alone",
    ),
    (
        "providers.llm.anthropic.chain_on_max_tokens",
        "an answer ends at the limit of tokens",
    ),
    ("style", "answers are printed as they come"),
    ("template.values", "questions are no templates"),
];

/// The keys that are set without effect, and what to tell a person about each.
#[must_use]
pub fn unheeded(effective: &Value) -> Vec<(&'static str, String)> {
    let set = UNHEEDED.iter().filter(|(path, _)| {
        let path: Vec<&str> = path.split('.').collect();
        is_set(effective, &path)
    });
    set.map(|(path, instead)| (*path, format!("`{path}` has no effect here: {instead}.")))
        .collect()
}

/// Whether something is asked for at a path.
fn is_set(value: &Value, path: &[&str]) -> bool {
    match path {
        [] => asks_for_something(value),
        ["*", rest @ ..] => value
            .as_object()
            .is_some_and(|entries| entries.values().any(|entry| is_set(entry, rest))),
        [key, rest @ ..] => value.get(key).is_some_and(|entry| is_set(entry, rest)),
    }
}

fn asks_for_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => items.iter().any(asks_for_something),
        Value::Object(entries) => entries.values().any(asks_for_something),
        _ => true,
    }
}

#[cfg(test)]
#[path = "unheeded_tests.rs"]
mod tests;
