//! `jp-lsp init`: a first config.
//!
//! ```text
//! $ jp-lsp init
//! Wrote .jp/config.toml with the model anthropic/claude-sonnet-4-5.
//! ```

use std::io::{self, Write};

use camino::Utf8PathBuf;
use clap::Args;
use jp_config::paths::normalize;
use jp_conversation::visible;

use crate::{
    disk::{
        starter::{self, StarterError},
        workspace::{self, WorkspaceError},
    },
    runtime::status::is_set,
};

/// Where the config goes, and the model that it names.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// The folder that gets a `.jp`; by default the working directory.
    pub directory: Option<Utf8PathBuf>,
    /// The model, as `provider/name`; by default one whose key is in the environment.
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
}

/// Why no config was written.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The working directory cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The config cannot be written.
    #[error(transparent)]
    Starter(#[from] StarterError),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a first config and says what comes next; nothing is asked.
///
/// Answers the exit code: 0, or 1 where there is a config already.
///
/// # Errors
///
/// [`InitError`]; nothing was written then.
pub fn run(arguments: &InitArguments, output: &mut dyn Write) -> Result<u8, InitError> {
    let here = workspace::working_directory()?;
    let folder = match &arguments.directory {
        Some(directory) => normalize(&here.join(directory)),
        None => here.clone(),
    };
    let model = starter::model(arguments.model.as_deref(), is_set)?;
    let shown = |path: &Utf8PathBuf| {
        let path = path.strip_prefix(&here).unwrap_or(path);
        visible(path.as_str()).into_owned()
    };
    let path = match starter::create(&folder, &model) {
        Ok(path) => path,
        Err(StarterError::Exists(path)) => {
            writeln!(
                output,
                "`{}` is there already and stays as it is.",
                shown(&path)
            )?;
            return Ok(1);
        }
        Err(error) => return Err(error.into()),
    };
    writeln!(output, "Wrote {} with the model {model}.", shown(&path))?;
    writeln!(
        output,
        "`jp-lsp doctor` says whether the model can run; `jp-lsp query TEXT` asks it."
    )?;
    Ok(0)
}
