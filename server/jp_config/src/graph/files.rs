//! How the graph sees files, and what it may find at a path.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{MAXIMUM_FILES, MAXIMUM_LOAD_SIZE, MAXIMUM_SIZE};
use crate::content::Content;

/// How the graph sees files.
///
/// The language server answers from open buffers first and the disk second; tests answer from a map.
pub trait Files {
    /// The parsed content of a file.
    ///
    /// # Errors
    ///
    /// Says why the path cannot be read as a config file.
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem>;

    /// What stands at a path, without reading it.
    fn kind(&self, path: &Utf8Path) -> FileKind;

    /// Every path below `base` that a glob pattern matches.
    ///
    /// Directories that match are part of the answer.
    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing;

    /// Every file below a directory.
    fn walk(&self, directory: &Utf8Path) -> Listing;

    /// Whether a path lies outside a workspace that nobody trusts yet, so that only the person's own config brings it in.
    ///
    /// By default no path does.
    fn is_shut(&self, path: &Utf8Path) -> bool {
        let _ = path;
        false
    }
}

/// What a look into directories found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The paths that were asked for, sorted, at most [`MAXIMUM_FILES`].
    pub paths: Vec<Utf8PathBuf>,
    /// The directories that were looked into, whose changes can change the answer.
    pub directories: Vec<Utf8PathBuf>,
    /// Links out of the workspace that were not followed, sorted.
    pub links: Vec<Utf8PathBuf>,
    /// Directories that the system does not let anybody here look into, in the order in which they were met.
    pub closed: Vec<Utf8PathBuf>,
    /// Whether the look ended early, because the load has looked at [`MAXIMUM_ENTRIES`](super::MAXIMUM_ENTRIES).
    pub is_cut: bool,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file, or a link to one.
    File,
    /// A directory, or a link to one.
    Directory,
    /// A pipe, socket or device.
    Other,
    /// A link out of a workspace that nobody trusts yet, which is not followed.
    LinkOutside,
    /// What the system does not tell, since a directory on the way is closed.
    Closed,
    /// Nothing.
    Missing,
}

/// Why a path cannot be read as a config file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadProblem {
    /// Nothing stands at the path.
    #[error("the file does not exist")]
    Missing,
    /// The path is a directory.
    #[error("the path is a directory, not a config file")]
    Directory,
    /// The path is a pipe, socket or device.
    #[error("the path is not a regular file")]
    NotAFile,
    /// The file's bytes are not UTF-8; the offset is that of the first bad byte.
    #[error("the file is not valid UTF-8 (byte {0})")]
    NotUtf8(usize),
    /// The file is larger than [`MAXIMUM_SIZE`].
    #[error(
        "the file is larger than a config file may be ({} MiB), so none of it is read; split it into files that `extends` names",
        MAXIMUM_SIZE >> 20
    )]
    TooLarge,
    /// The files before it fill what one load reads.
    #[error(
        "the file is not read: the config files of a workspace may hold {MAXIMUM_FILES} files and {} MiB together",
        MAXIMUM_LOAD_SIZE >> 20
    )]
    TooMuch,
    /// The path leads out of a workspace that nobody trusts yet.
    #[error(
        "the path is a link out of the workspace, which is not followed before the workspace is trusted"
    )]
    LinkOutside,
    /// The operating system refused.
    #[error("the file cannot be read: {0}")]
    Refused(String),
    /// A directory that may hold files is closed.
    #[error("the folder `{0}` may not be looked into, so what it holds is missing here")]
    Closed(Utf8PathBuf),
}
