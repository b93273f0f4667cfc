//! Model providers behind one trait: streaming text, reasoning, tool calls.
//!
//! ```toml
//! [assistant.model]
//! id = "anthropic/claude-sonnet-4-6"
//!
//! [providers.llm.anthropic]
//! api_key_env = "ANTHROPIC_API_KEY"
//! ```
//!
//! ```
//! use jp_llm::{Script, ScriptedProvider};
//!
//! let script = "[[cycles]]\nbatches = [[{ text = 'Hello.' }]]";
//! let provider = ScriptedProvider::new(Script::from_toml("script.toml", script).unwrap());
//! assert!(provider.requests().is_empty());
//! ```

mod details;
mod error;
mod event;
#[cfg(test)]
mod fixture;
mod http;
mod parts;
mod provider;
mod request;
mod retry_after;
mod scripted;
mod settings;
mod transcript;
mod wire;

pub use details::ModelDetails;
pub use error::LlmError;
pub use event::{FinishReason, InvalidArguments, PartContent, PartKind, StreamEvent, Usage};
pub use http::{HttpClient, HttpProvider};
pub use provider::{EventStream, Provider};
pub use request::{
    AssistantContent, AssistantPart, CUT_OFF, Cache, Effort, Message, Parameters, REFUSED,
    Reasoning, Request, ToolChoice, ToolDefinition, ToolResult, messages,
};
pub use scripted::{Script, ScriptedProvider};
pub use settings::{
    KeyUse, ProviderId, ProviderSettings, RequestSettings, Surroundings, is_here, is_key_variable,
};
