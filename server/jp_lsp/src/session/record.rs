//! What the calls on record come to under the rules as they are in the editor.
//!
//! ```text
//! /w: read, rule 1: 37 of 412 calls; this edit: 3 ask -> unattended
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::recorded::{Recorded, RecordedTool};
use jp_policy::{Policy, RunMode};

/// What the calls on record come to, by workspace.
#[derive(Debug, Default)]
pub struct Record {
    pub(super) workspaces: BTreeMap<Utf8PathBuf, WorkspaceRecord>,
    /// The folders where further calls are recorded.
    pub(super) watched: BTreeSet<Utf8PathBuf>,
    /// How long the reading of the longest record took.
    pub(super) read_for: Duration,
}

/// What the calls on record of one workspace come to, by tool.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceRecord {
    pub(super) tools: BTreeMap<String, RecordedTool>,
    /// Of the tools for which rules are proven.
    pub(super) proposals: BTreeMap<String, Proposal>,
}

/// That rules are proven for a tool.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    /// The rules of the tool that they would join.
    pub(crate) policy: Arc<Policy<RunMode>>,
    /// How many calls a person allowed that these would ask about again.
    pub(crate) approvals: usize,
    /// How many rules are proven.
    pub(crate) rules: usize,
}

impl WorkspaceRecord {
    /// What is proven for a tool.
    pub(crate) fn proposal(&self, tool: &str) -> Option<&Proposal> {
        self.proposals.get(tool)
    }
}

impl Recorded for WorkspaceRecord {
    fn tool(&self, name: &str) -> Option<&RecordedTool> {
        self.tools.get(name)
    }
}

impl Record {
    /// What is on record of the workspace at `root`.
    pub(crate) fn of(&self, root: &Utf8Path) -> Option<&WorkspaceRecord> {
        self.workspaces.get(root)
    }

    /// Whether a person sees the same of both.
    pub(super) fn shows_the_same(&self, other: &Self) -> bool {
        let tools = |record: &Self| {
            let tools = record.workspaces.values();
            tools.map(|workspace| workspace.tools.len()).sum::<usize>()
        };
        tools(self) == tools(other)
            && self.workspaces.iter().all(|(root, workspace)| {
                let other = other.of(root);
                workspace.tools.iter().all(|(name, tool)| {
                    other
                        .and_then(|other| other.tool(name))
                        .is_some_and(|other| is_same(tool, other))
                })
            })
    }
}

fn is_same(one: &RecordedTool, other: &RecordedTool) -> bool {
    one.calls == other.calls
        && one.rules == other.rules
        && one.edit == other.edit
        && one.policy.is_same(&other.policy)
}
