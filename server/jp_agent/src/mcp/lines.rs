//! What a server says, line by line, none of them larger than we can bear.
//!
//! ```json
//! {"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": "its server answered with more than 16 MiB …"}}
//! ```
//!
//! The MCP library drops a line that is too long, so that whoever waits for it would wait until its time is out.
//! Here such a line becomes an error for the call that it answers, at once; the other calls go on.

use serde_json::{Deserializer, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;

/// How long a line may be; the library's own limit.
const LIMIT: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;

/// How much of a line that is too long is read at most, before the server is taken for one that never ends.
const PATIENCE: usize = 32 * LIMIT;

/// How much of the end of a line that is too long is kept.
const TAIL: usize = 256;

/// How much may wait to be read.
const BUFFER: usize = 64 * 1024;

/// The code of an error that the other side did not send.
const CODE: i32 = -32000;

/// The lines of `source`, those that are too long replaced, and what ends with them.
pub(super) fn bounded(
    source: impl AsyncRead + Send + Unpin + 'static,
) -> (DuplexStream, JoinHandle<()>) {
    let (sink, lines) = tokio::io::duplex(BUFFER);
    (lines, tokio::spawn(relay(source, sink)))
}

/// Passes lines on until either side ends.
async fn relay(source: impl AsyncRead + Unpin, mut sink: DuplexStream) {
    let mut source = BufReader::with_capacity(BUFFER, source);
    let mut line = Vec::new();
    let mut skipped: Option<Skipped> = None;
    loop {
        let (taken, is_whole) = {
            let Ok(available) = source.fill_buf().await else {
                return;
            };
            if available.is_empty() {
                // The last line may lack its end.
                let _ = sink.write_all(&line).await;
                return;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let bytes = available.get(..taken).unwrap_or_default();
            match &mut skipped {
                Some(skipped) => skipped.add(bytes),
                None => line.extend_from_slice(bytes),
            }
            (taken, end.is_some())
        };
        source.consume(taken);
        let answer = match &mut skipped {
            None if line.len() > LIMIT => {
                let begun = Skipped::from(&std::mem::take(&mut line));
                skipped.insert(begun).refusal(is_whole)
            }
            None if is_whole => std::mem::take(&mut line),
            None => Vec::new(),
            Some(skipped) => skipped.refusal(is_whole),
        };
        if sink.write_all(&answer).await.is_err() {
            return;
        }
        if let Some(long) = &skipped {
            if long.is_hopeless(is_whole) {
                return;
            }
            if is_whole {
                skipped = None;
            }
        }
    }
}

/// A line that is too long.
struct Skipped {
    /// The id that stands at its beginning.
    id: Option<Value>,
    tail: Vec<u8>,
    length: usize,
    is_answered: bool,
}

impl Skipped {
    fn from(begun: &[u8]) -> Self {
        let mut skipped = Self {
            id: id_at_the_beginning(begun),
            tail: Vec::new(),
            length: 0,
            is_answered: false,
        };
        skipped.add(begun);
        skipped
    }

    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        let kept = bytes.get(bytes.len().saturating_sub(TAIL)..);
        self.tail.extend_from_slice(kept.unwrap_or_default());
        let surplus = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..surplus);
    }

    /// The error for whoever waits for the line, once, as soon as it is known who that is.
    fn refusal(&mut self, is_whole: bool) -> Vec<u8> {
        if self.is_answered {
            return Vec::new();
        }
        let at_the_end = || is_whole.then(|| id_at_the_end(&self.tail)).flatten();
        let Some(id) = self.id.take().or_else(at_the_end) else {
            return Vec::new();
        };
        self.is_answered = true;
        let message = format!(
            "its server answered with more than {} MiB, which is the limit",
            LIMIT / (1024 * 1024)
        );
        let error =
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": CODE, "message": message}});
        format!("{error}\n").into_bytes()
    }

    /// Whether the line has no end, or nobody knows whom it answers: whoever waits learns from the end of the connection.
    const fn is_hopeless(&self, is_whole: bool) -> bool {
        self.length > PATIENCE || (is_whole && !self.is_answered)
    }
}

/// The `id` of a message that begins with it, after nothing but short fields.
fn id_at_the_beginning(message: &[u8]) -> Option<Value> {
    let mut rest = message.trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (key, after) = value(rest)?;
        rest = after.trim_ascii_start().strip_prefix(b":")?;
        if matches!(key.as_str()?, "result" | "error" | "params") {
            return None;
        }
        let (found, after) = value(rest)?;
        if key == "id" {
            return is_id(&found).then_some(found);
        }
        rest = after.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// The `id` of a message that ends with it.
fn id_at_the_end(tail: &[u8]) -> Option<Value> {
    let tail = std::str::from_utf8(tail.trim_ascii_end().strip_suffix(b"}")?).ok();
    // The tail may begin in the middle of a character, and of anything else.
    let tail = tail?;
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
#[path = "lines_tests.rs"]
mod tests;
