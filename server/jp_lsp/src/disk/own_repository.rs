//! The git repository around a workspace that is open in an editor.
//!
//! ```text
//! /w/.git/HEAD -> refs/heads/main -> 3f9c…: the last commit, and the folders that show when there is another
//! ```
//!
//! Whoever opens a folder has not asked for its repository to be read, and the folder may be anybody's.
//!
//! - Nothing is run. `gix` reads objects and references itself, there is no `git`; it is built without filters, attributes, hooks,
//!   credentials and transports; of config it reads the repository's own file, without what that includes, and no key of it names
//!   anything that is started to read an object: `core.fsmonitor`, `core.hooksPath`, `filter.*`, `core.sshCommand` and `diff.*` have no
//!   reader here.
//! - Nothing is fetched. An object that is not there is missing, also in a partial clone.
//! - Nothing is large: an object of more than [`MAXIMUM_LOAD_SIZE`] bytes is not unpacked, nor one that it is a difference from.
//! - Nothing leads elsewhere before a person trusts the workspace: all of the repository lies in one folder `.git` that belongs to
//!   the person, so no worktree, no borrowed objects, and no address of another machine.
//!   A `core.worktree` that names another folder is not followed by anyone.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use gix::{ObjectId, Repository, ThreadSafeRepository, open::Options, sec::Trust};
use jp_config::graph::MAXIMUM_LOAD_SIZE;

use super::git_files::CommitError;

/// The most that the config of a repository may have, in bytes.
const MAXIMUM_CONFIG: u64 = 1 << 20;

/// The most that a reference may have, in bytes.
const MAXIMUM_REFERENCE: u64 = 4 << 10;

/// The most that the list of references may have that is read as a whole, in bytes.
const MAXIMUM_REFERENCES: u64 = 64 << 20;

/// What lies in another place where it is there, below `.git`.
const ELSEWHERE: [&str; 2] = ["commondir", "objects/info/alternates"];

/// A repository whose files lie beside it.
pub(crate) struct OwnRepository {
    pub(crate) repository: Repository,
    /// The folder that holds `.git`, without links.
    pub(crate) top: Utf8PathBuf,
}

impl OwnRepository {
    /// The repository around a folder, which is named without links.
    ///
    /// # Errors
    ///
    /// [`CommitError::NoRepository`], and [`CommitError::Unreadable`] for one that is not read as the module says.
    pub(crate) fn around(folder: &Utf8Path, is_trusted: bool) -> Result<Self, CommitError> {
        let has_repository = |path: &&Utf8Path| fs::symlink_metadata(path.join(".git")).is_ok();
        let top = folder.ancestors().find(has_repository);
        let top = top.ok_or_else(|| CommitError::NoRepository(folder.to_owned()))?;
        let refused = |problem: String| CommitError::Unreadable {
            path: top.to_owned(),
            problem,
        };
        let git = top.join(".git");
        if !is_trusted && !lies_here(&git) {
            let problem =
                "it leads out of its folder, where nothing is read before you trust the workspace";
            return Err(refused(problem.to_owned()));
        }
        if !is_moderate(&git) {
            return Err(refused("it is no repository, or too large".to_owned()));
        }
        let limit = format!("gitoxide.objects.allocLimit={MAXIMUM_LOAD_SIZE}");
        let options = Options::isolated().cli_overrides([limit.as_str()]);
        let opened = ThreadSafeRepository::open_opts(top, options);
        let repository = opened.map_err(|error| refused(error.to_string()))?;
        let repository = repository.to_thread_local();
        if !is_trusted && repository.git_dir_trust() != Trust::Full {
            let problem = "it belongs to another user, and nobody trusts the workspace yet";
            return Err(refused(problem.to_owned()));
        }
        let worktree = repository.workdir().and_then(Utf8Path::from_path);
        let worktree = worktree.and_then(|path| path.canonicalize_utf8().ok());
        if worktree.as_deref() != Some(top) {
            return Err(refused("its files lie elsewhere".to_owned()));
        }
        Ok(Self {
            repository,
            top: top.to_owned(),
        })
    }

    /// The last commit; none where nothing was committed yet, or that is not known.
    pub(crate) fn head(&self) -> Option<ObjectId> {
        self.repository.head().ok()?.id().map(gix::Id::detach)
    }

    /// The folders in which something changes where there is another last commit.
    pub(crate) fn watched(&self) -> Vec<Utf8PathBuf> {
        let shared = Utf8Path::from_path(self.repository.common_dir());
        let own = Utf8Path::from_path(self.repository.git_dir());
        let mut folders: Vec<Utf8PathBuf> = own
            .into_iter()
            .chain(shared)
            .map(Utf8Path::to_owned)
            .collect();
        // A branch is a file of its own, or a line of `packed-refs`; its folder may come and go.
        let branch = self.repository.head_name().ok().flatten();
        let branch = branch.and_then(|name| Some(shared?.join(name.as_bstr().to_string())));
        let above = branch.iter().flat_map(|branch| branch.ancestors().skip(1));
        let within = above.take_while(|path| Some(*path) != shared);
        folders.extend(within.map(Utf8Path::to_owned));
        folders.sort();
        folders.dedup();
        folders
    }
}

/// Whether all of a repository lies in its folder.
fn lies_here(git: &Utf8Path) -> bool {
    let is_folder = |path: &Utf8Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let is_file = |path: &Utf8Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    is_folder(git)
        && ["objects", "refs"]
            .iter()
            .all(|name| is_folder(&git.join(name)))
        && is_file(&git.join("HEAD"))
        && ["objects/pack", "objects/info", "refs/heads"]
            .iter()
            .all(|name| {
                let path = git.join(name);
                fs::symlink_metadata(&path).is_err() || is_folder(&path)
            })
        && ELSEWHERE
            .iter()
            .all(|name| fs::symlink_metadata(git.join(name)).is_err())
}

/// Whether what is read as a whole is a file of moderate size, where it is there. A pipe would never end.
fn is_moderate(git: &Utf8Path) -> bool {
    let is_moderate = |path: &Utf8Path, limit: u64| match fs::metadata(path) {
        Ok(found) => found.is_file() && found.len() <= limit,
        Err(_) => true,
    };
    let head = git.join("HEAD");
    if !is_moderate(&head, MAXIMUM_REFERENCE) {
        return false;
    }
    let head = fs::read_to_string(head).unwrap_or_default();
    let branch = head.strip_prefix("ref: ").map(str::trim_end);
    let branch = branch.filter(|name| name.starts_with("refs/") && !name.contains(".."));
    branch.is_none_or(|name| is_moderate(&git.join(name), MAXIMUM_REFERENCE))
        && is_moderate(&git.join("config"), MAXIMUM_CONFIG)
        && is_moderate(&git.join("packed-refs"), MAXIMUM_REFERENCES)
}

#[cfg(test)]
#[path = "own_repository_tests.rs"]
mod tests;
