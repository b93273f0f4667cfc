//! The guards between the byte streams and the JSON-RPC framework.
//!
//! ```text
//! Content-Length: 44
//!
//! {"jsonrpc":"2.0","method":"exit","params":{}}
//! ```
//!
//! [`Reframed`] lets only whole, decodable frames in and answers the rest itself, so that one broken frame never ends the server.
//! [`Wire`] takes every outgoing byte at once, so that a client which does not read never stalls the reader, and says
//! when so much waits that what is not urgent should wait, too.

mod frame;
#[cfg(unix)]
mod pollable;
mod stdio;

use std::{
    future::Future as _,
    io,
    ops::Deref,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes, BytesMut};
use serde::Serialize;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf},
    sync::{Notify, mpsc, oneshot},
};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

use self::frame::Verdict;
pub use self::stdio::{Input, Writer, stdin, stdout};
use crate::wire::front::Stop;

/// The largest frame that is read; a larger one is refused and skipped.
const FRAME_LIMIT: usize = 256 * 1024 * 1024;
/// The longest block of headers.
const HEADER_LIMIT: usize = 8 * 1024;
/// How much is read at a time.
const CHUNK: usize = 64 * 1024;
const CONTENT_LENGTH: &[u8] = b"content-length:";
/// How many bytes may wait for a client that does not read, before what is not urgent waits in turn.
const BACKLOG_LIMIT: usize = 1024 * 1024;

/// What travels to the task or thread that writes.
#[derive(Debug)]
pub enum Outgoing {
    /// Whole frames.
    Frames(Frames),
    /// Answered when everything before it was written.
    Flush(oneshot::Sender<()>),
}

/// Frames that count as waiting until they are dropped.
#[derive(Debug)]
pub struct Frames {
    bytes: Bytes,
    backlog: Arc<Backlog>,
}

impl Deref for Frames {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        let waiting = &self.backlog.bytes;
        waiting.fetch_sub(self.bytes.len(), Ordering::Relaxed);
        self.backlog.written.notify_waiters();
    }
}

/// How much waits for the client to read.
#[derive(Debug, Default)]
struct Backlog {
    bytes: AtomicUsize,
    written: Notify,
}

/// The sending half of the wire: an `AsyncWrite` that never blocks, and a way to send single frames past the framework.
#[derive(Clone, Debug)]
pub struct Wire {
    queue: mpsc::UnboundedSender<Outgoing>,
    backlog: Arc<Backlog>,
}

impl Wire {
    /// A wire and the queue that a writer must drain.
    #[must_use]
    pub fn new() -> (Self, mpsc::UnboundedReceiver<Outgoing>) {
        let (queue, outgoing) = mpsc::unbounded_channel();
        let backlog = Arc::default();
        (Self { queue, backlog }, outgoing)
    }

    /// Whether so much waits for the client that what is not urgent should wait, too.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.backlog.bytes.load(Ordering::Relaxed) >= BACKLOG_LIMIT
    }

    /// Resolves when little enough waits for the client.
    pub async fn room(&self) {
        loop {
            let mut written = pin!(self.backlog.written.notified());
            // Waiting begins before the look, so that no write falls in between.
            written.as_mut().enable();
            if !self.is_full() {
                return;
            }
            written.await;
        }
    }

    fn frames(&self, bytes: Bytes) -> Outgoing {
        self.backlog.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        Outgoing::Frames(Frames {
            bytes,
            backlog: Arc::clone(&self.backlog),
        })
    }

    /// Sends one message in a frame of its own, behind everything that was sent before.
    pub fn send<T: Serialize>(&self, message: &T) {
        match serde_json::to_vec(message) {
            Ok(body) => {
                // A closed queue means that the client is gone, which ends the server elsewhere.
                let _ = self.queue.send(self.frames(framed(&body)));
            }
            Err(error) => tracing::error!(%error, "a message could not be encoded"),
        }
    }

    /// Waits until everything sent so far was written, or the writer has ended.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.queue.send(Outgoing::Flush(done)).is_ok() {
            let _ = written.await;
        }
    }
}

impl AsyncWrite for Wire {
    // The framework hands over its whole buffer at a time, and that holds only whole frames.
    // So frames of `send` never land inside another frame.
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let frames = self.frames(Bytes::copy_from_slice(bytes));
        Poll::Ready(match self.queue.send(frames) {
            Ok(()) => Ok(bytes.len()),
            Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        })
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Writes what the wire queues until the wire is dropped.
///
/// # Errors
///
/// The first error of `output`, usually that the client is gone.
pub async fn write_to(
    mut output: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
) -> io::Result<()> {
    while let Some(outgoing) = queue.recv().await {
        match outgoing {
            Outgoing::Frames(bytes) => {
                output.write_all(&bytes).await?;
                output.flush().await?;
            }
            Outgoing::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
    Ok(())
}

/// Reads frames, checks them, and hands only decodable ones on.
///
/// An undecodable frame is answered on the wire: -32700 when it is no JSON, -32600 when it is no message.
/// A batch is taken apart; each message in it is answered by itself.
#[derive(Debug)]
pub struct Reframed<R> {
    input: R,
    wire: Wire,
    buffer: BytesMut,
    /// Bytes of a refused frame that are still to come.
    skip: usize,
    ready: BytesMut,
    stop: mpsc::UnboundedSender<Stop>,
}

impl<R> Reframed<R> {
    /// Guards `input`; what is wrong with it is answered on `wire`, and its end is told to `stop`.
    pub fn new(input: R, wire: Wire, stop: mpsc::UnboundedSender<Stop>) -> Self {
        Self {
            input,
            wire,
            buffer: BytesMut::new(),
            skip: 0,
            ready: BytesMut::new(),
            stop,
        }
    }

    /// Moves everything decodable from the buffer to `ready`.
    fn take_frames(&mut self) {
        loop {
            let skipped = self.skip.min(self.buffer.len());
            self.buffer.advance(skipped);
            self.skip -= skipped;
            if self.skip > 0 {
                return;
            }
            match self.take_frame() {
                Some(body) => self.judge(&body),
                None if self.skip > 0 => {}
                None => return,
            }
        }
    }

    /// Cuts one frame's body from the buffer; none when it is not complete.
    fn take_frame(&mut self) -> Option<Bytes> {
        loop {
            let Some(headers) = find(&self.buffer, b"\r\n\r\n") else {
                if self.buffer.len() > HEADER_LIMIT {
                    let keep = self.buffer.len().saturating_sub(CONTENT_LENGTH.len());
                    self.reject_header(keep);
                }
                return None;
            };
            let block = self.buffer.get(..headers).unwrap_or_default();
            let Some(length) = content_length(block) else {
                let next = find_header(block).unwrap_or(headers + 4);
                self.reject_header(next);
                continue;
            };
            let body = headers + 4;
            if length > FRAME_LIMIT {
                self.buffer.advance(body);
                self.skip = length;
                self.refuse(
                    Id::Null,
                    ErrorCode::InvalidRequest,
                    format!("a frame of {length} bytes is too large: send at most {FRAME_LIMIT}"),
                );
                return None;
            }
            if self.buffer.len() < body + length {
                self.buffer.reserve(body + length - self.buffer.len());
                return None;
            }
            self.buffer.advance(body);
            return Some(self.buffer.split_to(length).freeze());
        }
    }

    fn reject_header(&mut self, discard: usize) {
        self.buffer.advance(discard);
        self.refuse(
            Id::Null,
            ErrorCode::ParseError,
            "a frame must begin with `Content-Length: <bytes>` and an empty line".into(),
        );
    }

    fn judge(&mut self, body: &[u8]) {
        match frame::judge(body) {
            Verdict::Message => self.forward(body),
            Verdict::Rewritten(body) => self.forward(&body),
            Verdict::Dropped(why) => tracing::warn!(why, "a message was dropped"),
            Verdict::Refused { id, code, message } => self.refuse(id, code, message),
            Verdict::Batch(messages) => {
                if messages.is_empty() {
                    self.refuse(
                        Id::Null,
                        ErrorCode::InvalidRequest,
                        "an empty batch asks for nothing: send one message in each frame".into(),
                    );
                }
                for message in messages {
                    // A batch inside a batch is no message; it is refused instead of followed.
                    match frame::judge(&message) {
                        Verdict::Batch(_) => self.refuse(
                            Id::Null,
                            ErrorCode::InvalidRequest,
                            "a batch cannot hold a batch: send one message in each frame".into(),
                        ),
                        _ => self.judge(&message),
                    }
                }
            }
        }
    }

    fn forward(&mut self, body: &[u8]) {
        self.ready.extend_from_slice(header(body).as_bytes());
        self.ready.extend_from_slice(body);
    }

    fn refuse(&self, id: Id, code: ErrorCode, message: String) {
        tracing::warn!(%message, "a frame was refused");
        self.wire.send(&Response::from_error(
            id,
            Error {
                code,
                message: message.into(),
                data: None,
            },
        ));
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Reframed<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        target: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.ready.is_empty() {
            // Neither buffer keeps the memory of the largest frame so far.
            this.ready = BytesMut::new();
            if this.buffer.is_empty() {
                this.buffer = BytesMut::new();
            }
            this.buffer.reserve(CHUNK);
            let mut chunk = bytes::BufMut::limit(&mut this.buffer, CHUNK);
            let read = pin!(tokio::io::AsyncReadExt::read_buf(
                &mut this.input,
                &mut chunk
            ));
            let read = ready!(read.poll(context));
            if !matches!(read, Ok(1..)) {
                // The receiver lives as long as the server does.
                let _ = this.stop.send(Stop::InputEnded);
                return Poll::Ready(Ok(()));
            }
            this.take_frames();
        }
        let handed = this.ready.len().min(target.remaining());
        target.put_slice(&this.ready.split_to(handed));
        Poll::Ready(Ok(()))
    }
}

fn framed(body: &[u8]) -> Bytes {
    let mut frame = header(body).into_bytes();
    frame.reserve_exact(body.len());
    frame.extend_from_slice(body);
    frame.into()
}

fn header(body: &[u8]) -> String {
    format!("Content-Length: {}\r\n\r\n", body.len())
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
#[path = "transport_tests.rs"]
mod tests;
