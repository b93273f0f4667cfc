//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempDir;

use crate::error::ConversationError;

/// The events of a conversation, one a line.
pub(crate) const EVENTS: &str = "events.jsonl";

/// The config that a conversation began with.
pub(crate) const BASE_CONFIG: &str = "base_config.json";

/// What is known of a conversation besides its events.
pub(crate) const METADATA: &str = "metadata.json";

/// The most of a file that is read as one value, in bytes.
const MAXIMUM_SIZE: u64 = 1 << 30;

/// Held by the one writer of a conversation.
pub(crate) const LOCK: &str = "lock";

/// Writes JSON to a file: beside it first, then renamed over it.
pub(crate) fn write_json(path: &Utf8Path, value: &impl Serialize) -> Result<(), ConversationError> {
    let directory = path.parent().unwrap_or(Utf8Path::new("."));
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|error| ConversationError::InvalidFile {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
    text.push(b'\n');
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .tempfile_in(directory)
        .map_err(ConversationError::io("write to", directory))?;
    file.write_all(&text)
        .and_then(|()| file.as_file().sync_all())
        .map_err(ConversationError::io("write", path))?;
    file.persist(path)
        .map_err(|error| error.error)
        .map_err(ConversationError::io("write", path))?;
    sync_directory(directory)
}

/// Reads a file of JSON.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Utf8Path) -> Result<T, ConversationError> {
    let text = regular(path).map_err(ConversationError::io("read", path))?;
    serde_json::from_slice(&text).map_err(|error| ConversationError::InvalidFile {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

/// The bytes of a regular file: a pipe or a device may never end, and to open one is to use it.
fn regular(path: &Utf8Path) -> io::Result<Vec<u8>> {
    let is_regular = |metadata: fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is no regular file")),
    };
    is_regular(fs::metadata(path)?)?;
    let file = File::open(path)?;
    is_regular(file.metadata()?)?;
    let mut text = Vec::new();
    // One that the system makes up as it is read has no end either.
    file.take(MAXIMUM_SIZE).read_to_end(&mut text)?;
    Ok(text)
}

/// As [`read_json`], but `None` when there is no such file.
pub(crate) fn read_json_if_any<T: DeserializeOwned>(
    path: &Utf8Path,
) -> Result<Option<T>, ConversationError> {
    match path.try_exists() {
        Ok(false) => Ok(None),
        Ok(true) => read_json(path).map(Some),
        Err(error) => Err(ConversationError::io("read", path)(error)),
    }
}

/// Makes names in a directory last through a crash of the machine.
pub(crate) fn sync_directory(directory: &Utf8Path) -> Result<(), ConversationError> {
    // Only unix systems can open a directory; elsewhere the file system sees to it.
    if cfg!(unix) {
        File::open(directory)
            .and_then(|directory| directory.sync_all())
            .map_err(ConversationError::io("sync", directory))?;
    }
    Ok(())
}

/// Creates a directory and what leads to it, for the user only.
pub(crate) fn create_private_directory(path: &Utf8Path) -> Result<(), ConversationError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder
        .create(path)
        .map_err(ConversationError::io("create", path))
}

/// A directory in `parent` that has no name yet that anyone looks for, for the user only.
///
/// It is removed on drop unless it is kept.
pub(crate) fn building_directory(
    parent: &Utf8Path,
) -> Result<(TempDir, Utf8PathBuf), ConversationError> {
    create_private_directory(parent)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jp-lsp-building-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    let building = builder
        .tempdir_in(parent)
        .map_err(ConversationError::io("write to", parent))?;
    match Utf8PathBuf::from_path_buf(building.path().to_path_buf()) {
        Ok(path) => Ok((building, path)),
        Err(path) => Err(ConversationError::InvalidFile {
            path: path.to_string_lossy().into_owned().into(),
            reason: "the path is not UTF-8, use another directory".to_owned(),
        }),
    }
}

/// Opens a file to add to its end, for the user only.
pub(crate) fn open_append(path: &Utf8Path) -> Result<File, ConversationError> {
    let mut options = fs::OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
        .open(path)
        .map_err(ConversationError::io("open", path))
}
