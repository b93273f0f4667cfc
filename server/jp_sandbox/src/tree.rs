//! The files that a profile is made for.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

/// What stands at a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What kind of file it is.
    pub kind: Kind,
    /// How many names the file has.
    pub names: u64,
}

/// A kind of file, as far as the kernel's rules tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A symbolic link, which no rule can be about.
    Link,
    /// A regular file, a pipe, a socket or a device.
    File,
}

/// Where a profile looks for what is there.
pub trait Tree {
    /// What stands at a path; none for nothing, or where that cannot be said.
    fn entry(&self, path: &Utf8Path) -> Option<Entry>;

    /// What tells the file at a path from every other, by whatever name; none for nothing, or where that cannot be said.
    fn identity(&self, path: &Utf8Path) -> Option<(u64, u64)>;

    /// The names in a directory in order; none where it cannot be listed.
    fn names(&self, path: &Utf8Path) -> Vec<(String, Kind)>;

    /// The path with every link resolved; none if it does not exist.
    fn resolved(&self, path: &Utf8Path) -> Option<Utf8PathBuf>;
}

/// The disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskTree;

#[cfg(unix)]
fn names(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn names(_: &fs::Metadata) -> u64 {
    1
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

fn kind(kind: fs::FileType) -> Kind {
    if kind.is_dir() {
        Kind::Directory
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::File
    }
}

impl Tree for DiskTree {
    fn entry(&self, path: &Utf8Path) -> Option<Entry> {
        let metadata = path.symlink_metadata().ok()?;
        Some(Entry {
            kind: kind(metadata.file_type()),
            names: names(&metadata),
        })
    }

    fn identity(&self, path: &Utf8Path) -> Option<(u64, u64)> {
        identity(&path.symlink_metadata().ok()?)
    }

    fn names(&self, path: &Utf8Path) -> Vec<(String, Kind)> {
        let entries = path.read_dir_utf8().into_iter().flatten();
        let mut names: Vec<(String, Kind)> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| Some((entry.file_name().to_owned(), kind(entry.file_type().ok()?))))
            .collect();
        names.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        names
    }

    fn resolved(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        path.canonicalize_utf8().ok()
    }
}
