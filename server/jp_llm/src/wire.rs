//! The languages that providers speak: how a request is written and an answer read.

pub(crate) mod anthropic;
pub(crate) mod google;
pub(crate) mod ollama;
pub(crate) mod openai;

use serde_json::{Map, Value};
use url::Url;

use crate::error::LlmError;
use crate::parts::Parts;
use crate::request::{Request, ToolChoice};
use crate::settings::{Endpoint, Protocol};

/// A request as it goes over the wire.
#[derive(Debug)]
pub(crate) struct WireRequest {
    pub(crate) url: Url,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// `null` for a request without a body.
    pub(crate) body: Value,
}

/// How an answer is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// A JSON value a line.
    Lines,
}

/// Whether an answer is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is more to come.
    More,
    /// That was the end.
    Finished,
}

/// Reads one answer, frame by frame.
pub(crate) trait Decoder: Send {
    /// Reads a frame: its event name, where it has one, and its data.
    fn frame(
        &mut self,
        event: Option<&str>,
        data: &str,
        parts: &mut Parts,
    ) -> Result<Progress, LlmError>;

    /// Whether the answer is complete when the connection is closed in good order after the last frame.
    fn is_complete_when_closed(&self, _parts: &Parts) -> bool {
        false
    }
}

impl Protocol {
    pub(crate) fn write(
        self,
        endpoint: &Endpoint,
        request: &Request,
    ) -> Result<WireRequest, LlmError> {
        let mut wire = match self {
            Self::Messages => anthropic::write(endpoint, request),
            Self::ChatCompletions => openai::write(endpoint, request),
            Self::GenerateContent => google::write(endpoint, request),
            Self::OllamaChat => ollama::write(endpoint, request),
        }?;
        if let Value::Object(body) = &mut wire.body {
            overlay(body, &request.parameters.other);
        }
        Ok(wire)
    }

    /// What every request to the provider carries, the key among it.
    pub(crate) fn headers(self, endpoint: &Endpoint) -> Vec<(&'static str, String)> {
        match self {
            Self::Messages => anthropic::headers(endpoint),
            Self::ChatCompletions => openai::headers(endpoint),
            Self::GenerateContent => google::headers(endpoint),
            Self::OllamaChat => ollama::headers(endpoint),
        }
    }

    pub(crate) const fn framing(self) -> Framing {
        match self {
            Self::Messages | Self::ChatCompletions | Self::GenerateContent => Framing::Events,
            Self::OllamaChat => Framing::Lines,
        }
    }

    pub(crate) fn decoder(self, provider: &'static str, request: &Request) -> Box<dyn Decoder> {
        let calls = request.tool_call_count();
        match self {
            Self::Messages => Box::new(anthropic::AnthropicDecoder::new(provider)),
            Self::ChatCompletions => Box::new(openai::OpenaiDecoder::new(provider, calls)),
            Self::GenerateContent => Box::new(google::GoogleDecoder::new(provider, calls)),
            Self::OllamaChat => Box::new(ollama::OllamaDecoder::new(provider, calls)),
        }
    }
}

/// Puts fields over others, objects field by field.
fn overlay(target: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (target.get_mut(key), value) {
            (Some(Value::Object(target)), Value::Object(over)) => overlay(target, over),
            _ => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Sets a field of an object.
pub(crate) fn set(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(fields) = object {
        fields.insert(key.to_owned(), value.into());
    }
}

/// Reads the JSON of a frame.
pub(crate) fn json(provider: &'static str, data: &str) -> Result<Value, LlmError> {
    serde_json::from_str(data).map_err(|error| LlmError::InvalidResponse {
        provider,
        reason: error.to_string(),
    })
}

/// The error that a frame reports, from `{"type"?, "code"?, "message"?}` or a text.
pub(crate) fn reported(provider: &'static str, error: &Value) -> LlmError {
    let message = match error {
        Value::String(message) => message.clone(),
        _ => match error.get("message").and_then(Value::as_str) {
            Some(message) => message.to_owned(),
            None => error.to_string(),
        },
    };
    let kind = error
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let code = error
        .get("code")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let retryable = matches!(
        kind,
        "overloaded_error" | "rate_limit_error" | "api_error" | "timeout_error" | "server_error"
    ) || matches!(code, 408 | 429 | 500..=599);
    LlmError::Provider {
        provider,
        message,
        retryable,
    }
}

/// What to tell a model that must call a tool, where its provider cannot be told.
pub(crate) fn demand(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Auto | ToolChoice::None => None,
        ToolChoice::Required => {
            Some("You must call at least one of your tools before you answer.".to_owned())
        }
        ToolChoice::Tool(name) => Some(format!(
            "You must call the tool `{name}` before you answer."
        )),
    }
}

/// A text at a path of keys.
pub(crate) fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The id of a tool call that came without one.
pub(crate) fn made_up_id(number: usize) -> String {
    format!("call_{}", number + 1)
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
