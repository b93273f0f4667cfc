//! Which files on disk changed, and how often.
//!
//! ```json
//! { "changes": [{ "uri": "file:///w/.jp/config.toml", "type": 2 }] }
//! ```

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

/// How many changed paths are told apart before everything counts as changed.
const PATHS_KEPT: usize = 4096;

/// Counts changes on disk, so that a reader can tell whether what it read is still true.
#[derive(Clone, Debug, Default)]
pub struct DiskChanges {
    clock: u64,
    everything: u64,
    changed: BTreeMap<Utf8PathBuf, u64>,
    listed: BTreeMap<Utf8PathBuf, u64>,
}

impl DiskChanges {
    /// Notes that `path`, a file or a directory with all it holds, changed, appeared or vanished.
    pub fn touch(&mut self, path: &Utf8Path) {
        if self.changed.len() >= PATHS_KEPT {
            self.touch_everything();
        }
        self.clock += 1;
        self.changed.insert(path.to_owned(), self.clock);
        if let Some(parent) = path.parent() {
            self.listed.insert(parent.to_owned(), self.clock);
        }
    }

    /// Notes that any file may have changed.
    pub fn touch_everything(&mut self) {
        self.clock += 1;
        self.everything = self.clock;
        self.changed.clear();
        self.listed.clear();
    }

    /// Grows with every change that is noted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.clock
    }

    /// Grows whenever the content of `path`, or of a directory above it as a whole, may have changed.
    #[must_use]
    pub fn revision(&self, path: &Utf8Path) -> u64 {
        path.ancestors()
            .filter_map(|above| self.changed.get(above).copied())
            .fold(self.everything, u64::max)
    }

    /// Grows whenever the names in the directory `path` may have changed.
    #[must_use]
    pub fn listing_revision(&self, path: &Utf8Path) -> u64 {
        self.listed
            .get(path)
            .copied()
            .unwrap_or_default()
            .max(self.revision(path))
    }
}

#[cfg(test)]
#[path = "disk_changes_tests.rs"]
mod tests;
