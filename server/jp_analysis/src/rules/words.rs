//! JSON values in the sentences of messages.

use std::fmt::Write as _;

use serde_json::Value;

use crate::text::markup::shortened;

/// The most characters of a value that a message shows.
const LONGEST: usize = 60;

/// A JSON value as it is shown in a message.
pub(super) fn shown(value: &Value) -> String {
    shortened(&value.to_string(), LONGEST)
}

/// Values as a list of code words.
pub(super) fn enumerate<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    const MOST: usize = 8;
    let mut text = String::new();
    let mut more = 0;
    for (index, value) in values.into_iter().enumerate() {
        if index >= MOST {
            more += 1;
            continue;
        }
        let comma = if index == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}`{}`", shown(value));
    }
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}
