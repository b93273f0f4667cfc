//! The `jp-lsp` binary.
//!
//! ```text
//! jp-lsp          # speaks the language server protocol on standard input and output
//! ```

use std::{io, panic, process::ExitCode};

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

/// A language server for the config of the LLM assistant `jp`.
#[derive(Debug, Parser)]
#[command(name = "jp-lsp", version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speaks the language server protocol on standard input and output; the default.
    Lsp {
        /// Accepted because editors pass it; standard input and output are the only way to talk.
        #[arg(long, hide = true)]
        stdio: bool,
    },
}

fn main() -> ExitCode {
    trace_to_stderr();
    match Arguments::parse().command {
        None | Some(Command::Lsp { .. }) => match jp_lsp::server::run(()) {
            Ok(code) => code,
            Err(error) => {
                tracing::error!(%error, "the server cannot start");
                ExitCode::from(1)
            }
        },
    }
}

/// Standard output belongs to the protocol, so everything else goes to standard error.
fn trace_to_stderr() {
    let filter = EnvFilter::try_from_env("JP_LSP_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(false)
        .init();
    panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
}
