//! The files of a commit, as the load graph sees them.
//!
//! ```text
//! HEAD:.jp/config.toml      # read from the objects of the repository; nothing is checked out, and nothing is run
//! ```
//!
//! Objects are read as they are: no filter, no hook and no program that a config names has a part in it.
//! A link is followed within the tree and not out of it.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use gix::{ObjectId, Repository, Tree, object::tree::EntryKind};
use jp_config::{
    content::Content,
    graph::{
        FileKind, Files, Listing, MAXIMUM_ENTRIES, MAXIMUM_FILES, MAXIMUM_LOAD_SIZE, MAXIMUM_SIZE,
        ReadProblem,
    },
};

use super::{
    config_files::SKIPPED,
    known_files::Texts,
    search::{Search, sorted},
};

/// Why nothing of a submodule is read.
const SUBMODULE: &str = "it lies in a submodule, which is another repository";

/// Why nothing of a folder is read whose object is not there, as in a partial clone.
const NO_TREE: &str =
    "its folder is missing among the objects of the repository, which may be a partial clone";

/// How many links one path may lead through.
const MAXIMUM_LINKS: usize = 40;

/// Why a commit cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    /// No repository holds the directory.
    #[error("`{0}` lies in no git repository; `jp-lsp diff --base-dir DIR` compares with a folder")]
    NoRepository(Utf8PathBuf),
    /// The repository has no files beside it.
    #[error(
        "the repository `{0}` is bare, so there is no working tree: name two commits, as in `BASE..HEAD`"
    )]
    Bare(Utf8PathBuf),
    /// The repository cannot be read.
    #[error("the git repository of `{path}` cannot be read: {problem}")]
    Unreadable {
        /// The directory.
        path: Utf8PathBuf,
        /// What git says.
        problem: String,
    },
    /// No commit has the name.
    #[error(
        "`{revision}` names no commit of the repository: write a branch, a tag or a commit's id, such as `main`, `v1.0` or `HEAD~1`{hint}"
    )]
    UnknownRevision {
        /// The name as given.
        revision: String,
        /// What may be the reason, and what to do about it.
        hint: &'static str,
    },
    /// The name is that of a file or a folder in a commit.
    #[error(
        "`{0}` is a file or a folder of a commit and no commit: leave out the `:` and what follows"
    )]
    NoCommit(String),
    /// Nothing was committed yet.
    #[error(
        "the repository has no commit yet: make the first; `jp-lsp diff --base-dir DIR` compares with a folder"
    )]
    Empty,
    /// The last commit has no config.
    #[error("`HEAD` has no `.jp` folder in `{0}`, so that everything is new")]
    NoConfig(Utf8PathBuf),
}

/// The repository that a directory lies in, and its top; the config of the machine and of the person has no part in it.
///
/// # Errors
///
/// [`CommitError::NoRepository`] and [`CommitError::Unreadable`].
pub(crate) fn repository_of(
    directory: &Utf8Path,
) -> Result<(Repository, Utf8PathBuf), CommitError> {
    let options = || gix::open::Options::isolated();
    let trust = gix::sec::trust::Mapping {
        full: options(),
        reduced: options(),
    };
    let found = gix::ThreadSafeRepository::discover_opts(directory, Default::default(), trust);
    let repository = match found {
        Ok(found) => found.to_thread_local(),
        Err(_) if !has_repository(directory) => {
            return Err(CommitError::NoRepository(directory.to_owned()));
        }
        Err(error) => {
            return Err(CommitError::Unreadable {
                path: directory.to_owned(),
                problem: error.to_string(),
            });
        }
    };
    let top = repository.workdir().unwrap_or_else(|| repository.path());
    let top = Utf8PathBuf::from_path_buf(top.to_owned()).ok();
    let top = top.and_then(|top| top.canonicalize_utf8().ok());
    let top = top.ok_or_else(|| CommitError::NoRepository(directory.to_owned()))?;
    Ok((repository, top))
}

fn has_repository(directory: &Utf8Path) -> bool {
    let mut ancestors = directory.ancestors();
    ancestors.any(|path| path.join(".git").exists() || path.join("HEAD").exists())
}

/// The tree of one commit, laid out below a directory.
pub(crate) struct CommitFiles<'r> {
    repository: &'r Repository,
    root: ObjectId,
    top: Utf8PathBuf,
    /// Out of here nothing is read because a config names it.
    bounds: Utf8PathBuf,
    bytes: std::cell::Cell<usize>,
}

/// What stands at a path of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    File(ObjectId),
    Directory(ObjectId),
    /// A link that leads nowhere or in a circle.
    Other,
    /// Something that is there, and not to be read from this repository.
    Unread(&'static str),
    LinkOutside,
    Missing,
}

impl<'r> CommitFiles<'r> {
    /// The files of the commit that `revision` names, as if they lay below `top`.
    ///
    /// # Errors
    ///
    /// [`CommitError::UnknownRevision`], [`CommitError::NoCommit`], [`CommitError::Empty`] and [`CommitError::Unreadable`].
    pub(crate) fn new(
        repository: &'r Repository,
        revision: &str,
        top: &Utf8Path,
    ) -> Result<Self, CommitError> {
        let unknown = |_| {
            let is_unborn = repository.head().is_ok_and(|head| head.is_unborn());
            if is_unborn && revision.starts_with("HEAD") {
                return CommitError::Empty;
            }
            let hint = match matches!(repository.is_shallow(), Ok(true)) {
                true => {
                    "; the clone is shallow, `git fetch --unshallow` gets all commits (`fetch-depth: 0` of actions/checkout)"
                }
                false => "; a branch that is only on the server is there after `git fetch`",
            };
            CommitError::UnknownRevision {
                revision: revision.to_owned(),
                hint,
            }
        };
        let found = repository.rev_parse_single(revision).map_err(unknown)?;
        let missing = |problem: String| CommitError::Unreadable {
            path: top.to_owned(),
            problem,
        };
        let object = found.object().map_err(|error| missing(error.to_string()))?;
        let commit = object
            .peel_to_commit()
            .map_err(|_| CommitError::NoCommit(revision.to_owned()))?;
        let tree = commit.tree().map_err(|error| missing(error.to_string()))?;
        Ok(Self {
            repository,
            root: tree.id,
            top: top.to_owned(),
            bounds: top.to_owned(),
            bytes: std::cell::Cell::new(MAXIMUM_LOAD_SIZE),
        })
    }

    /// The same files, of which a config names only those within a folder.
    pub(crate) fn within(mut self, folder: &Utf8Path) -> Self {
        folder.clone_into(&mut self.bounds);
        self
    }

    /// The same files, with all that one load may read still to read.
    pub(crate) fn again(&self) -> Self {
        Self {
            repository: self.repository,
            root: self.root,
            top: self.top.clone(),
            bounds: self.bounds.clone(),
            bytes: std::cell::Cell::new(MAXIMUM_LOAD_SIZE),
        }
    }

    /// Whether nothing stands at a path of the commit.
    pub(crate) fn has_nothing(&self, path: &Utf8Path) -> bool {
        self.kind(path) == FileKind::Missing
    }

    /// Whether the commit has a directory at a path.
    pub(crate) fn has_directory(&self, path: &Utf8Path) -> bool {
        self.kind(path) == FileKind::Directory
    }

    /// The files below a directory whose names are wanted; links are not followed.
    pub(crate) fn named(&self, start: &Utf8Path, wanted: fn(&str) -> bool) -> Listing {
        let mut listing = Listing::default();
        let mut left = MAXIMUM_ENTRIES;
        let mut ahead: Vec<(Utf8PathBuf, ObjectId)> = match self.find(start) {
            Found::Directory(id) => vec![(start.to_owned(), id)],
            _ => Vec::new(),
        };
        while let Some((directory, id)) = ahead.pop() {
            let Some(tree) = self.tree(id) else {
                listing.links.push(directory);
                continue;
            };
            for entry in tree.iter().filter_map(Result::ok) {
                let Some(rest) = left.checked_sub(1) else {
                    listing.is_cut = true;
                    return sorted(listing);
                };
                left = rest;
                let Ok(name) = std::str::from_utf8(entry.filename()) else {
                    continue;
                };
                match entry.kind() {
                    EntryKind::Tree if !SKIPPED.contains(&name) => {
                        ahead.push((directory.join(name), entry.object_id()));
                    }
                    EntryKind::Tree | EntryKind::Commit | EntryKind::Link => {}
                    _ if wanted(name) => listing.paths.push(directory.join(name)),
                    _ => {}
                }
            }
        }
        sorted(listing)
    }

    fn tree(&self, id: ObjectId) -> Option<Tree<'r>> {
        self.repository.find_object(id).ok()?.try_into_tree().ok()
    }

    /// What stands at a path, links on the way followed within the tree.
    fn find(&self, path: &Utf8Path) -> Found {
        let Ok(relative) = path.strip_prefix(&self.top) else {
            return Found::Missing;
        };
        let mut ahead: Vec<String> = names(relative.as_str()).rev().map(str::to_owned).collect();
        let mut above: Vec<(String, ObjectId)> = Vec::new();
        let mut here = Found::Directory(self.root);
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            let directory = match here {
                Found::Directory(directory) => directory,
                Found::Unread(_) => return here,
                _ => return Found::Missing,
            };
            if name == ".." {
                let Some((_, parent)) = above.pop() else {
                    return Found::LinkOutside;
                };
                here = Found::Directory(parent);
                continue;
            }
            let Some(tree) = self.tree(directory) else {
                return Found::Unread(NO_TREE);
            };
            let Ok(Some(entry)) = tree.lookup_entry([name.as_bytes()]) else {
                return Found::Missing;
            };
            let (kind, id) = (entry.mode().kind(), entry.object_id());
            match kind {
                EntryKind::Link => {
                    links += 1;
                    let Some(target) = self.text_of(id).filter(|_| links <= MAXIMUM_LINKS) else {
                        return Found::Other;
                    };
                    if target.starts_with('/') {
                        return Found::LinkOutside;
                    }
                    ahead.extend(names(&target).rev().map(str::to_owned));
                }
                EntryKind::Tree => {
                    above.push((name, directory));
                    here = Found::Directory(id);
                }
                EntryKind::Blob | EntryKind::BlobExecutable => here = Found::File(id),
                EntryKind::Commit => here = Found::Unread(SUBMODULE),
            }
        }
        here
    }

    fn text_of(&self, id: ObjectId) -> Option<String> {
        let object = self.repository.find_object(id).ok()?;
        String::from_utf8(object.data.clone()).ok()
    }

    /// The entries of a directory by name, those that never hold config left out.
    fn entries(&self, directory: ObjectId) -> Vec<(String, EntryKind)> {
        let Some(tree) = self.tree(directory) else {
            return Vec::new();
        };
        let mut entries: Vec<(String, EntryKind)> = tree
            .iter()
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let name = std::str::from_utf8(entry.filename()).ok()?.to_owned();
                (!SKIPPED.contains(&name.as_str())).then(|| (name, entry.kind()))
            })
            .collect();
        entries.sort();
        entries
    }

    /// What lies below a directory, at most so deep.
    fn below(
        &self,
        start: &Utf8Path,
        depth: usize,
        wanted: &dyn Fn(&Utf8Path, bool) -> bool,
    ) -> Listing {
        let mut listing = Listing::default();
        let mut left = MAXIMUM_ENTRIES;
        let mut seen: Vec<ObjectId> = Vec::new();
        let mut ahead = std::collections::VecDeque::from([(start.to_owned(), 0)]);
        match self.find(start) {
            Found::File(_) if wanted(start, true) => listing.paths.push(start.to_owned()),
            Found::LinkOutside | Found::Unread(_) => listing.links.push(start.to_owned()),
            _ => {}
        }
        while let Some((directory, level)) = ahead.pop_front() {
            let Found::Directory(id) = self.find(&directory) else {
                continue;
            };
            if level >= depth {
                continue;
            }
            if self.tree(id).is_none() {
                listing.links.push(directory);
                continue;
            }
            for (name, kind) in self.entries(id) {
                let Some(rest) = left.checked_sub(1) else {
                    listing.is_cut = true;
                    break;
                };
                left = rest;
                let path = directory.join(name);
                let is_link = kind == EntryKind::Link;
                let found = match kind {
                    EntryKind::Blob | EntryKind::BlobExecutable => Found::File(id),
                    EntryKind::Tree => Found::Directory(id),
                    _ => self.find(&path),
                };
                match found {
                    Found::LinkOutside | Found::Unread(_) => listing.links.push(path),
                    Found::Missing | Found::Other => {}
                    found => {
                        let is_file = matches!(found, Found::File(_));
                        if listing.paths.len() < MAXIMUM_FILES && wanted(&path, is_file) {
                            listing.paths.push(path.clone());
                        }
                        // A directory behind a link is looked into once, so that a circle comes to an end.
                        let is_new = match found {
                            Found::Directory(target) if is_link => {
                                let is_new = !seen.contains(&target);
                                seen.push(target);
                                is_new
                            }
                            _ => true,
                        };
                        if !is_file && is_new {
                            ahead.push_back((path, level.saturating_add(1)));
                        }
                    }
                }
            }
        }
        listing
    }
}

/// The names in a path, `.` and empty ones left out.
fn names(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|name| !matches!(*name, "" | "."))
}

impl Texts for CommitFiles<'_> {
    fn text(&self, path: &Utf8Path) -> Result<String, ReadProblem> {
        let id = match self.find(path) {
            Found::File(id) => id,
            Found::Directory(_) => return Err(ReadProblem::Directory),
            Found::Other => return Err(ReadProblem::NotAFile),
            Found::Unread(reason) => return Err(ReadProblem::Refused(reason.to_owned())),
            Found::LinkOutside => return Err(ReadProblem::LinkOutside),
            Found::Missing => return Err(ReadProblem::Missing),
        };
        let refused = |problem: String| ReadProblem::Refused(problem);
        let header = self.repository.find_header(id);
        let size = header.map_err(|error| refused(error.to_string()))?.size();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > MAXIMUM_SIZE {
            return Err(ReadProblem::TooLarge);
        }
        let left = self.bytes.get().checked_sub(size);
        self.bytes.set(left.ok_or(ReadProblem::TooMuch)?);
        let object = self.repository.find_object(id);
        let object = object.map_err(|error| refused(error.to_string()))?;
        let text = std::str::from_utf8(&object.data)
            .map_err(|error| ReadProblem::NotUtf8(error.valid_up_to()))?;
        Ok(text.to_owned())
    }
}

impl Files for CommitFiles<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        Ok(Content::of_file(path, &self.text(path)?, None))
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        match self.find(path) {
            Found::File(_) => FileKind::File,
            Found::Directory(_) => FileKind::Directory,
            Found::Other | Found::Unread(_) => FileKind::Other,
            Found::LinkOutside => FileKind::LinkOutside,
            Found::Missing => FileKind::Missing,
        }
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        let Some(search) = Search::new(base, pattern) else {
            return Listing::default();
        };
        Search::found(self.below(&search.start, search.depth, &|path, _| search.matches(path)))
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        sorted(self.below(directory, usize::MAX, &|_, is_file| is_file))
    }

    fn is_shut(&self, path: &Utf8Path) -> bool {
        !path.starts_with(&self.bounds)
    }
}
