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

mod builtin;
pub mod config;
mod error;
mod ports;
mod prompt;
mod trust;

pub use builtin::{Builtin, BuiltinCall, Builtins};
pub use error::AgentError;
pub use ports::{
    Clock, ConfigSource, EventSink, Execution, Executor, InquiryBackend, InquiryCall, InquiryError,
    Place, Prompts, Providers, SystemClock, ToolRun, ToolSuccess, TurnOutcome,
};
pub use prompt::{PromptOutcome, PromptRequest, PromptRule, PromptSubject, PromptTool};
pub use trust::TrustedWorkspace;
