//! Questions of tools from asking to recording (RFD 082, RFD 083).
//!
//! ```json
//! {"type": "inquiry_request", "id": "call_1.answer.1", "source": {"source": "assistant"},
//!  "question": {"text": "Go on?", "answer_type": {"type": "boolean"}, "exclusive": true, "persistence": "none"}}
//! {"type": "inquiry_response", "outcome": "cancelled", "id": "call_1.answer.1", "reason": "no_prompt_backend"}
//! ```
//!
//! Whatever way a question takes, the request is recorded before anything else happens, and every request gets exactly
//! one response.
//! A secret is handed to the tool and to nobody else: it is recorded as redacted, never remembered, never given to a
//! model.

mod backend;
mod texts;
mod turn_answers;

pub use backend::LlmInquiryBackend;
pub use turn_answers::TurnAnswers;

use std::fmt::Debug;
use std::sync::Arc;

use camino::Utf8Path;
use jp_conversation::{
    CancellationReason, ConversationEvent, ConversationId, EventKind, InquiryAnswerReusePolicy,
    InquiryAnswerType, InquiryQuestion, InquiryRequest, InquiryResponse, InquirySource,
    SelectOption,
};
use jp_llm::ToolDefinition;
use jp_tool::{AnswerReusePolicy, AnswerType, Question};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::config::{QuestionConfig, QuestionTarget, TurnConfig};
use crate::error::AgentError;
use crate::ports::{InquiryBackend, InquiryCall, InquiryError, Prompts};
use crate::prompt::{PromptOutcome, PromptRequest, PromptRule, PromptSubject, PromptTool};

/// Where questions and what became of them are recorded.
pub trait InquiryRecorder: Send + Sync + Debug {
    /// Adds an event at the end of the conversation.
    ///
    /// # Errors
    ///
    /// [`AgentError`] when the conversation cannot be written; the question is then not asked.
    fn record(&self, kind: EventKind) -> Result<(), AgentError>;

    /// The conversation so far, for a model that is to answer.
    fn events(&self) -> Vec<ConversationEvent>;
}

/// A question that a tool call came back with.
#[derive(Debug, Clone)]
pub struct AskedQuestion<'a> {
    /// The conversation.
    pub conversation: ConversationId,
    /// The absolute path of the workspace.
    pub root: &'a Utf8Path,
    /// The tool call, for display and for the id of the inquiry.
    pub tool: PromptTool,
    /// Where the config of the question, or else of the tool, stands.
    pub rule: Option<PromptRule>,
    /// The question.
    pub question: Question,
    /// Who asks; from the code path that ran the tool, never from config or output.
    pub source: InquirySource,
    /// What the config says of the question, `conversation.tools.<tool>.questions.<id>`.
    pub config: Option<&'a QuestionConfig>,
    /// The config of the current cycle, for a model that is to answer.
    pub turn: Arc<TurnConfig>,
    /// The tools of the current cycle, so that a provider can reuse what it has cached.
    pub tools: Vec<ToolDefinition>,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionOutcome {
    /// The tool runs again, with this answer.
    Answered(Value),
    /// The tool does not run again; this is its result.
    Ended {
        /// What the model is told.
        content: String,
        /// Whether that is an error.
        is_error: bool,
    },
}

/// Finds answers: remembered, configured, from a person, from a model.
#[derive(Debug, Clone, Copy)]
pub struct Inquirer<'a> {
    /// What is remembered in this turn.
    pub answers: &'a TurnAnswers,
    /// Where it is recorded.
    pub recorder: &'a dyn InquiryRecorder,
    /// Where a person is asked.
    pub prompts: &'a dyn Prompts,
    /// Where a model is asked.
    pub backend: &'a dyn InquiryBackend,
}

/// Which way a question takes (RFD 083, "Resolution precedence for tool questions").
#[derive(Debug, Clone, PartialEq)]
enum Route {
    Remembered(Value),
    Configured(Value),
    InvalidConfigured,
    Person,
    Model(QuestionTarget),
    /// Nobody is there, and only a person may answer.
    NoPerson,
    /// The config names the assistant, and only a person may answer.
    AssistantDenied,
}

impl Inquirer<'_> {
    /// Finds the answer to a question and records both.
    ///
    /// # Errors
    ///
    /// [`AgentError`] when the conversation cannot be written.
    pub async fn answer(
        &self,
        asked: AskedQuestion<'_>,
        cancel: CancellationToken,
    ) -> Result<QuestionOutcome, AgentError> {
        let id = self
            .answers
            .next_inquiry_id(&asked.tool.call_id, &asked.question.id);
        self.recorder
            .record(EventKind::InquiryRequest(InquiryRequest {
                id: id.clone(),
                source: asked.source.clone(),
                question: recorded_question(&asked.question),
            }))?;
        let is_secret = asked.question.answer_type == AnswerType::Secret;
        let found = match self.route(&asked) {
            Route::Remembered(answer) | Route::Configured(answer) => Found::Answer(answer),
            Route::InvalidConfigured => Found::Nothing {
                reason: CancellationReason::InvalidStaticAnswer,
                content: texts::invalid_static_answer(&asked.tool.name, &asked.question.id),
                is_error: true,
            },
            Route::NoPerson => no_person(&asked.tool.name),
            Route::AssistantDenied => Found::Nothing {
                reason: CancellationReason::AssistantRoutingDenied,
                content: texts::assistant_denied(&asked.tool.name),
                is_error: true,
            },
            Route::Person => self.ask_person(&asked, cancel).await,
            Route::Model(target) => self.ask_model(&asked, target, cancel).await,
        };
        let (response, outcome) = match found {
            Found::Answer(answer) if is_secret => (
                InquiryResponse::Redacted { id },
                QuestionOutcome::Answered(answer),
            ),
            Found::Answer(answer) => (
                InquiryResponse::Answered {
                    id,
                    answer: answer.clone(),
                },
                QuestionOutcome::Answered(answer),
            ),
            Found::Nothing {
                reason,
                content,
                is_error,
            } => (
                InquiryResponse::Cancelled { id, reason },
                QuestionOutcome::Ended { content, is_error },
            ),
        };
        self.recorder.record(EventKind::InquiryResponse(response))?;
        Ok(outcome)
    }

    fn route(&self, asked: &AskedQuestion<'_>) -> Route {
        let question = &asked.question;
        let is_secret = question.answer_type == AnswerType::Secret;
        let may_remember = question.persistence == AnswerReusePolicy::Turn && !is_secret;
        if may_remember
            && let Some(answer) = self.answers.remembered(&asked.tool.name, &question.id)
            && question.answer_type.accepts(&answer)
        {
            return Route::Remembered(answer);
        }
        if let Some(answer) = asked.config.and_then(|config| config.answer.clone()) {
            return if question.answer_type.accepts(&answer) {
                Route::Configured(answer)
            } else {
                Route::InvalidConfigured
            };
        }
        let human_only = question.exclusive || is_secret;
        let target = asked
            .config
            .map_or(QuestionTarget::User, |config| config.target.clone());
        match target {
            QuestionTarget::Assistant(_) if human_only => Route::AssistantDenied,
            QuestionTarget::Assistant(_) => Route::Model(target),
            QuestionTarget::User if self.prompts.is_available() => Route::Person,
            QuestionTarget::User if human_only => Route::NoPerson,
            QuestionTarget::User => Route::Model(QuestionTarget::Assistant(serde_json::Map::new())),
        }
    }

    async fn ask_person(&self, asked: &AskedQuestion<'_>, cancel: CancellationToken) -> Found {
        let request = PromptRequest {
            conversation: asked.conversation,
            root: asked.root.to_owned(),
            tool: asked.tool.clone(),
            rule: asked.rule.clone(),
            note: None,
            subject: PromptSubject::Question {
                question: Box::new(asked.question.clone()),
                label: asked.config.and_then(|config| config.prompt_label.clone()),
            },
        };
        match self.prompts.ask(request, cancel).await {
            PromptOutcome::Answered { value, remember }
                if asked.question.answer_type.accepts(&value) =>
            {
                if remember
                    && asked.question.persistence == AnswerReusePolicy::Turn
                    && asked.question.answer_type == AnswerType::Boolean
                {
                    self.answers
                        .remember(&asked.tool.name, &asked.question.id, value.clone());
                }
                Found::Answer(value)
            }
            // A person saw the question and left it: a model must not answer behind their back.
            PromptOutcome::Unavailable { reason } => {
                tracing::info!(tool = asked.tool.name, reason, "a question was left open");
                no_person(&asked.tool.name)
            }
            _ => Found::Nothing {
                reason: CancellationReason::User,
                content: texts::CANCELLED.to_owned(),
                is_error: false,
            },
        }
    }

    async fn ask_model(
        &self,
        asked: &AskedQuestion<'_>,
        target: QuestionTarget,
        cancel: CancellationToken,
    ) -> Found {
        let call = InquiryCall {
            events: self.recorder.events(),
            call_id: asked.tool.call_id.clone(),
            tool_name: asked.tool.name.clone(),
            question: asked.question.clone(),
            target,
            config: Arc::clone(&asked.turn),
            tools: asked.tools.clone(),
        };
        let failed = |error: InquiryError| Found::Nothing {
            reason: CancellationReason::BackendError,
            content: texts::backend_failed(
                &asked.tool.name,
                &asked.question.text,
                &error.to_string(),
            ),
            is_error: true,
        };
        match self.backend.inquire(call, cancel).await {
            Ok(answer) if asked.question.answer_type.accepts(&answer) => Found::Answer(answer),
            Ok(_) => failed(InquiryError::AnswerExtraction(
                "it does not match the answer type".to_owned(),
            )),
            Err(InquiryError::Cancelled) => Found::Nothing {
                reason: CancellationReason::User,
                content: texts::CANCELLED.to_owned(),
                is_error: false,
            },
            Err(error) => failed(error),
        }
    }
}

/// What was found.
enum Found {
    Answer(Value),
    Nothing {
        reason: CancellationReason,
        content: String,
        is_error: bool,
    },
}

fn no_person(tool: &str) -> Found {
    Found::Nothing {
        reason: CancellationReason::NoPromptBackend,
        content: texts::no_person(tool),
        is_error: true,
    }
}

/// The question as it is recorded; the default of a secret is not redacted (RFD 082).
fn recorded_question(question: &Question) -> InquiryQuestion {
    let answer_type = match &question.answer_type {
        AnswerType::Boolean => InquiryAnswerType::Boolean,
        AnswerType::Select { options } => InquiryAnswerType::Select {
            options: options
                .iter()
                .map(|option| SelectOption::new(option.as_str(), None))
                .collect(),
        },
        AnswerType::Text => InquiryAnswerType::Text,
        AnswerType::Secret => InquiryAnswerType::Secret,
    };
    InquiryQuestion {
        default: question.default.clone(),
        context: question.context.clone(),
        exclusive: question.exclusive,
        persistence: match question.persistence {
            AnswerReusePolicy::None => InquiryAnswerReusePolicy::None,
            AnswerReusePolicy::Turn => InquiryAnswerReusePolicy::Turn,
        },
        ..InquiryQuestion::new(question.text.as_str(), answer_type)
    }
}

#[cfg(test)]
#[path = "inquiry_tests.rs"]
mod tests;
