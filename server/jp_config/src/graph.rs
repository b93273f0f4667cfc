//! The load graph: which files are config, and in which order they merge.
//!
//! ```toml
//! inherit = true
//! extends = ["config/personas/default.toml", { path = "mcp/tools/**/*.toml", strategy = "after" }]
//! config_load_paths = [".jp/config"]
//! ```
//!
//! Four kinds of sources merge in order, the later one winning, each merged on its own first: the user's global config, the workspace's `.jp/config.*`,
//! the `.jp.*` files from the workspace root down to the working directory, and the user's config of this workspace.
//! Each source pulls in the files that it `extends`, before or after itself.
//! Files under `config_load_paths` are *fragments*: alternatives that a person picks by name, never merged with each other.

mod decisive;
mod extends;
mod file;
mod files;
mod fragments;
mod keys;
mod limits;
mod loader;
mod near_file;
mod problem;
mod said;
mod sources;

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use camino::{Utf8Path, Utf8PathBuf};

pub use self::{
    file::{FileId, GraphFile},
    files::{FileKind, Files, Listing, ReadProblem},
    keys::{Extends, LoaderKeys},
    limits::{MAXIMUM_DEPTH, MAXIMUM_ENTRIES, MAXIMUM_FILES, MAXIMUM_LOAD_SIZE, MAXIMUM_SIZE},
    problem::{GraphProblem, GraphProblemKind},
};
use self::{
    loader::Loader,
    said::{LayersByName, Names},
};
use crate::content::Content;

/// The extensions of the files that `jp` probes for at each source, in its order of preference.
pub const EXTENSIONS: [&str; 5] = ["toml", "json", "json5", "yaml", "yml"];

/// Where a workspace's config is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// The directory of the user's global config, such as `~/.config/jp`.
    pub user_global: Option<Utf8PathBuf>,
    /// The directory that holds `.jp`.
    pub workspace: Utf8PathBuf,
    /// The directories from the workspace root down to the working directory, shallow first.
    pub locals: Vec<Utf8PathBuf>,
    /// The directory of the user's config for this workspace.
    pub user_workspace: Option<Utf8PathBuf>,
    /// Further files to judge as fragments, whether or not a load path covers them.
    pub fragments: Vec<Utf8PathBuf>,
    /// Files and folders in the workspace with what the person has decided: config of the person's own, there or not,
    /// and records.
    pub decisions: Vec<Utf8PathBuf>,
}

impl Roots {
    /// Roots of a workspace on its own, without any config of the user's.
    #[must_use]
    pub fn workspace_only(workspace: impl Into<Utf8PathBuf>) -> Self {
        let workspace = workspace.into();
        Self {
            user_global: None,
            locals: vec![workspace.clone()],
            workspace,
            user_workspace: None,
            fragments: Vec::new(),
            decisions: Vec::new(),
        }
    }
}

/// The kind of source that a layer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// The user's global config.
    UserGlobal,
    /// The workspace's `.jp/config.*`.
    Workspace,
    /// A `.jp.*` file between the workspace root and the working directory.
    Local,
    /// The user's config of this workspace.
    UserWorkspace,
    /// A file under one of the `config_load_paths`.
    Fragment,
}

/// One file at one place of the merge order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// The file.
    pub file: FileId,
    /// The source that brought it in.
    pub source: SourceKind,
    /// The file that `jp` looked for and that extends this one, or is it: its place among those of the graph.
    ///
    /// Layers of one root merge with each other before they merge with those of another.
    pub root: u32,
}

/// A file under a load path, with the layers that choosing it adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The file that a person picks.
    pub file: FileId,
    /// What it extends, and itself, in merge order.
    pub layers: Vec<Layer>,
}

/// A workspace's files, their merge order, its fragments, and what is wrong with how they refer to each other.
///
/// A copy is cheap: what two graphs have in common is shared.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The directory that holds `.jp`.
    pub workspace: Utf8PathBuf,
    /// Every file, each once.
    pub files: Vec<Arc<GraphFile>>,
    /// The merge order, weakest first.
    pub layers: Arc<Vec<Layer>>,
    /// The files under the load paths that no source extends.
    pub fragments: Arc<Vec<Fragment>>,
    /// What is wrong.
    pub problems: Arc<Vec<GraphProblem>>,
    /// Directories whose changes can change the graph.
    pub watched: Arc<Vec<Utf8PathBuf>>,
    /// The directories in which a `.jp.*` file is looked for.
    pub locals: Vec<Utf8PathBuf>,
    /// What the person has decided, see [`Roots::decisions`].
    pub decisions: Vec<Utf8PathBuf>,
    /// The files that `jp` looks for and reads, but leaves out because an earlier source says `inherit = false`.
    pub left_out: Vec<FileId>,
    /// The file that stops all later sources with `inherit = false`, if there is one.
    pub stopped_by: Option<FileId>,
    /// Found when first asked for; shared by the graphs of the same files.
    by_path: Arc<OnceLock<HashMap<Utf8PathBuf, FileId>>>,
    /// Found when first asked for; shared by the graphs whose files hold the same names.
    by_name: Arc<OnceLock<LayersByName>>,
}

impl Graph {
    /// Follows the load graph from its roots.
    #[must_use]
    pub fn load(roots: &Roots, files: &dyn Files) -> Self {
        let mut loader = Loader::new(files);
        let own = [&roots.user_global, &roots.user_workspace];
        loader.own = own.into_iter().flatten().cloned().collect();
        loader.graph.workspace.clone_from(&roots.workspace);
        loader.graph.locals.clone_from(&roots.locals);
        loader.graph.decisions.clone_from(&roots.decisions);
        loader.sources(roots);
        loader.fragments(roots);
        loader.graph
    }

    /// The file at a path.
    #[must_use]
    pub fn file_at(&self, path: &Utf8Path) -> Option<FileId> {
        let by_path = self.by_path.get_or_init(|| {
            let files = self.files.iter().enumerate();
            files
                .map(|(index, file)| (file.path.clone(), FileId::of(index)))
                .collect()
        });
        by_path.get(path).copied()
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, file: FileId) -> &Utf8Path {
        self.files
            .get(file.index())
            .map_or(Utf8Path::new(""), |file| &file.path)
    }

    /// The content of a file, if it could be read.
    #[must_use]
    pub fn content(&self, file: FileId) -> Option<&Arc<Content>> {
        self.files.get(file.index())?.content.as_ref()
    }

    /// The same graph with another content for one of its files, which must load the same: see [`LoaderKeys::load_the_same`].
    #[must_use]
    pub fn with_content(&self, file: FileId, content: Arc<Content>) -> Self {
        let mut graph = self.clone();
        let before = self.content(file).map(AsRef::as_ref);
        if before.is_none_or(|before| Names::of(before) != Names::of(&content)) {
            graph.by_name = Arc::default();
        }
        if let Some(before) = before {
            graph.move_problems(file, before, &content);
        }
        if let Some(slot) = graph.files.get_mut(file.index()) {
            *slot = Arc::new(GraphFile {
                path: slot.path.clone(),
                content: Some(content),
            });
        }
        graph
    }

    /// The same graph with those of its own layers that are wanted.
    #[must_use]
    pub fn with_layers(&self, is_wanted: impl Fn(&Layer) -> bool) -> Self {
        let layers = self.layers.iter().copied().filter(is_wanted).collect();
        Self {
            layers: Arc::new(layers),
            by_name: Arc::default(),
            ..self.clone()
        }
    }

    /// The same graph with a new file that merges right below each layer of `file`, or below all layers of its source.
    #[must_use]
    pub fn with_file_below(
        &self,
        file: FileId,
        is_lowest: bool,
        path: Utf8PathBuf,
        content: Arc<Content>,
    ) -> Self {
        let new = FileId::of(self.files.len());
        let below = |layers: &[Layer]| {
            let mut with: Vec<Layer> = layers.to_vec();
            let own: Vec<Layer> = layers
                .iter()
                .copied()
                .filter(|it| it.file == file)
                .collect();
            for layer in own {
                let is_place = |other: &Layer| match is_lowest {
                    true => other.root == layer.root,
                    false => *other == layer,
                };
                if let Some(at) = with.iter().position(is_place) {
                    with.insert(at, Layer { file: new, ..layer });
                }
            }
            with
        };
        let alternatives = self.fragments.iter().map(|fragment| Fragment {
            file: fragment.file,
            layers: below(&fragment.layers),
        });
        let mut graph = Self {
            layers: Arc::new(below(&self.layers)),
            fragments: Arc::new(alternatives.collect()),
            by_path: Arc::default(),
            by_name: Arc::default(),
            ..self.clone()
        };
        graph.files.push(Arc::new(GraphFile {
            path,
            content: Some(content),
        }));
        graph
    }

    /// Points the problems of a file at where its entries stand after an edit.
    fn move_problems(&mut self, file: FileId, before: &Content, after: &Content) {
        let is_own = |problem: &GraphProblem| problem.file == file && problem.span.is_some();
        if !self.problems.iter().any(is_own) {
            return;
        }
        let moved = keys::moved(before, after);
        for problem in Arc::make_mut(&mut self.problems) {
            if is_own(problem) {
                let span = problem.span.and_then(|span| moved.get(&span));
                problem.span = span.copied().or(problem.span);
            }
        }
    }

    /// Whether two graphs are of the same files in the same order, and differ in contents alone.
    ///
    /// Those that [`Self::with_content`] makes of one another are.
    #[must_use]
    pub fn has_files_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.layers, &other.layers) && Arc::ptr_eq(&self.fragments, &other.fragments)
    }

    /// Whether two graphs list the same files in the same order, also where the later one was found in a walk of its own.
    #[must_use]
    pub fn lists_files_of(&self, other: &Self) -> bool {
        self.has_files_of(other)
            || self.files.len() == other.files.len()
                && self.layers == other.layers
                && self.fragments == other.fragments
                && self
                    .files
                    .iter()
                    .zip(&other.files)
                    .all(|(file, other)| file.path == other.path)
    }

    /// The places in [`Self::layers`] of those that hold something at a path of keys, and maybe of some that do not.
    #[must_use]
    pub fn layers_naming(&self, path: &[&str]) -> Option<&[usize]> {
        let by_name = self.by_name.get_or_init(|| {
            LayersByName::of(&self.layers, |layer| {
                self.content(layer.file).map(AsRef::as_ref)
            })
        });
        by_name.naming(path)
    }

    /// The layers that a person gets who works with a fragment: the workspace's and the fragment's.
    #[must_use]
    pub fn layers_with(&self, fragment: Option<&Fragment>) -> Arc<Vec<Layer>> {
        let mut layers = Arc::clone(&self.layers);
        if let Some(fragment) = fragment {
            Arc::make_mut(&mut layers).extend_from_slice(&fragment.layers);
        }
        layers
    }
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
