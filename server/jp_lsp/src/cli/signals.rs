//! The signals that end or interrupt what runs turns.
//!
//! ```text
//! SIGINT             Ctrl-C: the turn of a query is interrupted, the agent of a client ends
//! SIGTERM, SIGHUP    it ends: the turns are cancelled, the terminal is left as it was
//! ```

use std::io;

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Signal {
    /// Somebody wants to have a say.
    Interrupt,
    /// The process has to end, with this exit code.
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "a system without signals ends a process itself")
    )]
    End(u8),
}

/// The signals of the process, each of which is heard from the beginning on.
#[cfg(unix)]
#[derive(Debug)]
pub(in crate::cli) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Begins to listen. Must be called within a runtime.
    pub(in crate::cli) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next signal. Exit codes are 128 and the signal's number, as shells have it.
    pub(in crate::cli) async fn next(&mut self) -> Signal {
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
pub(in crate::cli) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Begins to listen.
    pub(in crate::cli) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// The next signal.
    pub(in crate::cli) async fn next(&mut self) -> Signal {
        // A system that cannot tell of Ctrl-C ends the process by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
