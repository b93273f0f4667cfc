//! What the decoders of all protocols share: frames of an answer, read one after the other.

use serde_json::Value;

use crate::error::LlmError;
use crate::parts::Parts;

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
#[path = "answer_tests.rs"]
mod tests;
