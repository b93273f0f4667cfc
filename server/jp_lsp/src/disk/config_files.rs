//! The files on disk, as the load graph sees them.
//!
//! ```text
//! extends = ["tools/**/*.toml"]   # tools/more -> /usr/share: a link out of the workspace
//! ```
//!
//! Whoever opens a folder has not asked for anything in it to be read, so looking costs little whatever stands there.
//! A pipe or device is never opened, a file never read past [`MAXIMUM_SIZE`], a directory never looked into twice, and
//! one load as a whole looks at no more than [`MAXIMUM_ENTRIES`] names and [`MAXIMUM_LOAD_SIZE`] bytes.
//! Before a person trusts the workspace, nothing outside it is read through a link that lies in it, and in an editor not
//! because a path in its config names it, either.

mod read;
mod walk;

use std::{cell::Cell, fs, io, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    content::Content,
    graph::{
        FileKind, Files, Listing, MAXIMUM_ENTRIES, MAXIMUM_LOAD_SIZE, MAXIMUM_SIZE, ReadProblem,
        Roots,
    },
};

pub(crate) use self::read::{read_at_most, read_text};
pub(crate) use self::walk::SKIPPED;
use self::walk::Walk;
use super::{
    known_files::Texts,
    search::{Search, sorted},
    settings_file,
};

/// The most that is read of the examples beside the rules, in bytes.
pub(crate) const MAXIMUM_EXAMPLES: usize = 16 << 20;

/// The disk, for one load.
#[derive(Debug, Clone)]
pub(crate) struct DiskFiles {
    /// Where links may lead; anywhere in a workspace that a person trusts.
    bounds: Option<Bounds>,
    /// How many directory entries may still be looked at.
    entries: Cell<usize>,
    /// How many bytes may still be read.
    bytes: Cell<usize>,
    /// How many directories may still be named as worth watching.
    directories: Cell<usize>,
}

/// Where the links of a workspace may lead that nobody trusts yet.
#[derive(Debug, Clone)]
struct Bounds {
    workspace: Utf8PathBuf,
    /// The workspace without links.
    canonical: Utf8PathBuf,
    /// The person's own folders, where links are the person's.
    own: Vec<Utf8PathBuf>,
    /// Whether the workspace may name paths outside of it.
    names_outside: bool,
}

impl DiskFiles {
    /// The disk for a workspace that a person trusts, or asks about: links lead where they lead.
    pub(crate) fn trusted() -> Self {
        Self {
            bounds: None,
            entries: Cell::new(MAXIMUM_ENTRIES),
            bytes: Cell::new(MAXIMUM_LOAD_SIZE),
            directories: Cell::new(walk::MAXIMUM_DIRECTORIES),
        }
    }

    /// The disk for a workspace that nobody trusts yet: links in it do not lead out of it.
    pub(crate) fn untrusted(roots: &Roots) -> Self {
        let own = [&roots.user_global, &roots.user_workspace];
        let bounds = Bounds {
            canonical: canonical(&roots.workspace).unwrap_or_else(|| roots.workspace.clone()),
            workspace: roots.workspace.clone(),
            own: own.into_iter().flatten().cloned().collect(),
            names_outside: true,
        };
        Self {
            bounds: Some(bounds),
            ..Self::trusted()
        }
    }

    /// The same disk for a workspace that was merely opened: it does not name paths outside of it, either.
    pub(crate) fn opened(mut self) -> Self {
        if let Some(bounds) = &mut self.bounds {
            bounds.names_outside = false;
        }
        self
    }

    /// Takes the bytes of a file from what the load may still read.
    ///
    /// # Errors
    ///
    /// [`ReadProblem::TooMuch`] where they are more than that.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), ReadProblem> {
        let left = self.bytes.get().checked_sub(bytes);
        self.bytes.set(left.unwrap_or_default());
        left.map(|_| ()).ok_or(ReadProblem::TooMuch)
    }

    /// The text of a config file, taken from what the load may still read.
    ///
    /// # Errors
    ///
    /// Says why the path cannot be read as one.
    fn text(&self, path: &Utf8Path) -> Result<String, ReadProblem> {
        if self.bytes.get() == 0 {
            return Err(ReadProblem::TooMuch);
        }
        let text = read_text(&self.admitted(path)?);
        // A file that only turned out to be too large while it was read has cost as much.
        let cost = text.as_ref().map_or(0, String::len);
        let cost = match &text {
            Err(ReadProblem::TooLarge) => MAXIMUM_SIZE,
            _ => cost,
        };
        let charged = self.charge(cost);
        let text = text?;
        charged.map(|()| text)
    }

    /// The text of the examples beside the rules; none where there is no such file.
    ///
    /// # Errors
    ///
    /// Says why the path cannot be read.
    pub(crate) fn examples(&self, path: &Utf8Path) -> Result<Option<String>, ReadProblem> {
        self.beside_config(path, MAXIMUM_EXAMPLES)
    }

    /// The text of a file of settings; none where there is no such file.
    ///
    /// # Errors
    ///
    /// Says why the path cannot be read.
    pub(crate) fn settings(&self, path: &Utf8Path) -> Result<Option<String>, ReadProblem> {
        self.beside_config(path, settings_file::MAXIMUM_SIZE)
    }

    /// The text of a file that is about the config, and none of it.
    fn beside_config(&self, path: &Utf8Path, most: usize) -> Result<Option<String>, ReadProblem> {
        if fs::symlink_metadata(path).is_err() {
            return Ok(None);
        }
        read_at_most(&self.admitted(path)?, most).map(Some)
    }

    /// What to open in place of a path.
    fn admitted(&self, path: &Utf8Path) -> Result<Utf8PathBuf, ReadProblem> {
        match &self.bounds {
            Some(bounds) => bounds.admit(path),
            None => Ok(path.to_owned()),
        }
    }

    /// The content of a config file and how many bytes it has, taken from what the load may still read.
    ///
    /// Where the file has the text of `known`, that is the content, and nothing is parsed.
    ///
    /// # Errors
    ///
    /// Says why the path cannot be read as one.
    pub(crate) fn content(
        &self,
        path: &Utf8Path,
        known: Option<&Arc<Content>>,
    ) -> Result<(Arc<Content>, usize), ReadProblem> {
        let text = self.text(path)?;
        Ok((Content::of_file(path, &text, known), text.len()))
    }

    fn leads_out(&self, path: &Utf8Path) -> bool {
        let bounds = self.bounds.as_ref();
        bounds.is_some_and(|bounds| bounds.admit(path) == Err(ReadProblem::LinkOutside))
    }
}

impl Bounds {
    /// What to open in place of a path: itself without links, where it lies in the workspace.
    fn admit(&self, path: &Utf8Path) -> Result<Utf8PathBuf, ReadProblem> {
        let is_own = self.own.iter().any(|own| path.starts_with(own));
        if is_own || !path.starts_with(&self.workspace) {
            return Ok(path.to_owned());
        }
        match canonical(path) {
            Some(target) if target.starts_with(&self.canonical) => Ok(target),
            Some(_) => Err(ReadProblem::LinkOutside),
            // Nothing, or a link that leads nowhere: opening it says which.
            None => Ok(path.to_owned()),
        }
    }

    /// Whether the workspace may not name a path, by what the path says: looking for links on it is looking outside.
    fn shuts(&self, path: &Utf8Path) -> bool {
        !self.names_outside
            && !path.starts_with(&self.workspace)
            && !path.starts_with(&self.canonical)
    }

    /// Whether a link that a walk met is followed.
    fn follows(&self, link: &Utf8Path) -> bool {
        self.own.iter().any(|own| link.starts_with(own))
            || canonical(link).is_some_and(|target| target.starts_with(&self.canonical))
    }
}

/// The text of a file of a workspace, which is no link out of it, whoever trusts it.
///
/// # Errors
///
/// Says why the path cannot be read.
pub(crate) fn read_inside(workspace: &Utf8Path, path: &Utf8Path) -> Result<String, ReadProblem> {
    DiskFiles::untrusted(&Roots::workspace_only(workspace)).text(path)
}

fn canonical(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.canonicalize_utf8().ok()
}

impl Texts for DiskFiles {
    fn text(&self, path: &Utf8Path) -> Result<String, ReadProblem> {
        Self::text(self, path)
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        self.content(path, None).map(|(content, _)| content)
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        if self.leads_out(path) {
            return FileKind::LinkOutside;
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => FileKind::File,
            Ok(metadata) if metadata.is_dir() => FileKind::Directory,
            Ok(_) => FileKind::Other,
            // A link that leads nowhere, or around in a circle, is in the way all the same.
            Err(_) if fs::symlink_metadata(path).is_ok() => FileKind::Other,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => FileKind::Closed,
            Err(_) => FileKind::Missing,
        }
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        let Some(search) = Search::new(base, pattern) else {
            return Listing::default();
        };
        let walk = Walk::new(self, search.depth);
        Search::found(walk.look(&search.start, &|path, _| search.matches(path)))
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        sorted(Walk::new(self, usize::MAX).look(directory, &|_, is_file| is_file))
    }

    fn is_shut(&self, path: &Utf8Path) -> bool {
        let bounds = self.bounds.as_ref();
        bounds.is_some_and(|bounds| bounds.shuts(path))
    }
}

#[cfg(test)]
#[path = "config_files_tests.rs"]
mod tests;
