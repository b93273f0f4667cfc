//! What a server says, line by line, none of them larger than we can bear, and not without end.
//!
//! ```json
//! {"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": "its server answered with more than 16 MiB …"}}
//! ```
//!
//! The MCP library drops a line that is too long or that it cannot read, so that whoever waits for it would wait until
//! its time is out.
//! Here such a line becomes an error for the call that it answers, at once; the other calls go on.

use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;

use super::answer::{Line, TAIL, id_at_the_beginning, id_at_the_end, readable, refusal};
use super::patience::{MOST_BYTES, Patience};

/// How long a line may be; the library's own limit.
const LIMIT: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;

/// How much may wait to be read.
const BUFFER: usize = 64 * 1024;

/// Why nobody listens to a server that nobody understands.
const UNREADABLE: &str =
    "it sent an answer that cannot be read, and nobody knows which call it was for";

/// The lines of `source`, those that are of no use replaced, and what ends with them.
pub(super) fn bounded(
    source: impl AsyncRead + Send + Unpin + 'static,
    patience: Arc<Patience>,
) -> (DuplexStream, JoinHandle<()>) {
    let (sink, lines) = tokio::io::duplex(BUFFER);
    let relay = async move { relay(source, sink, &patience).await };
    (lines, tokio::spawn(relay))
}

/// Passes lines on until either side ends, or there is more than anybody listens to.
async fn relay(source: impl AsyncRead + Unpin, mut sink: DuplexStream, patience: &Patience) {
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
        if !patience.bears(taken, usize::from(is_whole)) {
            return;
        }
        let answer = match &mut skipped {
            None if line.len() > LIMIT => {
                let begun = Skipped::from(&std::mem::take(&mut line));
                skipped.insert(begun).refusal(is_whole)
            }
            None if is_whole => match readable(std::mem::take(&mut line)) {
                Line::Passed(line) => line,
                Line::Lost => return patience.lose(UNREADABLE),
            },
            None => Vec::new(),
            Some(skipped) => skipped.refusal(is_whole),
        };
        if sink.write_all(&answer).await.is_err() {
            return;
        }
        if let Some(long) = &skipped {
            if long.is_hopeless(is_whole) {
                return patience.lose(UNREADABLE);
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
            LIMIT >> 20
        );
        refusal(&id, &message)
    }

    /// Whether the line has no end, or nobody knows whom it answers: whoever waits learns from the end of the connection.
    const fn is_hopeless(&self, is_whole: bool) -> bool {
        self.length > MOST_BYTES || (is_whole && !self.is_answered)
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
