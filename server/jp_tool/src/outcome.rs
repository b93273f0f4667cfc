//! What a tool answers.
//!
//! ```json
//! {"type": "success", "content": "model changed", "config": {"assistant": {"model": {"id": "sonnet"}}},
//!  "unset": ["assistant.model.parameters.temperature"]}
//! {"type": "error", "message": "no such file", "trace": [], "transient": true}
//! {"type": "needs_input", "question": {"id": "sure", "text": "Sure?", "answer_type": {"type": "boolean"}}}
//! ```

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Question;

/// The one JSON value that a tool prints to standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outcome {
    /// The tool did its work.
    Success {
        /// What the model gets to read.
        content: String,

        /// A partial config to merge, subject to `access.config` (RFD 078).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        config: Option<Value>,

        /// Config paths to unset, subject to `access.config` (RFD 078).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unset: Vec<String>,
    },

    /// The tool could not do its work.
    Error {
        /// What went wrong.
        message: String,

        /// The causes, outermost first.
        #[serde(default)]
        trace: Vec<String>,

        /// Whether the same call may succeed later or with other arguments; `false` is a deliberate refusal.
        #[serde(default)]
        transient: bool,
    },

    /// The tool asks a question and wants to be run again with the answer.
    NeedsInput {
        /// The question.
        question: Question,
    },
}

impl Outcome {
    /// A success that changes no config.
    #[must_use]
    pub fn success(content: impl Into<String>) -> Self {
        Self::Success {
            content: content.into(),
            config: None,
            unset: Vec::new(),
        }
    }

    /// An error that another attempt may not meet.
    #[must_use]
    pub fn error(message: impl Into<String>) -> Self {
        Self::Error {
            message: message.into(),
            trace: Vec::new(),
            transient: true,
        }
    }

    /// A deliberate refusal.
    #[must_use]
    pub fn fail(message: impl Into<String>) -> Self {
        Self::Error {
            message: message.into(),
            trace: Vec::new(),
            transient: false,
        }
    }

    /// Reads what a tool printed, and tells apart the ways in which it is not an outcome.
    ///
    /// Unlike plain deserialization this refuses `config` and `unset` on the variants that cannot carry them
    /// (RFD 078, "Output: outcome.config and outcome.unset").
    ///
    /// # Errors
    ///
    /// [`OutcomeError::NotAnOutcome`] for text that is no JSON object with a known `type`: a host treats it as plain text.
    /// [`OutcomeError::Invalid`] and [`OutcomeError::MutationNotAllowed`] for an outcome that is malformed: a host
    /// reports it.
    pub fn from_json(text: &str) -> Result<Self, OutcomeError> {
        let value: Value = serde_json::from_str(text).map_err(|_| OutcomeError::NotAnOutcome)?;
        let kind = match value.get("type").and_then(Value::as_str) {
            Some("success") => "success",
            Some("error") => "error",
            Some("needs_input") => "needs_input",
            _ => return Err(OutcomeError::NotAnOutcome),
        };
        let stray = ["config", "unset"]
            .into_iter()
            .find(|field| value.get(field).is_some_and(|value| !value.is_null()));
        if let (Some(field), true) = (stray, kind != "success") {
            return Err(OutcomeError::MutationNotAllowed { kind, field });
        }
        serde_json::from_value(value).map_err(|error| OutcomeError::Invalid {
            kind,
            message: error.to_string(),
        })
    }
}

/// Why a tool's output is not a valid [`Outcome`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutcomeError {
    /// The output is no JSON object with a known `type`.
    #[error(
        "the output is not an outcome; print one JSON object with `type` = `success`, `error` or `needs_input`"
    )]
    NotAnOutcome,

    /// The output says that it is an outcome, but a field is missing or of the wrong type.
    #[error("invalid `{kind}` outcome: {message}")]
    Invalid {
        /// The `type` that the output names.
        kind: &'static str,
        /// What is wrong with it.
        message: String,
    },

    /// `config` or `unset` on an outcome other than `success`.
    #[error(
        "a `{kind}` outcome cannot carry `{field}`; return it with the final `success` outcome"
    )]
    MutationNotAllowed {
        /// The `type` that the output names.
        kind: &'static str,
        /// The field that does not belong there.
        field: &'static str,
    },
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
