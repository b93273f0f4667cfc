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
//!
//! ```
//! use jp_agent::AliasMap;
//! use serde_json::json;
//!
//! let config = json!({ "providers": { "llm": { "aliases": { "fast": "anthropic/claude-haiku-4-5" } } } });
//! let model = AliasMap::of(&config).resolve("fast").unwrap();
//! assert_eq!(model.to_string(), "anthropic/claude-haiku-4-5");
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::needless_pass_by_value,
        reason = "tests give their fixtures and snapshots away"
    )
)]

mod aliases;
mod approvals;
mod arguments;
mod ask_user;
mod broker;
mod builtin;
mod call;
pub mod config;
#[cfg(target_os = "linux")]
mod confinement;
mod decision;
mod definition;
pub mod delta;
mod describe_tools;
mod environment;
mod error;
mod exit;
mod fill;
mod group;
mod inquiry;
mod interrupt;
mod local;
mod mcp;
mod ports;
mod preview;
mod process;
mod prompt;
mod providers;
mod record;
mod refused;
#[cfg(target_os = "linux")]
mod report;
mod sandbox;
#[cfg(target_os = "macos")]
mod seatbelt;
mod server_grants;
mod source_range;
#[cfg(target_os = "linux")]
mod supervisor;
mod template;
mod terminal;
mod texts;
mod title;
mod toolbox;
mod trust;
mod turn;
mod watchdog;

pub use aliases::{AliasError, AliasMap};
pub use approvals::approved_targets;
pub use arguments::prepare;
pub use ask_user::{ASK_USER, ASK_USER_QUESTION, AskUser};
pub use broker::{
    Broker, BrokerConfig, Reception, Resolution, StandingRules, Surface, SurfaceEvent,
};
pub use builtin::{Builtin, BuiltinCall, BuiltinTool, Builtins};
#[cfg(target_os = "linux")]
pub use confinement::confine_tool;
pub use decision::{AskingRule, canonical_path};
pub use definition::{definition, mcp_definition};
pub use describe_tools::DescribeTools;
pub use error::AgentError;
pub use fill::context_fill;
pub use inquiry::{
    AskedQuestion, Inquirer, InquiryRecorder, LlmInquiryBackend, QuestionOutcome, TurnAnswers,
};
pub use interrupt::{ConfiguredInterrupt, Interrupt, TurnControl, TurnHandle, TurnPhase};
pub use local::LocalTool;
pub use ports::{
    CallChange, CallProgress, Clock, ConfigSource, EventSink, Execution, Executor, InquiryBackend,
    InquiryCall, InquiryError, Prompts, Providers, SystemClock, ToolRun, ToolSuccess, TurnEnd,
    TurnOutcome,
};
pub use preview::{ChangedFile, Preview, PreviewKind};
pub use process::ProcessLimits;
pub use prompt::{
    AnswerError, ChoiceEffect, Consent, DeltaOperation, DeltaPrompt, DeltaPromptChange,
    GrantPrompt, Prompt, PromptAction, PromptActionId, PromptAnswer, PromptAnswerType,
    PromptChoice, PromptKind, PromptNote, PromptOutcome, PromptQuestion, PromptRequest, PromptRule,
    PromptSubject, PromptTool, PromptToolCall, Remember, Reply, RulePosition, RuleRange,
    RuleReference, WaitingCall, digest,
};
pub use providers::{HttpProviders, KeptKeys, KeyConsents, NoConsents, NoKeptKeys};
pub use refused::Refusal;
pub use sandbox::{SANDBOX_WITHOUT_VARIABLE, Sandbox, known_mechanisms, mechanisms};
pub use server_grants::{ServerAccount, ServerGrants, ServerGrantsError};
pub use source_range::SourceRange;
#[cfg(target_os = "linux")]
pub use supervisor::{enable_supervision, supervise};
pub use terminal::{
    Dialogue, EditorError, InterruptReceiver, PreferredEditor, RestoredTerminal, Terminal,
    TerminalDialogue, color_prompts, interrupt_receiver, terminal_width,
};
pub use trust::{TrustedWorkspace, Untrusted};
pub use turn::{FinishedTurn, MAX_CYCLES, Runtime, RuntimeParts, TurnRequest};
