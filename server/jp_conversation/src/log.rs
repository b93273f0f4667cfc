//! The event log, `events.jsonl`: one event a line, written at the end only.
//!
//! ```json
//! {"timestamp":"2026-03-18 13:19:12.1","type":"turn_start"}
//! {"timestamp":"2026-03-18 13:19:12.2","type":"chat_request","content":"Hello"}
//! ```
//!
//! The line feed commits an event. What follows the last line that is whole was torn off by a crash.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use camino::Utf8Path;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::error::ConversationError;
use crate::event::ConversationEvent;
use crate::part::{ConversationPart, Wanted};

/// What stands in a log from some offset on.
#[derive(Debug, Clone, PartialEq)]
pub struct LogTail {
    /// The events.
    pub events: Vec<ConversationEvent>,
    /// Where the last whole line ends: the offset to read on from.
    pub end: u64,
    /// What follows it: an event that is being written, or one that was torn off.
    pub torn: Vec<u8>,
}

/// Reads a log from `offset`, which must be 0 or the [`LogTail::end`] of an earlier reading.
pub(crate) fn read(path: &Utf8Path, offset: u64) -> Result<LogTail, ConversationError> {
    parse(path, offset, &read_bytes(path, offset)?)
}

fn read_bytes(path: &Utf8Path, offset: u64) -> Result<Vec<u8>, ConversationError> {
    let mut file = File::open(path).map_err(ConversationError::io("open", path))?;
    let length = file
        .metadata()
        .map_err(ConversationError::io("read", path))?
        .len();
    if length < offset {
        return Err(ConversationError::InvalidFile {
            path: path.to_owned(),
            reason: format!(
                "ends at byte {length}, before offset {offset}, read it from the start"
            ),
        });
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_to_end(&mut bytes))
        .map_err(ConversationError::io("read", path))?;
    Ok(bytes)
}

/// Reads a log from `end`, where a line must end.
pub(crate) fn read_on(path: &Utf8Path, end: u64) -> Result<LogTail, ConversationError> {
    let Some(last) = end.checked_sub(1) else {
        return read(path, end);
    };
    let mut tail = read_bytes(path, last)?;
    if tail.first() != Some(&b'\n') {
        return Err(ConversationError::InvalidFile {
            path: path.to_owned(),
            reason: format!("has no line that ends at byte {end}, read it from the start"),
        });
    }
    tail.remove(0);
    parse(path, end, &tail)
}

/// Reads a part of a log, and understands only that.
///
/// Events that a crash tore off are none; a line elsewhere in the part that is no event is an error.
pub(crate) fn read_part(
    path: &Utf8Path,
    wanted: Wanted,
) -> Result<ConversationPart, ConversationError> {
    let bytes = read_bytes(path, 0)?;
    let mut lines = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((line, after)) = split_line(rest) {
        if !line.is_empty() {
            lines.push(line);
        }
        rest = after;
    }
    while lines
        .pop_if(|line| serde_json::from_slice::<IgnoredAny>(line).is_err())
        .is_some()
    {}
    lines.truncate(wanted.before);
    let events = ConversationPart::backwards(wanted, || {
        let Some(line) = lines.pop() else {
            return Ok(None);
        };
        let number = lines.len() + 1;
        let value = serde_json::from_slice(line);
        let value = value.map_err(|error| unreadable(path, number, &error))?;
        Ok(Some((event(path, number, value)?, line.len())))
    })?;
    Ok(ConversationPart {
        events,
        earlier: lines.len(),
    })
}

fn parse(path: &Utf8Path, offset: u64, bytes: &[u8]) -> Result<LogTail, ConversationError> {
    let mut events = Vec::new();
    let mut whole = 0;
    let mut rest = bytes;
    let mut number = 0;
    while let Some((line, after)) = split_line(rest) {
        number += 1;
        if !line.is_empty() {
            match serde_json::from_slice::<Value>(line) {
                Ok(value) => events.push(event(path, number, value)?),
                // A crash of the machine can leave blocks of zeros, line feeds among them, but nothing whole after them.
                Err(_) if !any_whole(after) => break,
                Err(error) => return Err(unreadable(path, number, &error)),
            }
        }
        whole = bytes.len() - after.len();
        rest = after;
    }
    Ok(LogTail {
        events,
        end: offset + u64::try_from(whole).unwrap_or(u64::MAX),
        torn: bytes.get(whole..).unwrap_or_default().to_vec(),
    })
}

fn event(
    path: &Utf8Path,
    number: usize,
    value: Value,
) -> Result<ConversationEvent, ConversationError> {
    ConversationEvent::from_stored(value).map_err(|error| unreadable(path, number, &error))
}

fn unreadable(path: &Utf8Path, number: usize, error: &impl ToString) -> ConversationError {
    ConversationError::UnreadableEvent {
        path: path.to_owned(),
        number,
        reason: error.to_string(),
    }
}

/// The first line without its line feed, and what follows it.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at_checked(end)?;
    Some((line, rest.get(1..)?))
}

fn any_whole(mut bytes: &[u8]) -> bool {
    while let Some((line, after)) = split_line(bytes) {
        if serde_json::from_slice::<Value>(line).is_ok() {
            return true;
        }
        bytes = after;
    }
    false
}

/// Whether torn bytes are an event that lacks nothing but its line feed.
pub(crate) fn lacks_line_feed_only(torn: &[u8]) -> bool {
    serde_json::from_slice::<Value>(torn)
        .is_ok_and(|value| ConversationEvent::from_stored(value).is_ok())
}

/// The lines of events.
pub(crate) fn lines<'a>(events: impl IntoIterator<Item = &'a ConversationEvent>) -> Vec<u8> {
    let mut lines = Vec::new();
    for event in events {
        lines.extend_from_slice(event.to_stored().to_string().as_bytes());
        lines.push(b'\n');
    }
    lines
}
