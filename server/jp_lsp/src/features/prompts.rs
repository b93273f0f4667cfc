//! `jp.prompt.answer`: answers a prompt, in any client.
//!
//! ```json
//! {"method": "workspace/executeCommand", "params": {"command": "jp.prompt.answer",
//!  "arguments": [{"id": "17636666521-3", "digest": "9f2c…", "action": "answer", "value": "backup"}]}}
//! ```

mod details;

use jp_agent::{PromptActionId, PromptAnswer, Reception};
use jp_conversation::Answerer;
use serde::{Deserialize, Serialize};

pub(crate) use crate::agent::pending::ANSWER;
use crate::{
    agent::{protocol::AnswerResult, rules::suggest},
    session::{config_engine::ConfigEngine, error::RequestError, request::Context},
};

/// The argument of `jp.prompt.answer`: the digest must be the prompt's, so an answer can never meet another prompt.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnswerParams {
    id: String,
    digest: String,
    #[serde(flatten)]
    answer: PromptAnswer,
}

/// Answers a prompt, or shows everything about it.
pub(crate) async fn answer(
    context: &Context<ConfigEngine>,
    params: AnswerParams,
) -> Result<AnswerResult, RequestError> {
    if params.answer.action == PromptActionId::Always {
        let suggested = suggest(context.events(), &params.id, &params.digest).await;
        suggested.map_err(RequestError::Failed)?;
        let pending = context.engine().agent.pending(params.id).await;
        return Ok(AnswerResult {
            decided: pending.is_none(),
        });
    }
    let engine = context.engine();
    let action = params.answer.action;
    let prompt = context.snapshot().prompts().get(&params.id);
    let client = context.snapshot().client();
    let answerer = Answerer::new(ANSWER, client.name.as_deref());
    let received = engine
        .agent
        .answer(params.id, params.digest, params.answer, answerer)
        .await;
    let reception = received.map_err(|error| RequestError::Failed(error.to_string()))?;
    if let (PromptActionId::Details, Some(prompt)) = (action, prompt) {
        details::show(context, &prompt).await;
    }
    Ok(AnswerResult {
        decided: reception == Reception::Decided,
    })
}
