//! What became of the tools of the open workspaces since their last commit.
//!
//! ```text
//! /w: edit loosened, read tightened
//! ```

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::comparison::ToolVerdicts;

/// What became of each tool, by workspace.
#[derive(Debug, Default)]
pub struct SinceHead {
    /// The workspaces whose last commit can be read and has a config.
    pub(super) workspaces: BTreeMap<Utf8PathBuf, ToolVerdicts>,
    /// The folders in which something changes where there is another last commit.
    pub(super) watched: BTreeSet<Utf8PathBuf>,
}

impl SinceHead {
    /// What became of the tools of the workspace at `root`; none where nothing is known of that.
    pub(crate) fn of(&self, root: &Utf8Path) -> Option<&ToolVerdicts> {
        self.workspaces.get(root)
    }

    /// Whether a person sees the same of both.
    pub(super) fn shows_the_same(&self, other: &Self) -> bool {
        let told = |since: &Self| -> Vec<(Utf8PathBuf, ToolVerdicts)> {
            let workspaces = since.workspaces.iter();
            let told = workspaces.filter(|(_, verdicts)| **verdicts != ToolVerdicts::default());
            told.map(|(root, verdicts)| (root.clone(), verdicts.clone()))
                .collect()
        };
        told(self) == told(other)
    }
}
