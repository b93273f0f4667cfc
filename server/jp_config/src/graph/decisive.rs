//! The paths at which a write changes what the config says, or would.

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexSet;

use super::{Graph, LoaderKeys, extends::glob_base};
use crate::paths::normalize;

impl Graph {
    /// Every file of the graph, every target of `extends` whether or not it exists, and the folder of every glob.
    ///
    /// A folder stands for all that is below it.
    /// Left out are those that hold the whole workspace, such as that of `../**/*.toml`.
    #[must_use]
    pub fn decisive_paths(&self) -> Vec<Utf8PathBuf> {
        let mut paths: IndexSet<Utf8PathBuf> =
            self.files.iter().map(|file| file.path.clone()).collect();
        for file in &self.files {
            let Some(content) = file.content.as_deref() else {
                continue;
            };
            let base = file.path.parent().unwrap_or(Utf8Path::new(""));
            let entries = LoaderKeys::of(content).extends.into_iter();
            paths.extend(entries.map(|entry| match entry.is_glob() {
                true => glob_base(base, &entry.path),
                false => normalize(&base.join(&entry.path)),
            }));
        }
        paths.retain(|path| !self.workspace.starts_with(path));
        paths.into_iter().collect()
    }
}
