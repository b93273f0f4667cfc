//! What a person writes or picks in a form of the client (elicitation).
//!
//! ```json
//! {"method": "elicitation/create", "params": {"mode": "form", "sessionId": "jp-c17958000000", "toolCallId": "call_1",
//!  "message": "note asks: Which title?", "requestedSchema": {"type": "object",
//!  "properties": {"answer": {"type": "string", "title": "Which title?"}}, "required": ["answer"]}}}
//! ```
//!
//! A form is no place for a secret: clients keep what is written in them.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    BooleanPropertySchema, CreateElicitationRequest, ElicitationAction, ElicitationContentValue,
    ElicitationFormMode, ElicitationSchema, ElicitationSessionScope, EnumOption,
    StringPropertySchema,
};
use jp_agent::{
    ChoiceEffect, Prompt, PromptActionId, PromptAnswer, PromptAnswerType, PromptQuestion, Remember,
};
use jp_conversation::visible;
use serde_json::Value;

use super::permission::meta;

/// The field with the answer.
const ANSWER: &str = "answer";

/// The field that says how long the answer holds.
const REMEMBER: &str = "remember";

/// The form of a question; none for a secret.
pub(super) fn of_question(
    session: &str,
    call: &str,
    prompt: &Prompt,
) -> Option<CreateElicitationRequest> {
    let question = prompt.question.as_ref()?;
    let title = question.text.clone();
    let schema = ElicitationSchema::new();
    let schema = match &question.answer_type {
        PromptAnswerType::Boolean => {
            let default = question.default.as_ref().and_then(Value::as_bool);
            let answer = BooleanPropertySchema::new()
                .title(title)
                .default_value(default);
            let schema = schema.property(ANSWER, answer, true);
            if prompt.may_remember {
                let remember =
                    BooleanPropertySchema::new().title("For the rest of this turn".to_owned());
                schema.property(REMEMBER, remember, false)
            } else {
                schema
            }
        }
        PromptAnswerType::Select { options } => {
            let options = options
                .iter()
                .map(|option| EnumOption::new(option, visible(option)));
            let answer = text_field(title, question).one_of(options.collect::<Vec<_>>());
            schema.property(ANSWER, answer, true)
        }
        PromptAnswerType::Text => schema.property(ANSWER, text_field(title, question), true),
        PromptAnswerType::Secret => return None,
    };
    let mut message = prompt.message.clone();
    if let Some(context) = &prompt.context {
        message = format!("{message}\n{context}");
    }
    Some(form(session, call, schema, &message, prompt))
}

fn text_field(title: String, question: &PromptQuestion) -> StringPropertySchema {
    let default = question.default.as_ref().and_then(Value::as_str);
    StringPropertySchema::new()
        .title(title)
        .default_value(default.map(str::to_owned))
}

/// The form for a reason, or for a text to edit.
pub(super) fn of_text(
    session: &str,
    call: &str,
    prompt: &Prompt,
    effect: &ChoiceEffect,
) -> CreateElicitationRequest {
    let (title, text) = match effect {
        ChoiceEffect::Reason => ("Reason", None),
        _ => ("Edit", Some(editable(prompt))),
    };
    let field = StringPropertySchema::new()
        .title(title.to_owned())
        .default_value(text);
    let schema = ElicitationSchema::new().property(ANSWER, field, true);
    form(session, call, schema, &prompt.title, prompt)
}

/// What there is to edit: the arguments of a call, or its result.
fn editable(prompt: &Prompt) -> String {
    let preview = prompt.preview.as_ref();
    let content = preview.and_then(|preview| preview.content.clone());
    let arguments = preview.and_then(|preview| preview.arguments.as_ref());
    content
        .or_else(|| serde_json::to_string_pretty(arguments?).ok())
        .unwrap_or_default()
}

fn form(
    session: &str,
    call: &str,
    schema: ElicitationSchema,
    message: &str,
    prompt: &Prompt,
) -> CreateElicitationRequest {
    let scope = ElicitationSessionScope::new(session.to_owned()).tool_call_id(call);
    let mode = ElicitationFormMode::new(scope, schema);
    CreateElicitationRequest::new(mode, message).meta(meta(prompt))
}

/// What came of a form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Filled {
    /// It was sent off.
    Sent(BTreeMap<String, ElicitationContentValue>),
    /// The person closed it.
    Closed,
}

impl From<ElicitationAction> for Filled {
    fn from(action: ElicitationAction) -> Self {
        match action {
            ElicitationAction::Accept(accepted) => Self::Sent(accepted.content.unwrap_or_default()),
            _ => Self::Closed,
        }
    }
}

impl Filled {
    /// The answer to a question. Whether it fits is judged where all answers are.
    pub(super) fn answer(&self) -> PromptAnswer {
        let Self::Sent(fields) = self else {
            return PromptAnswer::new(PromptActionId::Cancel);
        };
        let value = match fields.get(ANSWER) {
            Some(ElicitationContentValue::Boolean(value)) => Value::Bool(*value),
            Some(ElicitationContentValue::String(text)) => Value::String(text.clone()),
            _ => Value::Null,
        };
        let holds = fields.get(REMEMBER) == Some(&ElicitationContentValue::Boolean(true));
        PromptAnswer {
            remember: holds.then_some(Remember::Turn),
            ..PromptAnswer::value(value)
        }
    }

    /// The text that was written; none where the form was closed.
    pub(super) fn text(self) -> Option<String> {
        match self {
            Self::Sent(mut fields) => match fields.remove(ANSWER) {
                Some(ElicitationContentValue::String(text)) => Some(text),
                _ => Some(String::new()),
            },
            Self::Closed => None,
        }
    }
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
