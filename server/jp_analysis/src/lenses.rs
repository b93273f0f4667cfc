//! A line above each tool and rule: how many rules there are, and which call reaches each.
//!
//! ```toml
//! # 2 rules, explain a call…
//! [conversation.tools.fs_read_file]
//! policy.run = [
//!     # reached by {"path":"src"}
//!     { arg = "/path", prefix = "src", mode = "unattended" },
//! ]
//! ```

use std::collections::HashSet;

use jp_config::{
    document::{Document, Span},
    graph::FileId,
    view::View,
};
use jp_policy::{Mode, ResultMode, RunMode, coverage, witnesses};

use crate::{
    diagnostic::Place,
    explain::{PolicyQuestion, ToolPolicy},
    names::{Name, Role, names_in},
    options::Options,
    text::markup,
    tool::ToolContext,
};

/// A line above some text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The text.
    pub span: Span,
    /// The line; control characters are written out.
    pub title: String,
    /// What choosing the line explains; a line that only tells something explains nothing.
    pub explains: Option<LensTarget>,
}

/// A tool whose calls can be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensTarget {
    /// The tool.
    pub tool: String,
    /// What is asked about a call.
    pub question: PolicyQuestion,
    /// A call that reaches the rule under the line, as JSON.
    pub input: Option<serde_json::Value>,
}

/// The lines of one document, by position.
#[must_use]
pub fn lenses(view: &View, file: FileId, document: &Document) -> Vec<Lens> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for occurrence in names_in(document) {
        let (Name::Tool(tool), Role::Definition) = (&occurrence.name, occurrence.role) else {
            continue;
        };
        if !seen.insert(tool.clone()) {
            continue;
        }
        let Some(context) = ToolContext::of(view, tool, Options::default()) else {
            continue;
        };
        let run = ToolPolicy::of(&context, PolicyQuestion::Run, RunMode::Ask).ok();
        let result = ToolPolicy::of(&context, PolicyQuestion::Result, ResultMode::Unattended).ok();
        let count = run.as_ref().map_or(0, |rules| rules.policy.len());
        found.push(Lens {
            span: occurrence.span,
            title: match count {
                1 => "1 rule, explain a call…".to_owned(),
                count => format!("{count} rules, explain a call…"),
            },
            explains: Some(LensTarget {
                tool: tool.clone(),
                question: PolicyQuestion::Run,
                input: None,
            }),
        });
        if let Some(rules) = run {
            rule_lenses(&rules, file, tool, PolicyQuestion::Run, &mut found);
        }
        if let Some(rules) = result {
            rule_lenses(&rules, file, tool, PolicyQuestion::Result, &mut found);
        }
    }
    found.sort_by_key(|lens| lens.span);
    found
}

fn rule_lenses<M: Mode>(
    rules: &ToolPolicy<M>,
    file: FileId,
    tool: &str,
    question: PolicyQuestion,
    found: &mut Vec<Lens>,
) {
    let here = |place: &Option<Place>| place.filter(|place| place.file == file);
    // A mode, or one rule for every call, has nothing in its way.
    let is_one_for_all =
        rules.policy.len() < 2 && rules.policy.rule(0).is_none_or(|rule| rule.arg.is_none());
    if is_one_for_all || !rules.places.iter().any(|place| here(place).is_some()) {
        return;
    }
    let unreached: HashSet<usize> = coverage(&rules.policy)
        .iter()
        .filter(|finding| {
            matches!(
                finding,
                jp_policy::CoverageFinding::Shadowed { .. }
                    | jp_policy::CoverageFinding::Redundant { .. }
                    | jp_policy::CoverageFinding::NeverMatches { member: None, .. }
            )
        })
        .filter_map(jp_policy::CoverageFinding::rule)
        .collect();
    let calls = witnesses(&rules.policy);
    for (index, place) in rules.places.iter().enumerate() {
        let Some(place) = here(place) else {
            continue;
        };
        let call = calls.get(index).cloned().flatten();
        let title = match &call {
            _ if unreached.contains(&index) => "no call reaches this rule".to_owned(),
            Some(call) => {
                let call = markup::one_line(&markup::shortened(&call.to_string(), 80));
                format!("reached by {call}")
            }
            None => "no call that reaches this rule was found".to_owned(),
        };
        found.push(Lens {
            span: place.span,
            title,
            explains: call.map(|call| LensTarget {
                tool: tool.to_owned(),
                question,
                input: Some(call),
            }),
        });
    }
}

#[cfg(test)]
#[path = "lenses_tests.rs"]
mod tests;
