//! Questions that came up while a tool ran, and what became of them (RFD 082, RFD 083 "Persisted recording").
//!
//! ```json
//! {"type": "inquiry_request", "id": "call_1.apply_changes.1", "source": {"source": "tool", "name": "fs_modify_file"},
//!  "question": {"text": "Apply?", "answer_type": {"type": "boolean"}, "default": true}}
//! {"type": "inquiry_response", "outcome": "answered", "id": "call_1.apply_changes.1", "answer": true}
//! ```

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::ConversationError;

/// The id of an inquiry: `<tool call id>.<question id>.<attempt>`, attempts counted from 1.
///
/// Recorded conversations also hold ids without the attempt, so readers treat ids as opaque.
#[must_use]
pub fn inquiry_id(tool_call_id: &str, question_id: &str, attempt: u32) -> String {
    format!("{tool_call_id}.{question_id}.{attempt}")
}

/// A question is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct InquiryRequest {
    /// What the response refers to, see [`inquiry_id`].
    pub id: String,
    /// Who asks; decided by the code path that asks, never by config or by a tool's output.
    pub source: InquirySource,
    /// What is asked.
    pub question: InquiryQuestion,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum InquirySource {
    /// A tool, while it runs.
    Tool {
        /// The tool's name.
        name: String,
    },
    /// The assistant, through `ask_user`.
    Assistant,
    /// The user.
    User,
    /// Anything else.
    Other {
        /// Its name.
        name: String,
    },
}

/// A question as it is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InquiryQuestion {
    /// The question, one line.
    pub text: String,
    /// What kind of answer fits.
    pub answer_type: InquiryAnswerType,
    /// The answer that is suggested. Recorded in plain text even for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What is shown above the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Whether only a person may answer. Default `false`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exclusive: bool,
    /// Whether the answer may be used again. Default `turn`.
    #[serde(default, skip_serializing_if = "InquiryAnswerReusePolicy::is_turn")]
    pub persistence: InquiryAnswerReusePolicy,
    /// Fields this crate does not know, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl InquiryQuestion {
    /// A question with neither default nor context, that anyone may answer, once a turn.
    #[must_use]
    pub fn new(text: impl Into<String>, answer_type: InquiryAnswerType) -> Self {
        Self {
            text: text.into(),
            answer_type,
            default: None,
            context: None,
            exclusive: false,
            persistence: InquiryAnswerReusePolicy::Turn,
            extra: Map::new(),
        }
    }
}

/// What kind of answer fits a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum InquiryAnswerType {
    /// `true` or `false`.
    Boolean,
    /// One of several values.
    Select {
        /// The values to choose from.
        options: Vec<SelectOption>,
    },
    /// Free text.
    Text,
    /// Free text that is neither shown, recorded nor given to the model.
    Secret,
}

/// One value of a [`InquiryAnswerType::Select`]: `{"value": "a", "description": "first"}`, or the bare value.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectOption {
    /// The answer that choosing this option gives.
    pub value: Value,
    /// What the option means.
    pub description: Option<String>,
    /// Whether the option is the bare value in JSON.
    bare: bool,
}

impl SelectOption {
    /// An option, written as `{"value", "description"?}`.
    #[must_use]
    pub fn new(value: impl Into<Value>, description: Option<String>) -> Self {
        Self {
            value: value.into(),
            description,
            bare: false,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribedOption {
    value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Serialize for SelectOption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.bare {
            return self.value.serialize(serializer);
        }
        DescribedOption {
            value: self.value.clone(),
            description: self.description.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SelectOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        // An option may be any JSON value, so an object of another shape is a value too.
        let described = value
            .is_object()
            .then(|| DescribedOption::deserialize(&value).ok())
            .flatten();
        Ok(match described {
            Some(DescribedOption { value, description }) => Self::new(value, description),
            None => Self {
                value,
                description: None,
                bare: true,
            },
        })
    }
}

/// Whether an answer may be used again within the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InquiryAnswerReusePolicy {
    /// Ask every time.
    None,
    /// The person may have the answer remembered for the turn.
    #[default]
    Turn,
}

impl InquiryAnswerReusePolicy {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "the signature serde asks for"
    )]
    const fn is_turn(&self) -> bool {
        matches!(self, Self::Turn)
    }
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum InquiryResponse {
    /// There is an answer.
    Answered {
        /// The id of the request.
        id: String,
        /// The answer.
        answer: Value,
    },
    /// There will be no answer.
    Cancelled {
        /// The id of the request.
        id: String,
        /// Why.
        reason: CancellationReason,
    },
    /// There is an answer that must not be recorded.
    Redacted {
        /// The id of the request.
        id: String,
    },
}

impl InquiryResponse {
    /// The id of the request that this responds to.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Answered { id, .. } | Self::Cancelled { id, .. } | Self::Redacted { id } => id,
        }
    }

    /// Moves the fields of the event that belong to the response into `fields`.
    pub(crate) fn write(&self, fields: &mut Map<String, Value>) {
        let outcome = match self {
            Self::Answered { .. } => "answered",
            Self::Cancelled { .. } => "cancelled",
            Self::Redacted { .. } => "redacted",
        };
        fields.insert("outcome".into(), outcome.into());
        fields.insert("id".into(), self.id().into());
        match self {
            Self::Answered { answer, .. } => {
                fields.insert("answer".into(), answer.clone());
            }
            Self::Cancelled { reason, .. } => {
                fields.insert("reason".into(), reason.as_str().into());
            }
            Self::Redacted { .. } => {}
        }
    }

    /// Takes the fields that belong to the response out of `fields`.
    ///
    /// `{"id", "answer"}` without an outcome is an answer, and a cancellation without a reason is the user's: both
    /// occur in recorded conversations.
    pub(crate) fn take(fields: &mut Map<String, Value>) -> Result<Self, ConversationError> {
        let id = take_string(fields, "id")?;
        let outcome = match fields.shift_remove("outcome") {
            None => None,
            Some(Value::String(outcome)) => Some(outcome),
            Some(_) => {
                return Err(ConversationError::invalid_event(
                    "`outcome` must be a string",
                ));
            }
        };
        match outcome.as_deref() {
            Some("answered") | None => {
                let answer = fields.shift_remove("answer").ok_or_else(|| {
                    ConversationError::invalid_event(
                        "an inquiry response needs an `outcome` (`answered`, `cancelled` or `redacted`) or an `answer`",
                    )
                })?;
                Ok(Self::Answered { id, answer })
            }
            Some("cancelled") => {
                let reason = match fields.shift_remove("reason") {
                    None | Some(Value::Null) => CancellationReason::User,
                    Some(Value::String(reason)) => CancellationReason::from(reason),
                    Some(_) => {
                        return Err(ConversationError::invalid_event(
                            "`reason` must be a string",
                        ));
                    }
                };
                Ok(Self::Cancelled { id, reason })
            }
            // Whatever an answer does beside `redacted`, it must not be carried on.
            Some("redacted") => {
                fields.shift_remove("answer");
                Ok(Self::Redacted { id })
            }
            Some(other) => Err(ConversationError::invalid_event(format!(
                "`{other}` is no inquiry outcome, write `answered`, `cancelled` or `redacted`"
            ))),
        }
    }
}

/// Takes a required string out of an event.
pub(crate) fn take_string(
    fields: &mut Map<String, Value>,
    key: &str,
) -> Result<String, ConversationError> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(ConversationError::invalid_event(format!(
            "`{key}` must be a string"
        ))),
        None => Err(ConversationError::invalid_event(format!(
            "`{key}` is missing"
        ))),
    }
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CancellationReason {
    /// The person cancelled.
    User,
    /// The model that was to answer failed.
    BackendError,
    /// Nobody was there to ask.
    NoPromptBackend,
    /// The assistant was to answer a question that only a person may answer.
    AssistantRoutingDenied,
    /// The configured answer does not fit the question (RFD 083).
    InvalidStaticAnswer,
    /// A reason this version does not know, as it was read.
    Unknown(String),
}

impl CancellationReason {
    /// The reason as it is recorded.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::BackendError => "backend_error",
            Self::NoPromptBackend => "no_prompt_backend",
            Self::AssistantRoutingDenied => "assistant_routing_denied",
            Self::InvalidStaticAnswer => "invalid_static_answer",
            Self::Unknown(reason) => reason,
        }
    }
}

impl fmt::Display for CancellationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<String> for CancellationReason {
    fn from(reason: String) -> Self {
        match reason.as_str() {
            "user" => Self::User,
            "backend_error" => Self::BackendError,
            "no_prompt_backend" => Self::NoPromptBackend,
            "assistant_routing_denied" => Self::AssistantRoutingDenied,
            "invalid_static_answer" => Self::InvalidStaticAnswer,
            _ => Self::Unknown(reason),
        }
    }
}
