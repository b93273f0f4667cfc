//! `jp-lsp completions`: what a shell needs to complete our commands and options.
//!
//! ```text
//! $ jp-lsp completions bash > ~/.local/share/bash-completion/completions/jp-lsp
//! ```

use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::Shell;

/// For which shell.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the script of a shell for `command`; answers the exit code 0.
///
/// # Errors
///
/// The output cannot be written.
pub fn run(
    arguments: &CompletionsArguments,
    mut command: Command,
    output: &mut dyn Write,
) -> io::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "jp-lsp", &mut script);
    output.write_all(&script)?;
    Ok(0)
}
