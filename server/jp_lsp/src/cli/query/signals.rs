//! The signals that end or interrupt a query.
//!
//! ```text
//! SIGINT             Ctrl-C: the turn is interrupted
//! SIGTERM, SIGHUP    the query ends: the turn is cancelled, the terminal is left as it was
//! ```

use std::io;

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Somebody wants to have a say.
    Interrupt,
    /// The query has to end, with this exit code.
    End(u8),
}

/// The signals of the process, each of which is heard from the beginning on.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Begins to listen. Must be called within a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next signal. Exit codes are 128 and the signal's number, as shells have it.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::End(128 + 15),
            _ = self.hang_up.recv() => Signal::End(128 + 1),
        }
    }
}

/// The signals of the process.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Begins to listen.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// The next signal.
    pub(super) async fn next(&mut self) -> Signal {
        // A system that cannot tell of Ctrl-C ends the process by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
