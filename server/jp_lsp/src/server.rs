//! The language server from its first byte to its exit code.
//!
//! ```text
//! stdin -> Front -> event loop -> Outbox -> Wire -> stdout
//! ```

use std::{
    future::Future,
    io,
    pin::pin,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use bytes::Bytes;
use lsp_types::MessageType;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::mpsc,
};
use tokio_util::task::TaskTracker;

use crate::{
    disk::pages,
    published::public_page,
    session::{
        engine::Engine,
        event::EventSender,
        event_loop::{self, Ports},
    },
    wire::{self, FrontPorts, Wire},
};

/// How long replies that are under way may take once the client is leaving.
const FAREWELL: Duration = Duration::from_secs(2);
/// Threads for analysis and requests; they are started on demand and end when idle.
const BLOCKING_THREADS: usize = 16;

/// How the server ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exit {
    /// After `shutdown`.
    Orderly,
    /// Without `shutdown`: `exit` came alone, the input ended, or the client is gone.
    Abrupt,
    /// By a fault of its own that left the state torn.
    Broken,
}

impl Exit {
    /// The exit code: 0, 1 or 101.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Orderly => 0,
            Self::Abrupt => 1,
            Self::Broken => 101,
        }
    }
}

/// Serves standard input and output until the client leaves; `taken` is what was read of the input already.
///
/// # Errors
///
/// When the system refuses a thread or the event facilities of the runtime.
pub fn run<E: Engine>(engine: E, taken: Bytes) -> io::Result<ExitCode> {
    if public_page("").is_none() {
        // Nobody waits for them before a link is clicked.
        let written = || {
            if let Err(error) = pages::write() {
                tracing::warn!(%error, "the pages of the diagnostics cannot be written");
            }
        };
        thread::Builder::new().name("pages".into()).spawn(written)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()?;
    let exit = runtime.block_on(async {
        let input = io::Cursor::new(taken).chain(wire::stdin()?);
        let (wire, queue) = Wire::new();
        let writer = wire::stdout(queue)?;
        Ok::<_, io::Error>(serve(engine, input, wire, writer).await)
    })?;
    // Background threads may still compute what nobody wants any more.
    runtime.shutdown_background();
    Ok(ExitCode::from(exit.code()))
}

/// Serves one client on any pair of streams: `input`, and the queue of `wire`, which `writer` drains.
pub async fn serve<E: Engine>(
    engine: E,
    input: impl AsyncRead + Unpin + Send + 'static,
    wire: Wire,
    writer: impl Future<Output = io::Result<()>>,
) -> Exit {
    let engine = Arc::new(engine);
    let (events, queue) = EventSender::new();
    let (stop, mut stopped) = mpsc::unbounded_channel();
    let shut_down = Arc::new(AtomicBool::new(false));
    let tracker = TaskTracker::new();
    let ports = FrontPorts {
        events: events.clone(),
        wire: wire.clone(),
        stop: stop.clone(),
        shut_down: Arc::clone(&shut_down),
        tracker: tracker.clone(),
    };
    let (outbox, front) = wire::open(Arc::clone(&engine), ports);
    let mut listener = tokio::spawn(front.listen(input));
    let mut owner = tokio::spawn(event_loop::run(
        Arc::clone(&engine),
        queue,
        Ports {
            events,
            outbox: outbox.clone(),
            stop,
        },
    ));

    let mut writer = pin!(writer);
    let (broken, farewell) = tokio::select! {
        _ = stopped.recv() => (false, true),
        _ = &mut writer => (false, false),
        ended = &mut owner => (ended.is_err(), true),
        ended = &mut listener => (ended.is_err(), true),
    };
    // What was being done for the client is put on record, whether or not it can still be told.
    let _ = tokio::time::timeout(FAREWELL, engine.leave()).await;
    if farewell {
        let last_words = async {
            if broken {
                outbox.show(
                    MessageType::ERROR,
                    "the jp language server failed and ends; the editor may start it again",
                );
                outbox.flush().await;
            }
            tracker.close();
            tracker.wait().await;
            wire.flush().await;
        };
        tokio::select! {
            () = last_words => {}
            _ = &mut writer => {}
            () = tokio::time::sleep(FAREWELL) => {}
        }
    }
    listener.abort();
    owner.abort();
    match (broken, shut_down.load(Ordering::Relaxed)) {
        (true, _) => Exit::Broken,
        (false, true) => Exit::Orderly,
        (false, false) => Exit::Abrupt,
    }
}
