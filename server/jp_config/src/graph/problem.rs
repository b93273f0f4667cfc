//! What is wrong with how files refer to each other.
//!
//! ```toml
//! extends = ["tool/fs.toml"]   # no such file; there is `tools/fs.toml`
//! ```

use camino::Utf8PathBuf;

use super::{FileId, ReadProblem};
use crate::document::Span;

/// What is wrong with how files refer to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphProblem {
    /// The file at fault.
    pub file: FileId,
    /// The entry at fault; absent where the whole file is.
    pub span: Option<Span>,
    /// What is wrong.
    pub kind: GraphProblemKind,
}

/// The kinds of [`GraphProblem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphProblemKind {
    /// An `extends` entry without glob characters names no file.
    ExtendsMissing {
        /// The path it resolves to.
        path: Utf8PathBuf,
        /// A file of nearly that name, as the entry may name it.
        near: Option<String>,
    },
    /// An `extends` entry leads back to the file that holds it.
    ExtendsCycle {
        /// The files of the cycle, from the first back to itself.
        chain: Vec<Utf8PathBuf>,
    },
    /// An `extends` glob matches a directory, which makes `jp` ignore the whole declaring file.
    ExtendsMatchesDirectory {
        /// The directory.
        path: Utf8PathBuf,
        /// The entry as written.
        pattern: String,
    },
    /// An `extends` entry brings in a file whose format `jp` cannot read, which fails the load.
    ExtendsUnsupported {
        /// The file.
        path: Utf8PathBuf,
    },
    /// The chain of `extends` is deeper than [`MAXIMUM_DEPTH`](super::MAXIMUM_DEPTH).
    ExtendsTooDeep,
    /// An `extends` glob matches more files than [`MAXIMUM_FILES`](super::MAXIMUM_FILES).
    ExtendsTooMany {
        /// The entry as written.
        pattern: String,
    },
    /// An entry leads through a link out of a workspace that nobody trusts yet.
    LinkOutside {
        /// The first such link, or the entry's own path.
        path: Utf8PathBuf,
        /// How many further ones the entry leads through.
        more: usize,
    },
    /// An entry names a path outside a workspace that nobody trusts yet.
    Outside {
        /// The path, or the directory of a glob.
        path: Utf8PathBuf,
    },
    /// The load ended before this entry was looked through to the end.
    LoadCut {
        /// The entry as written.
        pattern: String,
    },
    /// The file could not be read.
    Unreadable(ReadProblem),
}
