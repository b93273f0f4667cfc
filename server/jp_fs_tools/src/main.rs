//! The `jp-fs-tools` binary.
//!
//! ```text
//! jp-fs-tools {{context}} {{tool}}     one call, its two parts as arguments
//! jp-fs-tools < invocation.json        one call, as one document
//! jp-fs-tools definitions [DIR]        the tool definitions, printed or written
//! ```

use std::{
    io::{self, BufRead as _, Read as _, Write as _},
    process::ExitCode,
};

use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};
use jp_fs_tools::{
    Error,
    definitions::{self, Written},
    failure, invocation, plugin, run,
};
use jp_tool::Outcome;

/// The bundled file-system tools.
///
/// A call prints one outcome as JSON and exits with 0, whatever the outcome is.
#[derive(Debug, Parser)]
#[command(name = "jp-fs-tools", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    /// The context of the call as JSON; without it, `{"tool": .., "context": ..}` is read from standard input.
    #[arg(requires = "tool")]
    context: Option<String>,

    /// The call itself as JSON.
    tool: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints the tool definitions, or writes those that are missing below DIR.
    Definitions {
        /// The directory, such as `.jp/mcp/tools`; existing files are left alone.
        directory: Option<Utf8PathBuf>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let text = match (arguments.command, arguments.context, arguments.tool) {
        (Some(Command::Definitions { directory: None }), ..) => definitions::document(),
        (
            Some(Command::Definitions {
                directory: Some(directory),
            }),
            ..,
        ) => match definitions::write(&directory) {
            Ok(written) => report(&written),
            Err(error) => {
                complain(&format!(
                    "cannot write definitions to `{directory}`: {error}"
                ));
                return ExitCode::FAILURE;
            }
        },
        (None, Some(context), Some(tool)) => call(invocation::from_parts(&context, &tool)),
        (None, ..) => match read() {
            Ok(text) => text,
            Err(error) => {
                complain(&format!("cannot read standard input: {error}"));
                return ExitCode::FAILURE;
            }
        },
    };
    // A host that closed the pipe has lost interest; there is nobody to tell.
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

/// The answer to what stands on standard input: a call, up to its end, or a line of `jp`, which keeps it open.
fn read() -> io::Result<String> {
    let mut input = io::stdin().lock();
    let mut document = Vec::new();
    input.read_until(b'\n', &mut document)?;
    if let Some(answer) = plugin::answer(&document) {
        return Ok(answer);
    }
    input.read_to_end(&mut document)?;
    Ok(call(invocation::from_document(&document)))
}

fn call(invocation: Result<jp_tool::Invocation, Error>) -> String {
    let outcome: Outcome = match invocation {
        Ok(invocation) => run(&invocation),
        Err(error) => failure(&error),
    };
    match serde_json::to_string(&outcome) {
        Ok(text) => text + "\n",
        Err(error) => format!("cannot print the outcome: {error}\n"),
    }
}

fn report(written: &[Written]) -> String {
    written
        .iter()
        .map(|written| match written {
            Written::Created(path) => format!("created {path}\n"),
            Written::Kept(path) => format!("kept {path}\n"),
        })
        .collect()
}

fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "error: {message}");
}
