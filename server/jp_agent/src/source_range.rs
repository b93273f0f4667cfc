//! Where in the config something is said.

use camino::Utf8PathBuf;

/// A part of a config file, lines and characters counted from 0, characters as the [`ConfigSource`](crate::ConfigSource) says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRange {
    /// The absolute path of the file.
    pub file: Utf8PathBuf,
    /// Where it begins: line and character.
    pub start: (u32, u32),
    /// Where it ends: line and character.
    pub end: (u32, u32),
}
