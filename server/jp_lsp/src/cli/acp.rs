//! `jp-lsp acp`: the agent for clients of the Agent Client Protocol.
//!
//! ```text
//! $ jp-lsp acp        # JSON-RPC on standard input and output, one message a line
//! ```

use std::io;

use agent_client_protocol::{Agent, ByteStreams, ConnectTo};
use tokio_util::{
    compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _},
    sync::CancellationToken,
};

use super::signals::{Signal, Signals};
use crate::acp::lines;

/// How much of what the client says may wait to be heeded, in bytes.
const BUFFER: usize = 64 << 10;

/// The exit code of what Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// Why the agent cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum AcpError {
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The client's side broke.
    #[error("the connection to the client failed: {0}")]
    Connection(#[from] agent_client_protocol::Error),
}

/// Serves one client until it is gone, and answers the exit code 0; or until a signal ends it, and answers 128 and its number.
///
/// # Errors
///
/// [`AcpError`].
pub fn run() -> Result<u8, AcpError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("acp")
        .enable_all()
        .build()?;
    let (passed, messages) = tokio::io::duplex(BUFFER);
    runtime.spawn(async move {
        if let Err(error) = lines::pass(tokio::io::stdin(), passed).await {
            tracing::warn!(%error, "the client cannot be heard any more");
        }
    });
    let transport = ByteStreams::new(tokio::io::stdout().compat_write(), messages.compat());
    let served = runtime.block_on(serve(transport));
    // A read of standard input may still be blocked.
    runtime.shutdown_background();
    served
}

async fn serve(transport: impl ConnectTo<Agent> + 'static) -> Result<u8, AcpError> {
    let mut signals = Signals::listen()?;
    let stop = CancellationToken::new();
    let mut served = Box::pin(crate::acp::serve(transport, stop.clone()));
    let code = tokio::select! {
        served = &mut served => return Ok(served.map(|()| 0)?),
        signal = signals.next() => match signal {
            Signal::Interrupt => INTERRUPTED,
            Signal::End(code) => code,
        },
    };
    // What runs is put on record first.
    stop.cancel();
    served.await?;
    Ok(code)
}
