//! `jp-lsp man`: a manual page for each command.
//!
//! ```text
//! $ jp-lsp man ~/.local/share/man/man1 && man jp-lsp-check
//! ```

use std::{
    fs,
    io::{self, Write},
};

use camino::Utf8PathBuf;
use clap::{Args, Command};

/// Where the pages go.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The folder; it is made where it is missing.
    pub directory: Utf8PathBuf,
}

/// Why the pages were not written.
#[derive(Debug, thiserror::Error)]
#[error("`{directory}` cannot be written: {source}")]
pub struct ManError {
    directory: Utf8PathBuf,
    source: io::Error,
}

/// Writes the manual pages of `command` and of all commands below it; answers the exit code 0.
///
/// # Errors
///
/// [`ManError`].
pub fn run(
    arguments: &ManArguments,
    command: Command,
    output: &mut dyn Write,
) -> Result<u8, ManError> {
    let directory = &arguments.directory;
    fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command, directory))
        .and_then(|()| writeln!(output, "Wrote the manual pages to {directory}."))
        .map_err(|source| ManError {
            directory: directory.clone(),
            source,
        })?;
    Ok(0)
}
