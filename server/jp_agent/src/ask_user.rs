//! The builtin by which the assistant asks the person a question in the middle of a turn (RFD 083).
//!
//! ```json
//! {"question": "Apply with backup, apply without backup, or abort?", "answer_type": "select",
//!  "options": ["backup", "overwrite", "abort"]}
//! ```
//!
//! The first run comes back with the question, the second with the answer as `{"answer_type", "answer"}`.

use jp_config::builtin::defaults;
pub use jp_config::builtin::{ASK_USER, ASK_USER_QUESTION};
use jp_conversation::InquirySource;
use jp_tool::{AnswerReusePolicy, AnswerType, Outcome, Question};
use serde_json::{Map, Value, json};

use crate::builtin::{Builtin, BuiltinCall};

/// `ask_user`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUser;

impl Builtin for AskUser {
    fn defaults(&self) -> Value {
        defaults(ASK_USER).unwrap_or_default()
    }

    fn execute(&self, call: &BuiltinCall<'_>) -> Outcome {
        let question = match read_question(call.arguments) {
            Ok(question) => question,
            Err(problem) => return Outcome::error(problem),
        };
        let Some(answer) = call.answers.get(ASK_USER_QUESTION) else {
            return Outcome::NeedsInput { question };
        };
        if !question.answer_type.accepts(answer) {
            return Outcome::error(
                "The accumulated answer does not match the requested answer type.",
            );
        }
        let answer_type = match question.answer_type {
            AnswerType::Boolean => "boolean",
            AnswerType::Select { .. } => "select",
            AnswerType::Text | AnswerType::Secret => "text",
        };
        Outcome::success(json!({"answer_type": answer_type, "answer": answer}).to_string())
    }

    fn inquiry_source(&self, _: &str) -> InquirySource {
        InquirySource::Assistant
    }
}

/// The question that the arguments ask for, or what to write instead.
fn read_question(arguments: &Map<String, Value>) -> Result<Question, String> {
    let text = string(arguments, "question")?
        .filter(|text| !text.trim().is_empty())
        .ok_or("`question` is missing or empty. Write the question as a single line of text.")?;
    if text.contains(['\n', '\r']) {
        return Err(
            "`question` contains a newline. Keep the question to a single line and move the rest into `context`."
                .to_owned(),
        );
    }
    let options = options(arguments)?;
    let question = match string(arguments, "answer_type")?.unwrap_or("text") {
        "select" => match options {
            Some(options) if !options.is_empty() => {
                Question::select(ASK_USER_QUESTION, text, options)
            }
            _ => {
                return Err(
                    "`options` is missing or empty. List at least one option when `answer_type` is `select`."
                        .to_owned(),
                );
            }
        },
        kind @ ("boolean" | "text") => {
            if options.is_some() {
                return Err(format!(
                    "`options` only applies when `answer_type` is `select`, not `{kind}`. Remove `options` or set \
                     `answer_type` to `select`."
                ));
            }
            if kind == "boolean" {
                Question::boolean(ASK_USER_QUESTION, text)
            } else {
                Question::text(ASK_USER_QUESTION, text)
            }
        }
        other => {
            return Err(format!(
                "`answer_type` is `{other}`. Use one of `boolean`, `select` or `text`."
            ));
        }
    };
    let question = with_default(question, arguments.get("default"))?;
    let question = match string(arguments, "context")? {
        Some(context) => question.with_context(context),
        None => question,
    };
    Ok(question
        .with_exclusive(true)
        .with_persistence(AnswerReusePolicy::None))
}

fn with_default(question: Question, default: Option<&Value>) -> Result<Question, String> {
    let Some(default) = default.filter(|default| !default.is_null()) else {
        return Ok(question);
    };
    if question.answer_type.accepts(default) {
        return Ok(question.with_default(default.clone()));
    }
    Err(match &question.answer_type {
        AnswerType::Boolean => {
            "`default` must be `true` or `false` when `answer_type` is `boolean`.".to_owned()
        }
        AnswerType::Select { options } if default.is_string() => format!(
            "`default` is `{}`, which is not in `options`. Use one of {}, or remove `default`.",
            default.as_str().unwrap_or_default(),
            options
                .iter()
                .map(|option| format!("`{option}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        AnswerType::Select { .. } => {
            "`default` must be one of `options` when `answer_type` is `select`.".to_owned()
        }
        AnswerType::Text | AnswerType::Secret => {
            "`default` must be a string when `answer_type` is `text`.".to_owned()
        }
    })
}

fn string<'a>(arguments: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` must be a string.")),
    }
}

fn options(arguments: &Map<String, Value>) -> Result<Option<Vec<String>>, String> {
    let strings = |elements: &Vec<Value>| {
        elements
            .iter()
            .map(|element| element.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    };
    match arguments.get("options") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(elements)) => strings(elements)
            .map(Some)
            .ok_or_else(|| "every element of `options` must be a string.".to_owned()),
        Some(_) => Err("`options` must be an array of strings.".to_owned()),
    }
}

#[cfg(test)]
#[path = "ask_user_tests.rs"]
mod tests;
