//! What is found in a reading, and the report on every file.
//!
//! ```text
//! .jp/config.toml -> error[unknown-key] at 12:1, warning[rule-never-wins] at 20:3
//! ```

use std::{collections::BTreeMap, sync::Arc};

use jp_analysis::{Analysis, Diagnostic};
use jp_config::graph::FileId;

use super::reading::{ConfigReading, WorkspaceReading, uri_of};
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
        let reports = order
            .iter()
            .filter_map(|(workspace, file)| workspaces.get(*workspace)?.files.get(*file))
            .map(|file| Arc::clone(&file.report))
            .collect();
        Ok(Self {
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

    /// The reports, in a fixed order.
    pub(crate) fn reports(&self) -> &[Arc<FileReport>] {
        &self.reports
    }
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
