//! Which folder a workspace is, so that another one in its place is noticed.

use camino::{Utf8Path, Utf8PathBuf};

use super::Records;

/// A folder with its `.jp`, by name and, on Unix, as the file system knows them; elsewhere the name alone counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder without links.
    pub(super) path: Utf8PathBuf,
    /// The folder and its `.jp`; none for what is not there.
    files: [Option<Kept>; 2],
}

impl Place {
    pub(super) fn of(root: &Utf8Path) -> Self {
        Self {
            path: Records::name_of(root),
            files: [Kept::of(root), Kept::of(&root.join(".jp"))],
        }
    }
}

/// A folder that is kept open, since the file system gives the number of one that is gone to the next.
#[derive(Debug, Clone)]
struct Kept {
    #[cfg(unix)]
    _open: std::sync::Arc<std::fs::File>,
    /// Device and number.
    identity: (u64, u64),
}

impl Kept {
    #[cfg(unix)]
    fn of(path: &Utf8Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        // What is no folder might not open before somebody writes to it.
        let open = path.is_dir().then(|| std::fs::File::open(path).ok())??;
        let metadata = open.metadata().ok()?;
        Some(Self {
            identity: (metadata.dev(), metadata.ino()),
            _open: std::sync::Arc::new(open),
        })
    }

    #[cfg(not(unix))]
    fn of(path: &Utf8Path) -> Option<Self> {
        path.is_dir().then_some(Self { identity: (0, 0) })
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for Kept {}
