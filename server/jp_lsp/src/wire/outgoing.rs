//! The way out: frames that wait for the client to read them.
//!
//! ```text
//! Content-Length: 38
//!
//! {"jsonrpc":"2.0","result":null,"id":1}
//! ```
//!
//! [`Wire`] takes every message at once, so that a client which does not read never stalls the server, and says
//! when so much waits that what is not urgent should wait, too.

use std::{
    io,
    ops::Deref,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use serde::Serialize;
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{Notify, mpsc, oneshot},
};

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

/// The sending half of the wire, which takes every message at once. Cheap to clone.
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

/// The frame of a message's body.
pub(super) fn framed(body: &[u8]) -> Bytes {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.reserve_exact(body.len());
    frame.extend_from_slice(body);
    frame.into()
}

#[cfg(test)]
#[path = "outgoing_tests.rs"]
mod tests;
