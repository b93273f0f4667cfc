//! What is known about a conversation beside its events, `metadata.json`:
//!
//! ```json
//! {"title": "Missing date in version string", "last_activated_at": "2026-04-10 17:03:38.711874"}
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::timestamp::Timestamp;

/// What is known about a conversation beside its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationMetadata {
    /// What people call it. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When it was last used.
    pub last_activated_at: Timestamp,
    /// When it was pinned to the top of lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<Timestamp>,
    /// When it was put away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
    /// When it may be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Labels, in whatever shape they were written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Value>,
    /// Fields this crate does not know, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl ConversationMetadata {
    /// The metadata of a conversation without a title, last used at `time`.
    #[must_use]
    pub fn at(time: Timestamp) -> Self {
        Self {
            title: None,
            last_activated_at: time,
            pinned_at: None,
            archived_at: None,
            expires_at: None,
            labels: None,
            extra: Map::new(),
        }
    }
}
