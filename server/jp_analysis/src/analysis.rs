//! Everything that is found in a workspace, kept so that the next keystroke pays only for what it changed.
//!
//! ```text
//! keystroke -> one section of one file -> that section's structural findings
//!                                      -> the tools that the section has a part in
//!                                      -> the lists of the files that these findings are in
//! ```
//!
//! An [`Analysis`] is a value: the next one is made from it and the changed graph, and shares what did not change.
//! What stands around a change costs a look at a pointer: findings are made again where an [identity](crate::identity) says so, and
//! moved where a section that they mention has moved.

mod effort;
mod file;
mod gather;
mod view;

use std::{collections::BTreeSet, sync::Arc};

use jp_config::graph::{FileId, Graph};

pub use self::effort::Effort;
use self::{
    file::FileFindings,
    gather::gather,
    view::{ViewFindings, ViewInput},
};
use crate::{
    anchor::SectionStarts,
    diagnostic::Diagnostic,
    identity::{FileIdentity, ViewIdentity},
    options::Options,
    rules::{ConfigPlaces, RunFiles},
};

/// The findings of a workspace.
#[derive(Debug, Clone)]
pub struct Analysis {
    graph: Arc<Graph>,
    options: Options,
    files: Vec<Arc<FileFindings>>,
    /// The identity of the workspace's own view.
    base: Arc<ViewIdentity>,
    /// The workspace's own view first, then those of the fragments.
    views: Vec<Arc<ViewFindings>>,
    places: Arc<ConfigPlaces>,
    runs: Arc<RunFiles>,
    found: Vec<Arc<Vec<Diagnostic>>>,
    effort: Effort,
}

impl Analysis {
    /// Analyses a workspace from scratch.
    #[must_use]
    pub fn new(graph: Arc<Graph>, options: Options) -> Self {
        Self::of(graph, options, None)
    }

    /// Analyses the next state of the workspace, reusing what did not change.
    #[must_use]
    pub fn update(&self, graph: Arc<Graph>) -> Self {
        let previous = self.graph.lists_files_of(&graph).then_some(self);
        let mut next = Self::of(graph, self.options, previous);
        for (next, before) in next.found.iter_mut().zip(&self.found) {
            if !Arc::ptr_eq(next, before) && next == before {
                *next = Arc::clone(before);
            }
        }
        next
    }

    fn of(graph: Arc<Graph>, options: Options, previous: Option<&Self>) -> Self {
        let mut effort = Effort::default();
        let files: Vec<_> = (0..)
            .map(FileId)
            .zip(&graph.files)
            .map(|(id, file)| {
                let before = previous.and_then(|previous| previous.files.get(id.index()));
                FileFindings::of(id, file, options, before, &mut effort)
            })
            .collect();
        let identities: Vec<&FileIdentity> = files.iter().map(|file| file.identity()).collect();
        let changed = previous.map(|previous| changed_files(&previous.files, &files));
        let before = previous.zip(changed.as_deref()).map(|(previous, changed)| {
            let files = previous.files.iter().map(|file| file.identity()).collect();
            (&previous.base, files, changed)
        });
        let (base, change) = ViewIdentity::of(&graph, &identities, before);
        let places = previous
            .filter(|previous| {
                let mut changed = changed.iter().flatten();
                previous.graph.has_files_of(&graph)
                    && !changed.any(|file| previous.loads(*file) || loads(&files, *file))
            })
            .map(|previous| Arc::clone(&previous.places))
            .unwrap_or_default();
        let same = change.as_ref().filter(|change| !change.context);
        let runs = match previous.zip(same) {
            None => Arc::new(RunFiles::of_workspace(&graph)),
            Some((previous, change)) => {
                let changed = change.tools.iter().map(AsRef::as_ref);
                match previous.runs.updated(&graph, changed) {
                    None => Arc::clone(&previous.runs),
                    Some(runs) => Arc::new(runs),
                }
            }
        };
        let runs_the_same =
            previous.is_some_and(|previous| previous.runs.identity() == runs.identity());
        let mut starts = SectionStarts::new(&graph);
        let mut touched: BTreeSet<FileId> = changed.iter().flatten().copied().collect();
        let views = ViewInput {
            graph: &graph,
            options,
            places: &places,
            runs: &runs,
            runs_the_same,
            base: &base,
            files: &identities,
            change: change.as_ref(),
        }
        .views(
            previous.map(|previous| &previous.views[..]),
            &mut starts,
            &mut touched,
            &mut effort,
        );
        // Only what the graph itself says is told apart by file without a look at all of them.
        let is_partial = previous.is_some_and(|previous| previous.graph.has_files_of(&graph));
        touched.extend(graph.left_out.iter().chain(&graph.stopped_by));
        let which = is_partial.then_some(&touched);
        let mut found = match (previous, which) {
            (Some(previous), Some(_)) => previous.found.clone(),
            _ => vec![Arc::default(); graph.files.len()],
        };
        for (file, list) in gather(&graph, &files, &views, &mut starts, which, options) {
            effort.lists += 1;
            if let Some(slot) = found.get_mut(file.index()) {
                *slot = Arc::new(list);
            }
        }
        Self {
            graph,
            options,
            files,
            base,
            views,
            places,
            runs,
            found,
            effort,
        }
    }

    /// The graph that was analysed.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// What a person chose.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// What the last update, or the first analysis, had to make.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Every finding of one file, sorted by place.
    ///
    /// The same allocation as before an update, if nothing about it changed.
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> Arc<Vec<Diagnostic>> {
        self.found
            .get(file.index())
            .map(Arc::clone)
            .unwrap_or_default()
    }

    /// Every finding of every file, by file and place.
    pub fn all_diagnostics(&self) -> impl Iterator<Item = (FileId, &Arc<Vec<Diagnostic>>)> {
        (0..).map(FileId).zip(&self.found)
    }

    fn loads(&self, file: FileId) -> bool {
        loads(&self.files, file)
    }
}

/// Whether a file makes others config.
fn loads(files: &[Arc<FileFindings>], file: FileId) -> bool {
    let file = files.get(file.index());
    file.is_some_and(|file| file.identity().loads())
}

/// The files whose findings were made anew, sorted.
fn changed_files(before: &[Arc<FileFindings>], after: &[Arc<FileFindings>]) -> Vec<FileId> {
    let pairs = (0..).map(FileId).zip(before.iter().zip(after));
    pairs
        .filter(|(_, (before, after))| !Arc::ptr_eq(before, after))
        .map(|(file, _)| file)
        .collect()
}

#[cfg(test)]
#[path = "analysis_tests.rs"]
mod tests;
