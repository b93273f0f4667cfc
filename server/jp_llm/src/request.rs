//! What a model is asked.

use std::collections::HashMap;

use jp_conversation::{ChatResponse, ConversationEvent, EventKind, compact, repair};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::transcript::CONTINUE;

/// Metadata of what was said before an answer broke off and was asked for again: the number of the failed attempt.
///
/// A model gets to see the words, then a request to go on.
pub const CUT_OFF: &str = "cut_off";

/// Metadata of what was said in an answer that ended with a refusal: `true`.
///
/// No model gets to see it, nor the question that it answers, since providers refuse on and on as long as they are there.
/// A question whose answer began with calls stays, and they with it.
pub const REFUSED: &str = "refused";

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Request {
    /// The name of the model, without its provider.
    pub model: String,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolDefinition>,
    /// Whether it may, must or must not call one.
    pub tool_choice: ToolChoice,
    /// How it answers.
    pub parameters: Parameters,
    /// A JSON Schema that its text must satisfy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// How many attempts at the answer have failed before, of those that the settings allow.
    #[serde(skip)]
    pub failures: u32,
}

/// One side's turn to speak.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The user speaks.
    User(String),
    /// The model speaks.
    Assistant(Vec<AssistantPart>),
    /// Tools answer.
    Tool(Vec<ToolResult>),
}

/// Part of what a model said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssistantPart {
    /// What was said.
    pub content: AssistantContent,
    /// What its provider wants back with it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantContent {
    /// Words to the user.
    Text(String),
    /// Words to itself.
    Reasoning(String),
    /// A tool call.
    ToolCall {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// The arguments.
        arguments: Map<String, Value>,
    },
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The answer.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// Whether a model calls tools, `assistant.tool_choice`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It must not.
    None,
    /// It must call one.
    Required,
    /// It must call this one.
    Tool(String),
}

/// How a model answers, `assistant.model.parameters`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Parameters {
    /// The most tokens it may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How much it reasons. Default: as the provider sees fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// How many tokens are considered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_words: Vec<String>,
    /// Fields of the provider's own request, put over ours.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub other: Map<String, Value>,
    /// How long the provider may cache the request. Default [`Cache::Off`].
    pub cache: Cache,
}

/// How much a model reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reasoning {
    /// The effort.
    pub effort: Effort,
    /// Whether to leave the reasoning out of the answer.
    pub exclude: bool,
}

/// How hard a model thinks, `assistant.model.parameters.reasoning.effort`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Not at all.
    None,
    /// As it likes.
    Auto,
    /// Hardly.
    XLow,
    /// A little.
    Low,
    /// Somewhat.
    Medium,
    /// Much.
    High,
    /// Very much.
    XHigh,
    /// As much as it can.
    Max,
    /// A number of tokens.
    Absolute(u32),
}

/// How long a provider may cache a request, `assistant.request.cache`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// Not at all.
    #[default]
    Off,
    /// Minutes.
    Short,
    /// An hour.
    Long,
}

/// The messages of a conversation, as a model gets to see them.
///
/// Only chat and tool calls are in (RFD 005), shortened as [`compact`] and made whole as [`repair`] says.
/// What was refused is left out with its question, and the model is asked to go on after words of its own that broke off.
#[must_use]
pub fn messages(events: &[ConversationEvent]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let mut names: HashMap<String, String> = HashMap::new();
    // How many calls with this id are answered.
    let mut answered: HashMap<String, usize> = HashMap::new();
    // Whether nothing was said yet to the last message, which a user has written.
    let mut is_open = false;
    let events = compact(events);
    for event in repair(&events) {
        let content = match &event.kind {
            EventKind::ChatRequest(request) => {
                messages.push(Message::User(request.content.clone()));
                is_open = true;
                continue;
            }
            EventKind::ToolCallResponse(response) => {
                let before = answered.entry(response.id.clone()).or_default();
                if let Some(edited) = event.edited_arguments() {
                    run_with(&mut messages, &response.id, *before, edited);
                }
                *before = before.saturating_add(1);
                let result = ToolResult {
                    id: response.id.clone(),
                    name: names.get(&response.id).cloned().unwrap_or_default(),
                    content: response.content.clone(),
                    is_error: response.is_error,
                };
                match messages.last_mut() {
                    Some(Message::Tool(results)) => results.push(result),
                    _ => messages.push(Message::Tool(vec![result])),
                }
                continue;
            }
            EventKind::ChatResponse(ChatResponse::Message(text)) => {
                AssistantContent::Text(text.clone())
            }
            EventKind::ChatResponse(ChatResponse::Reasoning(text)) => {
                AssistantContent::Reasoning(text.clone())
            }
            EventKind::ChatResponse(ChatResponse::Data(data)) => {
                AssistantContent::Text(data.to_string())
            }
            EventKind::ToolCallRequest(call) => {
                names.insert(call.id.clone(), call.name.clone());
                AssistantContent::ToolCall {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                }
            }
            _ => continue,
        };
        let part = AssistantPart {
            content,
            metadata: event.metadata.clone(),
        };
        if part.metadata.contains_key(REFUSED) {
            if std::mem::take(&mut is_open) {
                messages.pop();
            }
            continue;
        }
        if part.is_lost() {
            continue;
        }
        is_open = false;
        match messages.last_mut() {
            Some(Message::Assistant(parts)) if part.goes_on(parts) => parts.push(part),
            Some(Message::Assistant(_)) => {
                messages.push(Message::User(CONTINUE.to_owned()));
                messages.push(Message::Assistant(vec![part]));
            }
            _ => messages.push(Message::Assistant(vec![part])),
        }
    }
    messages
}

impl AssistantPart {
    /// Whether the part belongs to the same attempt at an answer as the parts before it.
    fn goes_on(&self, before: &[Self]) -> bool {
        let attempt = |part: &Self| part.metadata.get(CUT_OFF).cloned();
        before
            .last()
            .and_then(attempt)
            .is_none_or(|broken| attempt(self) == Some(broken))
    }

    /// Whether the part is of no use to the attempt that follows: providers take the reasoning of an answer only with
    /// the whole answer.
    fn is_lost(&self) -> bool {
        self.metadata.contains_key(CUT_OFF)
            && match &self.content {
                AssistantContent::Text(text) => text.trim().is_empty(),
                AssistantContent::Reasoning(_) => true,
                AssistantContent::ToolCall { .. } => false,
            }
    }
}

/// Shows a call with the arguments that it ran with; of the calls with this id it is the one that follows the `answered` ones.
fn run_with(messages: &mut [Message], id: &str, answered: usize, edited: &Map<String, Value>) {
    let parts = messages.iter_mut().filter_map(|message| match message {
        Message::Assistant(parts) => Some(parts),
        Message::User(_) | Message::Tool(_) => None,
    });
    let mut calls = parts.flatten().filter_map(|part| match &mut part.content {
        AssistantContent::ToolCall {
            id: own, arguments, ..
        } if own == id => Some(arguments),
        _ => None,
    });
    if let Some(arguments) = calls.nth(answered) {
        arguments.clone_from(edited);
    }
}

impl Request {
    /// How many tool calls the conversation holds, for the numbers of calls that come without an id.
    pub(crate) fn tool_call_count(&self) -> usize {
        let parts = self.messages.iter().filter_map(|message| match message {
            Message::Assistant(parts) => Some(parts),
            Message::User(_) | Message::Tool(_) => None,
        });
        parts
            .flatten()
            .filter(|part| matches!(part.content, AssistantContent::ToolCall { .. }))
            .count()
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
