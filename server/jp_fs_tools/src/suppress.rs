//! The `suppress` option: paths that a tool may read but never returns.
//!
//! ```toml
//! [conversation.tools.fs_grep_files]
//! options.suppress = [".git/", "**/target/"]
//! ```
//!
//! The patterns are those of `.ignore` files.
//! They are matched on the canonical form of a path, so a symlink cannot dodge them, and a pattern that cannot be read
//! stops the call, since what it meant to hide would otherwise show.

use camino::Utf8Path;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::{Map, Value};

use crate::error::Error;

/// The compiled patterns of the `suppress` option.
#[derive(Debug, Clone)]
pub(crate) struct Suppress(Gitignore);

impl Suppress {
    /// Reads the option, which may be absent.
    pub(crate) fn from_options(options: &Map<String, Value>) -> Result<Self, Error> {
        let invalid = |problem: String| Error::Option {
            name: "suppress".to_owned(),
            problem,
        };
        let patterns = match options.get("suppress") {
            None | Some(Value::Null) => return Ok(Self(Gitignore::empty())),
            Some(Value::Array(patterns)) => patterns.as_slice(),
            Some(_) => return Err(invalid(wanted_patterns())),
        };
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            let Value::String(pattern) = pattern else {
                return Err(invalid(wanted_patterns()));
            };
            builder
                .add_line(None, pattern)
                .map_err(|error| invalid(format!("{error}")))?;
        }
        builder
            .build()
            .map(Self)
            .map_err(|error| invalid(format!("{error}")))
    }

    /// Whether `path`, or a directory that holds it, is suppressed.
    pub(crate) fn hides(&self, path: &Utf8Path, is_directory: bool) -> bool {
        !self.0.is_empty()
            && !path.as_str().is_empty()
            && path.is_relative()
            && self
                .0
                .matched_path_or_any_parents(path, is_directory)
                .is_ignore()
    }
}

fn wanted_patterns() -> String {
    "write a list of `.ignore` patterns, such as `[\".git/\"]`".to_owned()
}

#[cfg(test)]
#[path = "suppress_tests.rs"]
mod tests;
