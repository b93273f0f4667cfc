//! The rules of `policy.run` and `policy.result`: compiled once, then looked at from all sides (RFD D25).
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { mode = "ask" },
//! ]
//! ```

mod list;
mod matcher_fix;
mod missing_catch_all;
mod mixed_array_hazard;
mod path_undecided;
mod policy_overrides_run;
mod rule_never_matches;
mod rule_problem;
mod rule_shadowed;

use std::collections::HashSet;

use jp_config::source::ToolSource;
use jp_policy::{
    CoverageFinding, Mode, Parameter, ParameterType, Parameters, Policy, RawRule, ResultMode,
    RunMode, UnresolvedArg, compile_with, coverage, pointer,
};

use self::list::Rules;
use super::incomplete::is_incomplete;
use crate::{
    diagnostic::{Code, Diagnostic},
    tool::{ToolContext, ToolRule},
};

pub(super) const TOOL_RULES: &[ToolRule] = &[check, policy_overrides_run::check];

fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    check_list::<RunMode>(context, "run", found);
    check_list::<ResultMode>(context, "result", found);
}

fn check_list<M: Mode>(context: &ToolContext<'_>, key: &'static str, found: &mut Vec<Diagnostic>) {
    let Some(rules) = Rules::<M>::of(context, key, parameters(context)) else {
        return;
    };
    let parameters = &rules.parameters;
    let raw: Vec<RawRule<M>> = rules.rules.iter().map(|rule| rule.raw.clone()).collect();
    let unresolved = if context.is_defaults() {
        UnresolvedArg::Skip
    } else {
        UnresolvedArg::Report
    };
    let (policy, problems) = compile_with(&raw, parameters, unresolved);
    for problem in &problems {
        let finding = rule_problem::finding(&rules, problem);
        found.extend(finding.map(|finding| rules.about(problem.rule, finding)));
    }
    let certain = certain(&policy, &raw, parameters);
    // A file that is merged twice repeats its rules, which are judged where they come first.
    let repeated = match certain.as_slice() {
        [] => HashSet::new(),
        _ => rules.repeated(),
    };
    for finding in certain {
        let rule = finding.rule();
        if rule.is_none_or(|rule| !repeated.contains(&rule)) {
            let finding = report(&rules, &finding);
            found.extend(finding.map(|finding| match rule {
                Some(rule) => rules.about(rule, finding),
                None => finding,
            }));
        }
    }
    found.extend(path_undecided::findings(&rules));
}

fn report<M: Mode>(rules: &Rules<'_, M>, finding: &CoverageFinding<M>) -> Option<Diagnostic> {
    match finding {
        CoverageFinding::Shadowed { .. } | CoverageFinding::Redundant { .. } => {
            rule_shadowed::finding(rules, finding)
        }
        CoverageFinding::NeverMatches {
            rule,
            member,
            reason,
        } => rule_never_matches::finding(rules, *rule, *member, reason),
        CoverageFinding::MixedArrayHazard {
            rule,
            stricter_rule,
            witness,
        } => mixed_array_hazard::finding(rules, *rule, *stricter_rule, witness),
        CoverageFinding::MissingCatchAll => missing_catch_all::finding(rules),
    }
}

/// What is known of a tool's parameters.
fn parameters(context: &ToolContext<'_>) -> Parameters {
    let mut parameters = context
        .tool
        .get("parameters")
        .map(|parameters| Parameters::from_config(&parameters.to_json()))
        .unwrap_or_default();
    let is_bare = parameters.properties.is_empty();
    parameters.open = match context.source() {
        // What these take is not written in the config.
        Some(ToolSource::Builtin { .. } | ToolSource::Mcp { .. }) => true,
        Some(ToolSource::Local { .. }) => is_bare && is_incomplete(context),
        None => is_bare,
    } || context.is_defaults();
    parameters
}

/// What coverage finds whatever the parameters are that the config does not declare.
///
/// Text and paths are compared differently, and some prefixes cover a value as text only.
fn certain<M: Mode>(
    policy: &Policy<M>,
    rules: &[RawRule<M>],
    parameters: &Parameters,
) -> Vec<CoverageFinding<M>> {
    let found = coverage(policy);
    if !parameters.open || found.is_empty() {
        return found;
    }
    let paths = with_paths(parameters, rules);
    let (policy, _) = compile_with(rules, &paths, UnresolvedArg::Skip);
    let as_paths = coverage(&policy);
    found
        .into_iter()
        .filter(|finding| {
            as_paths.iter().any(|other| {
                other.rule() == finding.rule() && Code::from(other) == Code::from(finding)
            })
        })
        .collect()
}

/// The parameters, and every undeclared one that a rule points to as a path.
fn with_paths<M: Mode>(parameters: &Parameters, rules: &[RawRule<M>]) -> Parameters {
    let mut parameters = parameters.clone();
    for rule in rules {
        let Some(argument) = &rule.arg else {
            continue;
        };
        let names = pointer::segments(argument).unwrap_or_default();
        let Some((leaf, parents)) = names.split_last() else {
            continue;
        };
        let mut table = &mut parameters.properties;
        let mut declared = false;
        for name in parents {
            declared = declared || table.contains_key(name);
            let parent = table
                .entry(name.clone())
                .or_insert_with(|| Parameter::of(ParameterType::Object));
            table = &mut parent.properties;
        }
        if !declared {
            table.entry(leaf.clone()).or_insert_with(|| Parameter {
                types: vec![
                    ParameterType::Path,
                    ParameterType::Number,
                    ParameterType::Boolean,
                    ParameterType::Object,
                ],
                ..Parameter::default()
            });
        }
    }
    parameters
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
