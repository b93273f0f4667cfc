//! Rules that a person wrote from a prompt or from recorded calls, and what they answer while a turn goes by what is saved.
//!
//! ```text
//! prompt "Always run calls like this…" -> jp.rules.suggest -> jp.rules.write -> the editor's edit -> RuleWritten
//! the next call that would be asked about -> MayRun -> the text in the editor still says so -> it runs
//! ```
//!
//! A turn decides by what is saved, so that no half-typed rule loosens anything.
//! A rule that was shown, chosen and written is not half-typed: it answers as long as the editor's text is what was planned, and no longer.

use std::{collections::VecDeque, sync::Arc};

use camino::Utf8PathBuf;
use futures::future::BoxFuture;
use jp_agent::{Prompt, PromptActionId, PromptAnswer, PromptChoice, StandingRules, WaitingCall};
use jp_conversation::Answerer;
use jp_policy::{RawRule, RunMode};
use lsp_types::{
    MessageType,
    request::{ExecuteCommand, Request as _},
};
use serde_json::json;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{
    session::event::{Event, EventSender},
    wire::Outbox,
};

/// The command that suggests rules.
pub(crate) const SUGGEST: &str = "jp.rules.suggest";

/// The command that writes one.
pub(crate) const WRITE: &str = "jp.rules.write";

/// How many written rules are remembered, the latest ones.
const MOST: usize = 64;

/// A rule that a person has had written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenRule {
    /// The workspace.
    pub(crate) root: Utf8PathBuf,
    /// The tool.
    pub(crate) tool: String,
    /// The rules of the tool before.
    pub(crate) before: Vec<RawRule<RunMode>>,
    /// The rules of the tool with it.
    pub(crate) planned: Vec<RawRule<RunMode>>,
}

/// The rules that were written since the server started.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenRules {
    rules: VecDeque<Arc<WrittenRule>>,
}

impl WrittenRules {
    /// Notes one that was written.
    pub(crate) fn note(&mut self, rule: WrittenRule) {
        self.rules.retain(|known| **known != rule);
        self.rules.push_back(Arc::new(rule));
        while self.rules.len() > MOST {
            self.rules.pop_front();
        }
    }

    /// Those that may answer for a call: it waits by the very rules that one of them was added to.
    pub(crate) fn for_call<'a>(
        &'a self,
        call: &'a WaitingCall,
    ) -> impl Iterator<Item = &'a WrittenRule> {
        let rules = self.rules.iter().rev().map(AsRef::as_ref);
        rules.filter(|rule| {
            rule.root == call.root && rule.tool == call.tool && rule.before == call.rules
        })
    }
}

/// Where it is recorded that a person has answered by writing a rule.
pub(crate) fn answerer() -> Answerer {
    Answerer::new(WRITE, None)
}

/// The rules that were written, as a queue of prompts asks for them.
#[derive(Debug)]
pub(super) struct RulesOfTheEditor {
    pub(super) events: EventSender,
}

impl StandingRules for RulesOfTheEditor {
    fn allow<'a>(&'a self, call: &'a WaitingCall) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let (reply, answered) = oneshot::channel();
            self.events.send(Event::MayRun {
                call: Box::new(call.clone()),
                reply,
            });
            // A loop that has ended lets nothing run.
            answered.await.unwrap_or_default()
        })
    }

    fn answerer(&self) -> Answerer {
        answerer()
    }
}

/// How a surface lets a person write a rule; it cannot where the client makes no edits.
#[derive(Debug, Clone)]
pub(super) struct RuleDesk {
    pub(super) events: Option<EventSender>,
    pub(super) outbox: Outbox,
}

impl RuleDesk {
    /// What a person can pick at a prompt.
    pub(super) fn choices(&self, prompt: &Prompt) -> Vec<PromptChoice> {
        match self.events {
            Some(_) => prompt.choices_with_rules(),
            None => prompt.choices(),
        }
    }

    /// Suggests rules where that is what was picked; whether it was. Returns once the person has chosen, or chosen none.
    pub(super) async fn takes(&self, prompt: &Prompt, answer: &PromptAnswer) -> bool {
        let Some(events) = self
            .events
            .as_ref()
            .filter(|_| answer.action == PromptActionId::Always)
        else {
            return false;
        };
        if let Err(problem) = suggest(events, &prompt.id, &prompt.digest).await {
            self.outbox.show(MessageType::WARNING, problem);
        }
        true
    }
}

/// Suggests rules for the call of a prompt, and waits until the person has chosen one or none.
///
/// # Errors
///
/// Why nothing was suggested or written, in words.
pub(crate) async fn suggest(events: &EventSender, id: &str, digest: &str) -> Result<(), String> {
    let (reply, answered) = oneshot::channel();
    let argument = json!({ "prompt": { "id": id, "digest": digest } });
    events.send(Event::Ask {
        method: ExecuteCommand::METHOD.to_owned(),
        params: json!({ "command": SUGGEST, "arguments": [argument] }),
        cancelled: CancellationToken::new(),
        reply,
    });
    match answered.await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the server has ended".to_owned()),
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
