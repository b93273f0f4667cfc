//! The last commits of the open workspaces, compared with what is saved.
//!
//! ```text
//! /w: commit 3f9c…, disk changed 7 times -> edit loosened
//! ```
//!
//! Of two comparisons alone the commit and the disk can differ, so nothing is compared again while both are the same.
//! Objects are read as [`crate::disk::own_repository`] says, which runs nothing and needs no trust.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use gix::ObjectId;
use jp_analysis::comparison::ToolVerdicts;
use jp_config::graph::Roots;

use super::{
    reading::{ConfigReading, WorkspaceReading},
    since_head::SinceHead,
    snapshot::Snapshot,
};
use crate::runtime::comparison::LastCommit;

/// What was compared of each workspace. Owned by the thread that compares.
#[derive(Debug, Default)]
pub struct Commits {
    known: BTreeMap<Utf8PathBuf, Known>,
}

/// One comparison.
#[derive(Debug)]
struct Known {
    of: Compared,
    /// None where nothing can be said.
    verdicts: Option<ToolVerdicts>,
}

/// What was compared.
#[derive(Debug, PartialEq, Eq)]
struct Compared {
    commit: Option<ObjectId>,
    disk: u64,
    is_trusted: bool,
    roots: Roots,
}

impl Commits {
    /// What became of the tools of `reading` since the last commits, as the disk is now. Looks at the disk.
    pub(crate) fn compare(&mut self, reading: &ConfigReading, snapshot: &Snapshot) -> SinceHead {
        let mut since = SinceHead::default();
        let mut known = std::mem::take(&mut self.known);
        for workspace in reading.workspaces() {
            let root = workspace.root().to_owned();
            let found = compared(workspace, snapshot, known.remove(&root), &mut since);
            if let Some(verdicts) = &found.verdicts {
                since.workspaces.insert(root.clone(), verdicts.clone());
            }
            self.known.insert(root, found);
        }
        since
    }
}

fn compared(
    workspace: &WorkspaceReading,
    snapshot: &Snapshot,
    known: Option<Known>,
    since: &mut SinceHead,
) -> Known {
    let is_trusted = snapshot.trusts(workspace.root());
    let last = LastCommit::of(workspace.roots(), is_trusted);
    let last = last.inspect_err(|error| tracing::debug!(%error, "no last commit"));
    if let Ok(last) = &last {
        since.watched.extend(last.watched());
    }
    let of = Compared {
        commit: last.as_ref().ok().and_then(LastCommit::id),
        disk: snapshot.disk_changes(),
        is_trusted,
        roots: workspace.roots().clone(),
    };
    if let Some(known) = known.filter(|known| known.of == of) {
        return known;
    }
    let verdicts = last.and_then(|last| last.verdicts(workspace.graph()));
    let verdicts = verdicts.inspect_err(|error| tracing::debug!(%error, "nothing is compared"));
    Known {
        of,
        verdicts: verdicts.ok(),
    }
}
