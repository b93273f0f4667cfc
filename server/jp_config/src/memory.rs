//! Config files that live in memory.
//!
//! ```text
//! /w/.jp/config.toml        extends = ["tools/*.toml"]
//! /w/.jp/tools/read.toml    [conversation.tools.read]
//! ```
//!
//! Tests and the built-in demonstration describe a workspace this way.

use std::{collections::BTreeMap, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    content::{Content, ContentFormat},
    graph::{FileKind, Files, Listing, MAXIMUM_FILES, ReadProblem},
};

/// A set of files by absolute path.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: BTreeMap<Utf8PathBuf, Arc<Content>>,
    texts: BTreeMap<Utf8PathBuf, String>,
}

impl MemoryFiles {
    /// Adds a file, or gives an existing one another text.
    pub fn insert(&mut self, path: impl Into<Utf8PathBuf>, text: &str) {
        let path = path.into();
        let format = ContentFormat::of(&path).unwrap_or(ContentFormat::Toml);
        self.files
            .insert(path.clone(), Arc::new(Content::parse(format, text)));
        self.texts.insert(path, text.to_owned());
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &Utf8Path) {
        self.files.remove(path);
        self.texts.remove(path);
    }

    /// The text of a file.
    #[must_use]
    pub fn text(&self, path: &Utf8Path) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// The paths of all files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.files.keys().map(Utf8PathBuf::as_path)
    }

    /// A set of files from text in which lines of the form `//- /path` start a file.
    #[must_use]
    pub fn from_fixture(fixture: &str) -> Self {
        let mut files = Self::default();
        let mut path: Option<Utf8PathBuf> = None;
        let mut text = String::new();
        for line in fixture.split_inclusive('\n') {
            if let Some(name) = line.strip_prefix("//- ") {
                if let Some(path) = path.take() {
                    files.insert(path, &text);
                }
                text.clear();
                path = Some(Utf8PathBuf::from(name.trim()));
            } else {
                text.push_str(line);
            }
        }
        if let Some(path) = path {
            files.insert(path, &text);
        }
        files
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        match self.kind(path) {
            FileKind::Directory => Err(ReadProblem::Directory),
            _ => self.files.get(path).cloned().ok_or(ReadProblem::Missing),
        }
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        if self.files.contains_key(path) {
            return FileKind::File;
        }
        if self.files.keys().any(|file| file.starts_with(path)) {
            return FileKind::Directory;
        }
        FileKind::Missing
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        let escaped = glob::Pattern::escape(base.as_str());
        let Ok(pattern) = glob::Pattern::new(&format!("{escaped}/{pattern}")) else {
            return Listing::default();
        };
        let options = glob::MatchOptions {
            require_literal_separator: true,
            ..glob::MatchOptions::default()
        };
        let mut found: Vec<Utf8PathBuf> = self
            .files
            .keys()
            .flat_map(|path| path.ancestors())
            .filter(|path| path.starts_with(base) && *path != base)
            .filter(|path| pattern.matches_with(path.as_str(), options))
            .map(Utf8Path::to_owned)
            .collect();
        found.sort();
        found.dedup();
        found.truncate(MAXIMUM_FILES);
        Listing {
            paths: found,
            ..Listing::default()
        }
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        let paths = self
            .files
            .keys()
            .filter(|path| path.starts_with(directory))
            .take(MAXIMUM_FILES)
            .cloned()
            .collect();
        Listing {
            paths,
            ..Listing::default()
        }
    }
}
