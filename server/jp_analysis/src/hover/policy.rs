//! What a policy rule decides, and a call that reaches it (RFD D25).
//!
//! ```toml
//! { arg = "/path", prefix = "src/", mode = "unattended" }   # runs without asking; reached by {"path":"src"}
//! ```

use jp_policy::{CoverageFinding, Mode, ResultMode, RunMode, coverage_of, pointer};

use super::subject::Subject;
use crate::{
    explain::{
        PolicyQuestion, ToolPolicy,
        words::{condition_words, mode_words},
    },
    text::{
        markup::{Markup, code},
        node::node_at,
    },
    tool::parameters::describe_argument,
};

pub(super) fn describe(subject: &Subject<'_>, markup: &mut Markup) {
    let keys = subject.keys();
    if keys.len() == subject.path.len()
        && let ["conversation", "tools", _, "parameters", names @ ..] = keys.as_slice()
        && let (Some(pointer), Some(context)) = (pointer_of(names), subject.context())
    {
        describe_argument(&context, &pointer, markup);
    }
    let (["conversation", "tools", _, "policy", key, ..], true) =
        (keys.as_slice(), keys.len() < subject.path.len())
    else {
        return;
    };
    let Some(context) = subject.context() else {
        return;
    };
    if subject.element_key() == Some("arg")
        && let Some(pointer) = element_argument(subject)
    {
        describe_argument(&context, &pointer, markup);
    }
    match *key {
        "run" => {
            if let Ok(rules) = ToolPolicy::of(&context, PolicyQuestion::Run, RunMode::Ask) {
                describe_rule(subject, &rules, PolicyQuestion::Run, markup);
            }
        }
        "result" => {
            let rules = ToolPolicy::of(&context, PolicyQuestion::Result, ResultMode::Unattended);
            if let Ok(rules) = rules {
                describe_rule(subject, &rules, PolicyQuestion::Result, markup);
            }
        }
        _ => {}
    }
}

/// The pointer to a parameter, by the keys of its table below `parameters`; nothing for a key inside of the table.
fn pointer_of(keys: &[&str]) -> Option<String> {
    let mut text = String::new();
    let mut keys = keys.iter();
    loop {
        let name = keys.next()?;
        text.push('/');
        text.push_str(&pointer::encoded(name));
        match keys.find(|key| **key != "items") {
            None => return Some(text),
            Some(&"properties") => {}
            Some(_) => return None,
        }
    }
}

fn describe_rule<M: Mode>(
    subject: &Subject<'_>,
    rules: &ToolPolicy<M>,
    question: PolicyQuestion,
    markup: &mut Markup,
) {
    let Some(place) = subject.element_place() else {
        return;
    };
    let Some(index) = rules.places.iter().position(|found| *found == Some(place)) else {
        markup.paragraph("Not in use: the rules of a stronger file stand instead of this list.");
        return;
    };
    let Some(rule) = rules.policy.rule(index) else {
        return;
    };
    let what = match question {
        PolicyQuestion::Run => "the tool",
        PolicyQuestion::Result => "the result",
    };
    let condition = match condition_words(rule) {
        Some(condition) => format!("if {condition}"),
        None => "whatever the arguments are".to_owned(),
    };
    markup.paragraph(&format!(
        "Rule {} of {}: {condition}, {what} {} (`{}`).",
        index + 1,
        rules.policy.len(),
        mode_words(question, rule.mode.keyword()),
        rule.mode
    ));
    markup.paragraph(&reach_words(rules, question, index));
}

/// A call that reaches the rule, or why none does.
fn reach_words<M: Mode>(rules: &ToolPolicy<M>, question: PolicyQuestion, index: usize) -> String {
    if let Some(problem) = rules.problems.iter().find(|problem| problem.rule == index) {
        return format!("Left out: {}.", problem.kind);
    }
    let (findings, call) = coverage_of(&rules.policy, index);
    let decide = |covered: &[usize]| {
        let numbers: Vec<String> = covered.iter().map(|rule| (rule + 1).to_string()).collect();
        let numbers = numbers.join(", ");
        match covered {
            [_] => format!("rule {numbers} decides"),
            _ => format!("rules {numbers} decide"),
        }
    };
    match findings.first() {
        Some(CoverageFinding::Shadowed {
            covered_by,
            decides,
            ..
        }) => {
            let modes: Vec<String> = decides
                .iter()
                .map(|mode| format!("{} (`{mode}`)", mode_words(question, mode.keyword())))
                .collect();
            let what = match question {
                PolicyQuestion::Run => "the tool",
                PolicyQuestion::Result => "the result",
            };
            format!(
                "No call reaches it: {} first, and {what} {}.",
                decide(covered_by),
                modes.join(" or ")
            )
        }
        Some(CoverageFinding::Redundant { covered_by, .. }) => format!(
            "No call reaches it: {} first, and the same.",
            decide(covered_by)
        ),
        Some(CoverageFinding::NeverMatches {
            member: None,
            reason,
            ..
        }) => format!("No call reaches it: {reason}."),
        _ => match call {
            Some(call) => format!("Reached by {}.", code(&call.to_string())),
            None => "No call that reaches it was found.".to_owned(),
        },
    }
}

/// The pointer of the rule that the path leads into.
fn element_argument(subject: &Subject<'_>) -> Option<String> {
    let index = subject
        .path
        .iter()
        .position(|segment| matches!(segment, jp_config::document::PathSegment::Index(_)))?;
    let rule = node_at(subject.document, subject.path.get(..=index)?)?;
    let arg = rule.as_table()?.get("arg")?.value().as_str()?;
    Some(arg.into_owned())
}
