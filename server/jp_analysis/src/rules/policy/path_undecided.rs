//! `path-undecided`: a path that no rule but a catch-all names, beside a path that runs unattended.
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" }, # information: says nothing of `/patterns/paths`
//!     { mode = "ask" },
//! ]
//! ```
//!
//! Each path of a call is decided on its own, so the catch-all decides the calls that give the other path.
//! Where the catch-all lets calls run and the rule is a stricter one, what it closes is open by another path: a warning.

use jp_policy::{Mode, RawRule, UnresolvedArg, compile_with, coverage, target};
use serde_json::Value;

use super::list::Rules;
use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    fix::{Edit, Fix, MORE_CALLS},
    rules::words::enumerate,
    text::toml_text,
};

/// The finding about a list of rules, if there is one.
pub(super) fn findings<M: Mode>(rules: &Rules<'_, M>) -> Option<Diagnostic> {
    // A rule that is still being typed may name the path.
    if !rules.complete {
        return None;
    }
    let paths = rules.parameters.path_pointers();
    let catch_all = rules.rules.iter().position(|rule| rule.raw.arg.is_none());
    let before = rules.rules.get(..catch_all.unwrap_or(rules.rules.len()))?;
    let named = |pointer: &str| {
        before.iter().any(|rule| {
            let arg = rule.raw.arg.as_deref().unwrap_or_default();
            // A rule on an object as a whole speaks of the paths in it.
            pointer
                .strip_prefix(arg)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let on_a_path = |accepts: fn(M) -> bool| {
        before.iter().position(|rule| {
            let arg = rule.raw.arg.as_ref();
            accepts(rule.raw.mode) && arg.is_some_and(|arg| paths.contains(arg))
        })
    };
    let others_run = catch_all
        .and_then(|index| rules.get(index))
        .is_some_and(|rule| rule.raw.mode == M::UNATTENDED);
    // What is closed to one path is open to the others.
    let closes = on_a_path(|mode| mode.is_stricter_than(M::UNATTENDED)).filter(|_| others_run);
    let (speaks, severity) = match closes {
        Some(rule) => (rule, Severity::Warning),
        None => (
            on_a_path(|mode| mode == M::UNATTENDED)?,
            Severity::Information,
        ),
    };
    let undecided: Vec<&String> = paths.iter().filter(|pointer| !named(pointer)).collect();
    if undecided.is_empty() {
        return None;
    }
    let pointers: Vec<Value> = undecided
        .iter()
        .map(|pointer| Value::from(pointer.as_str()))
        .collect();
    let (decides, mode) = match catch_all.and_then(|index| Some((index, rules.get(index)?))) {
        Some((index, rule)) => (rules.describe(index), rule.raw.mode),
        None => ("the implicit last rule".to_owned(), M::ASK),
    };
    let mut finding = Diagnostic::new(
        Code::PathUndecided,
        rules.place(speaks)?,
        format!(
            "this rule says nothing of the other paths of a call: no rule names {}, so {decides} decides every call that gives one, as `{mode}`",
            enumerate(&pointers).replace('"', "")
        ),
    )
    .with_severity(severity)
    .with_help("write a rule for each path that the tool takes; each path is decided on its own");
    finding.fixes.extend(same_for(rules, speaks, &undecided));
    Some(finding)
}

/// Says of other paths what a rule says of its own, where that can be said of them.
fn same_for<M: Mode>(rules: &Rules<'_, M>, rule: usize, pointers: &[&String]) -> Option<Fix> {
    let pattern = rules.get(rule)?;
    let (kind, value) = pattern.raw.matchers.first()?;
    let copies: Vec<RawRule<M>> = pointers
        .iter()
        .map(|pointer| RawRule::condition(pointer.as_str(), *kind, value.clone(), pattern.raw.mode))
        .collect();
    if !fits(rules, rule, &copies) {
        return None;
    }
    let (list, index) = rules.text_around(pattern.located)?;
    let mut edits: Vec<Edit> = Vec::new();
    for copy in &copies {
        let arg = toml_text::string(copy.arg.as_deref().unwrap_or_default());
        let entries = [
            format!("arg = {arg}"),
            format!("{} = {}", kind.keyword(), literal(value)?),
            format!("mode = {}", toml_text::string(copy.mode.keyword())),
        ];
        for edit in list.insert_before(index, &entries)? {
            // All of them go to one place, which takes one edit.
            match edits.first_mut() {
                Some(first) => first.text.push_str(&edit.text),
                None => edits.push(edit),
            }
        }
    }
    let others = if pointers.len() == 1 {
        "the other path"
    } else {
        "the other paths"
    };
    let title = format!(
        "Say the same of {others}: {MORE_CALLS} `{}`",
        pattern.raw.mode
    );
    Some(Fix::new(title, edits).with_risk())
}

/// A matcher's value as TOML text; only texts and lists of them say something of a path.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(toml_text::string(text)),
        Value::Array(members) => {
            let members: Option<Vec<String>> = members.iter().map(literal).collect();
            Some(format!("[{}]", members?.join(", ")))
        }
        _ => None,
    }
}

/// Whether new rules before a rule are without fault.
fn fits<M: Mode>(rules: &Rules<'_, M>, before: usize, new: &[RawRule<M>]) -> bool {
    let takes_paths = new.iter().all(|rule| {
        let arg = rule.arg.as_deref().unwrap_or_default();
        target(arg, &rules.parameters).is_some()
    });
    let mut list: Vec<RawRule<M>> = rules.rules.iter().map(|rule| rule.raw.clone()).collect();
    list.splice(before..before, new.iter().cloned());
    let added = before..before + new.len();
    let (policy, problems) = compile_with(&list, &rules.parameters, UnresolvedArg::Report);
    takes_paths
        && !problems.iter().any(|problem| added.contains(&problem.rule))
        && !coverage(&policy)
            .iter()
            .filter_map(jp_policy::CoverageFinding::rule)
            .any(|rule| added.contains(&rule))
}

#[cfg(test)]
#[path = "path_undecided_tests.rs"]
mod tests;
