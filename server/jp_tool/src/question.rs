//! Questions that a tool asks before it can finish (RFD 083).
//!
//! ```json
//! {"id": "overwrite_file", "text": "Overwrite `a.txt`?", "context": null,
//!  "answer_type": {"type": "boolean"}, "default": false}
//! ```
//!
//! The spellings of the released `jp` are read as well: `pre_amble` for `context`, and `"Boolean"`, `"Text"` or
//! `{"Select": {"options": […]}}` for the answer type.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

/// A question that a tool asks through the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "WireQuestion")]
#[non_exhaustive]
pub struct Question {
    /// The key under which the answer comes back in [`Tool::answers`](crate::Tool::answers).
    pub id: String,

    /// The question itself, one line.
    pub text: String,

    /// What a person needs to see before answering, such as a diff; may have several lines.
    pub context: Option<String>,

    /// The form of the answer.
    pub answer_type: AnswerType,

    /// The answer to offer first.
    pub default: Option<Value>,

    /// Whether only a person can answer; the host then never lets a model answer.
    /// Default `false`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exclusive: bool,

    /// How long an answer may be reused.
    /// Default [`AnswerReusePolicy::Turn`].
    #[serde(skip_serializing_if = "AnswerReusePolicy::is_turn")]
    pub persistence: AnswerReusePolicy,
}

/// Both spellings side by side: a tool that serves an old and a new host writes both.
#[derive(Deserialize)]
struct WireQuestion {
    id: String,
    text: String,
    #[serde(default)]
    context: Option<String>,
    #[serde(default)]
    pre_amble: Option<String>,
    answer_type: AnswerType,
    #[serde(default)]
    default: Option<Value>,
    #[serde(default)]
    exclusive: bool,
    #[serde(default)]
    persistence: AnswerReusePolicy,
}

impl From<WireQuestion> for Question {
    fn from(wire: WireQuestion) -> Self {
        Self {
            id: wire.id,
            text: wire.text,
            context: wire.context.or(wire.pre_amble),
            answer_type: wire.answer_type,
            default: wire.default,
            exclusive: wire.exclusive,
            persistence: wire.persistence,
        }
    }
}

impl Question {
    fn with_type(id: String, text: String, answer_type: AnswerType) -> Self {
        Self {
            id,
            text,
            context: None,
            answer_type,
            default: None,
            exclusive: false,
            persistence: AnswerReusePolicy::Turn,
        }
    }

    /// A yes-or-no question.
    #[must_use]
    pub fn boolean(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::with_type(id.into(), text.into(), AnswerType::Boolean)
    }

    /// A question whose answer is one of `options`.
    #[must_use]
    pub fn select<O: Into<String>>(
        id: impl Into<String>,
        text: impl Into<String>,
        options: impl IntoIterator<Item = O>,
    ) -> Self {
        let options = options.into_iter().map(Into::into).collect();
        Self::with_type(id.into(), text.into(), AnswerType::Select { options })
    }

    /// A question with a free text answer.
    #[must_use]
    pub fn text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::with_type(id.into(), text.into(), AnswerType::Text)
    }

    /// A question whose answer is typed without echo, and never stored or shown to a model.
    #[must_use]
    pub fn secret(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::with_type(id.into(), text.into(), AnswerType::Secret)
    }

    /// Adds what a person needs to see before answering.
    #[must_use]
    pub fn with_context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Sets the answer to offer first.
    #[must_use]
    pub fn with_default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Says whether only a person can answer.
    #[must_use]
    pub fn with_exclusive(mut self, exclusive: bool) -> Self {
        self.exclusive = exclusive;
        self
    }

    /// Sets how long an answer may be reused.
    #[must_use]
    pub fn with_persistence(mut self, persistence: AnswerReusePolicy) -> Self {
        self.persistence = persistence;
        self
    }
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerType {
    /// `true` or `false`.
    Boolean,

    /// One of the listed strings.
    Select {
        /// The strings to choose from.
        options: Vec<String>,
    },

    /// Any string.
    Text,

    /// Any string, typed without echo, and never stored or shown to a model.
    Secret,
}

impl AnswerType {
    /// Whether `answer` has this form.
    #[must_use]
    pub fn accepts(&self, answer: &Value) -> bool {
        match self {
            Self::Boolean => answer.is_boolean(),
            Self::Select { options } => answer
                .as_str()
                .is_some_and(|answer| options.iter().any(|option| option == answer)),
            Self::Text | Self::Secret => answer.is_string(),
        }
    }
}

impl<'de> Deserialize<'de> for AnswerType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        enum Tagged {
            Boolean,
            Select { options: Vec<String> },
            Text,
            Secret,
        }

        #[derive(Deserialize)]
        enum Released {
            Boolean,
            Select { options: Vec<String> },
            Text,
            Secret,
        }

        let value = Value::deserialize(deserializer)?;
        if value.get("type").is_some() {
            let tagged = serde_json::from_value(value).map_err(de::Error::custom)?;
            return Ok(match tagged {
                Tagged::Boolean => Self::Boolean,
                Tagged::Select { options } => Self::Select { options },
                Tagged::Text => Self::Text,
                Tagged::Secret => Self::Secret,
            });
        }
        let released = serde_json::from_value(value).map_err(|error| {
            de::Error::custom(format_args!(
                "unknown `answer_type` ({error}); write `{{\"type\": \"boolean\"}}`, `{{\"type\": \"text\"}}`, \
                 `{{\"type\": \"secret\"}}` or `{{\"type\": \"select\", \"options\": [..]}}`"
            ))
        })?;
        Ok(match released {
            Released::Boolean => Self::Boolean,
            Released::Select { options } => Self::Select { options },
            Released::Text => Self::Text,
            Released::Secret => Self::Secret,
        })
    }
}

/// How long an answer may be reused within a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerReusePolicy {
    /// The question is asked every time.
    None,

    /// A person may have the answer remembered for the rest of the turn.
    #[default]
    Turn,
}

impl AnswerReusePolicy {
    /// Whether this is the default policy, which the wire form leaves out.
    #[must_use]
    pub const fn is_turn(&self) -> bool {
        matches!(self, Self::Turn)
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
