//! The `jp-lsp` binary.
//!
//! ```text
//! jp-lsp          # speaks the language server protocol on standard input and output
//! ```

use std::{io, panic, process::ExitCode};

use clap::{Parser, Subcommand};
use jp_lsp::commands::{
    conversation::{self, ConversationArguments},
    demo,
    query::{self, QueryArguments},
};
use jp_lsp::{
    commands::{
        check::{self, CheckArguments},
        explain::{self, ExplainArguments},
        schema::{self, SchemaArguments},
    },
    config_engine::ConfigEngine,
};
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
    /// Checks workspaces, folders or files, and prints what is wrong.
    Check(CheckArguments),
    /// Runs one turn of the agent in the terminal.
    Query(QueryArguments),
    /// Looks into the conversations of a workspace.
    Conversation(ConversationArguments),
    /// Shows the whole thing on a built-in workspace with a scripted model.
    Demo,
    /// Tells what the config decides about calls, accesses or values, and why.
    Explain(ExplainArguments),
    /// Prints a JSON Schema.
    Schema(SchemaArguments),
}

fn main() -> ExitCode {
    trace_to_stderr();
    match Arguments::parse().command {
        None | Some(Command::Lsp { .. }) => match jp_lsp::server::run(ConfigEngine::default()) {
            Ok(code) => code,
            Err(error) => {
                tracing::error!(%error, "the server cannot start");
                ExitCode::from(1)
            }
        },
        Some(Command::Query(arguments)) => {
            let mut output = io::BufWriter::new(io::stdout().lock());
            let done = query::run(&arguments, &mut output);
            finish(done.map_err(|error| error.to_string()), &mut output)
        }
        Some(Command::Conversation(arguments)) => {
            let mut output = io::BufWriter::new(io::stdout().lock());
            let done = conversation::run(&arguments, &mut output);
            finish(done.map_err(|error| error.to_string()), &mut output)
        }
        Some(Command::Demo) => {
            let mut output = io::stdout();
            let done = demo::run(&mut output);
            finish(done.map_err(|error| error.to_string()), &mut output)
        }
        Some(Command::Check(arguments)) => {
            let mut output = io::BufWriter::new(io::stdout().lock());
            let checked = check::run(&arguments, &mut output);
            finish(checked.map_err(|error| error.to_string()), &mut output)
        }
        Some(Command::Explain(arguments)) => {
            let mut output = io::BufWriter::new(io::stdout().lock());
            let explained = explain::run(&arguments, io::stdin().lock(), &mut output);
            finish(explained.map_err(|error| error.to_string()), &mut output)
        }
        Some(Command::Schema(arguments)) => {
            let mut output = io::BufWriter::new(io::stdout().lock());
            let printed = schema::run(&arguments, &mut output);
            finish(printed.map_err(|error| error.to_string()), &mut output)
        }
    }
}

/// The exit code of a command: its own, or 2 with a word on standard error.
fn finish(result: Result<u8, String>, output: &mut impl io::Write) -> ExitCode {
    let flushed = output.flush();
    match (result, flushed) {
        (Ok(code), Ok(())) => ExitCode::from(code),
        (Ok(_), Err(error)) => fail(&error.to_string()),
        (Err(message), _) => fail(&message),
    }
}

#[expect(clippy::print_stderr, reason = "this is what standard error is for")]
fn fail(message: &str) -> ExitCode {
    eprintln!("jp-lsp: {message}");
    ExitCode::from(2)
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
