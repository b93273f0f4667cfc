//! One file of the graph, and its name there.

use std::sync::Arc;

use camino::Utf8PathBuf;

use crate::content::Content;

/// The index of a file in a [`Graph`](super::Graph).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The file at a place in [`Graph::files`](super::Graph::files).
    pub(crate) fn of(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Its place in [`Graph::files`](super::Graph::files).
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One file of the graph.
#[derive(Debug, Clone)]
pub struct GraphFile {
    /// Its absolute path.
    pub path: Utf8PathBuf,
    /// What it holds; absent where it could not be read.
    pub content: Option<Arc<Content>>,
}
