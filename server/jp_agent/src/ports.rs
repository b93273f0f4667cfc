//! What the runtime needs from outside, as traits that tests replace.
//!
//! ```text
//! ConfigSource -> turn loop -> EventSink
//!                  |  |  |
//!            Prompts  |  InquiryBackend
//!                  Executor
//! ```

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use camino::Utf8PathBuf;
use futures::future::BoxFuture;
use indexmap::IndexMap;
use jp_conversation::{ConfigDelta, ConversationEvent, ConversationId, Timestamp};
use jp_llm::{KeyUse, LlmError, Provider, ToolDefinition, Usage};
use jp_tool::Question;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::config::{ModelConfig, QuestionTarget, TurnConfig};
use crate::error::AgentError;
use crate::prompt::{PromptOutcome, PromptRequest, PromptTool, Reply};
use crate::refused::Refusal;
use crate::source_range::SourceRange;
use crate::trust::TrustedWorkspace;

/// Where the configuration comes from.
///
/// Asked once whenever a turn begins: what changes in a file counts from the next turn, so that no tool can loosen what
/// the turn that runs it may do.
pub trait ConfigSource: Send + Sync + Debug {
    /// The effective config of the workspace as plain JSON: all layers merged, schema defaults not filled in.
    ///
    /// # Errors
    ///
    /// [`AgentError::Config`] when the workspace has no usable config, [`AgentError::Untrusted`] and
    /// [`AgentError::Refused`] when nothing of it may run as it is.
    fn effective(&self) -> Result<Value, AgentError>;

    /// The place that decided the value at `path`, a list of keys; for `index`, the place of that element of the list.
    fn place(&self, path: &[&str], index: Option<usize>) -> Option<SourceRange>;

    /// The absolute paths of the files that the config is made of, which tools are told not to change.
    ///
    /// Fragments that a person may choose are among them, and each link on the way as well as what it leads to.
    /// Default: none, so that only what is protected by its name is.
    fn files(&self) -> Vec<Utf8PathBuf> {
        Vec::new()
    }

    /// Keeps that a person trusts what the config starts and sends, as [`Untrusted`](crate::Untrusted) names it.
    ///
    /// Default: nothing is kept, so that it is refused again.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    fn trust(&self, digest: &str) -> Result<(), AgentError> {
        let _ = digest;
        Ok(())
    }

    /// Keeps that a person lets a key go where it would go.
    ///
    /// Default: nothing is kept, so that it is refused again.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    fn allow_key(&self, key: &KeyUse) -> Result<(), AgentError> {
        let _ = key;
        Ok(())
    }
}

/// Who hears what happens in a turn.
///
/// The methods must not block: they are called between two steps of the turn.
pub trait EventSink: Send + Sync + Debug {
    /// An event was recorded.
    fn committed(&self, conversation: ConversationId, event: &ConversationEvent);

    /// The model goes on speaking. What it says in full follows as a recorded event.
    fn delta_text(&self, conversation: ConversationId, text: &str);

    /// A call is known, runs, or has its result, each before it is recorded.
    fn call_progress(&self, conversation: ConversationId, progress: CallProgress<'_>) {
        let _ = (conversation, progress);
    }

    /// What an answer of the model cost, and how many tokens the model takes in, as far as its provider says.
    ///
    /// Told once more at the end of a turn where the second has become known since the last answer.
    fn usage(&self, conversation: ConversationId, usage: &Usage, window: Option<u64>) {
        let _ = (conversation, usage, window);
    }

    /// Whether anybody is shown [`EventSink::usage`], so that the provider is asked what its model takes in. Default: no.
    fn tells_usage(&self) -> bool {
        false
    }

    /// Something to tell the person that is no part of the conversation, such as a warning.
    fn notice(&self, conversation: ConversationId, text: &str);

    /// An attempt at an answer failed, and another follows; what ends the turn is told as its outcome.
    ///
    /// Default: a notice.
    fn retrying(&self, conversation: ConversationId, text: &str) {
        self.notice(conversation, text);
    }

    /// What the tool's own formatter makes of the arguments of a call.
    fn rendered_arguments(&self, conversation: ConversationId, call_id: &str, text: &str) {
        let _ = (conversation, call_id, text);
    }

    /// The config changes of a cycle were recorded: what each call alone has changed, in the order of the calls.
    ///
    /// Follows the recorded event that folds them. Changes that were dropped are never told.
    fn config_changed(&self, conversation: ConversationId, changes: &[CallChange]) {
        let _ = (conversation, changes);
    }

    /// Nothing of the config change that a call proposed was approved, whatever the reason (RFD 078).
    fn change_rejected(&self, conversation: ConversationId, tool: &PromptTool) {
        let _ = (conversation, tool);
    }

    /// The turn is over; nothing follows.
    fn turn_end(&self, conversation: ConversationId, outcome: &TurnOutcome);
}

/// How far a call has come.
///
/// Providers use the id of a call more than once; within an answer of the model it names one call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CallProgress<'a> {
    /// Its arguments are complete, and it is being decided about. What they are is said when they can be read.
    Deciding {
        /// Its id.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// Its arguments.
        arguments: Option<&'a Map<String, Value>>,
    },
    /// The tool runs.
    Running {
        /// Its id.
        id: &'a str,
    },
    /// It has its result, which is recorded when those of the calls before it are.
    Finished {
        /// Its id.
        id: &'a str,
        /// What the model is told.
        content: &'a str,
        /// Whether the call failed.
        is_error: bool,
    },
}

/// The config change of one tool call, accepted and recorded (RFD 078).
#[derive(Debug, Clone, PartialEq)]
pub struct CallChange {
    /// The id of the call.
    pub call_id: String,
    /// The name of the tool.
    pub tool: String,
    /// What the call changed, without what other calls of the cycle changed.
    pub delta: ConfigDelta,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The model has nothing more to do, or a person stopped the turn.
    Completed,
    /// The turn was cancelled from outside.
    Cancelled,
    /// The turn could not go on.
    Failed {
        /// Why.
        error: String,
    },
}

/// Why a turn that has completed goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnEnd {
    /// The model has said everything, or a person stopped the turn.
    #[default]
    Said,
    /// The last answer ends at the limit of tokens.
    MaxTokens,
    /// The turn has had as many cycles as it may have.
    MaxCycles,
    /// The model refused what was asked. No request carries the question again, nor what was said to it.
    Refused,
}

/// What time it is.
pub trait Clock: Send + Sync + Debug {
    /// The time to record.
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Where a person is asked.
pub trait Prompts: Send + Sync + Debug {
    /// Asks, and waits until there is an outcome.
    ///
    /// Cancelling withdraws the prompt; the outcome is then [`PromptOutcome::Withdrawn`].
    /// With nobody to ask the outcome is [`PromptOutcome::Unavailable`], never an approval.
    fn ask(
        &self,
        request: PromptRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, PromptOutcome>;

    /// Asks as [`Prompts::ask`] does, and says where a person has answered, for the record.
    ///
    /// Default: that is not known.
    fn ask_named(&self, request: PromptRequest, cancel: CancellationToken) -> BoxFuture<'_, Reply> {
        let outcome = self.ask(request, cancel);
        Box::pin(async move { Reply::from(outcome.await) })
    }

    /// Whether there is anybody to ask at the moment.
    fn is_available(&self) -> bool;
}

/// A question of a tool that a model is to answer (RFD 028, RFD 034).
#[derive(Debug, Clone)]
pub struct InquiryCall {
    /// The conversation so far, the request of the asking call included.
    pub events: Vec<ConversationEvent>,
    /// The id of the asking tool call.
    pub call_id: String,
    /// The name of the tool as the model knows it.
    pub tool_name: String,
    /// The question.
    pub question: Question,
    /// Whom the config names for this question, with its own overrides of the assistant.
    pub target: QuestionTarget,
    /// The config of the current cycle.
    pub config: Arc<TurnConfig>,
    /// The tools of the current cycle; none of them may be called.
    pub tools: Vec<ToolDefinition>,
}

/// Answers questions of tools with a second model call.
pub trait InquiryBackend: Send + Sync + Debug {
    /// Asks a model.
    ///
    /// # Errors
    ///
    /// [`InquiryError`]; the caller records the cancellation and tells the model.
    fn inquire(
        &self,
        call: InquiryCall,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Value, InquiryError>>;
}

/// Why a model gave no answer to a question of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InquiryError {
    /// The turn was interrupted.
    #[error("cancelled")]
    Cancelled,
    /// The model could not be asked.
    #[error(transparent)]
    Provider(#[from] LlmError),
    /// The answer holds no structured data.
    #[error("the answer holds no structured data")]
    MissingStructuredData,
    /// The structured data holds no fitting `answer`.
    #[error("the structured data holds no fitting `answer`: {0}")]
    AnswerExtraction(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// Makes providers for models; HTTP in production, a script in tests.
pub trait Providers: Send + Sync + Debug {
    /// The provider of a model, patient as `request` says and placed where `providers.llm` says.
    ///
    /// # Errors
    ///
    /// [`LlmError`] when a key or an address is missing.
    fn provider(&self, model: &ModelConfig) -> Result<Arc<dyn Provider>, LlmError>;
}

/// Runs one tool call to its end, whatever the tool is: process, MCP server or builtin.
///
/// A [`TrustedWorkspace`] stands behind every executor, so that nothing starts before the workspace is trusted.
pub trait Executor: Send + Sync + Debug {
    /// Runs the tool once. Questions come back as [`Execution::NeedsInput`]; the caller runs it again with the answer.
    ///
    /// Cancelling ends the tool and all of its processes.
    fn execute(
        &self,
        workspace: &TrustedWorkspace,
        run: ToolRun,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Execution>;
}

/// What an executor gets to run.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRun {
    /// The name of the tool as the model knows it, for messages.
    pub name: String,
    /// The prepared arguments.
    pub arguments: Map<String, Value>,
    /// Answers so far, by question id.
    pub answers: IndexMap<String, Value>,
    /// The ids of those answers that are secrets, which no other process may see.
    pub secrets: BTreeSet<String>,
    /// The partial config that the tool may read (RFD 078).
    pub config: Option<Value>,
    /// Why the config change of the previous run was not accepted (RFD 078).
    pub delta_rejection: Option<jp_tool::DeltaRejection>,
    /// The conversation.
    pub conversation: ConversationId,
}

/// What one run of a tool came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Execution {
    /// It did its work.
    Success(ToolSuccess),
    /// It failed; the text is what the model is told.
    Error(String),
    /// It failed, and says that it was refused what no rule grants.
    Refused {
        /// What the model is told.
        error: String,
        /// What a person could grant.
        refusals: Vec<Refusal>,
    },
    /// It asks something.
    NeedsInput {
        /// The question.
        question: Box<Question>,
        /// Who asks, decided by the code path (RFD 082).
        source: jp_conversation::InquirySource,
    },
    /// It was cancelled.
    Cancelled,
}

/// What a tool that did its work hands back (RFD 078, "Structured Outcome Transport").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolSuccess {
    /// What the model gets to read.
    pub content: String,
    /// A partial config to merge; only ever from a local tool.
    pub config: Option<Value>,
    /// Config paths to unset; only ever from a local tool.
    pub unset: Vec<String>,
}

impl ToolSuccess {
    /// A success that changes no config.
    #[must_use]
    pub fn content(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }

    /// Whether the tool proposes a config change.
    #[must_use]
    pub const fn proposes_change(&self) -> bool {
        self.config.is_some() || !self.unset.is_empty()
    }
}
