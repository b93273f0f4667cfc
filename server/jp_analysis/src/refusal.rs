//! Why no turn starts with the files of a config: the first error in one of them.
//!
//! ```text
//! tool `edit`, rule 2 of policy.run, .jp/config.toml:12: `/pth` names no parameter of the tool
//! ```
//!
//! The runtime asks before a turn and `explain` beside a decision, so that a decision never looks as if it were taken.

use std::sync::Arc;

use jp_config::{
    document::PathSegment,
    graph::Graph,
    merge::{Located, LocatedValue, rules_of},
    refusal::{Refusal, RuleNumber, Subject},
    view::View,
};

use crate::{
    analysis::Analysis,
    diagnostic::{Place, Severity},
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
    let known = error.subject.as_deref().cloned();
    Some(Refusal {
        subject: known.or_else(|| subject_at(graph, error.place)),
        place: Some((
            shown_path(graph, error.place),
            line_of(graph, error.place) + 1,
        )),
        problem: error.message.clone(),
    })
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
