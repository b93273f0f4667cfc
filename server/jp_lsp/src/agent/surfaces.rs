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

#[cfg(test)]
pub(crate) use rich::PromptParams;
pub(crate) use rich::PromptRequest;

use std::sync::Arc;

use jp_agent::Broker;
use jp_conversation::Answerer;
use lsp_types::request::{Request as _, ShowMessageRequest};
use tokio::sync::Semaphore;

use super::rules::{RuleDesk, RulesOfTheEditor};
use crate::{
    session::{client::ClientProfile, event::EventSender},
    wire::Outbox,
};

/// Attaches the surfaces of a client to a broker; they live until the client is gone or the broker ends.
///
/// `messages` keeps messages with buttons to one at a time, whatever brokers there are.
/// Must be called within a runtime.
pub(crate) fn attach(
    broker: &Broker,
    messages: &Arc<Semaphore>,
    client: &ClientProfile,
    events: &EventSender,
    outbox: &Outbox,
) {
    let on = |surface| broker.on(Answerer::new(surface, client.name.as_deref()));
    let rules = RuleDesk {
        events: client.applies_edits().then(|| events.clone()),
        outbox: outbox.clone(),
    };
    if client.applies_edits() {
        broker.stand_by(Arc::new(RulesOfTheEditor {
            events: events.clone(),
        }));
    }
    tokio::spawn(board::serve(
        broker.attach(),
        events.clone(),
        outbox.clone(),
    ));
    if client.prompts {
        let surface = on(PromptRequest::METHOD).attach();
        tokio::spawn(rich::serve(surface, rules, outbox.clone()));
    } else {
        tokio::spawn(message::serve(
            on(ShowMessageRequest::METHOD).attach(),
            rules,
            Arc::clone(messages),
            outbox.clone(),
        ));
    }
}

#[cfg(test)]
#[path = "surfaces_tests.rs"]
mod tests;
