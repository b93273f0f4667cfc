//! `jp-lsp diff`: what a change of config tightens or loosens.
//!
//! ```text
//! $ jp-lsp diff main..HEAD --format markdown
//! ```
//!
//! Both sides are loaded as a turn loads them, from a commit, a folder or the working tree, and their decisions compared.
//! Nothing is checked out, and nothing is run.

mod folders;
mod print;

use std::{io::Write, panic::resume_unwind, sync::Arc, thread};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use jp_analysis::comparison::ChangeVerdict;
use jp_config::{graph::Graph, paths::normalize};

use self::folders::Side;
use crate::{
    disk::{
        git_files::{CommitError, CommitFiles, repository_of},
        moved_files::MovedFiles,
        workspace::{self, WorkspaceError},
    },
    runtime::comparison::{Compared, bounded, on_disk, roots},
};

/// The exit code where the condition of `--fail-on` is met.
const FAILED: u8 = 3;

/// What to compare, and how to say what was found.
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// What to compare: `BASE` with the working tree, or `BASE..HEAD`, two commits. By default the last commit with the working tree.
    pub range: Option<String>,
    /// The workspace before the change, as a folder instead of a commit.
    #[arg(long, value_name = "DIR", conflicts_with = "range")]
    pub base_dir: Option<Utf8PathBuf>,
    /// How the comparison is printed.
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
    /// When to exit with 3: where something is or may be loosened, where anything changed, or never.
    #[arg(long, value_enum, default_value_t = FailOn::Loosened)]
    pub fail_on: FailOn,
}

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// Plain words.
    Human,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// GitHub workflow commands, which show up on a pull request.
    Github,
    /// A table, for a comment on a pull request.
    Markdown,
}

/// When a comparison fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Something is loosened, or it cannot be ruled out.
    Loosened,
    /// Anything is decided otherwise.
    Changed,
    /// Never.
    Never,
}

/// Why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// There is nowhere to start from.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A commit cannot be read.
    #[error("{0}")]
    Commit(String),
    /// A range with another number of dots.
    #[error("`{0}` is no range of commits: write `BASE` or `BASE..HEAD`")]
    Range(String),
    /// The folder of the state before is no workspace.
    #[error("`{0}` is no workspace: it has no `.jp` folder")]
    BaseDirectory(Utf8PathBuf),
    /// Neither side has a workspace.
    #[error("no workspace: neither side has a `.jp` folder in `{0}` or above it")]
    NoWorkspace(Utf8PathBuf),
    /// The output could not be written.
    #[error("the comparison cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

impl From<CommitError> for DiffError {
    fn from(error: CommitError) -> Self {
        Self::Commit(error.to_string())
    }
}

/// Compares and prints; answers the exit code.
///
/// # Errors
///
/// A side that cannot be read; nothing is printed then.
pub fn run(arguments: &DiffArguments, output: &mut dyn Write) -> Result<u8, DiffError> {
    run_in(&workspace::working_directory()?, arguments, output)
}

pub(crate) fn run_in(
    directory: &Utf8Path,
    arguments: &DiffArguments,
    output: &mut dyn Write,
) -> Result<u8, DiffError> {
    let directory = directory
        .canonicalize_utf8()
        .unwrap_or_else(|_| directory.to_owned());
    let compared = match &arguments.base_dir {
        Some(base) => with_folder(&directory, base)?,
        None => with_commit(&directory, arguments.range.as_deref())?,
    };
    print::print(arguments.format, &compared, output)?;
    let verdict = compared.comparison.verdict;
    let fails = match arguments.fail_on {
        FailOn::Loosened => verdict.may_loosen(),
        FailOn::Changed => verdict != ChangeVerdict::Equal,
        FailOn::Never => false,
    };
    Ok(if fails { FAILED } else { 0 })
}

/// Compares a folder with the working tree.
fn with_folder(directory: &Utf8Path, base: &Utf8Path) -> Result<Compared, DiffError> {
    let folder = normalize(&directory.join(base));
    let folder = folder.canonicalize_utf8().unwrap_or(folder);
    if !folder.join(".jp").is_dir() {
        return Err(DiffError::BaseDirectory(folder));
    }
    let root = workspace::root_of(directory)
        .ok_or_else(|| WorkspaceError::NoWorkspace(directory.to_owned()))?;
    let moved = || MovedFiles {
        inner: bounded(&folder),
        from: folder.clone(),
        to: root.clone(),
    };
    let before = Arc::new(Graph::load(&roots(&root, directory), &moved()));
    let after = Arc::new(on_disk(&root, directory, &root));
    let sides = (
        format!("the folder `{base}`"),
        "the working tree".to_owned(),
    );
    let mut compared = Compared::of(&before, &after, sides, Utf8PathBuf::new());
    let old = Side::new(&before, folders::on_disk(&moved(), &root), moved);
    let new = Side::new(&after, folders::on_disk(&bounded(&root), &root), || {
        bounded(&root)
    });
    folders::add(&mut compared, &root, &old, &new);
    Ok(compared)
}

/// Compares a commit with another one or with the working tree.
fn with_commit(directory: &Utf8Path, range: Option<&str>) -> Result<Compared, DiffError> {
    let (base, head) = ends(range)?;
    let (repository, top) = repository_of(directory)?;
    let is_bare = repository.workdir().is_none();
    if is_bare && head.is_none() {
        return Err(CommitError::Bare(top).into());
    }
    let before = CommitFiles::new(&repository, base, &top)?;
    let after = match head {
        Some(head) => Some(CommitFiles::new(&repository, head, &top)?),
        None => None,
    };
    let start = if is_bare { &top } else { directory };
    let has_workspace = |path: &&Utf8Path| {
        let config = path.join(".jp");
        let is_after = match &after {
            Some(after) => after.has_directory(&config),
            None => config.is_dir(),
        };
        is_after || before.has_directory(&config)
    };
    let root = start
        .ancestors()
        .take_while(|path| path.starts_with(&top))
        .find(has_workspace)
        .ok_or_else(|| DiffError::NoWorkspace(start.to_owned()))?;
    let roots = roots(root, start);
    let is_new = before.has_nothing(&root.join(".jp"));
    let (old, new) = match &after {
        Some(after) => (Graph::load(&roots, &before), Graph::load(&roots, after)),
        // The disk is read while the objects are.
        None => thread::scope(|scope| {
            let new = scope.spawn(|| on_disk(root, start, &top));
            let old = Graph::load(&roots, &before);
            let new = new.join();
            (old, new.unwrap_or_else(|panic| resume_unwind(panic)))
        }),
    };
    let (old, new) = (Arc::new(old), Arc::new(new));
    let sides = (
        format!("`{base}`"),
        head.map_or("the working tree".to_owned(), |head| format!("`{head}`")),
    );
    let prefix = root.strip_prefix(&top).unwrap_or(Utf8Path::new(""));
    let mut compared = Compared::of(&old, &new, sides, prefix.to_owned());
    let old = Side::new(&old, folders::in_commit(&before, root), || before.again());
    match &after {
        Some(after) => {
            let new = Side::new(&new, folders::in_commit(after, root), || after.again());
            folders::add(&mut compared, root, &old, &new);
        }
        None => {
            let new = Side::new(&new, folders::on_disk(&bounded(&top), root), || {
                bounded(&top)
            });
            folders::add(&mut compared, root, &old, &new);
        }
    }
    if is_new {
        let note = format!("`{base}` has no `.jp` folder here, so that everything is new");
        compared.assumes.insert(0, note);
    }
    Ok(compared)
}

/// An end of a range that is left out is the last commit.
fn or_head(end: &str) -> &str {
    if end.is_empty() { "HEAD" } else { end }
}

/// The two ends of a range.
fn ends(range: Option<&str>) -> Result<(&str, Option<&str>), DiffError> {
    let Some(range) = range else {
        return Ok(("HEAD", None));
    };
    match range.split_once("..") {
        None if range.is_empty() || range.starts_with('-') => {
            Err(DiffError::Range(range.to_owned()))
        }
        None => Ok((range, None)),
        Some((_, head)) if head.starts_with('.') || head.contains("..") => {
            Err(DiffError::Range(range.to_owned()))
        }
        Some(("", "")) => Err(DiffError::Range(range.to_owned())),
        Some((base, head)) => Ok((or_head(base), Some(or_head(head)))),
    }
}
