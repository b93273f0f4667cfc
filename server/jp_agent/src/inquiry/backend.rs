//! Answers to questions of tools from a second model call (RFD 028, RFD 034).
//!
//! ```toml
//! [conversation.inquiry.assistant.model]
//! id = "haiku"
//!
//! [conversation.tools.fs_modify_file.questions.apply_changes]
//! target = { model = { id = "sonnet" } }
//! ```
//!
//! The model gets the conversation with the asking call answered by `Tool paused: …`, and must answer by
//! `{"answer": …}`.

use std::sync::Arc;

use futures::StreamExt as _;
use futures::future::BoxFuture;
use jp_config::inquiry::takes_the_assistants;
use jp_conversation::{ChatRequest, ConversationEvent, EventKind, ToolCallResponse};
use jp_llm::{PartContent, Request, StreamEvent, ToolChoice, messages};
use jp_tool::{AnswerType, Question};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::config::{QuestionTarget, TurnConfig};
use crate::ports::{InquiryBackend, InquiryCall, InquiryError, Providers};
use crate::providers::connect;

/// Roughly how many characters a token has; cautious, so that more is cut than needed.
const CHARACTERS_PER_TOKEN: u64 = 3;
/// How much of a model's window the conversation may fill, in percent.
const WINDOW_SHARE: u64 = 90;

/// Asks a model over [`Providers`].
#[derive(Debug, Clone)]
pub struct LlmInquiryBackend {
    providers: Arc<dyn Providers>,
}

impl LlmInquiryBackend {
    /// A backend that asks models of `providers`.
    #[must_use]
    pub fn new(providers: Arc<dyn Providers>) -> Self {
        Self { providers }
    }

    async fn ask(
        &self,
        call: InquiryCall,
        cancel: CancellationToken,
    ) -> Result<Value, InquiryError> {
        if call.question.answer_type == AnswerType::Secret {
            return Err(InquiryError::Other(
                "a secret is never asked of a model".to_owned(),
            ));
        }
        let config = second_assistant(&call)?;
        let provider = connect(&self.providers, &config.model).await?;
        let name = config.model.id.name.clone();
        let window = match provider.model_details(&name).await {
            Ok(details) => details.context_window,
            Err(error) => {
                tracing::debug!(%error, "nothing is known about the model of an inquiry");
                None
            }
        };
        let events = truncated(with_question(&call), window);
        let request = Request {
            model: name,
            system: config.system_prompt.clone(),
            messages: messages(&events),
            tools: call.tools,
            tool_choice: ToolChoice::None,
            parameters: config.model.parameters.clone(),
            output_schema: Some(answer_schema(&call.question.answer_type)),
            failures: 0,
        };
        let mut stream = provider.stream(request, cancel.clone());
        let mut text = String::new();
        loop {
            let event = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(InquiryError::Cancelled),
                event = stream.next() => event,
            };
            match event {
                Some(StreamEvent::PartEnd {
                    content: PartContent::Text { text: part, .. },
                    ..
                }) => text.push_str(&part),
                Some(StreamEvent::Done { .. }) => break,
                Some(StreamEvent::Error(jp_llm::LlmError::Cancelled)) => {
                    return Err(InquiryError::Cancelled);
                }
                Some(StreamEvent::Error(error)) => return Err(error.into()),
                Some(_) => {}
                None => {
                    return Err(InquiryError::Other("the answer ended early".to_owned()));
                }
            }
        }
        extract(&text, &call.question)
    }
}

impl InquiryBackend for LlmInquiryBackend {
    fn inquire(
        &self,
        call: InquiryCall,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Value, InquiryError>> {
        Box::pin(self.ask(call, cancel))
    }
}

/// The assistant with `conversation.inquiry.assistant` and the question's own target put over it.
fn second_assistant(call: &InquiryCall) -> Result<TurnConfig, InquiryError> {
    let inquiry = call
        .config
        .effective
        .pointer("/conversation/inquiry/assistant")
        .and_then(Value::as_object);
    let target = match &call.target {
        QuestionTarget::Assistant(overrides) => Some(overrides),
        QuestionTarget::User => None,
    };
    let inquiry = inquiry.map(|assistant| {
        let mut assistant = assistant.clone();
        if let Some(Value::Object(request)) = assistant.get_mut("request") {
            request.retain(|_, value| !takes_the_assistants(value));
        }
        assistant
    });
    let layers: Vec<&Map<String, Value>> = inquiry.iter().chain(target).collect();
    call.config
        .with_assistant(&layers)
        .map_err(|error| InquiryError::Other(error.to_string()))
}

fn with_question(call: &InquiryCall) -> Vec<ConversationEvent> {
    let mut events = call.events.clone();
    events.push(ConversationEvent::new(EventKind::ToolCallResponse(
        ToolCallResponse {
            id: call.call_id.clone(),
            content: format!("Tool paused: {}", call.question.text),
            is_error: false,
        },
    )));
    let mut content = format!(
        "Tool `{}` requires additional input before it can complete the request.\n\n",
        call.tool_name
    );
    if let Some(context) = &call.question.context {
        content.push_str(context);
        content.push_str("\n\n");
    }
    content.push_str(&call.question.text);
    content.push_str("\n\nProvide your answer based on the conversation context.");
    events.push(ConversationEvent::new(EventKind::ChatRequest(
        ChatRequest {
            content,
            schema: None,
            author: None,
        },
    )));
    events
}

/// Drops turns from the beginning until the rest fits; the last turn stays whole.
fn truncated(events: Vec<ConversationEvent>, window: Option<u64>) -> Vec<ConversationEvent> {
    let Some(window) = window else {
        return events;
    };
    let room = window
        .saturating_mul(CHARACTERS_PER_TOKEN)
        .saturating_mul(WINDOW_SHARE)
        / 100;
    let sizes: Vec<u64> = events.iter().map(size).collect();
    let mut rest: u64 = sizes.iter().sum();
    if rest <= room {
        return events;
    }
    let mut start = 0;
    for (position, (event, size)) in events.iter().zip(&sizes).enumerate() {
        if event.kind == EventKind::TurnStart {
            start = position;
            if rest <= room {
                break;
            }
        }
        rest = rest.saturating_sub(*size);
    }
    events.into_iter().skip(start).collect()
}

/// How many characters of an event a model gets to see.
fn size(event: &ConversationEvent) -> u64 {
    let length = match &event.kind {
        EventKind::ChatRequest(request) => request.content.len(),
        EventKind::ChatResponse(
            jp_conversation::ChatResponse::Message(text)
            | jp_conversation::ChatResponse::Reasoning(text),
        ) => text.len(),
        EventKind::ChatResponse(jp_conversation::ChatResponse::Data(data)) => {
            data.to_string().len()
        }
        EventKind::ToolCallRequest(call) => call
            .arguments
            .values()
            .map(|value| value.to_string().len())
            .sum(),
        EventKind::ToolCallResponse(response) => response.content.len(),
        _ => 0,
    };
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn answer_schema(answer_type: &AnswerType) -> Value {
    let answer = match answer_type {
        AnswerType::Boolean => json!({"type": "boolean"}),
        AnswerType::Select { options } => json!({"type": "string", "enum": options}),
        AnswerType::Text | AnswerType::Secret => json!({"type": "string"}),
    };
    json!({
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": false,
    })
}

/// The answer in what a model said.
fn extract(text: &str, question: &Question) -> Result<Value, InquiryError> {
    // Models that know no structured output put it into a code block.
    let json = text.trim();
    let json = json
        .strip_prefix("```json")
        .or_else(|| json.strip_prefix("```"))
        .and_then(|json| json.strip_suffix("```"))
        .unwrap_or(json);
    let data: Map<String, Value> =
        serde_json::from_str(json.trim()).map_err(|_| InquiryError::MissingStructuredData)?;
    let answer = data
        .get("answer")
        .ok_or_else(|| InquiryError::AnswerExtraction("there is none".to_owned()))?;
    if question.answer_type.accepts(answer) {
        Ok(answer.clone())
    } else {
        Err(InquiryError::AnswerExtraction(format!(
            "`{answer}` does not match the answer type"
        )))
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
