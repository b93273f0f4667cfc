//! What a second model takes from the assistant when a tool asks it.
//!
//! ```toml
//! [conversation.inquiry.assistant.request]
//! max_retries = 2                  # in `jp`'s config all other numbers of the block are 0 then
//! ```

use serde_json::Value;

/// Where the block stands.
pub const REQUEST: [&str; 4] = ["conversation", "inquiry", "assistant", "request"];

/// Whether a value of [`REQUEST`] stands for that of `assistant.request`.
///
/// A block that sets one number has `0` for every other, so that `0` cannot mean what it means elsewhere: an inquiry
/// would have no guard and no retry because somebody set another key.
#[must_use]
pub fn takes_the_assistants(value: &Value) -> bool {
    value.as_u64() == Some(0)
}
