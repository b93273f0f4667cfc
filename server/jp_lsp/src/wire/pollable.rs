//! Standard input and output as the runtime waits for them, without a thread.
//!
//! ```text
//! VS Code, Neovim   socket pairs: this process alone holds its ends, so they may be set to never block
//! scripts, Emacs    pipes: opened anew through `/proc`, since whether one blocks is shared with whoever else holds it
//! ```

use std::{
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net,
    },
};

use rustix::fs::FileType;
use tokio::{
    io::AsyncWrite,
    net::{UnixStream, unix::pipe},
};

use super::stdio::Input;

/// Standard input; none when it is neither a socket nor a pipe that can be opened anew.
pub(super) fn stdin() -> Option<Input> {
    if let Some(socket) = socket(io::stdin()) {
        return Some(Box::new(socket));
    }
    let pipe = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0");
    Some(Box::new(pipe.ok()?))
}

/// Standard output; none when it is neither a socket nor a pipe that can be opened anew.
pub(super) fn stdout() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
    if let Some(socket) = socket(io::stdout()) {
        return Some(Box::new(socket));
    }
    let pipe = pipe::OpenOptions::new().open_sender("/proc/self/fd/1");
    Some(Box::new(pipe.ok()?))
}

fn socket(stream: impl AsFd) -> Option<UnixStream> {
    let stat = rustix::fs::fstat(&stream).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Socket {
        return None;
    }
    let owned: OwnedFd = stream.as_fd().try_clone_to_owned().ok()?;
    let socket = net::UnixStream::from(owned);
    socket.set_nonblocking(true).ok()?;
    UnixStream::from_std(socket).ok()
}
