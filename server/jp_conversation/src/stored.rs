//! The base64 rules of stored events.
//!
//! Tool arguments, tool results and metadata are stored in base64, so that the text of a conversation does not turn
//! up when the workspace is searched: `{"path": "c3JjL2xpYi5ycw=="}` for `{"path": "src/lib.rs"}`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Encodes each string of a value, keys excepted.
pub(crate) fn encode(value: &mut Value) {
    each_string(value, &mut |text| *text = STANDARD.encode(text.as_bytes()));
}

/// Decodes each string of a value, keys excepted. A string that is no base64 of UTF-8 text stays as it is.
pub(crate) fn decode(value: &mut Value) {
    each_string(value, &mut |text| {
        let decoded = STANDARD.decode(text.as_bytes()).ok();
        if let Some(decoded) = decoded.and_then(|bytes| String::from_utf8(bytes).ok()) {
            *text = decoded;
        }
    });
}

fn each_string(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| each_string(value, change)),
        Value::Object(values) => values
            .values_mut()
            .for_each(|value| each_string(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
