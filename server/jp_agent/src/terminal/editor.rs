//! The editor of the person at the terminal, found as `jp` finds it.
//!
//! ```toml
//! [editor]
//! cmd = "code --wait"                        # or { program = "code", args = ["--wait"], shell = false }
//! envs = ["JP_EDITOR", "VISUAL", "EDITOR"]   # used where there is no `cmd`, tried in order
//! ```

use std::fs::{self, File, FileTimes};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::SystemTime;

use serde_json::Value;

use crate::config::{CommandConfig, reader::Reader, tool::read_command};
use crate::error::AgentError;

/// The variables that name an editor where the config names none.
const VARIABLES: [&str; 3] = ["JP_EDITOR", "VISUAL", "EDITOR"];

/// What is started where nobody names an editor.
const FALLBACK: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// Why nothing was edited. Whatever waits for the text is not approved by it.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// The config of the editor is none.
    #[error(transparent)]
    Config(#[from] AgentError),
    /// None of the editors that are named can be started.
    #[error("no editor can be started ({}), set `editor.cmd` or `$EDITOR` to a program and its arguments", .0.join("; "))]
    NotStarted(Vec<String>),
    /// The editor gave up, or was killed.
    #[error("the editor `{program}` ended with {status}: nothing is taken from it")]
    Status {
        /// The program.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// The file to edit cannot be written, or not be read afterwards.
    #[error("the file to edit cannot be used: {0}")]
    File(#[from] io::Error),
}

/// Which editor a person wants.
#[derive(Debug, Clone, Default)]
pub struct PreferredEditor {
    /// The table `editor` of the config.
    config: Option<Value>,
}

impl PreferredEditor {
    /// The editor of a config, as it is after merging.
    #[must_use]
    pub fn of(config: &Value) -> Self {
        Self {
            config: config.get("editor").cloned(),
        }
    }

    /// Lets a person edit a text in a file with this extension; none when nothing was saved.
    ///
    /// # Errors
    ///
    /// [`EditorError`]; what the file holds then counts for nothing.
    pub(super) fn edit(&self, text: &str, extension: &str) -> Result<Option<String>, EditorError> {
        let mut file = tempfile::Builder::new()
            .prefix("jp-")
            .suffix(extension)
            .tempfile()?;
        file.write_all(text.as_bytes())?;
        // A time long ago, so that any save shows.
        let times = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH);
        file.as_file().set_times(times)?;
        // Closed, since an editor may put another file in its place.
        let path = file.into_temp_path();
        let (program, status) = self.run(&path)?;
        if !status.success() {
            return Err(EditorError::Status { program, status });
        }
        let saved = File::open(&path)?.metadata()?.modified()?;
        if saved == SystemTime::UNIX_EPOCH {
            return Ok(None);
        }
        Ok(Some(fs::read_to_string(&path)?))
    }

    /// Runs the first editor that can be started, to its end.
    fn run(&self, path: &Path) -> Result<(String, ExitStatus), EditorError> {
        let mut refused = Vec::new();
        for (name, command) in self.commands(&mut refused)? {
            let mut started = prepare(&command, path);
            match started.spawn() {
                Ok(mut child) => return Ok((command.program, child.wait()?)),
                Err(error) => refused.push(format!("{name}: `{}`: {error}", command.program)),
            }
        }
        Err(EditorError::NotStarted(refused))
    }

    /// The editors to try, with who names them: `editor.cmd` alone, or else the variables.
    fn commands(
        &self,
        refused: &mut Vec<String>,
    ) -> Result<Vec<(String, CommandConfig)>, EditorError> {
        let config = Reader::at(self.config.as_ref(), "editor");
        if let Some(command) = read_command(&config.get("cmd"))? {
            return Ok(vec![("editor.cmd".to_owned(), command)]);
        }
        let mut names = config.get("envs").strings()?;
        if names.is_empty() {
            names = VARIABLES.map(str::to_owned).to_vec();
        }
        let mut commands = Vec::new();
        for name in names {
            let Some(value) = std::env::var(&name).ok().filter(|it| !it.trim().is_empty()) else {
                continue;
            };
            match words(&value) {
                Some(command) => commands.push((format!("${name}"), command)),
                None => refused.push(format!("${name}: the quotes of `{value}` do not match")),
            }
        }
        if commands.is_empty() && refused.is_empty() {
            let program = FALLBACK.to_owned();
            let (args, shell) = (Vec::new(), false);
            let command = CommandConfig {
                program,
                args,
                shell,
            };
            commands.push(("no variable is set".to_owned(), command));
        }
        Ok(commands)
    }
}

/// A program and its arguments, as a shell would split them.
fn words(text: &str) -> Option<CommandConfig> {
    let mut words = shlex::split(text)?.into_iter();
    Some(CommandConfig {
        program: words.next()?,
        args: words.collect(),
        shell: false,
    })
}

fn prepare(command: &CommandConfig, path: &Path) -> Command {
    let mut prepared = if command.shell {
        let mut line = command.program.clone();
        for arg in &command.args {
            line.push(' ');
            // A text with a NUL character cannot be quoted, and no program takes one.
            line.push_str(&shlex::try_quote(arg).unwrap_or_default());
        }
        if !line.contains("$@") && !line.contains("$*") {
            line.push_str(" \"$@\"");
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &line, "jp-editor"]);
        shell
    } else {
        let mut program = Command::new(&command.program);
        program.args(&command.args);
        program
    };
    prepared.arg(path);
    #[cfg(unix)]
    if !io::IsTerminal::is_terminal(&io::stdout())
        && let Ok(terminal) = std::os::fd::AsFd::as_fd(&io::stderr()).try_clone_to_owned()
    {
        // Standard output has the answer; the editor draws where the prompts are.
        prepared.stdout(std::process::Stdio::from(terminal));
    }
    prepared
}

#[cfg(test)]
#[path = "editor_tests.rs"]
mod tests;
