//! Prompts in the editor, on as many surfaces as the client has.
//!
//! ```json
//! {"method": "jp/prompt", "params": {"id": "17636666521-3", "digest": "9f2c…", "kind": "run", "actions": []}}
//! {"result": {"action": "approve"}}
//! {"method": "workspace/executeCommand", "params": {"command": "jp.prompt.answer",
//!  "arguments": [{"id": "17636666521-3", "digest": "9f2c…", "action": "answer", "value": "backup"}]}}
//! ```
//!
//! A client that announces `jp/prompt` gets the whole prompt, others get a message with buttons where buttons will do.
//! In every client the prompt is also a diagnostic on the line of config that governs it, with code actions that
//! answer it, until somebody has decided.

mod board;
mod message;
mod rich;

pub(crate) use board::PendingPrompts;
#[cfg(test)]
pub(crate) use rich::{PromptParams, PromptRequest};

use jp_agent::{Broker, PromptActionId, PromptAnswer};
use serde_json::{Value, json};

use crate::{session::client::ClientProfile, wire::Outbox};

/// The command that answers a prompt.
pub(crate) const ANSWER: &str = "jp.prompt.answer";

/// The file on whose first line a prompt waits that no line of config governs.
const CONFIG: &str = ".jp/config.toml";

/// Attaches the surfaces of a client to a broker; they live until the client is gone or the broker ends.
///
/// Must be called within a runtime.
pub(crate) fn attach(
    pending: &PendingPrompts,
    broker: &Broker,
    client: &ClientProfile,
    outbox: &Outbox,
) {
    tokio::spawn(board::serve(
        broker.attach(),
        pending.clone(),
        outbox.clone(),
    ));
    if client.prompts {
        tokio::spawn(rich::serve(broker.attach(), outbox.clone()));
    } else {
        tokio::spawn(message::serve(
            broker.attach(),
            pending.messages(),
            outbox.clone(),
        ));
    }
}

/// The argument of `jp.prompt.answer` for an answer without a text of its own.
fn command_argument(id: &str, digest: &str, answer: &PromptAnswer) -> Value {
    let mut argument = json!({"id": id, "digest": digest, "action": answer.action});
    if let Some(fields) = argument.as_object_mut() {
        if let Some(value) = &answer.value {
            fields.insert("value".to_owned(), value.clone());
        }
        if answer.remember.is_some() {
            fields.insert("remember".to_owned(), "turn".into());
        }
    }
    argument
}

/// Whether an answer is one that takes nothing more than a click.
fn is_plain(action: PromptActionId) -> bool {
    !matches!(action, PromptActionId::Edit | PromptActionId::Details)
}
