//! Why no turn starts with the files of a config: the first error in one of them.
//!
//! ```text
//! tool `edit`, rule 2 of policy.run, .jp/config.toml:12: `/pth` names no parameter of the tool
//! ```
//!
//! The runtime asks before a turn and `explain` beside a decision, so that a decision never looks as if it were taken.

use std::sync::Arc;

use camino::Utf8PathBuf;
use jp_config::{
    document::{Document, PathSegment},
    graph::{FileId, Graph},
    merge::{Located, LocatedValue, rules_of},
    refusal::{Refusal, RuleNumber, Subject},
    view::View,
};

use crate::{
    analysis::Analysis,
    comparison::from_workspace,
    diagnostic::{Diagnostic, Place, Severity},
    explain::{line_of, shown_path},
};

/// The first error in a file that a turn loads, by file and place; none where a turn can start.
///
/// Fragments are no part of a turn.
#[must_use]
pub fn refusal(analysis: &Analysis) -> Option<Refusal> {
    let graph = analysis.graph();
    let error = analysis
        .all_diagnostics()
        .filter(|(file, _)| graph.layers.iter().any(|layer| layer.file == *file))
        .flat_map(|(_, findings)| findings.iter())
        .find(|finding| finding.severity == Severity::Error)?;
    Some(refusal_of(graph, error))
}

fn refusal_of(graph: &Arc<Graph>, error: &Diagnostic) -> Refusal {
    let known = error.subject.as_deref().cloned();
    Refusal {
        subject: known.or_else(|| subject_at(graph, error.place)),
        place: Some((
            shown_path(graph, error.place),
            line_of(graph, error.place) + 1,
        )),
        problem: error.message.clone(),
    }
}

/// How much of a config an error leaves undecided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// All of it: the file cannot be read as it was meant, or not all files are there.
    Everything,
    /// One tool.
    Tool(String),
    /// No tool, but another part.
    OutsideTools,
}

/// An error with which no turn starts, and what it leaves undecided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The error.
    pub refusal: Refusal,
    /// How far it reaches.
    pub reach: Reach,
    /// The fragment that holds it, as a path from the workspace; none where no turn starts at all.
    pub fragment: Option<Utf8PathBuf>,
    /// The file that it is an error of; none for what the files come to together.
    pub file: Option<FileId>,
}

/// Every error with which no turn starts, in the order of [`refusal`], then those of each fragment; of one reach in one file the first.
#[must_use]
pub fn obstacles(analysis: &Analysis) -> Vec<Obstacle> {
    let graph = analysis.graph();
    let is_loaded = |file: FileId| graph.layers.iter().any(|layer| layer.file == file);
    let mut found: Vec<Obstacle> = Vec::new();
    let mut add = |file: FileId, fragment: Option<Utf8PathBuf>| {
        let findings = analysis.diagnostics(file);
        let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
        for error in findings.iter().filter(is_error) {
            let refusal = refusal_of(graph, error);
            let reach = reach_of(graph, error.place, &refusal);
            let is_known = found.iter().any(|known| {
                (known.file, &known.reach, &known.fragment) == (Some(file), &reach, &fragment)
            });
            if !is_known {
                found.push(Obstacle {
                    refusal,
                    reach,
                    fragment: fragment.clone(),
                    file: Some(file),
                });
            }
        }
    };
    for (file, _) in analysis.all_diagnostics() {
        if is_loaded(file) {
            add(file, None);
        }
    }
    for fragment in graph.fragments.iter() {
        let path = from_workspace(&graph.workspace, graph.path(fragment.file));
        let own = fragment.layers.iter().map(|layer| layer.file);
        for file in own.filter(|file| !is_loaded(*file)) {
            add(file, Some(path.clone()));
        }
    }
    found
}

/// How far an error reaches, by where it stands.
fn reach_of(graph: &Graph, place: Place, refusal: &Refusal) -> Reach {
    let document = graph
        .content(place.file)
        .and_then(|content| content.document());
    if document.is_some_and(|document| !document.errors().is_empty()) {
        return Reach::Everything;
    }
    match &refusal.subject {
        Some(subject) if subject.tool == "*" => Reach::Everything,
        Some(subject) => Reach::Tool(subject.tool.clone()),
        None if document.is_some_and(|document| stands_apart(document, place)) => {
            Reach::OutsideTools
        }
        None => Reach::Everything,
    }
}

/// Whether a place is in a part of the config that neither declares tools nor loads files.
fn stands_apart(document: &Document, place: Place) -> bool {
    const AROUND_TOOLS: [&str; 4] = ["conversation", "extends", "config_load_paths", "inherit"];
    let path = document.at(place.span.start as usize).path;
    let Some(PathSegment::Key(first)) = path.first() else {
        return false;
    };
    let known = jp_config::schema::schema().paths();
    !AROUND_TOOLS.contains(first)
        && known
            .iter()
            .any(|(path, _)| path.split(['.', '[']).next() == Some(*first))
}

/// The tool and the rule that stand at a place.
fn subject_at(graph: &Arc<Graph>, place: Place) -> Option<Subject> {
    let document = graph.content(place.file)?.document()?;
    let path = document.at(place.span.start as usize).path;
    let mut keys = path.iter().map_while(|segment| match segment {
        PathSegment::Key(key) => Some(*key),
        PathSegment::Index(_) => None,
    });
    if (keys.next(), keys.next()) != (Some("conversation"), Some("tools")) {
        return None;
    }
    let tool = keys.next().filter(|tool| !tool.is_empty())?.to_owned();
    let list = match (keys.next(), keys.next()) {
        (Some("policy"), Some("run")) => Some("run"),
        (Some("policy"), Some("result")) => Some("result"),
        _ => None,
    };
    let mut subject = Subject { tool, rule: None };
    if let Some(list) = list {
        let view = View::new(Arc::clone(graph));
        let rules = view.effective(&["conversation", "tools", &subject.tool, "policy", list]);
        let mut rules = rules.map(rules_of).into_iter().flatten();
        let index = rules.position(|rule| holds(&view, &rule, place));
        subject.rule = index.map(|index| RuleNumber { list, index });
    }
    Some(subject)
}

/// Whether a value, or something in it, is written at a place.
fn holds(view: &View, located: &Located, place: Place) -> bool {
    let is_around = located.origins.iter().any(|origin| {
        let start = origin.key.unwrap_or(origin.span).start;
        view.file(origin.layer) == Some(place.file)
            && start <= place.span.start
            && place.span.end <= origin.span.end
    });
    is_around
        || match &located.value {
            LocatedValue::Table(table) => table.values().any(|value| holds(view, value, place)),
            LocatedValue::List(items) => items.iter().any(|item| holds(view, item, place)),
            _ => false,
        }
}

#[cfg(test)]
#[path = "refusal_tests.rs"]
mod tests;
