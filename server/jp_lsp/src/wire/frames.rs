//! The way in: frames cut from a stream of bytes.
//!
//! ```text
//! Content-Length: 44
//!
//! {"jsonrpc":"2.0","method":"exit","params":{}}
//! ```
//!
//! One broken frame never ends the server: what is wrong with it is said, and the next one is looked for.

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tower_lsp::jsonrpc::ErrorCode;

use super::message::Refusal;

/// The largest frame that is read; a larger one is refused and skipped.
const FRAME_LIMIT: usize = 256 * 1024 * 1024;
/// The longest block of headers.
const HEADER_LIMIT: usize = 8 * 1024;
/// How much is read at a time.
pub(super) const CHUNK: usize = 64 * 1024;
const CONTENT_LENGTH: &[u8] = b"content-length:";

/// What has arrived and is not cut yet.
#[derive(Debug, Default)]
pub(super) struct Frames {
    buffer: BytesMut,
    /// Bytes of a refused frame that are still to come.
    skip: usize,
}

impl Frames {
    /// Waits for more of `input`; false when there is no more.
    pub(super) async fn read_from(&mut self, input: &mut (impl AsyncRead + Unpin)) -> bool {
        // The memory of the largest frame so far is not kept.
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
        self.buffer.reserve(CHUNK);
        let mut chunk = bytes::BufMut::limit(&mut self.buffer, CHUNK);
        matches!(input.read_buf(&mut chunk).await, Ok(1..))
    }

    /// The body of the next frame, or what is wrong with it; none when it has not arrived whole.
    pub(super) fn next(&mut self) -> Option<Result<Bytes, Refusal>> {
        let skipped = self.skip.min(self.buffer.len());
        self.buffer.advance(skipped);
        self.skip -= skipped;
        if self.skip > 0 {
            return None;
        }
        let Some(headers) = find(&self.buffer, b"\r\n\r\n") else {
            if self.buffer.len() <= HEADER_LIMIT {
                return None;
            }
            let keep = self.buffer.len().saturating_sub(CONTENT_LENGTH.len());
            return Some(Err(self.without_header(keep)));
        };
        let block = self.buffer.get(..headers).unwrap_or_default();
        let Some(length) = content_length(block) else {
            let next = find_header(block).unwrap_or(headers + 4);
            return Some(Err(self.without_header(next)));
        };
        let body = headers + 4;
        if length > FRAME_LIMIT {
            self.buffer.advance(body);
            self.skip = length;
            return Some(Err(Refusal::new(
                ErrorCode::InvalidRequest,
                format!("a frame of {length} bytes is too large: send at most {FRAME_LIMIT}"),
            )));
        }
        if self.buffer.len() < body + length {
            self.buffer.reserve(body + length - self.buffer.len());
            return None;
        }
        self.buffer.advance(body);
        Some(Ok(self.buffer.split_to(length).freeze()))
    }

    fn without_header(&mut self, discard: usize) -> Refusal {
        self.buffer.advance(discard);
        Refusal::new(
            ErrorCode::ParseError,
            "a frame must begin with `Content-Length: <bytes>` and an empty line",
        )
    }
}

fn content_length(headers: &[u8]) -> Option<usize> {
    let headers = std::str::from_utf8(headers).ok()?;
    let mut length = None;
    for header in headers.split("\r\n") {
        let (name, value) = header.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().ok()?);
        }
    }
    length
}

/// Where the next frame may begin inside a broken block of headers; never its first byte.
fn find_header(block: &[u8]) -> Option<usize> {
    block
        .windows(CONTENT_LENGTH.len())
        .skip(1)
        .position(|window| window.eq_ignore_ascii_case(CONTENT_LENGTH))
        .map(|position| position + 1)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
