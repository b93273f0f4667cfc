//! The rules of `policy.run` and `policy.result`: compiled once, then looked at from all sides (RFD D25).
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { mode = "ask" },
//! ]
//! ```

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    fmt::Write as _,
    rc::Rc,
};

use jp_config::{
    graph::{FileId, GraphProblemKind},
    merge::Located,
    source::ToolSource,
    view::View,
};
use jp_policy::{
    CoverageFinding, Mode, Parameter, ParameterType, Parameters, Policy, RawRule, ResultMode,
    RunMode, UnresolvedArg, compile_with, coverage, pointer,
};
use serde_json::Value;

use super::{
    missing_catch_all, mixed_array_hazard, path_undecided, rule_never_matches, rule_problem,
    rule_shadowed,
};
use crate::{
    diagnostic::{Diagnostic, Place},
    text::list_edit::ListText,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    check_list::<RunMode>(context, "run", found);
    check_list::<ResultMode>(context, "result", found);
}

/// A list of rules that a tool, or the defaults table, has.
pub(super) struct Rules<'a, M> {
    pub(super) context: &'a ToolContext<'a>,
    /// `run` or `result`.
    pub(super) key: &'static str,
    /// The merged list.
    pub(super) list: &'a Located,
    /// The rules that can be read; what is still being typed takes no part.
    pub(super) rules: Vec<ReadRule<'a, M>>,
    /// Whether all rules can be read.
    pub(super) complete: bool,
    /// What is known of the tool's parameters.
    pub(super) parameters: Parameters,
    /// The list as each file writes it.
    texts: RefCell<HashMap<FileId, Option<Rc<ListText<'a>>>>>,
}

/// A rule, as it is written and as it is meant.
pub(super) struct ReadRule<'a, M> {
    pub(super) located: &'a Located,
    pub(super) raw: RawRule<M>,
    /// Its place in the merged list, counted from 1.
    pub(super) number: usize,
}

fn check_list<M: Mode>(context: &ToolContext<'_>, key: &'static str, found: &mut Vec<Diagnostic>) {
    let Some(list) = context.tool.at(&["policy", key]) else {
        return;
    };
    let Some(items) = list.value.as_list() else {
        return;
    };
    let rules: Vec<ReadRule<'_, M>> = items
        .iter()
        .enumerate()
        .filter_map(|(index, located)| {
            let raw = RawRule::from_config(&located.to_json()).ok()?;
            Some(ReadRule {
                located,
                raw,
                number: index + 1,
            })
        })
        .collect();
    let rules = Rules {
        context,
        key,
        list,
        complete: rules.len() == items.len(),
        rules,
        parameters: parameters(context),
        texts: RefCell::default(),
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
        found.extend(rule_problem::finding(&rules, problem));
    }
    let certain = certain(&policy, &raw, parameters);
    // A file that is merged twice repeats its rules, which are judged where they come first.
    let repeated = match certain.as_slice() {
        [] => HashSet::new(),
        _ => rules.repeated(),
    };
    for finding in certain {
        if finding.rule().is_none_or(|rule| !repeated.contains(&rule)) {
            found.extend(report(&rules, &finding));
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

impl<'a, M: Mode> Rules<'a, M> {
    /// The rule with an index among the readable ones.
    pub(super) fn get(&self, index: usize) -> Option<&ReadRule<'a, M>> {
        self.rules.get(index)
    }

    /// Where a rule stands.
    pub(super) fn place(&self, index: usize) -> Option<Place> {
        self.context.place(self.get(index)?.located)
    }

    /// The rules whose very text comes earlier in the merged list too.
    fn repeated(&self) -> HashSet<usize> {
        let mut seen = HashSet::new();
        (0..self.rules.len())
            .filter(|index| self.place(*index).is_some_and(|place| !seen.insert(place)))
            .collect()
    }

    /// The text of the list that holds a rule, and the place of the rule in it.
    pub(super) fn text_around(&self, rule: &Located) -> Option<(Rc<ListText<'a>>, usize)> {
        let text = self.text_in(self.context.view.file(rule.origin()?.layer)?)?;
        let position = text.position(rule)?;
        Some((text, position))
    }

    /// The list as a file writes it.
    pub(super) fn text_in(&self, file: FileId) -> Option<Rc<ListText<'a>>> {
        let mut texts = self.texts.borrow_mut();
        texts
            .entry(file)
            .or_insert_with(|| {
                let path = [
                    "conversation",
                    "tools",
                    self.context.name,
                    "policy",
                    self.key,
                ];
                ListText::of_layer(self.context.view, file, &path).map(Rc::new)
            })
            .clone()
    }

    /// What a rule looks at, as TOML text: `` `prefix = "src/"` ``.
    pub(super) fn describe(&self, index: usize) -> String {
        let Some(rule) = self.get(index) else {
            return String::new();
        };
        match rule.raw.matchers.first() {
            None => format!("rule {} (the catch-all)", rule.number),
            Some((kind, value)) => {
                let value = shortened(&value.to_string());
                format!("rule {} (`{} = {value}`)", rule.number, kind.keyword())
            }
        }
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

/// Whether a file that the config names is not there to be read.
pub(super) fn is_incomplete(context: &ToolContext<'_>) -> bool {
    is_graph_incomplete(context.view)
}

/// Whether a file that the config names is not there to be read.
pub(super) fn is_graph_incomplete(view: &View) -> bool {
    view.graph().problems.iter().any(|problem| {
        matches!(
            problem.kind,
            GraphProblemKind::ExtendsMissing { .. }
                | GraphProblemKind::ExtendsUnsupported { .. }
                | GraphProblemKind::ExtendsTooMany { .. }
                | GraphProblemKind::Unreadable(_)
        )
    })
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
            as_paths
                .iter()
                .any(|other| other.rule() == finding.rule() && other.code() == finding.code())
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

/// A JSON value as it is shown in a message.
pub(super) fn shown(value: &Value) -> String {
    shortened(&value.to_string())
}

/// Values as a list of code words.
pub(super) fn enumerate<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    const MOST: usize = 8;
    let mut text = String::new();
    let mut more = 0;
    for (index, value) in values.into_iter().enumerate() {
        if index >= MOST {
            more += 1;
            continue;
        }
        let comma = if index == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}`{}`", shown(value));
    }
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST).collect();
    format!("{kept}…")
}
