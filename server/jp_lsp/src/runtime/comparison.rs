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
    Aspect, AspectComparison, ChangeVerdict, Comparison, RecordedCall, Refused, ToolVerdicts,
    compare, count_recorded, from_workspace,
};
use jp_config::{
    content::Content,
    graph::{Graph, GraphProblemKind, ReadProblem, Roots},
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
        before: &Arc<Graph>,
        after: &Arc<Graph>,
        sides: (String, String),
        prefix: Utf8PathBuf,
    ) -> Self {
        let assumes = assumes(before, after);
        let mut comparison = comparison(before, after);
        let is_on_calls = |found: &AspectComparison| found.aspect == Aspect::Run;
        if comparison.tools.iter().any(is_on_calls) {
            count(before, after, &mut comparison);
        }
        Self {
            comparison,
            sides,
            assumes,
            prefix,
        }
    }

    /// Adds what is decided otherwise for who works in a folder with a config file of its own, a path from the workspace.
    ///
    /// What is said already of everybody, or of a folder, is not said again.
    pub(crate) fn add_folder(&mut self, file: &Utf8Path, before: Graph, after: Graph) {
        if is_same(&before, &after) {
            return;
        }
        let there = comparison(&Arc::new(before), &Arc::new(after));
        let known = &mut self.comparison;
        for found in there.tools {
            let is_said = |said: &AspectComparison| {
                (said.tool == found.tool && said.aspect == found.aspect)
                    && (said.changes == found.changes && said.unknown == found.unknown)
            };
            if found.fragment.is_none() && !known.tools.iter().any(is_said) {
                known.verdict = known.verdict.and(found.verdict);
                known.tools.push(AspectComparison {
                    fragment: Some(file.to_owned()),
                    ..found
                });
            }
        }
        for refused in there.refused {
            let is_said =
                |said: &Refused| (said.side, &said.refusal) == (refused.side, &refused.refusal);
            if refused.fragment.is_none() && !known.refused.iter().any(is_said) {
                known.refused.push(Refused {
                    fragment: Some(file.to_owned()),
                    ..refused
                });
            }
        }
    }

    /// Says that not everything was compared, so that anything may be decided otherwise.
    pub(crate) fn leave_open(&mut self, why: String) {
        let known = &mut self.comparison;
        known.verdict = known.verdict.and(ChangeVerdict::Unknown);
        known.tools.push(AspectComparison {
            tool: "*".to_owned(),
            fragment: None,
            aspect: Aspect::Other,
            verdict: ChangeVerdict::Unknown,
            changes: Vec::new(),
            unknown: vec![why],
        });
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
    compare(before, after, refusal_of_turn)
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
                    path.as_path()
                }
                GraphProblemKind::Unreadable(ReadProblem::LinkOutside) => graph.path(problem.file),
                GraphProblemKind::Unreadable(reason) => {
                    let path = graph.path(problem.file);
                    let path = from_workspace(&graph.workspace, path);
                    assumes.push(format!("`{path}` is not read {side} the change: {reason}"));
                    continue;
                }
                _ => continue,
            };
            let path = path.strip_prefix(&graph.workspace).unwrap_or(path);
            assumes.push(match is_outside(&problem.kind) {
                true => format!(
                    "`{path}`, which the config names, lies out of the repository and is not read"
                ),
                false => format!("`{path}` is a link out of the repository, and is not read"),
            });
        }
    }
    assumes.dedup();
    assumes
}
