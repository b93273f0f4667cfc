//! What the files of the editor's workspaces say: parsed, and followed along the load graph.
//!
//! ```text
//! .jp/config.toml (buffer, revision 7) -> .jp/tools/grep.toml (disk, changed twice)
//! ```

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{Dialect, Options};
use jp_config::{
    content::{Content, ContentFormat},
    document::Document as TomlDocument,
    graph::{
        FileId, FileKind, Files, Graph, Listing, LoaderKeys, MAXIMUM_SIZE, ReadProblem, Roots,
    },
};

use crate::{
    disk::{config_files::DiskFiles, workspace},
    line_index::LineIndex,
    session::{
        client,
        documents::{Document, FileKey},
        error::Cancelled,
        report,
        snapshot::Snapshot,
        work::Work,
    },
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
    watched: Vec<Utf8PathBuf>,
}

/// What decides which workspaces there are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scope {
    /// The folders of the editor, and for each how often its names changed.
    folders: Vec<(Utf8PathBuf, u64)>,
    /// The open files that may be config.
    open: Vec<Utf8PathBuf>,
}

/// One workspace: its files, and how they load each other.
#[derive(Debug)]
pub struct WorkspaceReading {
    /// Shared by all readings since the graph was last followed from its roots.
    roots: Arc<Roots>,
    dialect: Dialect,
    /// Whether a person trusts the workspace, so that its links may lead out of it.
    trusted: Arc<BTreeSet<Utf8PathBuf>>,
    /// How often the names in the watched directories changed.
    listing: Vec<u64>,
    files: Vec<FileState>,
    graph: Arc<Graph>,
}

/// One file of a graph: where its content came from.
#[derive(Debug, Clone)]
struct FileState {
    source: Source,
    /// How many bytes were read.
    size: usize,
    keys: LoaderKeys,
    lines: Arc<LineIndex>,
}

/// Where the content of a file came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// An open buffer, in the revision of its text.
    Buffer(u64),
    /// The disk, by how often it changed there.
    Disk(u64),
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
        for root in &roots {
            work.check()?;
            let before = previous.and_then(|previous| {
                let mut workspaces = previous.workspaces.iter();
                workspaces.find(|workspace| workspace.root() == root)
            });
            let fragments = fragments(root, &roots, &scope);
            workspaces.push(WorkspaceReading::make(
                root, &scope, fragments, snapshot, before, work,
            )?);
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
            watched: watched.into_iter().collect(),
        })
    }

    /// The reading of `snapshot` where it differs from `previous` by a few edits of buffers that are not large, and in nothing else.
    pub(crate) fn reread(snapshot: &Snapshot, previous: &Self) -> Option<Self> {
        if previous.scope != Scope::of(snapshot) {
            return None;
        }
        let workspaces: Option<Vec<_>> = previous
            .workspaces
            .iter()
            .map(|workspace| workspace.reread(snapshot))
            .collect();
        Some(Self {
            scope: previous.scope.clone(),
            roots: previous.roots.clone(),
            workspaces: workspaces?,
            watched: previous.watched.clone(),
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
        Self { folders, open }
    }

    /// The folders that hold a `.jp` folder, for the editor's folders and for what is open.
    fn roots(&self) -> BTreeSet<Utf8PathBuf> {
        let folders = self.folders.iter().map(|(folder, _)| folder);
        let mut roots: BTreeSet<Utf8PathBuf> = folders
            .chain(&self.open)
            .filter_map(|path| workspace::root_of(path))
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

    /// What a person chose for the rules.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            dialect: self.dialect,
        }
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

    /// Whether only contents differ between two readings: the same files in the same order, found in one walk.
    pub(super) fn has_files_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.roots, &other.roots)
    }

    fn make(
        root: &Utf8Path,
        scope: &Scope,
        fragments: Vec<Utf8PathBuf>,
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
            && before.listing == listing(&before.graph, snapshot)
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
        Self::load(roots, dialect, snapshot, before.map(AsRef::as_ref), work).map(Arc::new)
    }

    /// The next reading where it follows by a few edits of buffers that are not large.
    fn reread(self: &Arc<Self>, snapshot: &Snapshot) -> Option<Arc<Self>> {
        if self.trusted != *snapshot.trusted_folders()
            || self.listing != listing(&self.graph, snapshot)
        {
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

    /// The next reading where only contents changed, each in a way that `allows`, and none in a way that changes the graph.
    fn edited(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        allows: impl Fn(&Utf8Path, &FileState) -> bool,
    ) -> Option<Arc<Self>> {
        let mut changed = Vec::new();
        for (index, (file, state)) in self.graph.files.iter().zip(&self.files).enumerate() {
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
                None => disk_for(&self.roots, snapshot).content(&file.path).ok()?,
            };
            if LoaderKeys::of(&content) != state.keys {
                return None;
            }
            changed.push((index, Some(content), size, source));
        }
        if changed.is_empty() {
            return Some(Arc::clone(self));
        }
        let mut graph = Graph::clone(&self.graph);
        let mut files = self.files.clone();
        for (index, content, size, source) in changed {
            let (Some(file), Some(state)) = (graph.files.get_mut(index), files.get_mut(index))
            else {
                continue;
            };
            state.source = source;
            state.size = size;
            if let Some(content) = content {
                state.lines = lines_of(&file.path, &content, snapshot);
                file.content = Some(content);
            }
        }
        Some(Arc::new(Self {
            roots: Arc::clone(&self.roots),
            dialect: self.dialect,
            trusted: Arc::clone(&self.trusted),
            listing: self.listing.clone(),
            files,
            graph: Arc::new(graph),
        }))
    }

    fn load(
        roots: Roots,
        dialect: Dialect,
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
        let files = graph
            .files
            .iter()
            .map(|file| {
                let content = file.content.as_ref().unwrap_or(&empty);
                FileState {
                    source: source_of(&file.path, snapshot),
                    size: sizes.get(&file.path).copied().unwrap_or_default(),
                    keys: LoaderKeys::of(content),
                    lines: lines_of(&file.path, content, snapshot),
                }
            })
            .collect();
        Ok(Self {
            listing: listing(&graph, snapshot),
            roots: Arc::new(roots),
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
                Some((file.path.as_path(), (file.content.as_ref()?, state)))
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

fn listing(graph: &Graph, snapshot: &Snapshot) -> Vec<u64> {
    graph
        .watched
        .iter()
        .map(|directory| snapshot.listing_revision(directory))
        .collect()
}

fn buffer<'a>(path: &Utf8Path, snapshot: &'a Snapshot) -> Option<&'a Arc<Document>> {
    snapshot.documents().get(&FileKey::of_path(path))
}

fn source_of(path: &Utf8Path, snapshot: &Snapshot) -> Source {
    match buffer(path, snapshot) {
        Some(document) => Source::Buffer(document.revision()),
        None => Source::Disk(snapshot.disk_revision(path)),
    }
}

/// The disk as the workspace of `roots` may see it.
fn disk_for(roots: &Roots, snapshot: &Snapshot) -> DiskFiles {
    if snapshot.trusts(&roots.workspace) {
        DiskFiles::trusted()
    } else {
        DiskFiles::untrusted(roots)
    }
}

/// The content of an open buffer, and how many bytes it has; `before` is what was known of it.
fn content_of(
    document: &Document,
    before: Option<(&Arc<Content>, &FileState)>,
) -> Result<(Arc<Content>, usize), ReadProblem> {
    let size = document.text().len();
    if size > MAXIMUM_SIZE {
        return Err(ReadProblem::TooLarge);
    }
    // Opening a file brings the text that the disk had a moment ago.
    if let Some((before, _)) = before
        && let Content::Toml(toml) = before.as_ref()
        && toml.text() == document.text()
    {
        return Ok((Arc::clone(before), size));
    }
    if let Some((before, state)) = before
        && let Source::Buffer(revision) = state.source
        && let Content::Toml(toml) = before.as_ref()
        && let Some(edits) = document.edits_since(revision)
    {
        let mut toml: TomlDocument = toml.clone();
        for edit in edits {
            toml.edit(edit.range, &edit.text);
        }
        return Ok((Arc::new(Content::Toml(toml)), size));
    }
    let path = document.key().path().unwrap_or(Utf8Path::new(""));
    let format = ContentFormat::of(path).unwrap_or(ContentFormat::Toml);
    Ok((Arc::new(Content::parse(format, document.text())), size))
}

fn lines_of(path: &Utf8Path, content: &Content, snapshot: &Snapshot) -> Arc<LineIndex> {
    if let Some(document) = buffer(path, snapshot) {
        return Arc::new(document.lines().clone());
    }
    let text = content.document().map_or("", TomlDocument::text);
    Arc::new(LineIndex::new(text))
}

/// The URI of a file: as the client spelled it, if it is open.
pub(super) fn uri_of(path: &Utf8Path, snapshot: &Snapshot) -> url::Url {
    let own = || FileKey::of_path(path).uri();
    buffer(path, snapshot)
        .map(|document| document.uri().clone())
        .or_else(own)
        .unwrap_or_else(report::nowhere)
}

/// The files of a snapshot: buffers first, then what the previous analysis read, then the disk.
struct SnapshotFiles<'a> {
    snapshot: &'a Snapshot,
    before: HashMap<&'a Utf8Path, (&'a Arc<Content>, &'a FileState)>,
    disk: DiskFiles,
    /// How many bytes each file was read from.
    sizes: RefCell<HashMap<Utf8PathBuf, usize>>,
}

impl SnapshotFiles<'_> {
    /// The content of a file, and how many bytes it was made from.
    fn content(&self, path: &Utf8Path) -> (Result<Arc<Content>, ReadProblem>, usize) {
        let known = self.before.get(path).copied();
        if let Some((content, state)) = known
            && state.source == source_of(path, self.snapshot)
        {
            // What is known already counts all the same, so that a load never depends on the one before.
            let charged = self.disk.charge(state.size);
            return (charged.map(|()| Arc::clone(content)), state.size);
        }
        let read = match buffer(path, self.snapshot) {
            Some(document) => content_of(document, known).and_then(|(content, size)| {
                self.disk.charge(size)?;
                Ok((content, size))
            }),
            None => self.disk.content(path),
        };
        match read {
            Ok((content, size)) => (Ok(content), size),
            Err(problem) => {
                let size = buffer(path, self.snapshot).map(|document| document.text().len());
                (Err(problem), size.unwrap_or_default())
            }
        }
    }
}

impl Files for SnapshotFiles<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        let (content, size) = self.content(path);
        self.sizes.borrow_mut().insert(path.to_owned(), size);
        content
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        if buffer(path, self.snapshot).is_some() {
            return FileKind::File;
        }
        self.disk.kind(path)
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        self.disk.glob(base, pattern)
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        self.disk.walk(directory)
    }
}
