//! A file with its whole content that has no name yet, or none that counts.
//!
//! ```text
//! without a name                    Linux, where the file system can
//! .jp-fs-tools-4711-0.tmp           elsewhere, and for a moment where a file is replaced
//! ```
//!
//! Only a complete file gets the name that somebody looks for, so neither a full disk nor a kill leaves half of one.
//! A temporary name that a killed process has left is removed by the next write to the directory: whoever is still at
//! work holds a lock on the file.

use std::{
    fs::File,
    io::{self, Write as _},
    sync::atomic::{AtomicU64, Ordering},
};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, OpenOptions};

/// How many temporary names are tried before giving up.
const NAME_ATTEMPTS: u32 = 64;
/// How a temporary name begins; the process and a number follow.
const PREFIX: &str = ".jp-fs-tools-";
/// How a temporary name ends.
const SUFFIX: &str = ".tmp";

/// Makes the temporary names of one process distinct.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A complete file in a directory, waiting for its name.
#[derive(Debug)]
pub(crate) struct Staged<'a> {
    directory: &'a Dir,
    /// Also holds the lock that tells it from what was left over.
    file: File,
    /// Its temporary name, which is removed with it.
    name: Option<String>,
}

impl<'a> Staged<'a> {
    /// Writes a file, which `prepare` sees before it has any content.
    pub(crate) fn write(
        directory: &'a Dir,
        contents: &[u8],
        prepare: impl Fn(&File) -> io::Result<()>,
    ) -> io::Result<Self> {
        remove_left_over(directory);
        let mut staged = Self::empty(directory)?;
        prepare(&staged.file)?;
        staged.file.write_all(contents)?;
        Ok(staged)
    }

    fn empty(directory: &'a Dir) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless::create(directory)? {
            return Ok(Self {
                directory,
                file,
                name: None,
            });
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        for name in names() {
            match directory.open_with(&name, &options) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => {
                    let staged = Self {
                        directory,
                        file: other?.into_std(),
                        name: Some(name),
                    };
                    lock(&staged.file);
                    return Ok(staged);
                }
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    /// Gives the file a name that nothing has.
    pub(crate) fn place(mut self, name: &str) -> io::Result<()> {
        match self.link(name) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Not every file system has links.
            Err(error) => {
                let temporary = self.name.take().ok_or(error)?;
                rename_to_vacant(self.directory, &temporary, self.directory, name).inspect_err(
                    |_| {
                        let _ = self.directory.remove_file(&temporary);
                    },
                )
            }
        }
    }

    /// Gives the file a name, whatever has it now.
    pub(crate) fn replace(mut self, name: &str) -> io::Result<()> {
        if self.name.is_none() {
            let mut linked = Err(io::Error::from(io::ErrorKind::AlreadyExists));
            for temporary in names() {
                linked = self.link(&temporary);
                if linked
                    .as_ref()
                    .is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
                {
                    continue;
                }
                self.name = linked.is_ok().then_some(temporary);
                break;
            }
            linked?;
        }
        if let Some(temporary) = &self.name {
            self.directory.rename(temporary, self.directory, name)?;
        }
        self.name = None;
        Ok(())
    }

    fn link(&self, name: &str) -> io::Result<()> {
        match &self.name {
            Some(temporary) => self.directory.hard_link(temporary, self.directory, name),
            #[cfg(target_os = "linux")]
            None => nameless::link(&self.file, self.directory, name),
            #[cfg(not(target_os = "linux"))]
            None => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing useful can be done about a leftover, and the outcome of the write stands.
            let _ = self.directory.remove_file(name);
        }
    }
}

fn names() -> impl Iterator<Item = String> {
    (0..NAME_ATTEMPTS).map(|_| {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id())
    })
}

/// Whether a file of this name is one of ours.
fn is_temporary(name: &str) -> bool {
    let numbers = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .and_then(|numbers| numbers.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Removes the temporary files in a directory whose writer is gone.
fn remove_left_over(directory: &Dir) {
    let Ok(entries) = directory.entries() else {
        return;
    };
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_temporary(name)) else {
            continue;
        };
        let is_left_over = directory
            .open_with(name, &options)
            .is_ok_and(|file| lock(&file.into_std()));
        if is_left_over {
            // Somebody else may have been faster.
            let _ = directory.remove_file(name);
        }
    }
}

/// Takes the lock of a writer, and says whether nobody else has it.
fn lock(file: &File) -> bool {
    file.try_lock().is_ok()
}

/// Moves an entry to where nothing stands.
pub(crate) fn rename_to_vacant(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::{
            fs::{RenameFlags, renameat_with},
            io::Errno,
        };

        match renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
            // Not every file system knows how.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return other.map_err(io::Error::from),
        }
    }
    // A link refuses to replace, which a rename does not on every system.
    match from.hard_link(name, to, new_name) {
        Ok(()) => from.remove_file(name).inspect_err(|_| {
            // The link is our own, and the error that matters is the one about the source.
            let _ = to.remove_file(new_name);
        }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => match to.symlink_metadata(new_name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                from.rename(name, to, new_name)
            }
            _ => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
        },
    }
}

/// Files that are in a directory without a name.
#[cfg(target_os = "linux")]
mod nameless {
    use std::{fs::File, io, os::fd::AsRawFd as _};

    use cap_std::fs::Dir;
    use rustix::{
        fs::{AtFlags, CWD, Mode, OFlags, linkat, openat},
        io::Errno,
    };

    /// A new file; none where the file system does not have such files.
    pub(super) fn create(directory: &Dir) -> io::Result<Option<File>> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        match openat(directory, ".", flags, Mode::from_raw_mode(0o666)) {
            Ok(file) => {
                let file = File::from(file);
                super::lock(&file);
                Ok(Some(file).filter(|_| std::fs::exists("/proc/self/fd").unwrap_or(false)))
            }
            Err(Errno::NOTSUP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives such a file a name.
    pub(super) fn link(file: &File, directory: &Dir, name: &str) -> io::Result<()> {
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        linkat(CWD, path, directory, name, AtFlags::SYMLINK_FOLLOW)?;
        Ok(())
    }
}
