//! The agent runtime: turn loop, tool execution, prompt broker, config deltas.
//!
//! ```text
//! TurnStart, ChatRequest -> stream the model -> decide and prompt -> run tools in parallel -> results in request order
//!                                 ^                                                                   |
//!                                 `---- resolve the config again, if tools have changed it <----------'
//! ```
//!
//! Nothing starts without a [`TrustedWorkspace`].
//! Everything that asks a person goes through [`Prompts`]; with nobody to ask, the answer is no.

mod arguments;
mod ask_user;
mod broker;
mod builtin;
pub mod config;
mod definition;
mod describe_tools;
mod error;
mod inquiry;
mod local;
mod ports;
mod preview;
mod process;
mod prompt;
mod template;
mod trust;
mod watchdog;

pub use arguments::prepare;
pub use ask_user::{ASK_USER, ASK_USER_QUESTION, AskUser};
pub use broker::{Broker, BrokerConfig, Reception, Resolution, Surface, SurfaceEvent};
pub use builtin::{Builtin, BuiltinCall, BuiltinTool, Builtins};
pub use definition::{definition, mcp_definition};
pub use describe_tools::DescribeTools;
pub use error::AgentError;
pub use inquiry::{
    AskedQuestion, Inquirer, InquiryRecorder, LlmInquiryBackend, QuestionOutcome, TurnAnswers,
};
pub use local::LocalTool;
pub use ports::{
    Clock, ConfigSource, EventSink, Execution, Executor, InquiryBackend, InquiryCall, InquiryError,
    Place, Prompts, Providers, SystemClock, ToolRun, ToolSuccess, TurnOutcome,
};
pub use preview::{Preview, PreviewKind};
pub use process::ProcessLimits;
pub use prompt::{
    AnswerError, DeltaOperation, DeltaPrompt, DeltaPromptChange, Prompt, PromptAction,
    PromptActionId, PromptAnswer, PromptAnswerType, PromptKind, PromptOutcome, PromptQuestion,
    PromptRequest, PromptRule, PromptSubject, PromptTool, PromptToolCall, Remember, RulePosition,
    RuleRange, RuleReference, digest,
};
pub use trust::TrustedWorkspace;
pub use watchdog::Watchdog;
