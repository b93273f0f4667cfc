//! Conversations: events, their JSON, the append-only store, replay of config deltas.
//!
//! ```json
//! {"timestamp": "2026-03-18 13:19:12.1", "type": "turn_start"}
//! {"timestamp": "2026-03-18 13:19:12.2", "type": "chat_request", "content": "Which files are there?"}
//! ```
//!
//! The events are those of `jp`, so that its conversations can be opened, continued as a copy and exported to.
//!
//! ```
//! use jp_conversation::{ConversationEvent, markdown};
//! use serde_json::json;
//!
//! let event = json!({
//!     "timestamp": "2026-03-18 13:19:12.2",
//!     "type": "chat_request",
//!     "content": "Which files are there?",
//! });
//! let event = ConversationEvent::from_json(event).unwrap();
//! assert!(markdown(&[event]).contains("Which files are there?"));
//! ```

mod compaction;
mod config_delta;
mod conversation;
mod decision;
mod error;
mod event;
mod files;
mod id;
mod inquiry;
mod log;
mod markdown;
mod metadata;
mod part;
mod released;
mod released_store;
mod repair;
mod shortened;
mod store;
mod stored;
mod timestamp;
mod title;
mod visible;
mod writer;

pub use compaction::Compaction;
pub use config_delta::{Claim, ConfigDelta};
pub use conversation::{ConfigProjection, Conversation};
pub use decision::{
    Answerer, CallDecision, CallDecisions, DecidedBy, DecidingRule, DecisionOutcome, GrantDecision,
};
pub use error::ConversationError;
pub use event::{
    ChatRequest, ChatResponse, ConversationEvent, EventKind, ToolCallRequest, ToolCallResponse,
};
pub use id::ConversationId;
pub use inquiry::{
    CancellationReason, InquiryAnswerReusePolicy, InquiryAnswerType, InquiryQuestion,
    InquiryRequest, InquiryResponse, InquirySource, SelectOption, inquiry_id,
};
pub use log::LogTail;
pub use markdown::{GrowingMarkdown, fence, fenced, markdown, turn_markdown};
pub use metadata::ConversationMetadata;
pub use part::{ConversationPart, Wanted};
pub use released::{ExportReport, ReleasedForm, export_released, read_released};
pub use released_store::{ReleasedConversation, ReleasedStore};
pub use repair::{INTERRUPTED, missing_responses, repair};
pub use shortened::compact;
pub use store::{ListedConversation, Store};
pub use timestamp::Timestamp;
pub use title::title_of;
pub use visible::visible;
pub use writer::{ClosedConversation, ConversationWriter};
