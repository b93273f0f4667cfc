//! The answer to a prompt, and whether it is one.
//!
//! ```json
//! {"action": "approve", "remember": "turn"}
//! {"action": "edit", "arguments": {"path": "src/b.rs"}}
//! {"action": "answer", "value": "backup"}
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Prompt, PromptActionId, PromptOutcome, PromptRequest, PromptSubject};

/// What a surface says of a prompt; the result of `jp/prompt`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptAnswer {
    /// What the person does.
    pub action: PromptActionId,
    /// The answer to a question, or the edited result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Whether the decision holds for the rest of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Remember>,
    /// What the person says to the assistant with a rejection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The edited arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
}

/// How long a decision holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remember {
    /// For the rest of the turn.
    Turn,
}

impl PromptAnswer {
    /// An answer that only names the action.
    #[must_use]
    pub const fn new(action: PromptActionId) -> Self {
        Self {
            action,
            value: None,
            remember: None,
            reason: None,
            arguments: None,
        }
    }

    /// The answer to a question.
    #[must_use]
    pub fn value(value: impl Into<Value>) -> Self {
        Self {
            value: Some(value.into()),
            ..Self::new(PromptActionId::Answer)
        }
    }
}

/// Why an answer is discarded; the prompt, if there is one, goes on waiting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// No prompt of that id waits: it was answered elsewhere, withdrawn, or never existed.
    #[error("the prompt `{id}` waits no more")]
    NotPending {
        /// The id.
        id: String,
    },
    /// The digest is not the prompt's.
    #[error("the digest is not that of the prompt `{id}`, look at it again")]
    WrongDigest {
        /// The id.
        id: String,
    },
    /// The prompt does not offer the action.
    #[error("the action `{action}` is not offered, choose one of {offered}")]
    NotOffered {
        /// The action.
        action: &'static str,
        /// What there is instead.
        offered: String,
    },
    /// The value does not fit.
    #[error("{0}")]
    Unfit(String),
}

/// What an answer comes to; none for an action that decides nothing.
pub(crate) fn decide(
    prompt: &Prompt,
    request: &PromptRequest,
    answer: PromptAnswer,
) -> Result<Option<PromptOutcome>, AnswerError> {
    if !prompt.offers(answer.action) {
        let offered: Vec<String> = prompt
            .actions
            .iter()
            .map(|action| format!("`{}`", action.id.as_str()))
            .collect();
        return Err(AnswerError::NotOffered {
            action: answer.action.as_str(),
            offered: offered.join(", "),
        });
    }
    let remember = prompt.may_remember && answer.remember.is_some();
    Ok(Some(match answer.action {
        PromptActionId::Details | PromptActionId::Always => return Ok(None),
        PromptActionId::Approve => PromptOutcome::Approved { remember },
        PromptActionId::Reject => PromptOutcome::Rejected {
            reason: answer.reason.filter(|reason| !reason.trim().is_empty()),
            remember,
        },
        PromptActionId::Cancel => PromptOutcome::Cancelled,
        PromptActionId::Edit => PromptOutcome::Edited {
            value: edited(&request.subject, answer.arguments, answer.value)?,
        },
        PromptActionId::Answer => {
            let value = answer.value.unwrap_or(Value::Null);
            fit(&request.subject, &value)?;
            PromptOutcome::Answered { value, remember }
        }
    }))
}

fn edited(
    subject: &PromptSubject,
    arguments: Option<Value>,
    value: Option<Value>,
) -> Result<Value, AnswerError> {
    let given = arguments.or(value).unwrap_or(Value::Null);
    let result = matches!(subject, PromptSubject::Result { .. });
    match &given {
        Value::String(_) if result => Ok(given),
        Value::Object(_) if !result => Ok(given),
        // A client that has only a line to write in sends the arguments as text.
        Value::String(text) => serde_json::from_str::<Map<String, Value>>(text)
            .map(Value::Object)
            .map_err(|error| {
                AnswerError::Unfit(format!(
                    "the arguments are no JSON object ({error}), write for example `{{\"path\": \"src\"}}`"
                ))
            }),
        _ if result => Err(AnswerError::Unfit(
            "an edited result is a string, send it as `value`".to_owned(),
        )),
        _ => Err(AnswerError::Unfit(
            "edited arguments are an object, send them as `arguments`".to_owned(),
        )),
    }
}

fn fit(subject: &PromptSubject, value: &Value) -> Result<(), AnswerError> {
    use jp_tool::AnswerType;
    let PromptSubject::Question { question, .. } = subject else {
        return Err(AnswerError::Unfit(
            "only a question takes an answer, choose another action".to_owned(),
        ));
    };
    if question.answer_type.accepts(value) {
        return Ok(());
    }
    Err(AnswerError::Unfit(match &question.answer_type {
        AnswerType::Boolean => "the answer must be `true` or `false`".to_owned(),
        AnswerType::Select { options } => {
            let options: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
            format!("the answer must be one of {}", options.join(", "))
        }
        AnswerType::Text | AnswerType::Secret => "the answer must be a string".to_owned(),
    }))
}
