//! A folder on disk, read as if it lay elsewhere.
//!
//! ```text
//! /tmp/base/.jp/config.toml      # shown, and compared, as /w/.jp/config.toml
//! ```

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    content::Content,
    graph::{FileKind, Files, Listing, ReadProblem},
};

use super::known_files::Texts;

/// The files of `inner` below one folder, as if they lay below another.
pub(crate) struct MovedFiles<F> {
    pub(crate) inner: F,
    /// Where they are.
    pub(crate) from: Utf8PathBuf,
    /// Where they seem to be.
    pub(crate) to: Utf8PathBuf,
}

impl<F> MovedFiles<F> {
    fn real(&self, path: &Utf8Path) -> Utf8PathBuf {
        match path.strip_prefix(&self.to) {
            Ok(below) => self.from.join(below),
            Err(_) => path.to_owned(),
        }
    }

    fn seen(&self, listing: Listing) -> Listing {
        let seen = |path: Utf8PathBuf| match path.strip_prefix(&self.from) {
            Ok(below) => self.to.join(below),
            Err(_) => path,
        };
        Listing {
            paths: listing.paths.into_iter().map(seen).collect(),
            directories: listing.directories.into_iter().map(seen).collect(),
            links: listing.links.into_iter().map(seen).collect(),
            closed: listing.closed.into_iter().map(seen).collect(),
            is_cut: listing.is_cut,
        }
    }
}

impl<F: Texts> Texts for MovedFiles<F> {
    fn text(&self, path: &Utf8Path) -> Result<String, ReadProblem> {
        self.inner.text(&self.real(path))
    }
}

impl<F: Files> Files for MovedFiles<F> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        self.inner.read(&self.real(path))
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        self.inner.kind(&self.real(path))
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        self.seen(self.inner.glob(&self.real(base), pattern))
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        self.seen(self.inner.walk(&self.real(directory)))
    }

    fn is_shut(&self, path: &Utf8Path) -> bool {
        !path.starts_with(&self.to)
    }
}
