//! Model providers behind one trait: streaming text, reasoning, tool calls.
//!
//! ```toml
//! [assistant.model]
//! id = "anthropic/claude-sonnet-4-6"
//!
//! [providers.llm.anthropic]
//! api_key_env = "ANTHROPIC_API_KEY"
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
pub use settings::{KeyUse, ProviderId, ProviderSettings, RequestSettings};
