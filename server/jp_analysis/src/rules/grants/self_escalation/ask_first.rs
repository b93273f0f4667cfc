//! Rules by which calls on a file that runs are asked about: no call is lost, and the rest run as before.
//!
//! ```toml
//! policy.run = [
//!     { arg = "/path", prefix = "tools/lint.py", mode = "ask" },    # put before the first rule that lets calls run
//!     { mode = "unattended" },
//! ]
//! ```

use camino::Utf8Path;
use jp_policy::{
    ChangeVerdict, CoverageFinding, MatcherKind, Policy, RawRule, RunMode, UnattendedCalls,
    UnresolvedArg, compare, compile_with, coverage,
};

use super::{
    unasked::{RunPolicy, Unasked},
    ways::Way,
};
use crate::{
    explain::{NewRule, ToolPolicy, insert_run_rule},
    fix::{Edit, Fix},
    rules::grants::grant_covers_config::{MOST_DENIALS, closing_place, outermost},
    text::toml_text,
    tool::ToolContext,
};

/// The longest list of rules that is compared with and without new ones.
const MOST_RULES: usize = 64;

/// Asks before every call that names one of these files, or something below.
///
/// Nothing for a tool whose parameters name no files, and where the rules would let another call through than before, or still let one
/// run that names a file.
pub(super) fn ask_first(
    context: &ToolContext<'_>,
    unasked: &Unasked<'_>,
    ways: &[Way],
) -> Option<Fix> {
    let (Unasked::Always(RunPolicy(rules)) | Unasked::Sometimes(RunPolicy(rules), _)) = unasked;
    let places = outermost(ways.iter().map(|way| closing_place(&way.file)).collect())?;
    let pointers = rules.parameters.path_pointers();
    let new: Vec<RawRule<RunMode>> = places
        .iter()
        .flat_map(|place| pointers.iter().map(move |pointer| asking(pointer, place)))
        .collect();
    if new.is_empty() || new.len() > MOST_DENIALS || rules.policy.len() > MOST_RULES {
        return None;
    }
    let old: Vec<RawRule<RunMode>> = (0..rules.policy.len())
        .filter_map(|rule| rules.policy.rule(rule).cloned())
        .collect();
    let position = old
        .iter()
        .position(|rule| rule.mode == RunMode::Unattended)?;
    let mut all = old;
    all.splice(position..position, new.iter().cloned());
    let policy = tightened(rules, &all, position..position + new.len())?;
    let calls = UnattendedCalls::of(&policy);
    let runs = |way: &Way| calls.naming(way.file.as_str()).is_some();
    if ways.iter().any(runs) {
        return None;
    }
    let edits = edits(context, &all, &new, position)?;
    let title = match places.as_slice() {
        [_] => "Ask before calls on this file",
        _ => "Ask before calls on these files",
    };
    Some(Fix::new(title, edits))
}

fn asking(pointer: &str, place: &Utf8Path) -> RawRule<RunMode> {
    RawRule::condition(pointer, MatcherKind::Prefix, place.as_str(), RunMode::Ask)
}

/// The policy of all rules, where the new ones have no fault, only tighten, and leave every other one something to decide.
fn tightened(
    before: &ToolPolicy<RunMode>,
    all: &[RawRule<RunMode>],
    new: std::ops::Range<usize>,
) -> Option<Policy<RunMode>> {
    let (policy, problems) = compile_with(all, &before.parameters, UnresolvedArg::Report);
    let is_faulty = problems.iter().any(|problem| new.contains(&problem.rule));
    let known: Vec<usize> = idle(&before.policy).collect();
    let is_wasted = idle(&policy).any(|rule| {
        let was = match rule < new.start {
            true => Some(rule),
            false => rule.checked_sub(new.len()),
        };
        new.contains(&rule) || was.is_none_or(|was| !known.contains(&was))
    });
    let verdict = compare(&before.policy, &policy, None).verdict;
    (!is_faulty && !is_wasted && verdict == ChangeVerdict::Tightened).then_some(policy)
}

/// The rules that never decide.
fn idle(policy: &Policy<RunMode>) -> impl Iterator<Item = usize> {
    let found = coverage(policy);
    let rules: Vec<usize> = found.iter().filter_map(CoverageFinding::rule).collect();
    rules.into_iter()
}

fn edits(
    context: &ToolContext<'_>,
    all: &[RawRule<RunMode>],
    new: &[RawRule<RunMode>],
    position: usize,
) -> Option<Vec<Edit>> {
    let tables = all
        .iter()
        .map(|rule| format!("{{ {} }}", entries(rule).join(", ")));
    let list = format!("[{}]", tables.collect::<Vec<_>>().join(", "));
    let mut edits: Vec<Edit> = Vec::new();
    for rule in new {
        let entries = entries(rule);
        let rule = NewRule {
            position,
            entries: &entries,
            list: &list,
        };
        let each = insert_run_rule(context.view, context.name, rule)?;
        // A whole list has all of them at once.
        if edits.is_empty() || edits == each {
            edits = each;
        } else {
            // All of them go to one place, which takes one edit.
            edits.first_mut()?.text.push_str(&each.first()?.text);
        }
    }
    Some(edits)
}

/// The entries of a rule as TOML text.
fn entries(rule: &RawRule<RunMode>) -> Vec<String> {
    let mut entries = Vec::new();
    if let Some(arg) = &rule.arg {
        entries.push(format!("arg = {}", toml_text::string(arg)));
    }
    for (kind, value) in &rule.matchers {
        entries.push(format!("{} = {}", kind.keyword(), toml_text::value(value)));
    }
    entries.push(format!(
        "mode = {}",
        toml_text::string(&rule.mode.to_string())
    ));
    entries
}
