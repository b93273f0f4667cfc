//! What the files of the editor's workspaces say: parsed, and followed along the load graph.
//!
//! ```text
//! .jp/config.toml (buffer, revision 7) -> .jp/tools/grep.toml (disk, changed twice)
//! ```

mod examples;
mod files;
mod settings;

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{Dialect, Options, Severities};
use jp_config::{
    content::{Content, ContentFormat},
    graph::{FileId, Files, Graph, LoaderKeys, MAXIMUM_SIZE, Roots},
};
use url::Url;

use self::files::{FileState, SnapshotFiles, buffer, content_of, disk_for, lines_of, source_of};
pub(super) use self::files::{Source, uri_of};
pub(crate) use self::{examples::KeptExamples, settings::KeptSettings};
use crate::{
    disk::workspace,
    line_index::LineIndex,
    session::{client, documents::FileKey, error::Cancelled, snapshot::Snapshot, work::Work},
};

/// From how many bytes on a text is read on a background thread, since one edit may take milliseconds to follow.
const LARGE: usize = 1024 * 1024;
/// From how many edits on.
const MANY_EDITS: usize = 16;

/// All workspaces of one snapshot.
#[derive(Debug)]
pub struct ConfigReading {
    scope: Scope,
    roots: BTreeSet<Utf8PathBuf>,
    workspaces: Vec<Arc<WorkspaceReading>>,
    /// The examples of each workspace.
    examples: Vec<Arc<KeptExamples>>,
    /// The settings of each workspace, and the person's.
    settings: Vec<Arc<KeptSettings>>,
    watched: Arc<Vec<Utf8PathBuf>>,
}

/// What decides which workspaces there are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scope {
    /// The folders of the editor, and for each how often its names changed.
    folders: Vec<(Utf8PathBuf, u64)>,
    /// The open files that may be config.
    open: Vec<Utf8PathBuf>,
    /// The workspaces below the folders in which turns have begun.
    used: Arc<BTreeSet<Utf8PathBuf>>,
}

/// One workspace: its files, and how they load each other.
#[derive(Debug)]
pub struct WorkspaceReading {
    /// Shared by all readings since the graph was last followed from its roots.
    roots: Arc<Roots>,
    dialect: Dialect,
    /// What the person and, weaker, the repository say about severities.
    severities: Arc<Severities>,
    /// Whether a person trusts the workspace, so that its links may lead out of it.
    trusted: Arc<super::trusted_folders::TrustedFolders>,
    /// How often the names in the watched directories changed.
    listing: Arc<Vec<u64>>,
    /// How much of the disk's changes is in the reading: while there are no more, nothing but buffers can be different.
    disk: u64,
    files: Vec<Arc<FileState>>,
    /// The places of the files that were read from buffers.
    buffers: Vec<usize>,
    graph: Arc<Graph>,
}

impl ConfigReading {
    /// Reads what `snapshot` holds, and takes from `previous` what did not change.
    pub(crate) fn of(
        snapshot: &Snapshot,
        previous: Option<&Self>,
        work: &Work,
    ) -> Result<Self, Cancelled> {
        let scope = Scope::of(snapshot);
        let roots = match previous {
            Some(previous) if previous.scope == scope => previous.roots.clone(),
            _ => scope.roots(),
        };
        let mut workspaces = Vec::with_capacity(roots.len());
        let mut examples = Vec::with_capacity(roots.len());
        let known = previous.map_or(&[][..], |previous| &previous.settings);
        let settings = settings::of_workspaces(&roots, snapshot, known);
        for root in &roots {
            work.check()?;
            let before = previous.and_then(|previous| previous.kept(root));
            let fragments = fragments(root, &roots, &scope);
            let workspace = WorkspaceReading::make(
                root,
                &scope,
                fragments,
                &settings::severities(root, &settings, snapshot),
                snapshot,
                before.map(|(workspace, _)| workspace),
                work,
            )?;
            examples.push(KeptExamples::of(
                &workspace.roots,
                &workspace.graph,
                snapshot,
                before.map(|(_, examples)| examples),
            ));
            workspaces.push(workspace);
        }
        let mut watched: BTreeSet<Utf8PathBuf> = workspaces
            .iter()
            .flat_map(|workspace| workspace.graph.watched.iter().cloned())
            .collect();
        watched.extend(scope.folders.iter().map(|(folder, _)| folder.clone()));
        Ok(Self {
            scope,
            roots,
            workspaces,
            examples,
            settings,
            watched: Arc::new(watched.into_iter().collect()),
        })
    }

    /// The reading of `snapshot` where it differs from `previous` by a few edits of buffers that are not large, and in nothing else.
    pub(crate) fn reread(snapshot: &Snapshot, previous: &Self) -> Option<Self> {
        if previous.scope != Scope::of(snapshot) {
            return None;
        }
        let mut workspaces = Vec::with_capacity(previous.workspaces.len());
        let mut examples = Vec::with_capacity(previous.workspaces.len());
        for (workspace, kept) in previous.workspaces.iter().zip(&previous.examples) {
            let workspace = workspace.reread(snapshot)?;
            let (roots, graph) = (&workspace.roots, &workspace.graph);
            examples.push(KeptExamples::reread(roots, graph, snapshot, Some(kept))?);
            workspaces.push(workspace);
        }
        let settings = previous.settings.iter();
        let settings = settings.map(|kept| kept.reread(snapshot));
        Some(Self {
            scope: previous.scope.clone(),
            roots: previous.roots.clone(),
            workspaces,
            examples,
            settings: settings.collect::<Option<_>>()?,
            watched: Arc::clone(&previous.watched),
        })
    }

    /// The workspace whose graph holds a file, with the file's id there.
    #[must_use]
    pub fn find(&self, path: &Utf8Path) -> Option<(&WorkspaceReading, FileId)> {
        self.workspaces.iter().find_map(|workspace| {
            let file = workspace.graph.file_at(path)?;
            Some((workspace.as_ref(), file))
        })
    }

    /// The workspaces, by root.
    pub fn workspaces(&self) -> impl Iterator<Item = &WorkspaceReading> {
        self.workspaces.iter().map(AsRef::as_ref)
    }

    /// The innermost workspace around a file or folder; with none, and for what is no file, that of the first folder of the editor.
    pub(crate) fn meant(&self, uri: Option<&Url>) -> Option<&WorkspaceReading> {
        let key = uri.map(FileKey::of);
        let Some(path) = key.as_ref().and_then(FileKey::path) else {
            let folders = self.scope.folders.iter();
            let mut of_folders = folders.filter_map(|(folder, _)| self.innermost(folder));
            return of_folders.next().or_else(|| self.workspaces().next());
        };
        self.innermost(path)
    }

    /// The innermost workspace around a path.
    fn innermost(&self, path: &Utf8Path) -> Option<&WorkspaceReading> {
        self.workspaces()
            .filter(|workspace| path.starts_with(workspace.root()))
            .max_by_key(|workspace| workspace.root().as_str().len())
    }

    /// The workspace at a root, with its examples.
    fn kept(&self, root: &Utf8Path) -> Option<(&Arc<WorkspaceReading>, &Arc<KeptExamples>)> {
        let mut kept = self.workspaces.iter().zip(&self.examples);
        kept.find(|(workspace, _)| workspace.root() == root)
    }

    /// The examples of a workspace of this reading.
    pub(crate) fn examples_of(&self, workspace: &WorkspaceReading) -> Option<&Arc<KeptExamples>> {
        self.kept(workspace.root()).map(|(_, examples)| examples)
    }

    /// The examples that stand in a file.
    pub(crate) fn examples_at(&self, path: &Utf8Path) -> Option<&Arc<KeptExamples>> {
        self.examples.iter().find(|kept| kept.path() == path)
    }

    /// The examples of each workspace.
    pub(super) fn examples(&self) -> &[Arc<KeptExamples>] {
        &self.examples
    }

    /// The settings that stand in a file.
    pub(crate) fn settings_at(&self, path: &Utf8Path) -> Option<&Arc<KeptSettings>> {
        self.settings.iter().find(|kept| kept.path() == path)
    }

    /// The settings of each workspace, and the person's.
    pub(super) fn settings(&self) -> &[Arc<KeptSettings>] {
        &self.settings
    }

    /// The workspaces as they are shared with the readings after this one.
    pub(super) fn shared(&self) -> &[Arc<WorkspaceReading>] {
        &self.workspaces
    }

    /// The directories whose entries decide what is read.
    pub(crate) fn watched(&self) -> &[Utf8PathBuf] {
        &self.watched
    }
}

impl Scope {
    fn of(snapshot: &Snapshot) -> Self {
        let folders = snapshot
            .folders()
            .iter()
            .filter_map(|folder| folder.path.clone())
            .map(|path| {
                let listing = snapshot.listing_revision(&path);
                (path, listing)
            })
            .collect();
        let open = snapshot
            .documents()
            .iter()
            .filter_map(|document| document.key().path())
            .filter(|path| is_config(path))
            .map(Utf8Path::to_owned)
            .collect();
        Self {
            folders,
            open,
            used: Arc::clone(snapshot.used_workspaces()),
        }
    }

    /// The folders that hold a `.jp` folder, for the editor's folders and for what is open.
    fn roots(&self) -> BTreeSet<Utf8PathBuf> {
        let folders = self.folders.iter().map(|(folder, _)| folder);
        let mut roots: BTreeSet<Utf8PathBuf> = folders
            .chain(&self.open)
            .filter_map(|path| workspace::root_of(path))
            .chain(self.used.iter().cloned())
            .collect();
        // A buffer below a `.jp` folder that is not saved yet has a workspace all the same.
        roots.extend(self.open.iter().filter_map(|path| {
            let jp = path
                .ancestors()
                .find(|above| above.file_name() == Some(".jp"))?;
            Some(jp.parent()?.to_owned())
        }));
        roots
    }
}

/// Whether an open file may be config by its name alone.
fn is_config(path: &Utf8Path) -> bool {
    let in_jp = path
        .components()
        .any(|component| component.as_str() == ".jp");
    let local = path
        .file_name()
        .is_some_and(|name| name.starts_with(".jp."));
    ContentFormat::of(path).is_some()
        && (in_jp || local)
        && !jp_config::paths::is_stored_conversation(path)
        && !jp_config::paths::is_about_config(path)
}

impl WorkspaceReading {
    /// The directory that holds `.jp`.
    #[must_use]
    pub fn root(&self) -> &Utf8Path {
        &self.roots.workspace
    }

    /// The files, and how they load each other.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The config as it is saved, whatever stands in open buffers.
    pub(crate) fn saved(&self, snapshot: &Snapshot) -> Graph {
        Graph::load(&self.roots, &disk_for(&self.roots, snapshot))
    }

    /// Where the config is loaded from.
    pub(crate) fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The files as the editor has them, for one load.
    pub(crate) fn files<'a>(&'a self, snapshot: &'a Snapshot) -> Box<dyn Files + 'a> {
        Box::new(SnapshotFiles {
            snapshot,
            before: self.known(),
            disk: disk_for(&self.roots, snapshot),
            sizes: RefCell::default(),
        })
    }

    /// What a person chose for the rules.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            dialect: self.dialect,
        }
    }

    /// How bad the findings are, as the person and the repository chose.
    #[must_use]
    pub fn severities(&self) -> &Severities {
        &self.severities
    }

    /// Where the lines of a file start.
    #[must_use]
    pub fn lines(&self, file: FileId) -> Option<&LineIndex> {
        Some(&self.files.get(file.index())?.lines)
    }

    /// Where the content of a file came from.
    pub(super) fn source(&self, file: FileId) -> Option<Source> {
        Some(self.files.get(file.index())?.source)
    }

    /// Whether only contents differ between two readings: the same files in the same order, judged by the same settings.
    pub(super) fn has_files_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.roots, &other.roots)
    }

    fn make(
        root: &Utf8Path,
        scope: &Scope,
        fragments: Vec<Utf8PathBuf>,
        severities: &Severities,
        snapshot: &Snapshot,
        before: Option<&Arc<Self>>,
        work: &Work,
    ) -> Result<Arc<Self>, Cancelled> {
        let dialect = match snapshot.client().dialect {
            client::Dialect::Rfd => Dialect::Rfd,
            client::Dialect::Released => Dialect::Released,
        };
        if let Some(before) = before
            && before.dialect == dialect
            && before.trusted == *snapshot.trusted_folders()
            && before.roots.fragments == fragments
            && before.lists_the_same(snapshot)
            && *before.severities == *severities
            && let Some(next) = before.edited(snapshot, |_, _| true)
        {
            work.check()?;
            return Ok(next);
        }
        let directory = scope
            .folders
            .iter()
            .map(|(folder, _)| folder.as_path())
            .find(|folder| folder.starts_with(root))
            .unwrap_or(root);
        let mut roots = workspace::roots(root, directory);
        roots.fragments = fragments;
        let before = before.map(AsRef::as_ref);
        Self::load(roots, dialect, severities, snapshot, before, work).map(Arc::new)
    }

    /// The next reading where it follows by a few edits of buffers that are not large.
    fn reread(self: &Arc<Self>, snapshot: &Snapshot) -> Option<Arc<Self>> {
        if self.trusted != *snapshot.trusted_folders() || !self.lists_the_same(snapshot) {
            return None;
        }
        self.edited(snapshot, |path, state| {
            let (Source::Buffer(revision), Some(document)) = (state.source, buffer(path, snapshot))
            else {
                return false;
            };
            document.text().len() <= LARGE
                && document
                    .edits_since(revision)
                    .is_some_and(|edits| edits.len() <= MANY_EDITS)
        })
    }

    /// Whether the watched directories still hold the same names.
    fn lists_the_same(&self, snapshot: &Snapshot) -> bool {
        self.disk == snapshot.disk_changes() || *self.listing == listing(&self.graph, snapshot)
    }

    /// The places of the files whose content may be different from what was read.
    fn suspects(&self, snapshot: &Snapshot) -> BTreeSet<usize> {
        if self.disk != snapshot.disk_changes() {
            return (0..self.files.len()).collect();
        }
        let open = snapshot.documents().iter();
        let open = open.filter_map(|document| self.graph.file_at(document.key().path()?));
        let known = self.buffers.iter().copied();
        known.chain(open.map(FileId::index)).collect()
    }

    /// The next reading where only contents changed, each in a way that `allows`, and none in a way that changes the graph.
    fn edited(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        allows: impl Fn(&Utf8Path, &FileState) -> bool,
    ) -> Option<Arc<Self>> {
        let mut changed = Vec::new();
        let suspects = self.suspects(snapshot);
        for index in &suspects {
            let index = *index;
            let (Some(file), Some(state)) = (self.graph.files.get(index), self.files.get(index))
            else {
                continue;
            };
            let source = source_of(&file.path, snapshot);
            if source == state.source {
                continue;
            }
            if !allows(&file.path, state) {
                return None;
            }
            let document = buffer(&file.path, snapshot);
            let size = document.map(|document| document.text().len());
            if file.content.is_none() && state.size > MAXIMUM_SIZE && size > Some(MAXIMUM_SIZE) {
                changed.push((index, None, state.size, source));
                continue;
            }
            let before = file.content.as_ref()?;
            let (content, size) = match document {
                Some(document) => content_of(document, Some((before, state))).ok()?,
                None => disk_for(&self.roots, snapshot)
                    .content(&file.path, Some(before))
                    .ok()?,
            };
            if Arc::ptr_eq(&content, before) {
                changed.push((index, None, size, source));
                continue;
            }
            if !LoaderKeys::of(&content).load_the_same(&state.keys) {
                return None;
            }
            changed.push((index, Some(content), size, source));
        }
        if changed.is_empty() {
            return Some(Arc::clone(self));
        }
        let mut graph = Arc::clone(&self.graph);
        let mut files = self.files.clone();
        for (index, content, size, source) in changed {
            let (Some(file), Some(state)) = (self.graph.files.get(index), files.get_mut(index))
            else {
                continue;
            };
            let mut next = FileState {
                source,
                size,
                ..FileState::clone(state)
            };
            if let Some(content) = content {
                next.lines = lines_of(&file.path, &content, snapshot);
                let id = self.graph.file_at(&file.path)?;
                graph = Arc::new(graph.with_content(id, content));
            }
            *state = Arc::new(next);
        }
        let buffers = suspects
            .into_iter()
            .filter(|index| is_buffer(&files, *index));
        Some(Arc::new(Self {
            roots: Arc::clone(&self.roots),
            dialect: self.dialect,
            severities: Arc::clone(&self.severities),
            trusted: Arc::clone(&self.trusted),
            listing: Arc::clone(&self.listing),
            disk: snapshot.disk_changes(),
            buffers: buffers.collect(),
            files,
            graph,
        }))
    }

    fn load(
        roots: Roots,
        dialect: Dialect,
        severities: &Severities,
        snapshot: &Snapshot,
        before: Option<&Self>,
        work: &Work,
    ) -> Result<Self, Cancelled> {
        work.report(format!("Reading the config of {}", roots.workspace), None);
        let files = SnapshotFiles {
            snapshot,
            before: before.map(WorkspaceReading::known).unwrap_or_default(),
            disk: disk_for(&roots, snapshot),
            sizes: RefCell::default(),
        };
        let graph = Graph::load(&roots, &files);
        work.check()?;
        let sizes = files.sizes.into_inner();
        let empty = Arc::new(Content::parse(ContentFormat::Toml, ""));
        let files: Vec<Arc<FileState>> = graph
            .files
            .iter()
            .map(|file| {
                let content = file.content.as_ref().unwrap_or(&empty);
                Arc::new(FileState {
                    source: source_of(&file.path, snapshot),
                    size: sizes.get(&file.path).copied().unwrap_or_default(),
                    keys: LoaderKeys::of(content),
                    lines: lines_of(&file.path, content, snapshot),
                })
            })
            .collect();
        let same = before.filter(|before| {
            before.dialect == dialect
                && before.trusted == *snapshot.trusted_folders()
                && *before.severities == *severities
                && *before.roots == roots
                && before.graph.lists_files_of(&graph)
        });
        Ok(Self {
            listing: Arc::new(listing(&graph, snapshot)),
            disk: snapshot.disk_changes(),
            buffers: (0..files.len())
                .filter(|index| is_buffer(&files, *index))
                .collect(),
            severities: Arc::new(severities.clone()),
            roots: same.map_or_else(|| Arc::new(roots), |before| Arc::clone(&before.roots)),
            dialect,
            trusted: Arc::clone(snapshot.trusted_folders()),
            files,
            graph: Arc::new(graph),
        })
    }

    /// What was read, by path.
    fn known(&self) -> HashMap<&Utf8Path, (&Arc<Content>, &FileState)> {
        let known = self
            .graph
            .files
            .iter()
            .zip(&self.files)
            .filter_map(|(file, state)| {
                Some((
                    file.path.as_path(),
                    (file.content.as_ref()?, state.as_ref()),
                ))
            });
        known.collect()
    }
}

/// The open buffers of a workspace that count as fragments where nothing else brings them in.
///
/// A file below two roots belongs to the inner one.
fn fragments(root: &Utf8Path, roots: &BTreeSet<Utf8PathBuf>, scope: &Scope) -> Vec<Utf8PathBuf> {
    let is_own = |path: &&Utf8PathBuf| {
        let mut above = path.ancestors().skip(1);
        above.find(|above| roots.contains(*above)) == Some(root)
    };
    scope.open.iter().filter(is_own).cloned().collect()
}

fn is_buffer(files: &[Arc<FileState>], index: usize) -> bool {
    let state = files.get(index);
    state.is_some_and(|state| matches!(state.source, Source::Buffer(_)))
}

fn listing(graph: &Graph, snapshot: &Snapshot) -> Vec<u64> {
    graph
        .watched
        .iter()
        .map(|directory| snapshot.listing_revision(directory))
        .collect()
}
