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

use std::{collections::HashSet, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use crate::{
    content::{Content, ContentFormat},
    document::Span,
    merge::{Located, LocatedValue},
    near_file::near_file,
    schema::is_root_key,
};

/// The deepest chain of `extends` that is followed.
pub const MAXIMUM_DEPTH: usize = 255;

/// The most files that one glob or one load path may bring in, and that one load reads.
pub const MAXIMUM_FILES: usize = 20_000;

/// The largest config file that is read, in bytes.
pub const MAXIMUM_SIZE: usize = 4 << 20;

/// The most bytes of config files that one load reads.
pub const MAXIMUM_LOAD_SIZE: usize = 16 << 20;

/// The most directory entries that all globs and load paths of one load look at.
pub const MAXIMUM_ENTRIES: usize = 100_000;

/// The most `extends` entries and targets that one load looks at, counted with repetition.
const MAXIMUM_STEPS: usize = 2 * MAXIMUM_FILES;

/// How often one source or fragment follows files that were followed before.
const MAXIMUM_REPEATS: usize = 2_000;

/// The most directories that a graph names as worth watching.
const MAXIMUM_WATCHED: usize = 4_000;

/// The most entries that lead nowhere and get a guess at what they mean: a guess looks into directories.
const MAXIMUM_GUESSES: usize = 20;

/// The file names that `jp` probes for at each source, in its order of preference.
const EXTENSIONS: [&str; 5] = ["toml", "json", "json5", "yaml", "yml"];

/// How the graph sees files.
///
/// The language server answers from open buffers first and the disk second; tests answer from a map.
pub trait Files {
    /// The parsed content of a file.
    ///
    /// # Errors
    ///
    /// Says why the path cannot be read as a config file.
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem>;

    /// What stands at a path, without reading it.
    fn kind(&self, path: &Utf8Path) -> FileKind;

    /// Every path below `base` that a glob pattern matches.
    ///
    /// Directories that match are part of the answer.
    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing;

    /// Every file below a directory.
    fn walk(&self, directory: &Utf8Path) -> Listing;
}

/// What a look into directories found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The paths that were asked for, sorted, at most [`MAXIMUM_FILES`].
    pub paths: Vec<Utf8PathBuf>,
    /// The directories that were looked into, whose changes can change the answer.
    pub directories: Vec<Utf8PathBuf>,
    /// Links out of the workspace that were not followed, sorted.
    pub links: Vec<Utf8PathBuf>,
    /// Whether the look ended early, because the load has looked at [`MAXIMUM_ENTRIES`].
    pub is_cut: bool,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file, or a link to one.
    File,
    /// A directory, or a link to one.
    Directory,
    /// A pipe, socket or device.
    Other,
    /// A link out of a workspace that nobody trusts yet, which is not followed.
    LinkOutside,
    /// Nothing.
    Missing,
}

/// Why a path cannot be read as a config file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadProblem {
    /// Nothing stands at the path.
    #[error("the file does not exist")]
    Missing,
    /// The path is a directory.
    #[error("the path is a directory, not a config file")]
    Directory,
    /// The path is a pipe, socket or device.
    #[error("the path is not a regular file")]
    NotAFile,
    /// The file's bytes are not UTF-8; the offset is that of the first bad byte.
    #[error("the file is not valid UTF-8 (byte {0})")]
    NotUtf8(usize),
    /// The file is larger than [`MAXIMUM_SIZE`].
    #[error(
        "the file is larger than a config file may be ({} MiB), so none of it is read; split it into files that `extends` names",
        MAXIMUM_SIZE >> 20
    )]
    TooLarge,
    /// The files before it fill what one load reads.
    #[error(
        "the file is not read: the config files of a workspace may hold {MAXIMUM_FILES} files and {} MiB together",
        MAXIMUM_LOAD_SIZE >> 20
    )]
    TooMuch,
    /// The path leads out of a workspace that nobody trusts yet.
    #[error(
        "the path is a link out of the workspace, which is not followed before the workspace is trusted"
    )]
    LinkOutside,
    /// The operating system refused.
    #[error("the file cannot be read: {0}")]
    Refused(String),
}

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

/// The index of a file in a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// One file of the graph.
#[derive(Debug, Clone)]
pub struct GraphFile {
    /// Its absolute path.
    pub path: Utf8PathBuf,
    /// What it holds; absent where it could not be read.
    pub content: Option<Arc<Content>>,
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
#[derive(Debug, Clone)]
pub struct Fragment {
    /// The file that a person picks.
    pub file: FileId,
    /// What it extends, and itself, in merge order.
    pub layers: Vec<Layer>,
}

/// What is wrong with how files refer to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphProblem {
    /// The file at fault.
    pub file: FileId,
    /// The entry at fault; absent where the whole file is.
    pub span: Option<Span>,
    /// What is wrong.
    pub kind: GraphProblemKind,
}

/// The kinds of [`GraphProblem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphProblemKind {
    /// An `extends` entry without glob characters names no file.
    ExtendsMissing {
        /// The path it resolves to.
        path: Utf8PathBuf,
        /// A file of nearly that name, as the entry may name it.
        near: Option<String>,
    },
    /// An `extends` entry leads back to the file that holds it.
    ExtendsCycle {
        /// The files of the cycle, from the first back to itself.
        chain: Vec<Utf8PathBuf>,
    },
    /// An `extends` glob matches a directory, which makes `jp` ignore the whole declaring file.
    ExtendsMatchesDirectory {
        /// The directory.
        path: Utf8PathBuf,
        /// The entry as written.
        pattern: String,
    },
    /// An `extends` entry brings in a file whose format `jp` cannot read, which fails the load.
    ExtendsUnsupported {
        /// The file.
        path: Utf8PathBuf,
    },
    /// The chain of `extends` is deeper than [`MAXIMUM_DEPTH`].
    ExtendsTooDeep,
    /// An `extends` glob matches more files than [`MAXIMUM_FILES`].
    ExtendsTooMany {
        /// The entry as written.
        pattern: String,
    },
    /// An entry leads through a link out of a workspace that nobody trusts yet.
    LinkOutside {
        /// The first such link, or the entry's own path.
        path: Utf8PathBuf,
        /// How many further ones the entry leads through.
        more: usize,
    },
    /// The load ended before this entry was looked through to the end.
    LoadCut {
        /// The entry as written.
        pattern: String,
    },
    /// The file could not be read.
    Unreadable(ReadProblem),
}

/// A workspace's files, their merge order, its fragments, and what is wrong with how they refer to each other.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The directory that holds `.jp`.
    pub workspace: Utf8PathBuf,
    /// Every file, each once.
    pub files: Vec<GraphFile>,
    /// The merge order, weakest first.
    pub layers: Vec<Layer>,
    /// The files under the load paths that no source extends.
    pub fragments: Vec<Fragment>,
    /// What is wrong.
    pub problems: Vec<GraphProblem>,
    /// Directories whose changes can change the graph.
    pub watched: Vec<Utf8PathBuf>,
    /// The directories in which a `.jp.*` file is looked for.
    pub locals: Vec<Utf8PathBuf>,
    /// The files that `jp` looks for and reads, but leaves out because an earlier source says `inherit = false`.
    pub left_out: Vec<FileId>,
    /// The file that stops all later sources with `inherit = false`, if there is one.
    pub stopped_by: Option<FileId>,
}

impl Graph {
    /// Follows the load graph from its roots.
    #[must_use]
    pub fn load(roots: &Roots, files: &dyn Files) -> Self {
        let mut loader = Loader::new(files);
        loader.graph.workspace.clone_from(&roots.workspace);
        loader.graph.locals.clone_from(&roots.locals);
        loader.sources(roots);
        loader.fragments(roots);
        loader.graph
    }

    /// The file at a path.
    #[must_use]
    pub fn file_at(&self, path: &Utf8Path) -> Option<FileId> {
        let index = self.files.iter().position(|file| file.path == path)?;
        Some(file_id(index))
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, file: FileId) -> &Utf8Path {
        self.files
            .get(file.0 as usize)
            .map_or(Utf8Path::new(""), |file| &file.path)
    }

    /// The content of a file, if it could be read.
    #[must_use]
    pub fn content(&self, file: FileId) -> Option<&Arc<Content>> {
        self.files.get(file.0 as usize)?.content.as_ref()
    }

    /// The same graph with another content for one of its files, which must have the same loader keys.
    #[must_use]
    pub fn with_content(&self, file: FileId, content: Arc<Content>) -> Self {
        let mut graph = self.clone();
        if let Some(slot) = graph.files.get_mut(file.0 as usize) {
            slot.content = Some(content);
        }
        graph
    }

    /// The layers that a person gets who works with a fragment: the workspace's and the fragment's.
    #[must_use]
    pub fn layers_with(&self, fragment: Option<&Fragment>) -> Vec<Layer> {
        let mut layers = self.layers.clone();
        if let Some(fragment) = fragment {
            layers.extend_from_slice(&fragment.layers);
        }
        layers
    }
}

/// The keys that steer loading, as one file holds them.
///
/// Two contents with equal loader keys give the same graph, so an edit elsewhere in the file leaves the graph as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoaderKeys {
    /// The `extends` entries.
    pub extends: Vec<Extends>,
    /// The `config_load_paths` entries, if the file sets them.
    pub load_paths: Option<Vec<String>>,
    /// What the file says of `inherit`, if anything.
    pub inherit: Option<bool>,
    /// Whether the file has a key that only `jp` config has.
    pub recognised: bool,
}

/// One entry of `extends`.
#[derive(Debug, Clone, PartialEq)]
pub struct Extends {
    /// The path or glob as written.
    pub path: String,
    /// Whether the files merge after the declaring file instead of before it.
    pub after: bool,
    /// Where the entry stands.
    pub span: Option<Span>,
}

impl LoaderKeys {
    /// Reads the loader keys of a file; what has the wrong type counts as absent.
    #[must_use]
    pub fn of(content: &Content) -> Self {
        match content {
            Content::Toml(document) => {
                let root = document.root();
                let located = |key: &str| {
                    let entry = root.get(key)?;
                    Some(Located::from_node(entry.value(), crate::merge::LayerId(0)))
                };
                let recognised = root.entries().any(|entry| is_root_key(entry.key()));
                Self::from_values(&located, recognised)
            }
            Content::Data(Ok(data)) => {
                let located = |key: &str| {
                    let value = data.get(key)?;
                    Some(Located::from_json(value, crate::merge::LayerId(0)))
                };
                let recognised = data
                    .as_object()
                    .is_some_and(|map| map.keys().any(|key| is_root_key(key)));
                Self::from_values(&located, recognised)
            }
            Content::Data(Err(error)) => Self {
                recognised: error.names_config,
                ..Self::default()
            },
        }
    }

    fn from_values(get: &dyn Fn(&str) -> Option<Located>, recognised: bool) -> Self {
        let extends = match get("extends").map(|located| located.value) {
            Some(LocatedValue::List(items)) => items.iter().filter_map(Extends::of).collect(),
            _ => Vec::new(),
        };
        let load_paths = match get("config_load_paths").map(|located| located.value) {
            Some(LocatedValue::List(items)) => Some(
                items
                    .iter()
                    .filter_map(|item| item.value.as_str().map(str::to_owned))
                    .collect(),
            ),
            _ => None,
        };
        let inherit = get("inherit").and_then(|located| located.value.as_bool());
        Self {
            extends,
            load_paths,
            inherit,
            recognised,
        }
    }
}

impl Extends {
    fn of(item: &Located) -> Option<Self> {
        let span = item.origin().map(|origin| origin.span);
        match &item.value {
            LocatedValue::String(path) => Some(Self {
                path: path.clone(),
                after: false,
                span,
            }),
            LocatedValue::Table(table) => Some(Self {
                path: table.get("path")?.value.as_str()?.to_owned(),
                after: table.get("strategy").and_then(|item| item.value.as_str()) == Some("after"),
                span: table
                    .get("path")
                    .and_then(Located::origin)
                    .map(|origin| origin.span)
                    .or(span),
            }),
            _ => None,
        }
    }

    /// Whether the entry is a glob rather than a plain path.
    #[must_use]
    pub fn is_glob(&self) -> bool {
        self.path.contains(['*', '?', '['])
    }
}

struct Loader<'a> {
    files: &'a dyn Files,
    graph: Graph,
    by_path: IndexMap<Utf8PathBuf, FileId>,
    keys: Vec<LoaderKeys>,
    /// What was read to see whether it is config, and is.
    read_ahead: IndexMap<Utf8PathBuf, Arc<Content>>,
    /// How many files that `jp` looks for were found.
    roots: u32,
    /// How many `extends` entries and targets were looked at.
    steps: usize,
    /// How many targets of the present source or fragment had been followed before.
    repeats: usize,
    /// How many entries that lead nowhere got a guess at what they mean.
    guesses: usize,
    reported: HashSet<(FileId, Option<Span>, String)>,
    watched: HashSet<Utf8PathBuf>,
}

impl<'a> Loader<'a> {
    fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            graph: Graph::default(),
            by_path: IndexMap::new(),
            keys: Vec::new(),
            read_ahead: IndexMap::new(),
            roots: 0,
            steps: 0,
            repeats: 0,
            guesses: 0,
            reported: HashSet::new(),
            watched: HashSet::new(),
        }
    }

    fn sources(&mut self, roots: &Roots) {
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
                self.graph.layers.append(&mut layers);
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
    fn follow_root(&mut self, path: &Utf8Path, source: SourceKind) -> (FileId, Vec<Layer>) {
        self.roots = self.roots.saturating_add(1);
        self.repeats = 0;
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
                FileKind::Missing => false,
                // `.jp` itself is the workspace's directory; anything else in a config file's place is worth a word.
                FileKind::File | FileKind::Directory | FileKind::Other | FileKind::LinkOutside => {
                    true
                }
            })
    }

    fn follow(
        &mut self,
        path: &Utf8Path,
        source: SourceKind,
        chain: &mut Vec<Utf8PathBuf>,
        layers: &mut Vec<Layer>,
    ) -> FileId {
        let file = self.file(path);
        let extends = self.keys_of(file).extends.clone();
        chain.push(path.to_owned());
        for entry in extends.iter().filter(|entry| !entry.after) {
            self.extend(file, entry, source, chain, layers);
        }
        let root = self.roots;
        layers.push(Layer { file, source, root });
        for entry in extends.iter().filter(|entry| entry.after) {
            self.extend(file, entry, source, chain, layers);
        }
        chain.pop();
        file
    }

    fn extend(
        &mut self,
        file: FileId,
        entry: &Extends,
        source: SourceKind,
        chain: &mut Vec<Utf8PathBuf>,
        layers: &mut Vec<Layer>,
    ) {
        let base = self
            .graph
            .path(file)
            .parent()
            .unwrap_or(Utf8Path::new(""))
            .to_owned();
        if !self.step(file, entry) {
            return;
        }
        for path in self.targets(file, entry, &base) {
            if !self.step(file, entry) {
                return;
            }
            self.repeats += usize::from(self.by_path.contains_key(&path));
            if self.repeats > MAXIMUM_REPEATS && self.by_path.contains_key(&path) {
                let pattern = entry.path.clone();
                self.problem(file, entry, GraphProblemKind::ExtendsTooMany { pattern });
                continue;
            }
            if let Some(start) = chain.iter().position(|ancestor| *ancestor == path) {
                let mut cycle: Vec<_> = chain.iter().skip(start).cloned().collect();
                cycle.push(path);
                self.problem(file, entry, GraphProblemKind::ExtendsCycle { chain: cycle });
            } else if chain.len() >= MAXIMUM_DEPTH {
                self.problem(file, entry, GraphProblemKind::ExtendsTooDeep);
            } else {
                self.follow(&path, source, chain, layers);
            }
        }
    }

    /// Whether the load may go on: an exponential fan-out of repeated files is cut where a person could not mean it.
    fn step(&mut self, file: FileId, entry: &Extends) -> bool {
        self.steps += 1;
        let goes_on = self.steps <= MAXIMUM_STEPS;
        if !goes_on {
            let pattern = entry.path.clone();
            self.problem(file, entry, GraphProblemKind::ExtendsTooMany { pattern });
        }
        goes_on
    }

    /// The files that an `extends` entry brings in; what it cannot bring in becomes a problem.
    fn targets(&mut self, file: FileId, entry: &Extends, base: &Utf8Path) -> Vec<Utf8PathBuf> {
        let candidates = if entry.is_glob() {
            self.watch(&glob_base(base, &entry.path));
            let listing = self.files.glob(base, &entry.path);
            let pattern = || entry.path.clone();
            for kind in left_out(&listing, pattern) {
                self.problem(file, entry, kind);
            }
            for directory in &listing.directories {
                self.watch(directory);
            }
            let found = listing.paths;
            if found.len() >= MAXIMUM_FILES {
                self.problem(
                    file,
                    entry,
                    GraphProblemKind::ExtendsTooMany {
                        pattern: entry.path.clone(),
                    },
                );
            }
            found
        } else {
            let path = normalize(&base.join(&entry.path));
            if let Some(directory) = path.parent() {
                self.watch(directory);
            }
            match self.files.kind(&path) {
                FileKind::Missing => {
                    let near = self.near(file, entry, base);
                    self.problem(file, entry, GraphProblemKind::ExtendsMissing { path, near });
                    return Vec::new();
                }
                FileKind::LinkOutside => {
                    self.problem(file, entry, GraphProblemKind::LinkOutside { path, more: 0 });
                    return Vec::new();
                }
                FileKind::File | FileKind::Directory | FileKind::Other => vec![path],
            }
        };
        let mut targets = Vec::new();
        for path in candidates {
            if self.files.kind(&path) == FileKind::Directory {
                // One directory is enough to make the point.
                let pattern = entry.path.clone();
                self.problem(
                    file,
                    entry,
                    GraphProblemKind::ExtendsMatchesDirectory { path, pattern },
                );
                return Vec::new();
            }
            if ContentFormat::of(&path).is_none() {
                self.problem(file, entry, GraphProblemKind::ExtendsUnsupported { path });
                continue;
            }
            targets.push(path);
        }
        targets
    }

    /// The file that an entry which leads nowhere may mean: none that the list names already.
    fn near(&mut self, file: FileId, entry: &Extends, base: &Utf8Path) -> Option<String> {
        self.guesses += 1;
        if self.guesses > MAXIMUM_GUESSES {
            return None;
        }
        let named = self.keys_of(file).extends.iter();
        let taken = named
            .map(|other| normalize(&base.join(&other.path)))
            .chain([self.graph.path(file).to_owned()])
            .collect();
        near_file(
            self.files,
            base,
            &self.graph.workspace,
            Utf8Path::new(&entry.path),
            &taken,
        )
    }

    fn fragments(&mut self, roots: &Roots) {
        let declared = self.graph.layers.iter().rev().find_map(|layer| {
            let load_paths = self.keys_of(layer.file).load_paths.clone()?;
            Some((layer.file, load_paths))
        });
        let extended: HashSet<FileId> = self
            .graph
            .layers
            .iter()
            .map(|layer| layer.file)
            .chain(self.graph.left_out.iter().copied())
            .collect();
        if let Some((file, load_paths)) = declared {
            let declaring = LoadPaths::new(&self.graph, file);
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
        if is_stored_conversation(path) || ContentFormat::of(path).is_none() {
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
        self.graph.fragments.push(Fragment { file, layers });
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

    fn read(&mut self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        if let Some(content) = self.read_ahead.shift_remove(path) {
            return Ok(content);
        }
        if self.graph.files.len() >= MAXIMUM_FILES {
            return Err(ReadProblem::TooMuch);
        }
        self.files.read(path)
    }

    fn file(&mut self, path: &Utf8Path) -> FileId {
        if let Some(file) = self.by_path.get(path) {
            return *file;
        }
        let file = file_id(self.graph.files.len());
        let content = match self.read(path) {
            Ok(content) => Some(content),
            Err(problem) => {
                self.graph.problems.push(GraphProblem {
                    file,
                    span: None,
                    kind: GraphProblemKind::Unreadable(problem),
                });
                None
            }
        };
        self.keys
            .push(content.as_deref().map(LoaderKeys::of).unwrap_or_default());
        self.graph.files.push(GraphFile {
            path: path.to_owned(),
            content,
        });
        self.by_path.insert(path.to_owned(), file);
        file
    }

    fn keys_of(&self, file: FileId) -> &LoaderKeys {
        static NONE: LoaderKeys = LoaderKeys {
            extends: Vec::new(),
            load_paths: None,
            inherit: None,
            recognised: false,
        };
        self.keys.get(file.0 as usize).unwrap_or(&NONE)
    }

    fn problem(&mut self, file: FileId, entry: &Extends, kind: GraphProblemKind) {
        let problem = GraphProblem {
            file,
            span: entry.span,
            kind,
        };
        // A file that several others extend is followed each time, and wrong only once; so is an entry in many circles.
        let kind = match &problem.kind {
            GraphProblemKind::ExtendsCycle { .. } => String::new(),
            kind => format!("{kind:?}"),
        };
        if self.reported.insert((file, entry.span, kind)) {
            self.graph.problems.push(problem);
        }
    }

    fn watch(&mut self, directory: &Utf8Path) {
        if self.watched.len() < MAXIMUM_WATCHED && self.watched.insert(directory.to_owned()) {
            self.graph.watched.push(directory.to_owned());
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
}

impl LoadPaths {
    fn new(graph: &Graph, file: FileId) -> Self {
        let document = graph.content(file).and_then(|content| content.document());
        let span = document.and_then(|document| {
            let entry = document.root().get("config_load_paths")?;
            Some(entry.value().span())
        });
        Self { file, span }
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

/// What a look into directories left out.
fn left_out(
    listing: &Listing,
    pattern: impl Fn() -> String,
) -> impl Iterator<Item = GraphProblemKind> {
    let links = listing
        .links
        .first()
        .map(|path| GraphProblemKind::LinkOutside {
            path: path.clone(),
            more: listing.links.len() - 1,
        });
    let cut = listing
        .is_cut
        .then(|| GraphProblemKind::LoadCut { pattern: pattern() });
    links.into_iter().chain(cut)
}

fn file_id(index: usize) -> FileId {
    FileId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Whether a path lies in the conversations that `jp` stores, which are data and not config.
#[must_use]
pub fn is_stored_conversation(path: &Utf8Path) -> bool {
    let mut components = path.components().map(|component| component.as_str());
    let mut previous = "";
    components.any(|component| {
        let found = previous == ".jp" && component == "conversations";
        previous = component;
        found
    })
}

/// The deepest directory that every match of a glob lies in.
fn glob_base(base: &Utf8Path, pattern: &str) -> Utf8PathBuf {
    let literal: Utf8PathBuf = Utf8Path::new(pattern)
        .components()
        .take_while(|component| !component.as_str().contains(['*', '?', '[']))
        .collect();
    normalize(&base.join(literal))
}

/// Resolves `.` and `..` without looking at the disk.
#[must_use]
pub fn normalize(path: &Utf8Path) -> Utf8PathBuf {
    let mut normal = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            camino::Utf8Component::CurDir => {}
            camino::Utf8Component::ParentDir => {
                if !normal.pop() {
                    normal.push("..");
                }
            }
            other => normal.push(other.as_str()),
        }
    }
    normal
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
