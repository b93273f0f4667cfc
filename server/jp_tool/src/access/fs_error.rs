//! Why a path may not be touched.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use crate::AccessRuleError;

/// Why a file-system check failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FsAccessError {
    /// The path is absolute and not below the workspace.
    #[error("path is outside the workspace: {0}")]
    Outside(Utf8PathBuf),

    /// The path leaves the workspace through `..` or a symbolic link.
    #[error("path escapes the workspace: {0}")]
    Escape(Utf8PathBuf),

    /// No rule grants the capability.
    #[error("access denied: {capability} on {target}")]
    Denied {
        /// The capability that was asked for.
        capability: &'static str,
        /// The canonical path that it was asked for.
        target: Utf8PathBuf,
        /// The paths where the capability is granted.
        grants: Vec<Utf8PathBuf>,
    },

    /// The path lies in a protected place, and no rule lies at or below that.
    #[error(
        "access denied: {capability} on {target}, which is protected since it decides what runs; only a rule at or \
         below the place grants it: {{ path = \"{place}\", {capability} = true }}"
    )]
    Protected {
        /// The capability that was asked for.
        capability: &'static str,
        /// The canonical path that it was asked for.
        target: Utf8PathBuf,
        /// The protected place, relative to the workspace.
        place: Utf8PathBuf,
    },

    /// The workspace root in the context is not absolute.
    #[error("workspace root is not an absolute path: {0}")]
    RelativeRoot(Utf8PathBuf),

    /// The file system does not say where the path leads.
    #[error("failed to resolve path {path}: {message}")]
    Io {
        /// The path that was to be resolved.
        path: Utf8PathBuf,
        /// The kind of failure.
        kind: io::ErrorKind,
        /// The failure in words.
        message: String,
    },

    /// The policy itself is broken, so that nothing is granted.
    #[error("invalid access policy: {0}")]
    InvalidPolicy(#[from] AccessRuleError),
}

impl FsAccessError {
    pub(crate) fn io(path: &Utf8Path, error: &io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            kind: error.kind(),
            message: error.to_string(),
        }
    }
}
