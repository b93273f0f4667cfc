//! The folders that the person trusts.
//!
//! ```text
//! trusted /w          # lies in the workspace /w: what that says at this moment is vouched for
//! trusted /new        # lies in no workspace: one that appears there is shown to the person first
//! closed  /w          # trusted no more
//! ```

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{disk::workspace, trust::Records};

/// The folders that the person trusts, each with the workspace, without links, that it lay in when the person said so first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedFolders(BTreeMap<Utf8PathBuf, Option<Utf8PathBuf>>);

impl TrustedFolders {
    /// Trusts a folder with the workspace that it lay in when it was trusted first; none where it lay in none.
    pub(super) fn grant(&mut self, folder: Utf8PathBuf, seen: Option<Utf8PathBuf>) {
        self.0.insert(folder, seen);
    }

    /// Trusts a folder no more.
    pub(super) fn withdraw(&mut self, folder: &Utf8Path) {
        self.0.remove(folder);
    }

    /// Those of them that are open.
    pub(super) fn among<'a>(&self, open: impl IntoIterator<Item = &'a Utf8PathBuf>) -> Self {
        let known = |folder: &Utf8PathBuf| Some((folder.clone(), self.0.get(folder)?.clone()));
        Self(open.into_iter().filter_map(known).collect())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The folders.
    pub fn folders(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.0.keys()
    }

    /// Whether the workspace at `root` is the one that a trusted folder lies in. Looks at the disk.
    #[must_use]
    pub fn trusts(&self, root: &Utf8Path) -> bool {
        self.lying_in(root).next().is_some()
    }

    /// Whether the workspace at `root` was there when a folder in it was trusted first. Looks at the disk.
    #[must_use]
    pub fn vouches(&self, root: &Utf8Path) -> bool {
        let name = Records::name_of(root);
        self.lying_in(root)
            .any(|seen| seen.as_deref() == Some(&name))
    }

    /// The workspaces that were there when a folder in them was trusted first. Looks at the disk.
    pub(super) fn vouched(&self) -> Vec<Utf8PathBuf> {
        let roots = self
            .0
            .keys()
            .filter_map(|folder| workspace::root_of(folder));
        let roots: BTreeSet<Utf8PathBuf> = roots.filter(|root| self.vouches(root)).collect();
        roots.into_iter().collect()
    }

    /// The workspaces that were there when the folders that lie in the one at `root` were trusted.
    fn lying_in<'a>(&'a self, root: &'a Utf8Path) -> impl Iterator<Item = &'a Option<Utf8PathBuf>> {
        let lies_in = move |folder: &Utf8Path| {
            folder.starts_with(root) && workspace::root_of(folder).as_deref() == Some(root)
        };
        let lying = self.0.iter().filter(move |(folder, _)| lies_in(folder));
        lying.map(|(_, seen)| seen)
    }
}

#[cfg(test)]
#[path = "trusted_folders_tests.rs"]
mod tests;
