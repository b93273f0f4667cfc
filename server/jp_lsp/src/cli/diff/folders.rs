//! The folders of a workspace with a config file of their own: who works there has it on top.
//!
//! ```text
//! services/api/.jp.toml      # changes what a turn in `services/api` decides, and nothing elsewhere
//! ```

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::graph::{EXTENSIONS, FileKind, Files, Graph, Listing};

use crate::{
    disk::{
        git_files::CommitFiles,
        known_files::{KnownFiles, Texts},
    },
    runtime::comparison::{Compared, roots},
};

/// The most folders that are compared one by one.
const MAXIMUM_FOLDERS: usize = 200;

/// One of the two states.
pub(super) struct Side<'g, L> {
    /// What everybody has.
    graph: &'g Graph,
    /// The config files of folders.
    found: Listing,
    /// The files, for one load.
    files: L,
}

impl<'g, F: Texts, L: Fn() -> F> Side<'g, L> {
    pub(super) const fn new(graph: &'g Graph, found: Listing, files: L) -> Self {
        Self {
            graph,
            found,
            files,
        }
    }

    fn load(&self, root: &Utf8Path, folder: &Utf8Path) -> Graph {
        let files = KnownFiles {
            inner: (self.files)(),
            known: self.graph,
        };
        Graph::load(&roots(root, folder), &files)
    }
}

/// The config files of the folders on disk, below `root`.
pub(super) fn on_disk(files: &impl Files, root: &Utf8Path) -> Listing {
    let mut found = files.glob(root, "**/.jp.*");
    found
        .paths
        .retain(|path| path.file_name().is_some_and(is_local));
    found
}

/// The config files of the folders of a commit, below `root`.
pub(super) fn in_commit(files: &CommitFiles<'_>, root: &Utf8Path) -> Listing {
    files.named(root, is_local)
}

fn is_local(name: &str) -> bool {
    let extension = name.strip_prefix(".jp.");
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// Adds what is decided otherwise in folders with a config file of their own, before or after.
pub(super) fn add<F: Texts, G: Texts>(
    compared: &mut Compared,
    root: &Utf8Path,
    before: &Side<'_, impl Fn() -> F>,
    after: &Side<'_, impl Fn() -> G>,
) {
    let (old, new) = ((before.files)(), (after.files)());
    let is_workspace = |folder: &Utf8Path| {
        let config = folder.join(".jp");
        [old.kind(&config), new.kind(&config)].contains(&FileKind::Directory)
    };
    let mut seen: BTreeSet<&Utf8Path> = after
        .graph
        .locals
        .iter()
        .map(Utf8PathBuf::as_path)
        .collect();
    let files: BTreeSet<&Utf8PathBuf> = before
        .found
        .paths
        .iter()
        .chain(&after.found.paths)
        .collect();
    let mut left = MAXIMUM_FOLDERS;
    for file in files {
        let Some(folder) = file.parent() else {
            continue;
        };
        let mut ways = folder.ancestors().take_while(|above| *above != root);
        // A workspace of its own in a folder has its own comparison.
        if !seen.insert(folder) || ways.any(is_workspace) {
            continue;
        }
        let Some(rest) = left.checked_sub(1) else {
            compared.leave_open(format!(
                "more than {MAXIMUM_FOLDERS} folders have a config file of their own, and the others were not compared"
            ));
            break;
        };
        left = rest;
        let named = file.strip_prefix(root).unwrap_or(file);
        compared.add_folder(named, before.load(root, folder), after.load(root, folder));
    }
    if before.found.is_cut || after.found.is_cut {
        compared.assumes.push(
            "there are too many files to look into every folder for a config file of its own"
                .to_owned(),
        );
    }
}
