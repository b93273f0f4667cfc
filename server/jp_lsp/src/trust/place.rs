//! Which folder a workspace is, so that another one in its place is noticed.

use camino::{Utf8Path, Utf8PathBuf};

use super::Records;

/// A folder with its `.jp`, by name and, where the system tells, as the file system knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder without links.
    pub(super) path: Utf8PathBuf,
    /// Device and number of the folder and of its `.jp`; none for what is not there.
    files: [Option<(u64, u64)>; 2],
}

impl Place {
    pub(super) fn of(root: &Utf8Path) -> Self {
        Self {
            path: Records::name_of(root),
            files: [identity(root), identity(&root.join(".jp"))],
        }
    }
}

#[cfg(unix)]
fn identity(path: &Utf8Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Utf8Path) -> Option<(u64, u64)> {
    None
}
