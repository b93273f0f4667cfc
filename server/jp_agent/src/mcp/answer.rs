//! Whom a line answers that cannot be taken as it is, and what that call is told instead.
//!
//! ```json
//! {"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": "its server answered with bytes that are not UTF-8"}}
//! ```
//!
//! The MCP library drops what it cannot read, so that whoever waits for it would wait until its time is out.

use rmcp::model::ServerJsonRpcMessage;
use serde_json::{Deserializer, Value, json};

/// The code of an error that the other side did not send.
const CODE: i32 = -32000;

/// How much of the end of a line is looked at for an id.
pub(super) const TAIL: usize = 256;

/// What some programs write before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What becomes of a whole line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// These bytes are passed on in its place.
    Passed(Vec<u8>),
    /// It is some answer, and nobody knows to what: whoever waits learns from the end of the connection.
    Lost,
}

/// A line as the library reads it: itself, or an error for the call that it was to answer.
pub(super) fn readable(line: Vec<u8>) -> Line {
    let message = line
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(&line)
        .trim_ascii();
    if !message.starts_with(b"{") {
        // Some servers log where they should answer.
        let is_text = std::str::from_utf8(&line).is_ok();
        return Line::Passed(if is_text { line } else { Vec::new() });
    }
    let is_text = std::str::from_utf8(message).is_ok();
    let problem = match serde_json::from_slice::<ServerJsonRpcMessage>(message) {
        Ok(_) if is_text => return Line::Passed(line),
        _ if !is_text => "bytes that are not UTF-8".to_owned(),
        Err(error) if error.is_data() => "what is no message of MCP".to_owned(),
        Err(error) => format!("broken JSON ({error})"),
        Ok(_) => return Line::Passed(line),
    };
    match answered(message) {
        Answered::Call(id) => {
            Line::Passed(refusal(&id, &format!("its server answered with {problem}")))
        }
        Answered::Unknown => Line::Lost,
        Answered::Nobody if is_text => Line::Passed(line),
        Answered::Nobody => Line::Passed(Vec::new()),
    }
}

/// Whom a message answers.
enum Answered {
    Call(Value),
    /// It is a notification or a request, or what nobody waits for.
    Nobody,
    /// It may be an answer.
    Unknown,
}

fn answered(message: &[u8]) -> Answered {
    let text = String::from_utf8_lossy(message);
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        return match value.get("id") {
            Some(id) if is_id(id) && value.get("method").is_none() => Answered::Call(id.clone()),
            _ => Answered::Nobody,
        };
    }
    let tail = message.get(message.len().saturating_sub(TAIL)..);
    let found = id_at_the_beginning(message).or_else(|| id_at_the_end(tail.unwrap_or_default()));
    match found {
        Some(id) => Answered::Call(id),
        None if text.contains("\"jsonrpc\"") && !text.contains("\"method\"") => Answered::Unknown,
        None => Answered::Nobody,
    }
}

/// The line that ends a call with an error.
pub(super) fn refusal(id: &Value, message: &str) -> Vec<u8> {
    let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": CODE, "message": message}});
    format!("{error}\n").into_bytes()
}

/// The `id` of an answer that begins with it, after nothing but short fields.
pub(super) fn id_at_the_beginning(message: &[u8]) -> Option<Value> {
    let mut rest = message.trim_ascii_start().strip_prefix(b"{")?;
    let mut id = None;
    loop {
        let Some((key, after)) = value(rest) else {
            return id;
        };
        match key.as_str() {
            // Their ids are the server's own.
            Some("method") => return None,
            Some("result" | "error" | "params") | None => return id,
            Some(_) => {}
        }
        let Some(after) = after.trim_ascii_start().strip_prefix(b":") else {
            return id;
        };
        let Some((found, after)) = value(after) else {
            return id;
        };
        if key == "id" {
            id = is_id(&found).then_some(found);
        }
        let Some(after) = after.trim_ascii_start().strip_prefix(b",") else {
            return id;
        };
        rest = after;
    }
}

/// The `id` of a message that ends with it.
pub(super) fn id_at_the_end(tail: &[u8]) -> Option<Value> {
    let tail = tail.trim_ascii_end().strip_suffix(b"}")?;
    // The tail may begin in the middle of a character, and of anything else.
    let tail = String::from_utf8_lossy(tail);
    let (before, after) = tail.rsplit_once("\"id\"")?;
    if !before.trim_end().ends_with([',', '{']) {
        return None;
    }
    let (found, after) = value(after.trim_start().strip_prefix(':')?.as_bytes())?;
    (after.trim_ascii().is_empty() && is_id(&found)).then_some(found)
}

fn is_id(value: &Value) -> bool {
    value.is_number() || value.is_string()
}

/// The JSON value that the bytes begin with, and what follows it.
fn value(bytes: &[u8]) -> Option<(Value, &[u8])> {
    let mut values = Deserializer::from_slice(bytes).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, bytes.get(values.byte_offset()..)?))
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
