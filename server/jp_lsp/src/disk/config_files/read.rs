//! Reading one file that anybody may have put there.
//!
//! ```text
//! .jp/config.toml -> /proc/self/pagemap   # a regular file of 0 bytes that never ends
//! ```

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _},
};

use camino::Utf8Path;
use jp_config::graph::{MAXIMUM_SIZE, ReadProblem};

/// How far past its limit a file is read to see that it goes on; some that the system makes up are read in words alone.
const WORD: u64 = 4096;

/// The text of a config file, at most [`MAXIMUM_SIZE`] of it.
///
/// # Errors
///
/// Says why the path cannot be read as one.
pub(crate) fn read_text(path: &Utf8Path) -> Result<String, ReadProblem> {
    read_at_most(path, MAXIMUM_SIZE)
}

/// The text of a regular file that holds at most `maximum` bytes.
///
/// # Errors
///
/// Says why the path cannot be read as one; [`ReadProblem::TooLarge`] whatever the maximum is.
pub(crate) fn read_at_most(path: &Utf8Path, maximum: usize) -> Result<String, ReadProblem> {
    // To open some devices is to use them, so what stands there is asked before.
    regular(&fs::metadata(path).map_err(|error| refused(&error))?)?;
    let file = open(path).map_err(|error| refused(&error))?;
    // Something else may stand there by now, so what was opened is what counts.
    let metadata = file.metadata().map_err(|error| refused(&error))?;
    regular(&metadata)?;
    let limit = u64::try_from(maximum).unwrap_or(u64::MAX);
    if metadata.len() > limit {
        return Err(ReadProblem::TooLarge);
    }
    // The length of a file says nothing about one that grows, or that the system makes up while it is read.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.take(limit.saturating_add(WORD))
        .read_to_end(&mut bytes)
        .map_err(|error| refused(&error))?;
    if bytes.len() > maximum {
        return Err(ReadProblem::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| ReadProblem::NotUtf8(error.utf8_error().valid_up_to()))
}

fn regular(metadata: &Metadata) -> Result<(), ReadProblem> {
    if metadata.is_dir() {
        Err(ReadProblem::Directory)
    } else if metadata.is_file() {
        Ok(())
    } else {
        Err(ReadProblem::NotAFile)
    }
}

/// Opens a file; one that became a pipe meanwhile is not waited for.
#[cfg(unix)]
pub(super) fn open(path: &Utf8Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path.as_std_path(), flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
pub(super) fn open(path: &Utf8Path) -> io::Result<File> {
    File::open(path)
}

fn refused(error: &io::Error) -> ReadProblem {
    match error.kind() {
        io::ErrorKind::NotFound => ReadProblem::Missing,
        _ => ReadProblem::Refused(error.to_string()),
    }
}
