//! Severities that a person or a repository chose.
//!
//! ```toml
//! # .jp/lsp.toml
//! [severity]
//! missing-catch-all = "error"
//! merge-trap = "off"
//! ```
//!
//! An error stays one, since no turn starts with a file that has one: neither can it be lowered, nor hidden.

use std::collections::BTreeMap;

use jp_config::words::suggest;

use crate::diagnostic::{Code, Diagnostic, Severity};

/// How bad the findings with a code are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As bad as this.
    Severity(Severity),
    /// Not to be told.
    Off,
}

impl Level {
    /// The words for levels, the worst first.
    pub const NAMES: [&'static str; 5] = ["error", "warning", "information", "hint", "off"];

    /// The level with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "error" => Self::Severity(Severity::Error),
            "warning" => Self::Severity(Severity::Warning),
            "information" => Self::Severity(Severity::Information),
            "hint" => Self::Severity(Severity::Hint),
            "off" => Self::Off,
            _ => return None,
        })
    }
}

/// Why a severity cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeverityError {
    /// No code has the name.
    #[error("unknown code `{written}`{}", near.as_ref().map_or_else(String::new, |near| format!(", did you mean `{near}`?")))]
    Code {
        /// The name.
        written: String,
        /// The code that was probably meant.
        near: Option<&'static str>,
    },
    /// No level has the name.
    #[error("unknown severity `{0}`: write `error`, `warning`, `information`, `hint` or `off`")]
    Level(String),
    /// It is no assignment.
    #[error("`{0}` sets no severity: write CODE=LEVEL, such as `missing-catch-all=error`")]
    Assignment(String),
}

/// Severities by code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Severities {
    levels: BTreeMap<Code, Level>,
}

impl Severities {
    /// Sets the level of a code, both by their names.
    ///
    /// # Errors
    ///
    /// A name that nothing bears.
    pub fn set(&mut self, code: &str, level: &str) -> Result<(), SeverityError> {
        let known = Code::from_name(code).ok_or_else(|| SeverityError::Code {
            written: code.to_owned(),
            near: suggest(code, Code::ALL.iter().map(|code| code.as_str())),
        })?;
        let level =
            Level::from_name(level).ok_or_else(|| SeverityError::Level(level.to_owned()))?;
        self.levels.insert(known, level);
        Ok(())
    }

    /// Sets what an assignment such as `missing-catch-all=error` says.
    ///
    /// # Errors
    ///
    /// No assignment, or a name that nothing bears.
    pub fn assign(&mut self, assignment: &str) -> Result<(), SeverityError> {
        let (code, level) = assignment
            .split_once('=')
            .ok_or_else(|| SeverityError::Assignment(assignment.to_owned()))?;
        self.set(code.trim(), level.trim())
    }

    /// These severities, and for other codes those of `weaker`.
    #[must_use]
    pub fn over(mut self, weaker: &Self) -> Self {
        for (code, level) in &weaker.levels {
            self.levels.entry(*code).or_insert(*level);
        }
        self
    }

    /// How bad a finding is; none where it is not to be told.
    #[must_use]
    pub fn of(&self, finding: &Diagnostic) -> Option<Severity> {
        match (finding.severity, self.levels.get(&finding.code)) {
            (Severity::Error, _) => Some(Severity::Error),
            (severity, None) => Some(severity),
            (_, Some(Level::Severity(severity))) => Some(*severity),
            (_, Some(Level::Off)) => None,
        }
    }
}

#[cfg(test)]
#[path = "severities_tests.rs"]
mod tests;
