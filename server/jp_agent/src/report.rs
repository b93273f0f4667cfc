//! What a process of ours that becomes a tool tells the runtime, a line at a time.
//!
//! ```text
//! started 4711
//! ended 0
//! ```

use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::process::Child;

/// The runtime's end of the pipe.
#[derive(Debug)]
pub(crate) struct Report(BufReader<pipe::Receiver>);

impl Report {
    pub(crate) fn new(end: PipeReader) -> io::Result<Self> {
        let receiver = pipe::Receiver::from_owned_fd(OwnedFd::from(end))?;
        Ok(Self(BufReader::new(receiver)))
    }

    /// The next line; empty where nothing more comes.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        let _ = self.0.read_line(&mut line).await;
        line.trim_end().to_owned()
    }

    /// The first line of a process, which may end without one.
    ///
    /// Its ends of the pipes, which stay open here until it has opened them, are closed.
    pub(crate) async fn first_line<E>(
        &mut self,
        process: &mut Child,
        theirs: &mut Option<E>,
    ) -> String {
        // Waiting for a child closes its standard input.
        let input = process.stdin.take();
        let told = tokio::select! {
            biased;
            told = self.line() => Some(told),
            _ = process.wait() => None,
        };
        process.stdin = input;
        *theirs = None;
        match told {
            Some(told) => told,
            // It may have told and gone in the same moment.
            None => self.line().await,
        }
    }
}
