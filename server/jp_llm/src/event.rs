//! What a model says while it says it.
//!
//! ```text
//! PartStart 0 text, TextDelta 0 "I look", PartEnd 0,
//! PartStart 1 call_1 fs_read_file, ArgumentsDelta 1 "{\"path\":", ArgumentsDelta 1 "\"a\"}", PartEnd 1, Done
//! ```

use std::fmt;
use std::time::Duration;

use jp_conversation::{ChatResponse, ConversationEvent, EventKind, ToolCallRequest};
use serde_json::{Map, Value};

use crate::error::LlmError;

/// Something that happens while a model answers.
///
/// The last event of a stream is [`StreamEvent::Done`] or [`StreamEvent::Error`]; after it comes nothing.
/// No tool call may run before [`StreamEvent::Done`]: what ends with an error was never said in full.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// A request failed before anything was said and is tried again.
    Retrying {
        /// Which attempt failed, from 1.
        attempt: u32,
        /// How long until the next.
        delay: Duration,
        /// Why it failed.
        error: LlmError,
    },
    /// A part begins.
    PartStart {
        /// The number of the part, from 0, in order of their beginning.
        index: usize,
        /// What it is.
        kind: PartKind,
    },
    /// A text goes on.
    TextDelta {
        /// The part.
        index: usize,
        /// What is added.
        text: String,
    },
    /// A reasoning goes on.
    ReasoningDelta {
        /// The part.
        index: usize,
        /// What is added.
        text: String,
    },
    /// The arguments of a tool call go on.
    ArgumentsDelta {
        /// The part.
        index: usize,
        /// The JSON text that is added.
        json: String,
    },
    /// A part is complete.
    PartEnd {
        /// The part.
        index: usize,
        /// All of it.
        content: PartContent,
    },
    /// The answer is complete.
    Done {
        /// Why the model stopped.
        finish_reason: FinishReason,
        /// What it cost.
        usage: Usage,
    },
    /// The answer is not complete and never will be.
    Error(LlmError),
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// Words to the user.
    Text,
    /// Words of the model to itself.
    Reasoning,
    /// A tool call.
    ToolCall {
        /// The id that the result refers to.
        id: String,
        /// The tool.
        name: String,
    },
}

/// A part in full.
#[derive(Debug, Clone, PartialEq)]
pub enum PartContent {
    /// Words to the user.
    Text {
        /// The words.
        text: String,
        /// What the provider wants back with them.
        metadata: Map<String, Value>,
    },
    /// Words of the model to itself.
    Reasoning {
        /// The words.
        text: String,
        /// What the provider wants back with them, a signature for example.
        metadata: Map<String, Value>,
    },
    /// A tool call.
    ToolCall {
        /// The id that the result refers to.
        id: String,
        /// The tool.
        name: String,
        /// The arguments, or the text that should be them and is no JSON object.
        arguments: Result<Map<String, Value>, InvalidArguments>,
        /// What the provider wants back with it.
        metadata: Map<String, Value>,
    },
}

impl PartContent {
    /// The part as an event of a conversation. Invalid arguments are recorded as none.
    #[must_use]
    pub fn into_event(self) -> ConversationEvent {
        let (kind, metadata) = match self {
            Self::Text { text, metadata } => (
                EventKind::ChatResponse(ChatResponse::Message(text)),
                metadata,
            ),
            Self::Reasoning { text, metadata } => (
                EventKind::ChatResponse(ChatResponse::Reasoning(text)),
                metadata,
            ),
            Self::ToolCall {
                id,
                name,
                arguments,
                metadata,
            } => {
                let arguments = arguments.unwrap_or_default();
                (
                    EventKind::ToolCallRequest(ToolCallRequest {
                        id,
                        name,
                        arguments,
                    }),
                    metadata,
                )
            }
        };
        let mut event = ConversationEvent::new(kind);
        event.metadata = metadata;
        event
    }
}

/// Arguments of a tool call that are no JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidArguments {
    /// What the model sent.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the arguments are no JSON object: {}", self.reason)
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// It has said what it wanted, tool calls included.
    Completed,
    /// It ran into the limit of tokens.
    MaxTokens,
    /// It, or its provider, refused.
    Refused,
    /// Anything else, in the provider's words.
    Other(String),
}

/// What an answer cost, as far as the provider says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens read, those from a cache included.
    pub input_tokens: Option<u64>,
    /// Tokens written, reasoning included.
    pub output_tokens: Option<u64>,
    /// Tokens read from a cache.
    pub cached_tokens: Option<u64>,
}
