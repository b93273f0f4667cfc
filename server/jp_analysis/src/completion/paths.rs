//! The files and directories that values can name.

use camino::Utf8Path;

/// The directories that completion may look into; the caller does the reading.
pub trait Paths {
    /// The entries of an absolute directory, in any order; nothing for what cannot be read.
    fn list(&self, directory: &Utf8Path) -> Vec<PathEntry>;
}

/// A file or directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathEntry {
    /// Its name, without the directory.
    pub name: String,
    /// Whether it is a directory, or a link to one.
    pub is_directory: bool,
}

/// No directory at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPaths;

impl Paths for NoPaths {
    fn list(&self, _: &Utf8Path) -> Vec<PathEntry> {
        Vec::new()
    }
}
