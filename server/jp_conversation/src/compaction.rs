//! An instruction to shorten earlier turns for the model (RFD 064).
//!
//! ```json
//! {"type": "compaction", "from_turn": 0, "to_turn": 3, "summary": {"summary": "We fixed the build."},
//!  "tool_calls": {"policy": "strip", "request": true, "response": true}}
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ConversationError;

/// Which turns are shortened, and how.
///
/// The parts beside the range are kept as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    /// The first turn, from 0.
    pub from_turn: usize,
    /// The last turn, itself included.
    pub to_turn: usize,
    /// What stands for the turns, as `{"summary": ".."}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Value>,
    /// What becomes of reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Value>,
    /// What becomes of tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Value>,
}

impl Compaction {
    pub(crate) fn take(fields: &mut Map<String, Value>) -> Result<Self, ConversationError> {
        let mut turn = |key: &str| {
            fields
                .shift_remove(key)
                .as_ref()
                .and_then(Value::as_u64)
                .and_then(|turn| usize::try_from(turn).ok())
                .ok_or_else(|| {
                    ConversationError::invalid_event(format!(
                        "`{key}` must be the number of a turn, from 0"
                    ))
                })
        };
        Ok(Self {
            from_turn: turn("from_turn")?,
            to_turn: turn("to_turn")?,
            summary: fields.shift_remove("summary"),
            reasoning: fields.shift_remove("reasoning"),
            tool_calls: fields.shift_remove("tool_calls"),
        })
    }
}
