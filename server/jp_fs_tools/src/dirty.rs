//! Whether git knows of uncommitted work under a path.
//!
//! ```text
//! $ git status --porcelain -- src/lib.rs
//!  M src/lib.rs
//! ```
//!
//! Work that was never committed cannot be brought back, so the tools ask before they change or remove it.
//! A workspace without a `.git` above it has no such notion, and nothing is asked.
//!
//! The repository's own config is data from a place that tools may write to, and `git status` would run programs that
//! it names.
//! So the file system monitor, hooks and filters are switched off, nothing is fetched, a directory that merely looks
//! like a repository is no repository, and git sees no environment but a search path and a home.

use std::{
    ffi::{OsStr, OsString},
    process::{Command, Stdio},
};

use camino::Utf8Path;

use crate::access::Target;

/// What git says about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorkState {
    /// Everything is committed or ignored, or there is no repository.
    Clean,
    /// This many entries are modified or untracked.
    Uncommitted(usize),
    /// There is a repository, but git could not be asked.
    Unknown(String),
}

/// Asks git about a file or directory.
pub(crate) fn work_state(target: &Target) -> WorkState {
    let workspace = Some(target.top()).filter(|_| !target.is_mount());
    work_state_at(target.absolute(), workspace)
}

/// Asks git about the file or directory at `path`, which is absolute and resolved.
fn work_state_at(path: &Utf8Path, workspace: Option<&Utf8Path>) -> WorkState {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return WorkState::Clean;
    };
    let is_repository = directory
        .ancestors()
        .any(|directory| directory.join(".git").symlink_metadata().is_ok());
    if !is_repository {
        return WorkState::Clean;
    }
    let git = || git(directory, workspace);
    let overrides = match filter_overrides(git()) {
        Ok(overrides) => overrides,
        Err(problem) => return WorkState::Unknown(problem),
    };
    let output = git()
        .args(overrides.iter().flat_map(|setting| ["-c", setting]))
        .args([
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
            "--",
        ])
        .arg(name)
        .output();
    match output {
        Ok(output) if output.status.success() => match parts(&output.stdout).count() {
            0 => WorkState::Clean,
            entries => WorkState::Uncommitted(entries),
        },
        Ok(output) => WorkState::Unknown(complaint(&output.stderr)),
        Err(error) => WorkState::Unknown(error.to_string()),
    }
}

/// git at work in `directory`, with nothing that the repository could name to be run.
fn git(directory: &Utf8Path, workspace: Option<&Utf8Path>) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(["-c", "safe.bareRepository=explicit"])
        .current_dir(directory)
        .env_clear()
        .env("PATH", search_path(workspace))
        .envs(std::env::var_os("HOME").map(|home| ("HOME", home)))
        // A missing object would be fetched with whatever the remote names; no protocol at all is allowed.
        .env("GIT_ALLOW_PROTOCOL", "")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// Settings that take the programs away from every filter that the config names.
///
/// git would run them to compare a file, and offers no switch for all of them.
fn filter_overrides(mut git: Command) -> Result<Vec<String>, String> {
    let output = git
        .args(["config", "--includes", "--name-only", "-z"])
        .args(["--get-regexp", r"^filter\."])
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0) => {}
        Some(1) if output.stderr.is_empty() => return Ok(Vec::new()),
        _ => return Err(complaint(&output.stderr)),
    }
    parts(&output.stdout)
        .map(|key| match std::str::from_utf8(key) {
            Ok(key) if !key.contains('=') => {
                let value = if key.ends_with(".required") {
                    "false"
                } else {
                    ""
                };
                Ok(format!("{key}={value}"))
            }
            _ => Err("a filter in its config cannot be switched off".to_owned()),
        })
        .collect()
}

/// The parts of an output that NUL bytes end.
fn parts(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
}

fn complaint(stderr: &[u8]) -> String {
    let message = String::from_utf8_lossy(stderr);
    message.lines().next().unwrap_or("git failed").to_owned()
}

/// The directories that programs are searched in, without those that depend on the current directory and those that
/// lie in the workspace: a `git` in there is not git.
fn search_path(workspace: Option<&Utf8Path>) -> OsString {
    outside(&std::env::var_os("PATH").unwrap_or_default(), workspace)
}

fn outside(path: &OsStr, workspace: Option<&Utf8Path>) -> OsString {
    let directories = std::env::split_paths(path).filter(|directory| {
        let resolved = directory.canonicalize();
        directory.is_absolute()
            && resolved.is_ok_and(|resolved| {
                workspace.is_none_or(|workspace| !resolved.starts_with(workspace))
            })
    });
    std::env::join_paths(directories).unwrap_or_default()
}

/// The clause of a question that says why it is asked, or `None` if there is nothing to ask.
///
/// `subject` is a noun phrase such as `File 'a.txt'`.
pub(crate) fn concern(subject: &str, state: &WorkState, is_directory: bool) -> Option<String> {
    match state {
        WorkState::Clean => None,
        WorkState::Uncommitted(1) if is_directory => {
            Some(format!("{subject} has 1 uncommitted entry."))
        }
        WorkState::Uncommitted(entries) if is_directory => {
            Some(format!("{subject} has {entries} uncommitted entries."))
        }
        WorkState::Uncommitted(_) => Some(format!("{subject} has uncommitted changes.")),
        WorkState::Unknown(problem) => Some(format!(
            "{subject} may have uncommitted changes, git cannot tell ({}).",
            crate::text::visible_line(problem)
        )),
    }
}

#[cfg(test)]
#[path = "dirty_tests.rs"]
mod tests;
