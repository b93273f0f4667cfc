//! The person's data folder, and what is written there: whole, and readable by the person alone.
//!
//! ```text
//! ~/.local/share/jp-lsp/conversations/w-a1b2c/   documents/w-a1b2c/jp-c17636666521.md   trust/
//! ```

use std::{fs, io::Write as _};

use camino::{Utf8Path, Utf8PathBuf};

/// The environment variable that names another folder for conversations than the user's data folder.
pub const DATA_VARIABLE: &str = "JP_LSP_DATA_DIR";

/// There is no place for what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this machine names no folder for data; set `{DATA_VARIABLE}`")]
pub struct NoDataDirectory;

/// The folder of everything that is kept.
///
/// # Errors
///
/// [`NoDataDirectory`].
pub(crate) fn data_directory() -> Result<Utf8PathBuf, NoDataDirectory> {
    match std::env::var(DATA_VARIABLE) {
        Ok(directory) if !directory.is_empty() => Ok(Utf8PathBuf::from(directory)),
        _ => Ok(dirs::data_dir()
            .and_then(|path| Utf8PathBuf::from_path_buf(path).ok())
            .ok_or(NoDataDirectory)?
            .join("jp-lsp")),
    }
}

/// Writes a file that only the person may read, whole or not at all.
///
/// # Errors
///
/// The file or its directory cannot be written; what stood there before stands there still.
pub(crate) fn write_whole(path: &Utf8Path, text: &str) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(path);
    create_private_directory(directory)?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Creates a directory and what leads to it, for the user only.
pub(crate) fn create_private_directory(path: &Utf8Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}
