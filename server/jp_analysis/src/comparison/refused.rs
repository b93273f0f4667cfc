//! What no turn starts with, on either side: nothing that it touches is told apart.
//!
//! ```json
//! {"side": "after", "path": ".jp/config.toml", "line": 12, "message": "expected `]`"}
//! ```

use std::{collections::BTreeMap, panic::resume_unwind, sync::Arc, thread};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    content::Content,
    graph::{Graph, GraphProblem, GraphProblemKind, ReadProblem},
    refusal::Refusal,
};
use jp_policy::ChangeVerdict;

use super::model::{Aspect, AspectComparison, Comparison, from_workspace};
use crate::{
    analysis::Analysis,
    options::Options,
    refusal::{Obstacle, Reach, obstacles},
};

/// One of the two states that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The state before the change.
    Before,
    /// The state after it.
    After,
}

impl Side {
    /// The word for the side in JSON.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// Why no turn starts on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The side.
    pub side: Side,
    /// The fragment that no turn starts with; none where none starts at all.
    pub fragment: Option<Utf8PathBuf>,
    /// What is wrong, and where.
    pub refusal: Refusal,
}

impl Refused {
    /// The side and the place, as in ``no turn starts after the change (`.jp/config.toml`:12)``.
    fn in_short(&self) -> String {
        let side = self.side.keyword();
        let with = self.fragment.as_ref();
        let with = with.map_or(String::new(), |path| format!(" with `{path}`"));
        match &self.refusal.place {
            Some((path, line)) => {
                format!("no turn starts{with} {side} the change ({path}:{line})")
            }
            None => format!("no turn starts{with} {side} the change"),
        }
    }
}

/// An error of one side, and what it leaves undecided.
struct Blocked {
    refused: Refused,
    reach: Reach,
    /// Whether the same stands on the other side, with nothing hidden behind it that could differ.
    is_on_both: bool,
}

impl Blocked {
    fn leaves_all_open(&self) -> bool {
        let is_of_every_turn = self.refused.fragment.is_none() && !self.is_on_both;
        is_of_every_turn && self.reach == Reach::Everything
    }
}

/// Takes the errors of both sides into a comparison: what they leave undecided is unknown, and no change of it is told.
pub(super) fn take_in(
    comparison: &mut Comparison,
    graphs: (&Arc<Graph>, &Arc<Graph>),
    beyond: &(impl Fn(&Arc<Graph>) -> Option<Refusal> + Sync),
) {
    // Most of the work is on one side alone.
    let (before, after) = thread::scope(|scope| {
        let before = scope.spawn(|| found(graphs.0, beyond));
        let after = found(graphs.1, beyond);
        let before = before.join();
        (before.unwrap_or_else(|panic| resume_unwind(panic)), after)
    });
    let of = |side, own: &[Obstacle], others: &[Obstacle], graphs: (&Arc<Graph>, &Arc<Graph>)| {
        let blocked = |found: &Obstacle| Blocked {
            refused: Refused {
                side,
                fragment: found.fragment.clone(),
                refusal: from_here(&graphs.0.workspace, &found.refusal),
            },
            reach: found.reach.clone(),
            is_on_both: others.iter().any(|other| is_same(found, other, graphs)),
        };
        own.iter().map(blocked).collect::<Vec<Blocked>>()
    };
    let mut blocked = of(Side::Before, &before, &after, graphs);
    blocked.extend(of(Side::After, &after, &before, (graphs.1, graphs.0)));
    for blocked in &blocked {
        mark(comparison, blocked);
    }
    for side in [Side::Before, Side::After] {
        mark_unseen(comparison, side, graphs);
    }
    comparison.leaves_all_open |= blocked.iter().any(Blocked::leaves_all_open);
    comparison.refused = blocked.into_iter().map(|blocked| blocked.refused).collect();
}

fn from_here(workspace: &Utf8Path, refusal: &Refusal) -> Refusal {
    let place = refusal.place.as_ref();
    Refusal {
        place: place.map(|(path, line)| (from_workspace(workspace, path), *line)),
        ..refusal.clone()
    }
}

/// What stands in the way on one side: the errors of its files, or what a turn says where they have none.
fn found(graph: &Arc<Graph>, beyond: &impl Fn(&Arc<Graph>) -> Option<Refusal>) -> Vec<Obstacle> {
    let analysis = Analysis::new(Arc::clone(graph), Options::default());
    let mut found = obstacles(&analysis);
    let starts = found.iter().all(|obstacle| obstacle.fragment.is_some());
    if starts && let Some(refusal) = beyond(graph) {
        let reach = match &refusal.subject {
            Some(subject) if subject.tool != "*" => Reach::Tool(subject.tool.clone()),
            _ => Reach::Everything,
        };
        found.push(Obstacle {
            refusal,
            reach,
            fragment: None,
            file: None,
        });
    }
    found
}

/// Whether two obstacles leave the same undecided on both sides; a file that cannot be read at all has to be the same file.
fn is_same(one: &Obstacle, other: &Obstacle, (own, others): (&Arc<Graph>, &Arc<Graph>)) -> bool {
    let path = |refusal: &Refusal| refusal.place.as_ref().map(|(path, _)| path.clone());
    let text =
        |graph: &Arc<Graph>, obstacle: &Obstacle| match graph.content(obstacle.file?)?.as_ref() {
            Content::Toml(document) => Some(document.text().to_owned()),
            Content::Data(data) => Some(format!("{data:?}")),
        };
    let is_read_alike = one.file.is_none()
        || one.reach != Reach::Everything
        || (path(&one.refusal) == path(&other.refusal) && text(own, one) == text(others, other));
    one.reach == other.reach && one.fragment == other.fragment && is_read_alike
}

/// What an obstacle leaves undecided becomes unknown.
fn mark(comparison: &mut Comparison, blocked: &Blocked) {
    let fragment = &blocked.refused.fragment;
    let note = blocked.refused.in_short();
    let mut is_said = false;
    for found in &mut comparison.tools {
        let is_its_own = match &blocked.reach {
            Reach::Everything => true,
            Reach::Tool(tool) => found.tool == *tool,
            Reach::OutsideTools => found.tool == "*",
        };
        if is_its_own && (fragment.is_none() || *fragment == found.fragment) {
            found.verdict = ChangeVerdict::Unknown;
            found.changes.clear();
            found.unknown.push(note.clone());
            is_said |= *fragment == found.fragment && blocked.reach != Reach::Everything;
        }
    }
    if is_said || blocked.is_on_both {
        return;
    }
    let tool = match &blocked.reach {
        Reach::Tool(tool) => tool.clone(),
        Reach::Everything | Reach::OutsideTools => "*".to_owned(),
    };
    let at = |found: &AspectComparison| {
        found.tool == tool && found.aspect == Aspect::Other && found.fragment == *fragment
    };
    if comparison.tools.iter().any(at) {
        return;
    }
    comparison.tools.push(AspectComparison {
        tool,
        fragment: fragment.clone(),
        aspect: Aspect::Other,
        verdict: ChangeVerdict::Unknown,
        changes: Vec::new(),
        unknown: vec![note],
    });
}

/// What only one side loads from out of the repository is not seen, and may say anything of any tool.
fn mark_unseen(comparison: &mut Comparison, side: Side, graphs: (&Arc<Graph>, &Arc<Graph>)) {
    let (own, other) = match side {
        Side::Before => (outside(graphs.0), outside(graphs.1)),
        Side::After => (outside(graphs.1), outside(graphs.0)),
    };
    for (path, what) in own.iter().filter(|(path, _)| !other.contains_key(*path)) {
        comparison.leaves_all_open = true;
        let side = side.keyword();
        let path = path.strip_prefix(&graphs.1.workspace).unwrap_or(path);
        let note = match what {
            Unseen::Named => format!(
                "`{path}`, which only the config {side} the change names, lies out of the repository and is not read"
            ),
            Unseen::Itself => format!(
                "`{path}`, which {side} the change is a link out of the repository, is not read"
            ),
        };
        if *what == Unseen::Itself {
            // Nothing is known of this side.
            for found in &mut comparison.tools {
                found.verdict = ChangeVerdict::Unknown;
                found.changes.clear();
                found.unknown.push(note.clone());
            }
        }
        let is_general = |found: &&mut AspectComparison| {
            found.tool == "*" && found.aspect == Aspect::Other && found.fragment.is_none()
        };
        match comparison.tools.iter_mut().find(is_general) {
            Some(found) if found.unknown.contains(&note) => {}
            Some(found) => {
                found.verdict = ChangeVerdict::Unknown;
                found.unknown.push(note);
            }
            None => comparison.tools.push(AspectComparison {
                tool: "*".to_owned(),
                fragment: None,
                aspect: Aspect::Other,
                verdict: ChangeVerdict::Unknown,
                changes: Vec::new(),
                unknown: vec![note],
            }),
        }
    }
}

/// What is not read because it lies elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unseen {
    /// A file in which config is looked for.
    Itself,
    /// A file that the config names.
    Named,
}

/// The paths that are not read because they lie elsewhere.
fn outside(graph: &Graph) -> BTreeMap<&Utf8Path, Unseen> {
    let unseen = |problem: &'_ GraphProblem| match &problem.kind {
        GraphProblemKind::Unreadable(ReadProblem::LinkOutside) => Some(problem.file),
        _ => None,
    };
    let files = graph.problems.iter().filter_map(unseen);
    let files = files.map(|file| (graph.path(file), Unseen::Itself));
    let named = graph
        .problems
        .iter()
        .filter_map(|problem| match &problem.kind {
            GraphProblemKind::Outside { path } | GraphProblemKind::LinkOutside { path, .. } => {
                Some((path.as_path(), Unseen::Named))
            }
            _ => None,
        });
    named.chain(files).collect()
}
