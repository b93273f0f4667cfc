//! Standard input and output on two threads of their own.
//!
//! The runtime's blocking threads run the analysis.
//! Were they all busy, reading on them would keep `$/cancelRequest` from ever arriving.

use std::{
    fs::File,
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

use super::{CHUNK, Outgoing};

/// Enough for two small reading and writing loops.
const STACK: usize = 128 * 1024;
/// How many chunks are read ahead.
const AHEAD: usize = 4;

/// Standard input, read ahead by a thread.
#[derive(Debug)]
pub struct Stdin {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    rest: Bytes,
}

/// Starts to read standard input.
///
/// # Errors
///
/// When the thread cannot be started.
pub fn read_stdin() -> io::Result<Stdin> {
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
    Ok(Stdin {
        chunks,
        rest: Bytes::new(),
    })
}

impl AsyncRead for Stdin {
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

/// Starts to write what `queue` brings to standard output; the receiver learns why writing ended.
///
/// # Errors
///
/// When the thread cannot be started.
pub fn write_stdout(
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
