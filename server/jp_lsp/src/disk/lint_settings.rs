//! How a repository wants its config judged.
//!
//! ```toml
//! # .jp/lsp.toml
//! [severity]
//! missing-catch-all = "error"
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::Severities;
use jp_config::document::{Document, Node};

use super::config_files::read_at_most;

/// The most of the settings that is read, in bytes.
const MAXIMUM_SIZE: usize = 1 << 20;

/// The one table of the settings.
const SEVERITY: &str = "severity";

/// Why the settings of a repository cannot be heeded.
#[derive(Debug, thiserror::Error)]
pub enum LintSettingsError {
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

/// What the settings of a workspace say; nothing where it has none.
///
/// # Errors
///
/// [`LintSettingsError`], about the first thing that is wrong.
pub(crate) fn severities(workspace: &Utf8Path) -> Result<Severities, LintSettingsError> {
    let path = workspace.join(".jp/lsp.toml");
    if std::fs::symlink_metadata(&path).is_err() {
        return Ok(Severities::default());
    }
    match read_at_most(&path, MAXIMUM_SIZE) {
        Ok(text) => parse(&text).map_err(|(offset, problem)| {
            let before = text.as_bytes().get(..offset).unwrap_or_default();
            LintSettingsError::Wrong {
                line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
                path,
                problem,
            }
        }),
        Err(problem) => Err(LintSettingsError::Unreadable {
            path,
            problem: problem.to_string(),
        }),
    }
}

/// What a text sets; else where the first mistake is, and what it is.
fn parse(text: &str) -> Result<Severities, (usize, String)> {
    let document = Document::parse(text);
    if let Some(error) = document.first_errors(1).into_iter().next() {
        return Err((error.span.start as usize, error.message));
    }
    let mut severities = Severities::default();
    for entry in document.root().entries() {
        let at = entry.key_span().start as usize;
        if entry.key() != SEVERITY {
            let problem = format!(
                "unknown key `{}`, the one table here is `[{SEVERITY}]`",
                entry.key()
            );
            return Err((at, problem));
        }
        let Node::Table(levels) = entry.value() else {
            let problem = format!(
                "`{SEVERITY}` is a table: write `[{SEVERITY}]`, and below it lines such as `missing-catch-all = \"error\"`"
            );
            return Err((at, problem));
        };
        for level in levels.entries() {
            let at = level.key_span().start as usize;
            let written = level.value().as_str().ok_or_else(|| {
                let problem = format!(
                    "the severity of `{}` is a text: write `\"error\"`, `\"warning\"`, `\"information\"`, `\"hint\"` or `\"off\"`",
                    level.key()
                );
                (at, problem)
            })?;
            let set = severities.set(level.key(), &written);
            set.map_err(|error| (at, error.to_string()))?;
        }
    }
    Ok(severities)
}

#[cfg(test)]
#[path = "lint_settings_tests.rs"]
mod tests;
