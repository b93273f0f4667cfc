//! The engine of the production server: the checks of `jp_analysis` over the workspaces of the editor.
//!
//! ```text
//! open buffers + disk -> contents -> load graph -> analysis -> a report for every file
//! ```
//!
//! Each step reuses what the previous analysis holds.
//! A keystroke reads no file: buffers come from the snapshot, everything else from the analysis before it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{Analysis, Diagnostic, Dialect, Options};
use jp_config::{
    content::{Content, ContentFormat},
    document::Document as TomlDocument,
    graph::{FileId, FileKind, Files, Graph, Listing, LoaderKeys, ReadProblem, Roots},
};

use tower_lsp::lsp_types::ServerCapabilities;

use crate::{
    agent_host::AgentHost,
    client::{self, ClientProfile},
    config_files::{DiskFiles, read_text},
    documents::{Document, FileKey},
    engine::{Cancelled, Engine, FileReport, Routes, Work},
    features::{self, keep::ApprovedChanges, prompts::PendingPrompts},
    line_index::LineIndex,
    to_protocol, workspace,
    world::Snapshot,
};

/// The engine; all state is in the analyses that it makes, and in the runtime behind the agent.
#[derive(Debug, Clone, Default)]
pub struct ConfigEngine {
    pub(crate) agent: AgentHost,
    pub(crate) pending: PendingPrompts,
    pub(crate) approved: ApprovedChanges,
}

/// Everything known about one snapshot.
#[derive(Debug)]
pub struct ConfigAnalysis {
    scope: Scope,
    roots: BTreeSet<Utf8PathBuf>,
    workspaces: Vec<WorkspaceAnalysis>,
    reports: Vec<Arc<FileReport>>,
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

/// One workspace: its files and what was found in them.
#[derive(Debug)]
pub struct WorkspaceAnalysis {
    roots: Roots,
    dialect: Dialect,
    /// How often the names in the watched directories changed.
    listing: Vec<u64>,
    files: Vec<FileState>,
    analysis: Analysis,
}

/// One file of a graph: where its content came from.
#[derive(Debug, Clone)]
struct FileState {
    source: Source,
    keys: LoaderKeys,
    lines: Arc<LineIndex>,
    report: Arc<FileReport>,
    found: Arc<Vec<Diagnostic>>,
}

/// Where the content of a file came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// An open buffer, in the revision of its text.
    Buffer(u64),
    /// The disk, by how often it changed there.
    Disk(u64),
}

impl ConfigAnalysis {
    /// The workspace whose graph holds a file, with the file's id there.
    #[must_use]
    pub fn find(&self, path: &Utf8Path) -> Option<(&WorkspaceAnalysis, FileId)> {
        self.workspaces.iter().find_map(|workspace| {
            let file = workspace.analysis.graph().file_at(path)?;
            Some((workspace, file))
        })
    }

    /// The workspaces, by root.
    #[must_use]
    pub fn workspaces(&self) -> &[WorkspaceAnalysis] {
        &self.workspaces
    }
}

impl WorkspaceAnalysis {
    /// What was found.
    #[must_use]
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Where the lines of a file start.
    #[must_use]
    pub fn lines(&self, file: FileId) -> Option<&LineIndex> {
        Some(&self.files.get(file.0 as usize)?.lines)
    }
}

impl Engine for ConfigEngine {
    type Analysis = ConfigAnalysis;

    fn capabilities(&self, client: &ClientProfile) -> ServerCapabilities {
        features::capabilities(client)
    }

    async fn leave(&self) {
        self.agent.leave().await;
    }

    fn routes(&self) -> Routes<Self> {
        features::routes()
    }

    fn notified(&self, method: &str, params: &serde_json::Value) {
        features::agent::notified(&self.agent, method, params);
    }

    fn watch_globs(&self) -> Vec<String> {
        vec![
            "**/.jp/**/*.{toml,json,json5,yaml,yml}".to_owned(),
            "**/.jp".to_owned(),
            "**/.jp.{toml,json,json5,yaml,yml}".to_owned(),
        ]
    }

    fn analyze(
        &self,
        snapshot: &Snapshot,
        previous: Option<&ConfigAnalysis>,
        work: &Work,
    ) -> Result<ConfigAnalysis, Cancelled> {
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
                workspaces.find(|workspace| workspace.roots.workspace == *root)
            });
            let fragments = fragments(root, &roots, &scope);
            workspaces.push(WorkspaceAnalysis::make(
                root, &scope, fragments, snapshot, before, work,
            )?);
        }
        let mut reports: BTreeMap<&FileKey, &Arc<FileReport>> = BTreeMap::new();
        for file in workspaces.iter().flat_map(|workspace| &workspace.files) {
            reports.entry(file.report.key()).or_insert(&file.report);
        }
        self.pending.connect(&work.events);
        let reports = self
            .pending
            .add_to(reports.into_values().cloned().collect());
        let mut watched: BTreeSet<Utf8PathBuf> = workspaces
            .iter()
            .flat_map(|workspace| workspace.analysis.graph().watched.iter().cloned())
            .collect();
        watched.extend(scope.folders.iter().map(|(folder, _)| folder.clone()));
        Ok(ConfigAnalysis {
            scope,
            roots,
            workspaces,
            reports,
            watched: watched.into_iter().collect(),
        })
    }

    fn reports<'a>(&self, analysis: &'a ConfigAnalysis) -> &'a [Arc<FileReport>] {
        &analysis.reports
    }

    fn watched<'a>(&self, analysis: &'a ConfigAnalysis) -> &'a [Utf8PathBuf] {
        &analysis.watched
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
        && !jp_config::graph::is_stored_conversation(path)
}

impl WorkspaceAnalysis {
    fn make(
        root: &Utf8Path,
        scope: &Scope,
        fragments: Vec<Utf8PathBuf>,
        snapshot: &Snapshot,
        before: Option<&Self>,
        work: &Work,
    ) -> Result<Self, Cancelled> {
        let dialect = match snapshot.client().dialect {
            client::Dialect::Rfd => Dialect::Rfd,
            client::Dialect::Released => Dialect::Released,
        };
        if let Some(before) = before
            && before.dialect == dialect
            && before.roots.fragments == fragments
            && before.listing == listing(before.analysis.graph(), snapshot)
            && let Some(next) = before.edited(snapshot, work)?
        {
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
        Self::load(roots, dialect, snapshot, before, work)
    }

    /// The next analysis where only contents changed, and none of them in a way that changes the graph.
    fn edited(&self, snapshot: &Snapshot, work: &Work) -> Result<Option<Self>, Cancelled> {
        let graph = self.analysis.graph();
        let mut changed = Vec::new();
        for (index, (file, state)) in graph.files.iter().zip(&self.files).enumerate() {
            let source = source_of(&file.path, snapshot);
            if source == state.source {
                continue;
            }
            let Some(before) = &file.content else {
                return Ok(None);
            };
            let Ok(content) = content_of(&file.path, snapshot, Some((before, state))) else {
                return Ok(None);
            };
            let keys = LoaderKeys::of(&content);
            let same_graph = keys.recognised == state.keys.recognised
                && keys.stops == state.keys.stops
                && keys.load_paths == state.keys.load_paths
                && keys.extends == state.keys.extends;
            if !same_graph {
                return Ok(None);
            }
            changed.push((index, content, source, keys));
        }
        work.check()?;
        let mut graph = Arc::clone(graph);
        let mut files = self.files.clone();
        for (index, content, source, keys) in changed {
            let file = FileId(u32::try_from(index).unwrap_or(u32::MAX));
            let Some(state) = files.get_mut(index) else {
                continue;
            };
            state.source = source;
            state.keys = keys;
            state.lines = lines_of(graph.path(file), &content, snapshot);
            graph = Arc::new(graph.with_content(file, content));
        }
        let analysis = self.analysis.update(graph);
        work.check()?;
        let mut next = Self {
            roots: self.roots.clone(),
            dialect: self.dialect,
            listing: self.listing.clone(),
            files,
            analysis,
        };
        next.report(snapshot, Some(self));
        Ok(Some(next))
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
            before: before.map(WorkspaceAnalysis::known).unwrap_or_default(),
            disk: DiskFiles::default(),
        };
        let graph = Arc::new(Graph::load(&roots, &files));
        work.check()?;
        let analysis = Analysis::new(Arc::clone(&graph), Options { dialect });
        work.check()?;
        let nothing = Arc::new(Vec::new());
        let states = graph
            .files
            .iter()
            .map(|file| {
                let empty = Arc::new(Content::parse(ContentFormat::Toml, ""));
                let content = file.content.as_ref().unwrap_or(&empty);
                FileState {
                    source: source_of(&file.path, snapshot),
                    keys: LoaderKeys::of(content),
                    lines: lines_of(&file.path, content, snapshot),
                    report: Arc::new(FileReport::new(uri_of(&file.path, snapshot), Vec::new())),
                    found: Arc::clone(&nothing),
                }
            })
            .collect();
        let mut next = Self {
            listing: listing(&graph, snapshot),
            roots,
            dialect,
            files: states,
            analysis,
        };
        next.report(snapshot, None);
        Ok(next)
    }

    /// What was read, by path.
    fn known(&self) -> HashMap<&Utf8Path, (&Arc<Content>, &FileState)> {
        let files = &self.analysis.graph().files;
        let known = files.iter().zip(&self.files).filter_map(|(file, state)| {
            Some((file.path.as_path(), (file.content.as_ref()?, state)))
        });
        known.collect()
    }

    /// Makes the reports of the files whose findings, or the texts that these point into, changed.
    fn report(&mut self, snapshot: &Snapshot, before: Option<&Self>) {
        let graph = Arc::clone(self.analysis.graph());
        let sources_changed: Vec<bool> = match before {
            None => vec![true; self.files.len()],
            Some(before) => self
                .files
                .iter()
                .zip(&before.files)
                .map(|(now, before)| now.source != before.source)
                .collect(),
        };
        let changed = |file: FileId| {
            sources_changed
                .get(file.0 as usize)
                .copied()
                .unwrap_or(true)
        };
        let mut reports = Vec::new();
        for (file, found) in self.analysis.all_diagnostics() {
            let Some(state) = self.files.get(file.0 as usize) else {
                continue;
            };
            let mentions_changed = || {
                found
                    .iter()
                    .flat_map(|finding| &finding.related)
                    .any(|related| changed(related.place.file))
            };
            if Arc::ptr_eq(found, &state.found) && !changed(file) && !mentions_changed() {
                continue;
            }
            let diagnostics = found
                .iter()
                .map(|finding| to_protocol::diagnostic(finding, self, &graph, snapshot))
                .collect();
            let uri = uri_of(graph.path(file), snapshot);
            reports.push((file, Arc::clone(found), FileReport::new(uri, diagnostics)));
        }
        for (file, found, report) in reports {
            if let Some(state) = self.files.get_mut(file.0 as usize) {
                state.found = found;
                state.report = Arc::new(report);
            }
        }
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

/// The content of a file as the snapshot has it.
fn content_of(
    path: &Utf8Path,
    snapshot: &Snapshot,
    before: Option<(&Arc<Content>, &FileState)>,
) -> Result<Arc<Content>, ReadProblem> {
    let Some(document) = buffer(path, snapshot) else {
        let text = read_text(path)?;
        return Ok(Arc::new(parse(path, &text)));
    };
    // Opening a file brings the text that the disk had a moment ago.
    if let Some((before, _)) = before
        && let Content::Toml(toml) = before.as_ref()
        && toml.text() == document.text()
    {
        return Ok(Arc::clone(before));
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
        return Ok(Arc::new(Content::Toml(toml)));
    }
    Ok(Arc::new(parse(path, document.text())))
}

fn parse(path: &Utf8Path, text: &str) -> Content {
    Content::parse(ContentFormat::of(path).unwrap_or(ContentFormat::Toml), text)
}

fn lines_of(path: &Utf8Path, content: &Content, snapshot: &Snapshot) -> Arc<LineIndex> {
    if let Some(document) = buffer(path, snapshot) {
        return Arc::new(document.lines().clone());
    }
    let text = content.document().map_or("", TomlDocument::text);
    Arc::new(LineIndex::new(text))
}

/// The URI of a file: as the client spelled it, if it is open.
fn uri_of(path: &Utf8Path, snapshot: &Snapshot) -> url::Url {
    let own = || FileKey::of_path(path).uri();
    buffer(path, snapshot)
        .map(|document| document.uri().clone())
        .or_else(own)
        .unwrap_or_else(to_protocol::nowhere)
}

/// The files of a snapshot: buffers first, then what the previous analysis read, then the disk.
struct SnapshotFiles<'a> {
    snapshot: &'a Snapshot,
    before: HashMap<&'a Utf8Path, (&'a Arc<Content>, &'a FileState)>,
    disk: DiskFiles,
}

impl Files for SnapshotFiles<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        let known = self.before.get(path).copied();
        if let Some((content, state)) = known
            && state.source == source_of(path, self.snapshot)
        {
            return Ok(Arc::clone(content));
        }
        content_of(path, self.snapshot, known)
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
