//! A file of our own settings: read whole, or refused at the first thing that is wrong in it.
//!
//! ```text
//! .jp/lsp.toml:3: unknown severity `warn`: write `error`, `warning`, `information`, `hint` or `off`
//! ```

use camino::Utf8PathBuf;
use jp_analysis::Mistake;

use super::config_files::read_at_most;

/// The most of the settings that is read, in bytes.
pub(crate) const MAXIMUM_SIZE: usize = 1 << 20;

/// Why settings cannot be heeded.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFileError {
    /// The file is there and cannot be read.
    #[error("`{path}` cannot be read: {problem}")]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// What is the matter.
        problem: String,
    },
    /// Something in it is wrong.
    #[error("{path}:{line}: {problem}")]
    Wrong {
        /// The file.
        path: Utf8PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what to write instead.
        problem: String,
    },
}

/// What a file sets; `parse` takes that from a text, with all mistakes in it by position.
///
/// # Errors
///
/// [`SettingsFileError`], about the first thing that is wrong.
pub(super) fn read<T>(
    path: Utf8PathBuf,
    parse: impl FnOnce(&str) -> (T, Vec<Mistake>),
) -> Result<T, SettingsFileError> {
    let text =
        read_at_most(&path, MAXIMUM_SIZE).map_err(|problem| SettingsFileError::Unreadable {
            path: path.clone(),
            problem: problem.to_string(),
        })?;
    let (set, mistakes) = parse(&text);
    let Some(mistake) = mistakes.into_iter().next() else {
        return Ok(set);
    };
    let before = text.as_bytes().get(..mistake.span.start as usize);
    let lines = before.unwrap_or_default().iter();
    Err(SettingsFileError::Wrong {
        line: lines.filter(|byte| **byte == b'\n').count() + 1,
        path,
        problem: mistake.message,
    })
}
