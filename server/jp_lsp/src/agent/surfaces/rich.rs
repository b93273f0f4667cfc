//! The surface of clients that announce `{"experimental": {"jp": {"prompts": true}}}`.
//!
//! ```json
//! {"method": "jp/promptResolved", "params": {"id": "17636666521-3", "action": "approve"}}
//! ```

use std::sync::Arc;

use jp_agent::{
    AnswerError, Broker, Prompt, PromptAnswer, PromptChoice, Reception, Surface, SurfaceEvent,
};
use lsp_types::{MessageType, request::Request};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    agent::{
        protocol::{PromptResolved, PromptResolvedParams},
        rules::RuleDesk,
    },
    wire::Outbox,
};

/// `jp/prompt`, from the server.
#[derive(Debug)]
pub(crate) enum PromptRequest {}

impl Request for PromptRequest {
    /// [`PromptParams`], written once for each asking.
    type Params = Value;
    /// Read as a value, so that an answer of an unknown shape is told apart from none.
    type Result = Value;
    const METHOD: &'static str = "jp/prompt";
}

/// A prompt, with every way to decide it in words that no client has to find.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PromptParams<P> {
    /// The prompt.
    #[serde(flatten)]
    pub(crate) prompt: P,
    /// What a person can pick, the safe choice first.
    #[serde(default = "Vec::new")]
    pub(crate) choices: Vec<PromptChoice>,
}

impl<'p> PromptParams<&'p Prompt> {
    fn of(prompt: &'p Prompt, rules: &RuleDesk) -> Self {
        Self {
            choices: rules.choices(prompt),
            prompt,
        }
    }
}

/// Shows prompts until the client is gone or the broker ends.
pub(super) async fn serve(mut surface: Surface, rules: RuleDesk, outbox: Outbox) {
    loop {
        let event = tokio::select! {
            event = surface.next() => event,
            () = outbox.closed() => return,
        };
        match event {
            Some(SurfaceEvent::Show(prompt)) => {
                tokio::spawn(ask(
                    surface.broker().clone(),
                    prompt,
                    rules.clone(),
                    outbox.clone(),
                ));
            }
            Some(SurfaceEvent::Resolved { id, resolution }) => {
                outbox.notify::<PromptResolved>(PromptResolvedParams {
                    id,
                    action: resolution.as_str().to_owned(),
                });
            }
            None => return,
        }
    }
}

/// Asks until there is an answer that fits, or none from this surface.
async fn ask(broker: Broker, prompt: Arc<Prompt>, rules: RuleDesk, outbox: Outbox) {
    let Ok(params) = serde_json::to_value(PromptParams::of(&prompt, &rules)) else {
        tracing::error!(prompt.id, "a prompt cannot be written as JSON");
        return;
    };
    loop {
        let answered = outbox.request::<PromptRequest>(params.clone()).await;
        // An error, a null and a lost client are no decision by this surface.
        let Ok(Ok(answer)) = answered else {
            return;
        };
        if answer.is_null() {
            return;
        }
        let problem = match serde_json::from_value::<PromptAnswer>(answer) {
            Ok(answer) if rules.takes(&prompt, &answer).await => {
                let waiting = broker.pending().await;
                if waiting.is_some_and(|waiting| waiting.id == prompt.id) {
                    continue;
                }
                return;
            }
            Ok(answer) => match broker.answer(&prompt.id, &prompt.digest, answer).await {
                Ok(Reception::Decided) | Err(AnswerError::NotPending { .. }) => return,
                Ok(Reception::Undecided) => continue,
                Err(error) => error.to_string(),
            },
            Err(error) => {
                outbox.log(
                    MessageType::ERROR,
                    format!("the answer to `jp/prompt` does not fit and is ignored: {error}"),
                );
                return;
            }
        };
        outbox.show(MessageType::WARNING, problem);
    }
}
