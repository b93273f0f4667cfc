//! How a repository wants its config judged.
//!
//! ```toml
//! # .jp/lsp.toml
//! [severity]
//! missing-catch-all = "error"
//! ```

use camino::Utf8Path;
use jp_analysis::{
    Severities,
    settings::{PATH, Settings},
};

use super::settings_file::{self, SettingsFileError};

/// What the settings of a workspace say; nothing where it has none.
///
/// # Errors
///
/// [`SettingsFileError`], about the first thing that is wrong.
pub(crate) fn severities(workspace: &Utf8Path) -> Result<Severities, SettingsFileError> {
    let path = workspace.join(PATH);
    if std::fs::symlink_metadata(&path).is_err() {
        return Ok(Severities::default());
    }
    settings_file::read(path, |text| {
        let settings = Settings::read(text);
        (settings.severities, settings.mistakes)
    })
}
