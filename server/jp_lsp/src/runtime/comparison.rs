//! What two states of a workspace's config decide otherwise: asked by `jp-lsp diff` and by editors alike.
//!
//! ```text
//! HEAD:.jp/config.toml + .jp/config.toml -> edit, run: loosened, as in {"path":"src/x"}
//! ```
//!
//! Both sides are loaded as a turn loads them, without what is a person's own.

mod since_head;
pub(crate) mod words;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::comparison::{
    Aspect, AspectComparison, Comparison, RecordedCall, ToolVerdicts, compare, count_recorded,
    from_workspace,
};
use jp_config::{
    content::Content,
    graph::{Graph, GraphProblemKind, Roots},
};
use jp_history::{History, Limits};
use serde_json::Value;

pub(crate) use self::since_head::LastCommit;
use super::{conversations::history_sources, refusal::refusal_of_turn};
use crate::disk::config_files::DiskFiles;

/// What was compared, and what that rests on.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) comparison: Comparison,
    /// What the two sides are.
    pub(crate) sides: (String, String),
    pub(crate) assumes: Vec<String>,
    /// Where the paths of the comparison lie, below the top of the repository.
    pub(crate) prefix: Utf8PathBuf,
}

impl Compared {
    /// Compares two states, and counts the recorded calls that they decide otherwise.
    pub(crate) fn of(
        before: Graph,
        after: Graph,
        sides: (String, String),
        prefix: Utf8PathBuf,
    ) -> Self {
        let assumes = assumes(&before, &after);
        let (before, after) = (Arc::new(before), Arc::new(after));
        let mut comparison = comparison(&before, &after);
        let is_on_calls = |found: &AspectComparison| found.aspect == Aspect::Run;
        if comparison.tools.iter().any(is_on_calls) {
            count(&before, &after, &mut comparison);
        }
        Self {
            comparison,
            sides,
            assumes,
            prefix,
        }
    }

    /// What of it is about one tool.
    pub(crate) fn about(self, tool: &str) -> Self {
        Self {
            comparison: self.comparison.about(tool),
            ..self
        }
    }
}

fn comparison(before: &Arc<Graph>, after: &Arc<Graph>) -> Comparison {
    let beyond = (refusal_of_turn(before), refusal_of_turn(after));
    compare(before, after, beyond)
}

/// What became of each tool, without what shows it.
fn verdicts(before: Graph, after: Graph) -> ToolVerdicts {
    if is_same(&before, &after) {
        return ToolVerdicts::default();
    }
    ToolVerdicts::of(&comparison(&Arc::new(before), &Arc::new(after)))
}

/// Whether two loads of a workspace read the same from the same files.
fn is_same(before: &Graph, after: &Graph) -> bool {
    let has_same_text = || {
        let mut files = before.files.iter().zip(&after.files);
        files.all(|(one, other)| {
            one.path == other.path
                && match (one.content.as_deref(), other.content.as_deref()) {
                    (None, None) => true,
                    (Some(Content::Toml(one)), Some(Content::Toml(other))) => {
                        one.text() == other.text()
                    }
                    (Some(Content::Data(one)), Some(Content::Data(other))) => one == other,
                    _ => false,
                }
        })
    };
    before.files.len() == after.files.len()
        && before.layers == after.layers
        && before.fragments == after.fragments
        && before.problems == after.problems
        && has_same_text()
}

/// The roots of a workspace as everybody has them, for who works in `directory`.
pub(crate) fn roots(root: &Utf8Path, directory: &Utf8Path) -> Roots {
    let mut locals: Vec<Utf8PathBuf> = directory
        .ancestors()
        .take_while(|path| path.starts_with(root))
        .map(Utf8Path::to_owned)
        .collect();
    locals.reverse();
    Roots {
        locals,
        ..Roots::workspace_only(root)
    }
}

/// A workspace on disk; what lies out of `top` is not read.
pub(crate) fn on_disk(root: &Utf8Path, directory: &Utf8Path, top: &Utf8Path) -> Graph {
    Graph::load(&roots(root, directory), &bounded(top))
}

/// The disk within a folder.
pub(crate) fn bounded(top: &Utf8Path) -> DiskFiles {
    DiskFiles::untrusted(&Roots::workspace_only(top)).opened()
}

/// Counts the recorded calls of the workspace that are decided otherwise; where nothing can be read, none is.
fn count(before: &Arc<Graph>, after: &Arc<Graph>, comparison: &mut Comparison) {
    let Ok(sources) = history_sources(&after.workspace) else {
        return;
    };
    let history = History::read(&sources, Limits::default());
    let calls = history.calls().filter_map(|call| {
        let Value::Object(arguments) = call.arguments() else {
            return None;
        };
        let tool = call.tool().to_owned();
        Some(RecordedCall { tool, arguments })
    });
    count_recorded(before, after, comparison, calls);
}

/// What the comparison could not see, in words.
fn assumes(before: &Graph, after: &Graph) -> Vec<String> {
    let mut assumes = vec![
        "a person's own config, which lies out of the repository, is not part of the comparison"
            .to_owned(),
        "paths are judged by their text: links are not followed".to_owned(),
    ];
    for (graph, side) in [(before, "before"), (after, "after")] {
        let is_outside = |kind: &GraphProblemKind| {
            matches!(
                kind,
                GraphProblemKind::Outside { .. } | GraphProblemKind::LinkOutside { .. }
            )
        };
        for problem in graph.problems.iter() {
            let path = match &problem.kind {
                GraphProblemKind::Outside { path } | GraphProblemKind::LinkOutside { path, .. } => {
                    path
                }
                GraphProblemKind::Unreadable(reason) => {
                    let path = graph.path(problem.file);
                    let path = from_workspace(&graph.workspace, path);
                    assumes.push(format!("`{path}` is not read {side} the change: {reason}"));
                    continue;
                }
                _ => continue,
            };
            if is_outside(&problem.kind) {
                assumes.push(format!(
                    "`{path}`, which the config names, lies out of the repository and is not read"
                ));
            }
        }
    }
    assumes.dedup();
    assumes
}
