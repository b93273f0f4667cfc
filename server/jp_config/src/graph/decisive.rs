//! The paths at which a write changes what the config says, or would.

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexSet;

use super::{Extends, Graph, LoaderKeys, extends::glob_base};
use crate::paths::normalize;

impl Graph {
    /// Every file of the graph, every target of `extends` whether or not it exists, the folder of every glob, and
    /// [`Roots::decisions`](super::Roots::decisions).
    ///
    /// A folder stands for all that is below it.
    /// Left out are those that hold the whole workspace, such as that of `../**/*.toml`, and those of globs that look
    /// through a folder around that of their own file.
    #[must_use]
    pub fn decisive_paths(&self) -> Vec<Utf8PathBuf> {
        let mut paths: IndexSet<Utf8PathBuf> =
            self.files.iter().map(|file| file.path.clone()).collect();
        for file in &self.files {
            let Some(content) = file.content.as_deref() else {
                continue;
            };
            let base = file.path.parent().unwrap_or(Utf8Path::new(""));
            let entries = LoaderKeys::of(content).extends;
            paths.extend(entries.iter().filter_map(|entry| decided_at(base, entry)));
        }
        paths.extend(self.decisions.iter().cloned());
        paths.retain(|path| !self.workspace.starts_with(path));
        paths.into_iter().collect()
    }
}

/// What an entry of a file in the folder `base` makes decisive.
fn decided_at(base: &Utf8Path, entry: &Extends) -> Option<Utf8PathBuf> {
    if !entry.is_glob() {
        return Some(normalize(&base.join(&entry.path)));
    }
    let folder = glob_base(base, &entry.path);
    let looks_around = folder != base && base.starts_with(&folder);
    (!looks_around).then_some(folder)
}
