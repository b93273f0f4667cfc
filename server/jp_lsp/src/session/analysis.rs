//! What is found in a reading, and the report on every file.
//!
//! ```text
//! .jp/config.toml -> error[unknown-key] at 12:1, warning[rule-never-wins] at 20:3
//! ```

use std::{collections::BTreeMap, sync::Arc};

use camino::Utf8Path;
use jp_analysis::{Analysis, Diagnostic};
use jp_config::graph::FileId;

use super::reading::{ConfigReading, KeptExamples, KeptSettings, WorkspaceReading, uri_of};
use crate::session::{
    documents::FileKey, error::Cancelled, report::FileReport, snapshot::Snapshot, to_protocol,
    work::Work,
};

/// What is found in all workspaces of one snapshot.
#[derive(Debug)]
pub struct ConfigAnalysis {
    reading: Arc<ConfigReading>,
    /// In the order of the reading's workspaces.
    workspaces: Vec<Arc<WorkspaceFindings>>,
    /// The file that each report is of: its workspace, and its place there.
    order: Arc<Vec<(usize, usize)>>,
    reports: Vec<Arc<FileReport>>,
    /// The examples that are open.
    examples: Vec<Reported<KeptExamples>>,
    figures: u64,
    /// The settings that there are.
    settings: Vec<Reported<KeptSettings>>,
}

/// A file beside the config as it was last reported.
#[derive(Debug)]
struct Reported<K> {
    kept: Arc<K>,
    report: Arc<FileReport>,
}

/// What is found in one workspace.
#[derive(Debug)]
struct WorkspaceFindings {
    reading: Arc<WorkspaceReading>,
    analysis: Analysis,
    /// By file of the graph.
    files: Vec<ReportedFile>,
}

/// The findings of one file as they were last reported.
#[derive(Debug, Clone)]
struct ReportedFile {
    found: Arc<Vec<Diagnostic>>,
    report: Arc<FileReport>,
}

impl ConfigAnalysis {
    /// Judges a reading, and takes from `previous` what did not change.
    pub(crate) fn of(
        snapshot: &Snapshot,
        reading: &Arc<ConfigReading>,
        previous: Option<&Self>,
        work: &Work,
    ) -> Result<Self, Cancelled> {
        let mut workspaces = Vec::with_capacity(reading.shared().len());
        for workspace in reading.shared() {
            work.check()?;
            let before = previous.and_then(|previous| {
                let mut workspaces = previous.workspaces.iter();
                workspaces.find(|before| before.reading.root() == workspace.root())
            });
            workspaces.push(WorkspaceFindings::of(workspace, before, snapshot));
        }
        work.check()?;
        let has_same_files = |previous: &&Self| {
            let pairs = previous.workspaces.iter().zip(&workspaces);
            previous.workspaces.len() == workspaces.len()
                && pairs.fold(true, |all, (before, after)| {
                    all && after.reading.has_files_of(&before.reading)
                })
        };
        let order = match previous.filter(has_same_files) {
            Some(previous) => Arc::clone(&previous.order),
            None => Arc::new(order(&workspaces)),
        };
        let mut examples = Vec::new();
        for kept in reading.examples() {
            work.check()?;
            let known = previous.map_or(&[][..], |previous| &previous.examples);
            let made = || of_examples(kept, snapshot);
            examples.extend(Reported::of(kept, kept.path(), known, snapshot, made));
        }
        let figures = match previous {
            None => 0,
            Some(previous) => {
                work.check()?;
                let changes = previous.other_figures(reading, snapshot);
                previous.figures.saturating_add(u64::from(changes))
            }
        };
        let known = previous.map_or(&[][..], |previous| &previous.settings);
        let settings = reading.settings().iter().filter(|kept| kept.exists());
        let settings = settings.filter_map(|kept| {
            let made = || Some(kept.diagnostics(snapshot));
            Reported::of(kept, kept.path(), known, snapshot, made)
        });
        let settings: Vec<Reported<KeptSettings>> = settings.collect();
        let reports = order
            .iter()
            .filter_map(|(workspace, file)| workspaces.get(*workspace)?.files.get(*file))
            .map(|file| Arc::clone(&file.report))
            .chain(examples.iter().map(|known| Arc::clone(&known.report)))
            .chain(settings.iter().map(|known| Arc::clone(&known.report)))
            .collect();
        Ok(Self {
            examples,
            figures,
            settings,
            reading: Arc::clone(reading),
            order,
            reports,
            workspaces,
        })
    }

    /// What was judged.
    #[must_use]
    pub fn reading(&self) -> &ConfigReading {
        &self.reading
    }

    /// What was found in a workspace of the reading.
    #[must_use]
    pub fn of_workspace(&self, workspace: &WorkspaceReading) -> Option<&Analysis> {
        let mut workspaces = self.workspaces.iter();
        let findings =
            workspaces.find(|findings| std::ptr::eq(findings.reading.as_ref(), workspace))?;
        Some(&findings.analysis)
    }

    /// Grows whenever the examples of a workspace alone changed what is told beside its config.
    pub(crate) fn figures(&self) -> u64 {
        self.figures
    }

    /// Whether the examples of the next reading come to other figures than those of this one.
    fn other_figures(&self, next: &ConfigReading, snapshot: &Snapshot) -> bool {
        if !snapshot.client().wants("codeLens") {
            return false;
        }
        let before = |kept: &KeptExamples| {
            let mut examples = self.reading.examples().iter();
            examples.find(|before| before.path() == kept.path())
        };
        next.examples()
            .iter()
            .any(|kept| before(kept).is_some_and(|before| kept.changes_figures(before, snapshot)))
    }

    /// The reports, in a fixed order.
    pub(crate) fn reports(&self) -> &[Arc<FileReport>] {
        &self.reports
    }
}

impl<K> Reported<K> {
    /// What `made` reports of a file at `path`, unless that is known; none where it reports nothing.
    fn of(
        kept: &Arc<K>,
        path: &Utf8Path,
        known: &[Self],
        snapshot: &Snapshot,
        made: impl FnOnce() -> Option<Vec<lsp_types::Diagnostic>>,
    ) -> Option<Self> {
        let known = known.iter().find(|known| Arc::ptr_eq(&known.kept, kept));
        let report = match known {
            Some(known) => Arc::clone(&known.report),
            None => Arc::new(FileReport::new(uri_of(path, snapshot), made()?)),
        };
        Some(Self {
            kept: Arc::clone(kept),
            report,
        })
    }
}

/// What is wrong with the examples of a workspace; none where they are not open.
fn of_examples(kept: &KeptExamples, snapshot: &Snapshot) -> Option<Vec<lsp_types::Diagnostic>> {
    let held = kept.is_open().then(|| kept.held(snapshot).ok())??;
    Some(held?.diagnostics())
}

impl WorkspaceFindings {
    fn of(
        reading: &Arc<WorkspaceReading>,
        before: Option<&Arc<Self>>,
        snapshot: &Snapshot,
    ) -> Arc<Self> {
        let before = before.filter(|before| before.reading.has_files_of(reading));
        if let Some(before) = before
            && Arc::ptr_eq(&before.reading, reading)
        {
            return Arc::clone(before);
        }
        let graph = Arc::clone(reading.graph());
        let analysis = match before {
            Some(before) => before.analysis.update(graph),
            None => Analysis::new(graph, reading.options()),
        };
        let files = reports(reading, &analysis, before.map(AsRef::as_ref), snapshot);
        Arc::new(Self {
            reading: Arc::clone(reading),
            analysis,
            files,
        })
    }
}

/// The order of the reports: by file, each file once, where it stands first.
fn order(workspaces: &[Arc<WorkspaceFindings>]) -> Vec<(usize, usize)> {
    let mut order: BTreeMap<&FileKey, (usize, usize)> = BTreeMap::new();
    for (workspace, findings) in workspaces.iter().enumerate() {
        for (file, reported) in findings.files.iter().enumerate() {
            order
                .entry(reported.report.key())
                .or_insert((workspace, file));
        }
    }
    order.into_values().collect()
}

/// The reports on all files of a workspace; those whose findings, and the texts that these point into, are the same stay as they are.
fn reports(
    reading: &WorkspaceReading,
    analysis: &Analysis,
    before: Option<&WorkspaceFindings>,
    snapshot: &Snapshot,
) -> Vec<ReportedFile> {
    let graph = analysis.graph();
    let changed = |file: FileId| {
        before.is_none_or(|before| before.reading.source(file) != reading.source(file))
    };
    analysis
        .all_diagnostics()
        .map(|(file, found)| {
            let kept = before.and_then(|before| before.files.get(file.index()));
            let mentions_changed = || {
                let mut related = found.iter().flat_map(|finding| &finding.related);
                related.any(|related| changed(related.place.file))
            };
            if let Some(kept) = kept
                && Arc::ptr_eq(found, &kept.found)
                && !changed(file)
                && !mentions_changed()
            {
                return kept.clone();
            }
            let diagnostics = found
                .iter()
                .filter(|finding| reading.severities().of(finding).is_some())
                .map(|finding| to_protocol::diagnostic(finding, reading, graph, snapshot))
                .collect();
            let uri = uri_of(graph.path(file), snapshot);
            ReportedFile {
                found: Arc::clone(found),
                report: Arc::new(FileReport::new(uri, diagnostics)),
            }
        })
        .collect()
}
