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
//! Replacing a file writes a temporary file in the same directory handle and renames it over the old one, so a reader
//! sees the old text or the new one, and a link swapped in at the last moment is replaced, never written through.

use std::{
    io::{self, Read as _, Write as _},
    sync::atomic::{AtomicU64, Ordering},
};

use camino::{Utf8Component, Utf8Path};
use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::{
    ambient_authority,
    fs::{Dir, File, FileType, Metadata, OpenOptions, Permissions},
};

/// How many temporary names are tried before giving up.
const TEMPORARY_NAME_ATTEMPTS: u32 = 64;

/// Makes the temporary names of one process distinct.
static TEMPORARY_COUNTER: AtomicU64 = AtomicU64::new(0);

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
    pub fn place(&self, path: &Utf8Path) -> io::Result<Place> {
        self.walk(path, false)
    }

    /// Like [`Tree::place`], and creates the parent directories that are missing.
    ///
    /// # Errors
    ///
    /// As [`Tree::place`], and if a parent cannot be created.
    pub fn place_with_parents(&self, path: &Utf8Path) -> io::Result<Place> {
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

    /// What the directory holds, in the order of the names; names that are not UTF-8 as far as they can be read.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be read.
    pub fn entries(&self) -> io::Result<Vec<(String, EntryKind)>> {
        let mut entries = Vec::new();
        for entry in self.dir.entries()? {
            let entry = entry?;
            let kind = type_kind(entry.file_type()?);
            entries.push((entry.file_name().to_string_lossy().into_owned(), kind));
        }
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(entries)
    }

    fn walk(&self, path: &Utf8Path, create: bool) -> io::Result<Place> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(unusable_path());
        };
        Ok(Place {
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

/// Why a file is not written although the system might let us.
pub(crate) fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only")
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
pub struct Place {
    dir: Dir,
    name: String,
}

impl Place {
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

    /// Reads the regular file that stands here, together with its permissions.
    ///
    /// # Errors
    ///
    /// As [`Place::open`], and with `FileTooLarge` if the file holds more than `limit` bytes.
    pub fn read(&self, limit: u64) -> io::Result<(Vec<u8>, Permissions)> {
        let file = self.open()?;
        let permissions = file.metadata()?.permissions();
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
            Ok((bytes, permissions))
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
        let temporary = self.temporary(contents, None)?;
        match self.dir.hard_link(&temporary.name, &self.dir, &self.name) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Not every file system has hard links; an exclusive create is the next best thing.
            Err(_) => self.create_directly(contents),
        }
    }

    fn create_directly(&self, contents: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.dir.open_with(&self.name, &options)?;
        file.write_all(contents)
    }

    /// Replaces the file that stands here, and gives the replacement `permissions`.
    ///
    /// # Errors
    ///
    /// Fails with `PermissionDenied` if `permissions` are those of a read-only file, and if nothing can be written.
    pub fn replace(&self, contents: &[u8], permissions: &Permissions) -> io::Result<()> {
        if permissions.readonly() {
            return Err(read_only());
        }
        let temporary = match self.temporary(contents, Some(permissions)) {
            // A directory that takes no entries can still hold a file that takes writes.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return self.overwrite(contents);
            }
            other => other?,
        };
        self.dir.rename(&temporary.name, &self.dir, &self.name)?;
        temporary.keep();
        Ok(())
    }

    fn overwrite(&self, contents: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .follow(FollowSymlinks::No)
            .nonblock(true);
        let mut file = self.dir.open_with(&self.name, &options)?;
        if entry_kind(&file.metadata()?) != EntryKind::File {
            return Err(not_regular());
        }
        file.set_len(0)?;
        file.write_all(contents)
    }

    fn temporary(
        &self,
        contents: &[u8],
        permissions: Option<&Permissions>,
    ) -> io::Result<Temporary<'_>> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        for _ in 0..TEMPORARY_NAME_ATTEMPTS {
            let number = TEMPORARY_COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = format!(".jp-fs-tools-{}-{number}.tmp", std::process::id());
            let mut file = match self.dir.open_with(&name, &options) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            let temporary = Temporary {
                dir: &self.dir,
                name,
                keep: false,
            };
            // Before the content, which is not for everybody to read.
            if let Some(permissions) = permissions {
                file.set_permissions(permissions.clone())?;
            }
            file.write_all(contents)?;
            return Ok(temporary);
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
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
    /// Fails across file systems, and if the target is a directory that holds something.
    pub fn rename_over(&self, target: &Self) -> io::Result<()> {
        self.dir.rename(&self.name, &target.dir, &target.name)
    }

    /// Moves the file or link to `target`, where nothing may stand.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if anything stands at the target, and if the entry cannot be moved; nothing stands at
    /// the target then.
    pub fn rename_to_vacant(&self, target: &Self) -> io::Result<()> {
        // A link refuses to replace, which a rename does not on every system.
        match self.dir.hard_link(&self.name, &target.dir, &target.name) {
            Ok(()) => self.dir.remove_file(&self.name).inspect_err(|_| {
                // The link is our own, and the error that matters is the one about the source.
                let _ = target.dir.remove_file(&target.name);
            }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => match target.kind()? {
                None => self.rename_over(target),
                Some(_) => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
            },
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

/// A temporary file, removed on drop unless it was renamed to its final name.
struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
    keep: bool,
}

impl Temporary<'_> {
    fn keep(mut self) {
        self.keep = true;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.keep {
            // Nothing useful can be done about a leftover, and the outcome of the write stands.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
