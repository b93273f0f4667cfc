//! File access through directory handles: the part of the tools that a swapped symlink cannot fool.
//!
//! An access check returns a fully resolved path, say `/work/project/src/lib.rs`.
//! Between that check and the use of the path another process may replace `src` or `lib.rs` with a symlink to
//! `/etc/passwd`, or to a file that another rule denies.
//! A [`Tree`] holds the workspace root open and reaches `lib.rs` component by component, every one opened relative to
//! the handle of its parent and with symlinks refused.
//! A resolved path holds no symlink, so one that turns up is a swap, and the operation fails.
//!
//! This is stricter than `openat2` with `RESOLVE_BENEATH` on its own: that flag keeps an open inside the workspace, but
//! it would follow a swapped link from a granted path to a denied one in the same workspace.
//! `cap-std` is the foundation rather than `rustix`, since it does the same on Linux (through `openat2` where the kernel
//! has it), macOS and Windows with one piece of code.
//!
//! Replacing a file writes another one in the same directory handle and renames it over the old one, so a reader sees
//! the old text or the new one, and a link swapped in at the last moment is replaced, never written through.

mod original;
mod staged;

use std::{
    ffi::OsString,
    io::{self, Read as _},
};

use camino::{Utf8Component, Utf8Path};
use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::{
    ambient_authority,
    fs::{Dir, File, FileType, Metadata, OpenOptions},
};

pub use self::original::Original;
use self::staged::{Staged, rename_to_vacant};

/// A directory held open, and everything beneath it.
#[derive(Debug)]
pub struct Tree {
    dir: Dir,
}

impl Tree {
    /// Opens the directory at `path`, which is trusted to be the right one.
    ///
    /// # Errors
    ///
    /// Fails if `path` is no directory or cannot be opened.
    pub fn open(path: &Utf8Path) -> io::Result<Self> {
        Dir::open_ambient_dir(path, ambient_authority()).map(|dir| Self { dir })
    }

    /// Finds the directory that holds `path` and the name in it, following no symlink.
    ///
    /// # Errors
    ///
    /// Fails if a parent is missing, is no directory, or is a symlink, and if `path` is empty or holds anything but plain
    /// names.
    pub fn place(&self, path: &Utf8Path) -> io::Result<Entry> {
        self.walk(path, false)
    }

    /// Like [`Tree::place`], and creates the parent directories that are missing.
    ///
    /// # Errors
    ///
    /// As [`Tree::place`], and if a parent cannot be created.
    pub fn place_with_parents(&self, path: &Utf8Path) -> io::Result<Entry> {
        self.walk(path, true)
    }

    /// Opens the directory at `path` beneath this one, following no symlink.
    ///
    /// # Errors
    ///
    /// As [`Tree::place`].
    pub fn subtree(&self, path: &Utf8Path) -> io::Result<Self> {
        self.descend(path, false).map(|dir| Self { dir })
    }

    /// What the directory holds, in the order of the names.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be read.
    pub fn entries(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        let mut entries = Vec::new();
        for entry in self.dir.entries()? {
            let entry = entry?;
            let kind = match type_kind(entry.file_type()?) {
                // Not every file system says what it is without being asked.
                EntryKind::Other => entry_kind(&entry.metadata()?),
                kind => kind,
            };
            entries.push((entry.file_name(), kind));
        }
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(entries)
    }

    fn walk(&self, path: &Utf8Path, create: bool) -> io::Result<Entry> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(unusable_path());
        };
        Ok(Entry {
            dir: self.descend(parent, create)?,
            name: name.to_owned(),
        })
    }

    fn descend(&self, path: &Utf8Path, create: bool) -> io::Result<Dir> {
        let mut dir = self.dir.try_clone()?;
        for component in path.components() {
            let Utf8Component::Normal(name) = component else {
                return Err(unusable_path());
            };
            dir = match dir.open_dir_nofollow(name) {
                Err(error) if create && error.kind() == io::ErrorKind::NotFound => {
                    match dir.create_dir(name) {
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                            return Err(error);
                        }
                        _ => dir.open_dir_nofollow(name)?,
                    }
                }
                other => other?,
            };
        }
        Ok(dir)
    }
}

fn unusable_path() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the path is not in plain form")
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// What stands under a name, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, dangling or not.
    Symlink,
    /// A socket, a pipe or a device.
    Other,
}

/// A name in a directory that is held open.
///
/// Every operation acts on the entry itself and none follows a symlink.
#[derive(Debug)]
pub struct Entry {
    dir: Dir,
    name: String,
}

impl Entry {
    /// What stands here, or `None` if nothing does.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be searched.
    pub fn kind(&self) -> io::Result<Option<EntryKind>> {
        match self.dir.symlink_metadata(&self.name) {
            Ok(metadata) => Ok(Some(entry_kind(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the regular file that stands here for reading.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if nothing stands here, with `IsADirectory` for a directory, and with `InvalidInput` for
    /// anything else that is no regular file.
    pub fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        // A pipe would otherwise block the open until somebody writes to it.
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = match self.dir.open_with(&self.name, &options) {
            // A socket cannot even be opened.
            Err(_) if matches!(self.kind(), Ok(Some(EntryKind::Other))) => {
                return Err(not_regular());
            }
            other => other?,
        };
        match entry_kind(&file.metadata()?) {
            EntryKind::File => Ok(file),
            EntryKind::Directory => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            EntryKind::Symlink | EntryKind::Other => Err(not_regular()),
        }
    }

    /// Holds the regular file that stands here open, for who means to replace it.
    ///
    /// # Errors
    ///
    /// As [`Entry::open`].
    pub fn original(&self) -> io::Result<Original> {
        self.open().map(Original::new)
    }

    /// Reads the regular file that stands here, and keeps it open for who means to replace it.
    ///
    /// # Errors
    ///
    /// As [`Entry::open`], and with `FileTooLarge` if the file holds more than `limit` bytes.
    pub fn read(&self, limit: u64) -> io::Result<(Vec<u8>, Original)> {
        let file = self.open()?;
        let mut bytes = Vec::new();
        (&file)
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
            Ok((bytes, Original::new(file)))
        } else {
            Err(io::Error::from(io::ErrorKind::FileTooLarge))
        }
    }

    /// Creates a file that must not exist yet, with its whole content at once.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if anything stands here, a dangling symlink included.
    pub fn create(&self, contents: &[u8]) -> io::Result<()> {
        Staged::write(&self.dir, contents, |_| Ok(()))?.place(&self.name)
    }

    /// Replaces the file that stands here with one that is like `original` but for its content.
    ///
    /// That happens in one step: whatever fails, and whenever the process ends, one of the two stands here in full.
    /// So a file in a directory that takes no new entries cannot be replaced.
    ///
    /// # Errors
    ///
    /// Fails with `PermissionDenied` if something of the original cannot be kept, see [`Original`], and if nothing can be
    /// written.
    pub fn replace(&self, contents: &[u8], original: &Original) -> io::Result<()> {
        original.check()?;
        Staged::write(&self.dir, contents, |file| original.carry_over(file))
            .map_err(|error| match error.raw_os_error() {
                Some(_) if error.kind() == io::ErrorKind::PermissionDenied => io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "its directory takes no new files, and without one the file cannot be replaced in one step",
                ),
                _ => error,
            })?
            .replace(&self.name)
    }

    /// Removes the file or the link that stands here.
    ///
    /// # Errors
    ///
    /// Fails for a directory, and if nothing stands here.
    pub fn remove_file(&self) -> io::Result<()> {
        self.dir.remove_file(&self.name)
    }

    /// Removes the directory that stands here if it is empty, and says whether it did.
    ///
    /// # Errors
    ///
    /// Fails for any reason but that the directory still holds something.
    pub fn remove_empty_directory(&self) -> io::Result<bool> {
        match self.dir.remove_dir(&self.name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Moves the entry to `target` and replaces the file or link that stands there.
    ///
    /// # Errors
    ///
    /// Fails across file systems, if the target is a directory that holds something, and with `PermissionDenied` if it is
    /// a file of another user.
    pub fn rename_over(&self, target: &Self) -> io::Result<()> {
        if let (Some(owner), Some(other)) = (self.owner(), target.owner())
            && owner != other
        {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file at the target belongs to another user",
            ));
        }
        self.dir.rename(&self.name, &target.dir, &target.name)
    }

    /// Moves the file or link to `target`, where nothing may stand.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if anything stands at the target, and if the entry cannot be moved; nothing stands at
    /// the target then.
    pub fn rename_to_vacant(&self, target: &Self) -> io::Result<()> {
        rename_to_vacant(&self.dir, &self.name, &target.dir, &target.name)
    }

    /// The user whose file stands here; none if no regular file does, or files have no users.
    fn owner(&self) -> Option<u32> {
        let metadata = self.dir.symlink_metadata(&self.name).ok()?;
        #[cfg(unix)]
        {
            use cap_std::fs::MetadataExt as _;
            metadata.is_file().then(|| metadata.uid())
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            None
        }
    }
}

fn entry_kind(metadata: &Metadata) -> EntryKind {
    type_kind(metadata.file_type())
}

fn type_kind(kind: FileType) -> EntryKind {
    if kind.is_file() {
        EntryKind::File
    } else if kind.is_dir() {
        EntryKind::Directory
    } else if kind.is_symlink() {
        EntryKind::Symlink
    } else {
        EntryKind::Other
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
