//! Standard input and output: waited for by the runtime where the system can do that, and on two threads of their own where it cannot.
//!
//! ```text
//! a pipe, a socket                 -> the runtime's own thread
//! a file, a terminal, no `/proc`   -> the threads `stdin` and `stdout`
//! ```
//!
//! Waking one more thread for each frame takes longer than answering most requests.
//! The runtime's blocking threads will not do for reading: they run the analysis, and were they all busy, no `$/cancelRequest` would ever
//! arrive.

use std::{
    fs::File,
    future::Future,
    io::{self, Read, Write},
    pin::Pin,
    task::{Context, Poll, ready},
    thread,
};

use bytes::{Buf, Bytes};
use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::{mpsc, oneshot},
};

use super::{frames::CHUNK, outgoing::Outgoing};
#[cfg(unix)]
use super::{outgoing::write_to, pollable};

/// Enough for two small reading and writing loops.
const STACK: usize = 128 * 1024;
/// How many chunks are read ahead.
const AHEAD: usize = 4;

/// What reads the client's frames.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// Writes until the wire is dropped or the client is gone, and says why it ended.
pub(crate) type Writer = Pin<Box<dyn Future<Output = io::Result<()>>>>;

/// Standard input. Call it inside the runtime.
///
/// # Errors
///
/// When a thread is needed and cannot be started.
pub(crate) fn stdin() -> io::Result<Input> {
    #[cfg(unix)]
    if let Some(input) = pollable::stdin() {
        return Ok(input);
    }
    Ok(Box::new(read_ahead()?))
}

/// Writes what `queue` brings to standard output. Call it inside the runtime.
///
/// # Errors
///
/// When a thread is needed and cannot be started.
pub(crate) fn stdout(queue: mpsc::UnboundedReceiver<Outgoing>) -> io::Result<Writer> {
    #[cfg(unix)]
    if let Some(output) = pollable::stdout() {
        return Ok(Box::pin(write_to(output, queue)));
    }
    let written = write_behind(queue)?;
    Ok(Box::pin(async { written.await.unwrap_or(Ok(())) }))
}

/// Standard input, read ahead by a thread.
#[derive(Debug)]
struct ReadAhead {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    rest: Bytes,
}

fn read_ahead() -> io::Result<ReadAhead> {
    let (sender, chunks) = mpsc::channel(AHEAD);
    thread::Builder::new()
        .name("stdin".into())
        .stack_size(STACK)
        .spawn(move || {
            let mut input = io::stdin().lock();
            let mut buffer = vec![0; CHUNK];
            loop {
                let chunk = match input.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(read) => Ok(Bytes::copy_from_slice(
                        buffer.get(..read).unwrap_or_default(),
                    )),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = chunk.is_err();
                if sender.blocking_send(chunk).is_err() || failed {
                    return;
                }
            }
        })?;
    Ok(ReadAhead {
        chunks,
        rest: Bytes::new(),
    })
}

impl AsyncRead for ReadAhead {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        target: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            match ready!(self.chunks.poll_recv(context)) {
                Some(chunk) => self.rest = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let handed = self.rest.len().min(target.remaining());
        target.put_slice(self.rest.get(..handed).unwrap_or_default());
        self.rest.advance(handed);
        Poll::Ready(Ok(()))
    }
}

/// The receiver learns why writing ended.
fn write_behind(
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
) -> io::Result<oneshot::Receiver<io::Result<()>>> {
    let output = unbuffered_stdout()?;
    let (ended, end) = oneshot::channel();
    thread::Builder::new()
        .name("stdout".into())
        .stack_size(STACK)
        .spawn(move || {
            let mut output = output;
            let mut write = || {
                while let Some(outgoing) = queue.blocking_recv() {
                    match outgoing {
                        Outgoing::Frames(bytes) => {
                            output.write_all(&bytes)?;
                        }
                        Outgoing::Flush(done) => {
                            let _ = done.send(());
                        }
                    }
                }
                Ok(())
            };
            let _ = ended.send(write());
        })?;
    Ok(end)
}

/// The standard library's handle breaks each frame at its last line end, which costs a second system call.
fn unbuffered_stdout() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(owned.into())
}
