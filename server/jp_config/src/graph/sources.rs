//! The order in which sources merge.
//!
//! The user's global config, the workspace's `.jp/config.*`, the `.jp.*` files from the workspace root down to the working directory, and the
//! user's config of this workspace; `inherit = false` in one of them leaves out those that follow.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{EXTENSIONS, FileId, FileKind, Layer, Roots, SourceKind, loader::Loader};
use crate::effects::is_personal;

impl Loader<'_> {
    pub(super) fn sources(&mut self, roots: &Roots) {
        let mut sources: Vec<(SourceKind, Utf8PathBuf)> = Vec::new();
        if let Some(directory) = &roots.user_global {
            sources.push((SourceKind::UserGlobal, directory.join("config")));
        }
        sources.push((SourceKind::Workspace, roots.workspace.join(".jp/config")));
        for directory in &roots.locals {
            sources.push((SourceKind::Local, directory.join(".jp")));
        }
        if let Some(directory) = &roots.user_workspace {
            sources.push((SourceKind::UserWorkspace, directory.join("config")));
        }
        let mut previous = None;
        let mut is_stopped = false;
        for (kind, stem) in sources {
            if previous.is_some_and(|previous| previous != kind) {
                is_stopped = is_stopped || self.is_stopped();
            }
            previous = Some(kind);
            if let Some(directory) = stem.parent() {
                self.watch(directory);
            }
            let Some(path) = self.probe(&stem) else {
                continue;
            };
            let (file, mut layers) = self.follow_root(&path, kind);
            if is_stopped {
                self.graph.left_out.push(file);
            } else {
                Arc::make_mut(&mut self.graph.layers).append(&mut layers);
            }
        }
        self.is_stopped();
    }

    /// Whether the sources so far say `inherit = false` once they are merged: later ones are then left out.
    fn is_stopped(&mut self) -> bool {
        let said = self
            .graph
            .layers
            .iter()
            .rev()
            .find_map(|layer| Some((layer.file, self.keys_of(layer.file).inherit?)));
        self.graph.stopped_by = match said {
            Some((file, false)) => Some(file),
            _ => None,
        };
        self.graph.stopped_by.is_some()
    }

    /// The layers of a file that `jp` looks for: what it extends, and itself.
    pub(super) fn follow_root(
        &mut self,
        path: &Utf8Path,
        source: SourceKind,
    ) -> (FileId, Vec<Layer>) {
        self.roots = self.roots.saturating_add(1);
        self.repeats = 0;
        self.is_own = is_personal(source) || self.own.iter().any(|own| path.starts_with(own));
        let mut layers = Vec::new();
        let file = self.follow(path, source, &mut Vec::new(), &mut layers);
        (file, layers)
    }

    /// The file that `jp` would read for a source, by its order of extensions.
    fn probe(&self, stem: &Utf8Path) -> Option<Utf8PathBuf> {
        EXTENSIONS
            .iter()
            .map(|extension| Utf8PathBuf::from(format!("{stem}.{extension}")))
            .find(|path| match self.files.kind(path) {
                // Whoever runs with the rights of another has that one's folders in the environment.
                FileKind::Missing | FileKind::Closed => false,
                // `.jp` itself is the workspace's directory; anything else in a config file's place is worth a word.
                FileKind::File | FileKind::Directory | FileKind::Other | FileKind::LinkOutside => {
                    true
                }
            })
    }
}
