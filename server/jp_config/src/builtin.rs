//! The tools that come along: what their config tables hold before anybody writes one.
//!
//! ```toml
//! [conversation.tools.ask_user]
//! enable = false                  # everything else stays as it is here
//! ```
//!
//! The runtime merges a table over these, and what is explained of a tool is read from the same merge.

use serde_json::{Value, json};

use crate::{
    merge::{LayerId, Located, merge},
    schema::schema,
};

/// The builtin that hands out the long documentation of tools.
pub const DESCRIBE_TOOLS: &str = "describe_tools";

/// The builtin by which the assistant asks the person a question (RFD 083).
pub const ASK_USER: &str = "ask_user";

/// The id of the only question of [`ASK_USER`]: `conversation.tools.ask_user.questions.answer`.
pub const ASK_USER_QUESTION: &str = "answer";

/// The keys of all of them.
pub const BUILTIN_TOOLS: [&str; 2] = [DESCRIBE_TOOLS, ASK_USER];

/// The layer of the defaults, which no file has.
const NO_FILE: LayerId = LayerId(u32::MAX);

/// When to call it, for the model; in `description`, since that is sent with every request when there is no summary.
const DESCRIPTION: &str = "Ask the user a typed question (boolean, select, or text) and receive their answer. Use only \
     when the conversation does not provide the information you need and the user can reasonably be expected to answer. \
     When in doubt, answer the user's original question directly; do not call `ask_user` for clarification you can derive \
     from context or for confirmation of obvious next steps. Do not use `ask_user` to collect secrets (passwords, API \
     keys, SSH passphrases): answers are returned to the model and persisted in the conversation stream.";

/// The defaults of the config table of a builtin; none for any other key.
#[must_use]
pub fn defaults(name: &str) -> Option<Value> {
    match name {
        DESCRIBE_TOOLS => Some(describe_tools()),
        ASK_USER => Some(ask_user()),
        _ => None,
    }
}

/// The table of a tool over the defaults of the builtin that has its key.
///
/// Another `source` takes over the name and keeps the other fields, `run` among them (RFD 083).
#[must_use]
pub fn over_defaults(name: &str, defaults: &Value, table: Option<Located>) -> Option<Located> {
    let schema = schema();
    let node = schema.lookup(["conversation", "tools", name]).ok();
    let stack = std::iter::once(Located::from_json(defaults, NO_FILE)).chain(table);
    merge(schema, node.map(|found| found.node), stack.collect())
}

fn describe_tools() -> Value {
    json!({
        "source": "builtin",
        "enable": {"state": true, "allow_toggle": "never"},
        "run": "unattended",
        "result": "unattended",
        "style": {"hidden": true},
        "summary": "Get the full documentation of tools: description, parameters and examples.",
        "parameters": {"tools": {
            "type": "array",
            "required": true,
            "summary": "The names of the tools.",
            "items": {"type": "string"},
        }},
    })
}

fn ask_user() -> Value {
    json!({
        "source": "builtin",
        "enable": {"state": true, "allow_toggle": "if_named"},
        "run": "unattended",
        "result": "unattended",
        "style": {"hidden": true},
        "questions": {ASK_USER_QUESTION: {"prompt_label": "Assistant"}},
        "description": DESCRIPTION,
        "parameters": {
            "question": {
                "type": "string",
                "required": true,
                "description": "The question text. Must be a single line; put anything longer into `context`.",
            },
            "context": {
                "type": "string",
                "description": "Context shown above the question. May have several lines.",
            },
            "answer_type": {
                "type": "string",
                "enum": ["boolean", "select", "text"],
                "description": "The form of the answer. Defaults to `text`.",
            },
            "options": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The choices. Required when `answer_type` is `select`, forbidden otherwise.",
            },
            "default": {
                "type": ["boolean", "string"],
                "description": "Pre-populates the prompt. A boolean, one of `options`, or a string, as `answer_type` \
                                asks for.",
            },
        },
    })
}

#[cfg(test)]
#[path = "builtin_tests.rs"]
mod tests;
