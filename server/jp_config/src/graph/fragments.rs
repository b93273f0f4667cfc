//! The fragments: files under the `config_load_paths`, of which a person picks one by name.
//!
//! ```toml
//! config_load_paths = [".jp/config"]
//! ```

use std::{collections::HashSet, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    Extends, FileId, Fragment, Graph, GraphProblemKind, Layer, LoaderKeys, ReadProblem, Roots,
    SourceKind,
    keys::load_paths_span,
    loader::{Loader, left_out},
};
use crate::{
    content::ContentFormat,
    document::Span,
    effects::is_personal,
    paths::{is_about_config, is_stored_conversation, normalize},
};

impl Loader<'_> {
    pub(super) fn fragments(&mut self, roots: &Roots) {
        let declared = self.graph.layers.iter().rev().find_map(|layer| {
            let load_paths = self.keys_of(layer.file).load_paths.clone()?;
            Some((*layer, load_paths))
        });
        let extended: HashSet<FileId> = self
            .graph
            .layers
            .iter()
            .map(|layer| layer.file)
            .chain(self.graph.left_out.iter().copied())
            .collect();
        if let Some((layer, load_paths)) = declared {
            let declaring = LoadPaths::new(&self.graph, layer);
            self.load_paths(roots, &declaring, &load_paths, &extended);
        }
        let known = |fragment: &Fragment| self.graph.path(fragment.file).to_owned();
        let known: HashSet<Utf8PathBuf> = self.graph.fragments.iter().map(known).collect();
        for path in roots.fragments.iter().filter(|path| !known.contains(*path)) {
            self.fragment(path, &extended);
        }
    }

    fn load_paths(
        &mut self,
        roots: &Roots,
        declaring: &LoadPaths,
        load_paths: &[String],
        extended: &HashSet<FileId>,
    ) {
        let user = [&roots.user_global, &roots.user_workspace];
        let [global, workspace] =
            user.map(|directory| directory.as_ref().map(|directory| directory.join("config")));
        let bases = global
            .into_iter()
            .chain([roots.workspace.clone()])
            .chain(workspace);
        let mut seen: HashSet<Utf8PathBuf> = HashSet::new();
        for base in bases {
            for load_path in load_paths {
                let directory = normalize(&base.join(load_path));
                if directory.ancestors().any(|above| seen.contains(above)) {
                    continue;
                }
                let entry = declaring.entry(load_path);
                if !self.step(declaring.file, &entry) {
                    return;
                }
                // The workspace names folders in the person's own folder, too, but none beside it.
                let is_beside = !directory.starts_with(&base) && self.files.is_shut(&directory);
                if !declaring.is_own && is_beside {
                    let path = directory;
                    self.problem(declaring.file, &entry, GraphProblemKind::Outside { path });
                    continue;
                }
                self.load_path(&directory, declaring.file, &entry, extended);
                seen.insert(directory);
            }
        }
    }

    fn load_path(
        &mut self,
        directory: &Utf8Path,
        file: FileId,
        entry: &Extends,
        extended: &HashSet<FileId>,
    ) {
        self.watch(directory);
        let listing = self.files.walk(directory);
        for kind in left_out(&listing, || entry.path.clone()) {
            self.problem(file, entry, kind);
        }
        for directory in &listing.directories {
            self.watch(directory);
        }
        for path in listing.paths {
            if !self.step(file, entry) {
                return;
            }
            match self.covers(&path) {
                Covered::Yes => self.fragment(&path, extended),
                Covered::No => {}
                Covered::Unknown => {
                    let pattern = entry.path.clone();
                    self.problem(file, entry, GraphProblemKind::LoadCut { pattern });
                }
            }
        }
    }

    /// Whether a file under a load path is config: such a path may hold other programs' files too.
    fn covers(&mut self, path: &Utf8Path) -> Covered {
        let inside = path
            .components()
            .any(|component| component.as_str() == ".jp");
        if is_stored_conversation(path)
            || is_about_config(path)
            || ContentFormat::of(path).is_none()
        {
            Covered::No
        } else if inside || self.by_path.contains_key(path) {
            Covered::Yes
        } else {
            self.recognises(path)
        }
    }

    fn fragment(&mut self, path: &Utf8Path, extended: &HashSet<FileId>) {
        if self
            .by_path
            .get(path)
            .is_some_and(|file| extended.contains(file))
        {
            return;
        }
        let (file, layers) = self.follow_root(path, SourceKind::Fragment);
        Arc::make_mut(&mut self.graph.fragments).push(Fragment { file, layers });
    }

    fn recognises(&mut self, path: &Utf8Path) -> Covered {
        match self.files.read(path) {
            Ok(content) if LoaderKeys::of(&content).recognised => {
                self.read_ahead.insert(path.to_owned(), content);
                Covered::Yes
            }
            Err(ReadProblem::TooMuch) => Covered::Unknown,
            Ok(_) | Err(_) => Covered::No,
        }
    }
}

/// Whether a file under a load path is config.
enum Covered {
    Yes,
    No,
    /// The load may read no more.
    Unknown,
}

/// Where the `config_load_paths` stand that count.
struct LoadPaths {
    file: FileId,
    span: Option<Span>,
    /// Whether the person's own config declares them.
    is_own: bool,
}

impl LoadPaths {
    fn new(graph: &Graph, layer: Layer) -> Self {
        let content = graph.content(layer.file);
        let span = content.and_then(|content| load_paths_span(content));
        Self {
            file: layer.file,
            span,
            is_own: is_personal(layer.source),
        }
    }

    /// One of the paths, as problems name it.
    fn entry(&self, path: &str) -> Extends {
        Extends {
            path: path.to_owned(),
            after: false,
            span: self.span,
        }
    }
}
