//! The examples beside the rules of one workspace, kept until they, the config or the disk change.
//!
//! ```text
//! .jp/policy.tests.toml (buffer, revision 3) + graph -> judged by whoever asks first -> everybody who asks until the next edit
//! ```

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::examples::holds;
use jp_config::graph::{Graph, Roots};

use super::files::{Source, buffer, disk_for, source_of};
use crate::session::{examples::HeldExamples, snapshot::Snapshot, trusted_folders::TrustedFolders};

/// What the disk has of the examples: their text, none where there is no file, or why it cannot be read.
type Saved = Result<Option<String>, String>;

/// The examples of one workspace under one version of its config.
#[derive(Debug)]
pub(crate) struct KeptExamples {
    path: Utf8PathBuf,
    root: Utf8PathBuf,
    graph: Arc<Graph>,
    /// Whether a person trusts the workspace decides whether a link may lead out of it.
    trusted: Arc<TrustedFolders>,
    /// How much of the disk's changes is in them: links decide about paths.
    disk: u64,
    source: Source,
    saved: Arc<Saved>,
    held: OnceLock<Option<Arc<HeldExamples>>>,
}

impl KeptExamples {
    /// The examples of `snapshot`; the disk is read where they changed there.
    pub(super) fn of(
        roots: &Roots,
        graph: &Arc<Graph>,
        snapshot: &Snapshot,
        before: Option<&Arc<Self>>,
    ) -> Arc<Self> {
        Self::reread(roots, graph, snapshot, before).unwrap_or_else(|| {
            let path = HeldExamples::path_in(&roots.workspace);
            let read = disk_for(roots, snapshot).examples(&path);
            let saved = read.map_err(|problem| format!("`{path}` cannot be read: {problem}"));
            Self::made(roots, graph, snapshot, Arc::new(saved))
        })
    }

    /// The examples of `snapshot`, where the disk need not be read for them.
    pub(super) fn reread(
        roots: &Roots,
        graph: &Arc<Graph>,
        snapshot: &Snapshot,
        before: Option<&Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let source = source_of(&HeldExamples::path_in(&roots.workspace), snapshot);
        let before = before.filter(|before| {
            before.source == source && before.trusted == *snapshot.trusted_folders()
        });
        if let Some(before) = before
            && Arc::ptr_eq(&before.graph, graph)
            && before.disk == snapshot.disk_changes()
        {
            return Some(Arc::clone(before));
        }
        let saved = match (source, before) {
            // An open buffer says all there is to know.
            (Source::Buffer(_), _) => Arc::new(Ok(None)),
            (Source::Disk(_), before) => Arc::clone(&before?.saved),
        };
        Some(Self::made(roots, graph, snapshot, saved))
    }

    fn made(
        roots: &Roots,
        graph: &Arc<Graph>,
        snapshot: &Snapshot,
        saved: Arc<Saved>,
    ) -> Arc<Self> {
        let path = HeldExamples::path_in(&roots.workspace);
        Arc::new(Self {
            source: source_of(&path, snapshot),
            path,
            root: roots.workspace.clone(),
            graph: Arc::clone(graph),
            trusted: Arc::clone(snapshot.trusted_folders()),
            disk: snapshot.disk_changes(),
            saved,
            held: OnceLock::new(),
        })
    }

    /// What comes of the examples, judged by whoever asks first; none where there are none.
    ///
    /// `snapshot` is the one whose reading this is.
    ///
    /// # Errors
    ///
    /// They are there and cannot be read.
    pub(crate) fn held(&self, snapshot: &Snapshot) -> Result<Option<Arc<HeldExamples>>, String> {
        (*self.saved).as_ref().map_err(Clone::clone)?;
        let held = self.held.get_or_init(|| self.judged(snapshot));
        Ok(held.clone())
    }

    /// The same judged anew, as the links on the disk are now.
    ///
    /// # Errors
    ///
    /// They are there and cannot be read.
    pub(crate) fn held_anew(
        &self,
        snapshot: &Snapshot,
    ) -> Result<Option<Arc<HeldExamples>>, String> {
        (*self.saved).as_ref().map_err(Clone::clone)?;
        Ok(self.judged(snapshot))
    }

    /// Their file.
    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The config that they are about.
    pub(crate) fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Whether they stand in an open buffer.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.source, Source::Buffer(_))
    }

    /// Whether another text than in `before` leads to other figures than somebody has seen; their file alone can tell that to nobody
    /// who looks at the config. Of a config that changed as well, its own text tells.
    ///
    /// `snapshot` is the one whose reading this is.
    pub(in crate::session) fn changes_figures(&self, before: &Self, snapshot: &Snapshot) -> bool {
        let is_same_text = match (self.source, before.source) {
            (Source::Disk(_), Source::Disk(_)) => self.saved == before.saved,
            (source, before) => source == before,
        };
        if is_same_text {
            return false;
        }
        let Some(seen) = before.figures() else {
            return false;
        };
        let held = self.held(snapshot).ok().flatten();
        figures_of(held.as_deref()) != seen
    }

    /// How many hold by tool, as far as anybody has asked.
    fn figures(&self) -> Option<Figures> {
        match self.saved.as_ref() {
            // What cannot be read holds nothing.
            Err(_) => Some(Figures::new()),
            Ok(_) => self.held.get().map(|held| figures_of(held.as_deref())),
        }
    }

    fn judged(&self, snapshot: &Snapshot) -> Option<Arc<HeldExamples>> {
        let text = match self.source {
            Source::Buffer(_) => buffer(&self.path, snapshot)?.text().to_owned(),
            Source::Disk(_) => (*self.saved).as_ref().ok()?.clone()?,
        };
        let encoding = snapshot.client().encoding;
        let held = HeldExamples::of(text, &self.root, &self.graph, encoding);
        Some(Arc::new(held))
    }
}

/// How many of a tool's examples hold, and how many there are.
type Figures = BTreeMap<String, (usize, usize)>;

fn figures_of(held: Option<&HeldExamples>) -> Figures {
    let mut figures = Figures::new();
    for (case, verdicts) in held.into_iter().flat_map(|held| &held.cases) {
        let (held, total) = figures.entry(case.tool.clone()).or_default();
        *held = held.saturating_add(usize::from(holds(verdicts)));
        *total = total.saturating_add(1);
    }
    figures
}

#[cfg(test)]
#[path = "examples_tests.rs"]
mod tests;
