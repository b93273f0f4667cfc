//! A line above each tool whose rules decide by arguments: how many there are, and a way to explain a call.
//!
//! ```toml
//! # 2 rules, explain a call…
//! [conversation.tools.fs_read_file]
//! policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
//! ```

use std::collections::HashSet;

use jp_config::{
    document::{Document, Span},
    view::View,
};
use jp_policy::{Mode, ResultMode, RunMode};

use crate::{
    explain::{PolicyQuestion, ToolPolicy},
    names::{Name, Role, names_in},
    options::Options,
    tool::ToolContext,
};

/// A line above some text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The text.
    pub span: Span,
    /// The line.
    pub title: String,
    /// What choosing the line explains.
    pub explains: LensTarget,
}

/// A tool whose calls can be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensTarget {
    /// The tool.
    pub tool: String,
    /// What is asked about a call.
    pub question: PolicyQuestion,
    /// A call that reaches one rule, as JSON; without one, a person is asked for it.
    pub input: Option<serde_json::Value>,
}

/// The lines of one document, by position.
#[must_use]
pub fn lenses(view: &View, document: &Document) -> Vec<Lens> {
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
        let (run, result) = (run.map_or(0, count), result.map_or(0, count));
        // Where every call is decided alike there is nothing to explain.
        let (question, rules) = match (run, result) {
            (0, 0) => continue,
            (0, result) => (PolicyQuestion::Result, result),
            (run, _) => (PolicyQuestion::Run, run),
        };
        found.push(Lens {
            span: occurrence.span,
            title: match rules {
                1 => "1 rule, explain a call…".to_owned(),
                rules => format!("{rules} rules, explain a call…"),
            },
            explains: LensTarget {
                tool: tool.clone(),
                question,
                input: None,
            },
        });
    }
    found.sort_by_key(|lens| lens.span);
    found
}

/// How many rules a policy has, if one of them looks at arguments.
fn count<M: Mode>(rules: ToolPolicy<M>) -> usize {
    let policy = rules.policy;
    let mut conditions = (0..policy.len()).filter_map(|index| policy.rule(index)?.arg.as_ref());
    conditions.next().map_or(0, |_| policy.len())
}

#[cfg(test)]
#[path = "lenses_tests.rs"]
mod tests;
