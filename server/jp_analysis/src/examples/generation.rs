//! The cases at the borders of a tool's rules, each with the decision of today.
//!
//! ```toml
//! # policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
//! [[case]]
//! tool = "read"
//! call = { path = "src-old" }
//! run = "ask"
//! ```
//!
//! Without `pattern` they notice every single edit of a rule that decides anything otherwise, see [`jp_policy::boundary_calls`].

use std::{collections::BTreeMap, sync::Arc};

use jp_config::{graph::Graph, view::View};
use jp_policy::{BoundaryCalls, Mode, Policy, ResultMode, RunMode, boundary_calls};
use serde_json::Value;

use super::{
    Aspect, Case, Examples,
    writing::{asks_the_same, case_text},
};
use crate::{
    explain::{
        ExplainError, PathResolver, PolicyExplainer, PolicyQuestion, tool_context, usable,
        view_of_tool,
    },
    tool::tool_names,
};

/// How many rules cases are made for at most: the work grows with their cube.
pub const MOST_RULES: usize = 64;

/// The cases of one tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Generated {
    /// The text of each case that is not there yet.
    pub cases: Vec<String>,
    /// How many are there already.
    pub known: usize,
    /// How many calls TOML has no words for.
    pub unspeakable: usize,
    /// How many single edits of the rules may go unnoticed, because of a `pattern` or of defaults for several paths.
    pub unsure: usize,
}

impl Generated {
    /// What was made, in a sentence.
    #[must_use]
    pub fn in_words(&self, tool: &str) -> String {
        let many = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        let mut words = format!(
            "{} at the borders of the rules of `{tool}`",
            many(self.cases.len(), "example")
        );
        if self.known > 0 {
            words.push_str(&format!("; {} there already", self.known));
        }
        if self.unspeakable > 0 {
            let calls = many(self.unspeakable, "call");
            words.push_str(&format!("; left out: {calls} that TOML has no words for"));
        }
        if self.unsure > 0 {
            let edits = many(self.unsure, "edit");
            words.push_str(&format!(
                "; {edits} of a rule may go unnoticed, because of a `pattern` or of defaults for several paths"
            ));
        }
        words
    }
}

/// Why no cases are made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// Nothing can be decided.
    #[error(transparent)]
    Undecided(#[from] ExplainError),
    /// The rules have no borders.
    #[error("no rule of `{0}` has a condition: there is no border to try")]
    NoConditions(String),
    /// There are too many rules.
    #[error("`{tool}` has {count} rules: cases are made for {MOST_RULES} at most")]
    TooMany {
        /// The tool.
        tool: String,
        /// How many it has.
        count: usize,
    },
}

/// The tools of a config that have a rule with a condition, or one that is broken, of which [`generate`] then says why.
#[must_use]
pub fn tools_with_conditions(graph: &Arc<Graph>) -> Vec<String> {
    let mut names = tool_names(&View::new(Arc::clone(graph)));
    names.retain(|tool| {
        let Ok(view) = view_of_tool(graph, tool) else {
            return false;
        };
        rules::<RunMode>(&view, tool, PolicyQuestion::Run, RunMode::Ask)
            .map_or(true, |rules| has_conditions(&rules))
            || rules::<ResultMode>(&view, tool, PolicyQuestion::Result, ResultMode::Unattended)
                .map_or(true, |rules| has_conditions(&rules))
    });
    names
}

/// Makes the cases at the borders of a tool's rules that a text does not have yet.
///
/// # Errors
///
/// [`GenerateError`]: there is no such tool, its rules cannot be decided with, have no condition, or are too many.
pub fn generate(
    graph: &Arc<Graph>,
    tool: &str,
    paths: &dyn PathResolver,
    text: &str,
) -> Result<Generated, GenerateError> {
    let view = view_of_tool(graph, tool)?;
    let root = graph.workspace.as_str();
    let run = rules(&view, tool, PolicyQuestion::Run, RunMode::Ask)?;
    let run = calls(tool, &run, root)?;
    let result = rules(&view, tool, PolicyQuestion::Result, ResultMode::Unattended)?;
    let result = calls(tool, &result, root)?;
    if run.calls.is_empty() && result.calls.is_empty() {
        return Err(GenerateError::NoConditions(tool.to_owned()));
    }
    let mut asked: Vec<(&Value, Vec<Aspect>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let both = [(Aspect::Run, &run.calls), (Aspect::Result, &result.calls)];
    for (aspect, calls) in both {
        for call in calls {
            let next = asked.len();
            let place = *places.entry(call.to_string()).or_insert(next);
            match asked.get_mut(place) {
                Some((_, aspects)) => aspects.push(aspect),
                None => asked.push((call, vec![aspect])),
            }
        }
    }
    let known = Examples::read(text).cases;
    let mut generated = Generated {
        unsure: run.unsure + result.unsure,
        ..Generated::default()
    };
    let run = PolicyExplainer::new(&view, tool, PolicyQuestion::Run)?;
    let result = PolicyExplainer::new(&view, tool, PolicyQuestion::Result)?;
    for (call, aspects) in asked {
        let mut expected = Vec::with_capacity(aspects.len());
        for aspect in aspects {
            let explainer = match aspect {
                Aspect::Result => &result,
                Aspect::Run | Aspect::Allowed => &run,
            };
            let answer = explainer.explain(call, paths)?;
            expected.push((aspect, answer.get("mode").cloned().unwrap_or_default()));
        }
        match case_text(tool, call, &expected) {
            Err(_) => generated.unspeakable += 1,
            Ok(text) if is_known(&text, &known) => generated.known += 1,
            Ok(text) => generated.cases.push(text),
        }
    }
    Ok(generated)
}

fn is_known(text: &str, known: &[Case]) -> bool {
    let new = Examples::read(text).cases;
    new.iter()
        .all(|new| known.iter().any(|known| asks_the_same(known, new)))
}

fn rules<M: Mode>(
    view: &View,
    tool: &str,
    question: PolicyQuestion,
    fallback: M,
) -> Result<Policy<M>, ExplainError> {
    let context = tool_context(view, tool).ok_or_else(|| ExplainError::UnknownTool {
        tool: tool.to_owned(),
        suggestion: None,
    })?;
    usable(&context, question, fallback).map(|rules| rules.policy)
}

fn has_conditions<M: Mode>(policy: &Policy<M>) -> bool {
    (0..policy.len()).any(|rule| policy.rule(rule).is_some_and(|rule| rule.arg.is_some()))
}

/// The calls at the borders; none where no rule has a condition.
fn calls<M: Mode>(
    tool: &str,
    policy: &Policy<M>,
    root: &str,
) -> Result<BoundaryCalls, GenerateError> {
    if policy.len() > MOST_RULES {
        return Err(GenerateError::TooMany {
            tool: tool.to_owned(),
            count: policy.len(),
        });
    }
    Ok(match has_conditions(policy) {
        true => boundary_calls(policy, Some(root)),
        false => BoundaryCalls::default(),
    })
}

#[cfg(test)]
#[path = "generation_tests.rs"]
mod tests;
