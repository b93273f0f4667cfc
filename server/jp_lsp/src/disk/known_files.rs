//! Files of which some are known already: what has the same text is not parsed again, and shares its memory.
//!
//! ```text
//! HEAD:.jp/config.toml == .jp/config.toml == the buffer   # one document for all three
//! ```

use std::sync::Arc;

use camino::Utf8Path;
use jp_config::{
    content::Content,
    graph::{FileKind, Files, Graph, Listing, ReadProblem},
};

/// Files that can be read without being parsed.
pub(crate) trait Texts: Files {
    /// The text of a file.
    ///
    /// # Errors
    ///
    /// Those of [`Files::read`].
    fn text(&self, path: &Utf8Path) -> Result<String, ReadProblem>;
}

/// Files beside a load whose contents are used where they say the same.
pub(crate) struct KnownFiles<'a, F> {
    pub(crate) inner: F,
    pub(crate) known: &'a Graph,
}

impl<F: Texts> Files for KnownFiles<'_, F> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        let text = self.inner.text(path)?;
        let known = self.known.file_at(path);
        let known = known.and_then(|file| self.known.content(file));
        Ok(Content::of_file(path, &text, known))
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        self.inner.kind(path)
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        self.inner.glob(base, pattern)
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        self.inner.walk(directory)
    }

    fn is_shut(&self, path: &Utf8Path) -> bool {
        self.inner.is_shut(path)
    }
}

#[cfg(test)]
#[path = "known_files_tests.rs"]
mod tests;
