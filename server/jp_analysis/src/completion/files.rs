//! Paths of files and directories.
//!
//! ```toml
//! extends = ["config/personas/default.toml"]   # relative to this file
//! access.fs = [{ path = "src" }]               # relative to the workspace
//! ```

use camino::Utf8Path;
use jp_config::content::ContentFormat;

use super::{ItemKind, Request, values::ValueSlot};

/// The directories that completion may look into; the caller does the reading.
pub trait Paths {
    /// The entries of an absolute directory, in any order; nothing for what cannot be read.
    fn list(&self, directory: &Utf8Path) -> Vec<PathEntry>;
}

/// A file or directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathEntry {
    /// Its name, without the directory.
    pub name: String,
    /// Whether it is a directory, or a link to one.
    pub is_directory: bool,
}

/// No directory at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPaths;

impl Paths for NoPaths {
    fn list(&self, _: &Utf8Path) -> Vec<PathEntry> {
        Vec::new()
    }
}

/// Which files make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Files and directories, and what is below them.
    Everything,
    /// The same, each as a value that can be equal to it.
    Values,
    /// Directories only.
    Directories,
    /// Config files, and the directories that may hold some.
    Config,
}

impl Request<'_> {
    /// Offers what stands in the directory that the typed text leads to.
    pub(super) fn files(&mut self, slot: &ValueSlot, base: &Utf8Path, wanted: Wanted) {
        let typed = slot.typed.as_str();
        let directory = typed
            .rfind('/')
            .map_or("", |at| typed.get(..=at).unwrap_or_default());
        let start = typed.get(directory.len()..).unwrap_or_default();
        if directory.starts_with(['/', '~']) {
            return;
        }
        let target = jp_config::paths::normalize(&base.join(directory));
        // Outside of the workspace an access rule never applies.
        if wanted != Wanted::Config && !target.starts_with(self.workspace()) {
            return;
        }
        let mut entries = self.paths.list(&target);
        entries.retain(|entry| {
            let is_hidden = entry.name.starts_with('.') && !start.starts_with('.');
            let is_asked_for = match wanted {
                Wanted::Everything | Wanted::Values => true,
                Wanted::Directories => entry.is_directory,
                Wanted::Config => {
                    let format = ContentFormat::of(Utf8Path::new(&entry.name));
                    let is_own = self.is_own_file(&target, &entry.name);
                    entry.is_directory || (format.is_some() && !is_own)
                }
            };
            is_asked_for
                && !entry
                    .name
                    .contains(|character: char| character.is_control())
                && (!is_hidden || wanted == Wanted::Directories || entry.name == ".jp")
        });
        entries.sort_by(|left, right| {
            (!left.is_directory, &left.name).cmp(&(!right.is_directory, &right.name))
        });
        for entry in entries {
            let path = format!("{directory}{}", entry.name);
            if !entry.is_directory {
                self.string(slot, &path, ItemKind::File, None, None);
            } else if matches!(wanted, Wanted::Directories | Wanted::Values) {
                self.continued(slot, &path, ItemKind::Directory, None);
            } else {
                self.continued(slot, &format!("{path}/"), ItemKind::Directory, None);
            }
        }
    }

    /// Whether an entry is the very file that is being edited, which cannot extend itself.
    fn is_own_file(&self, directory: &Utf8Path, name: &str) -> bool {
        directory.join(name) == *self.view.graph().path(self.file)
    }
}
