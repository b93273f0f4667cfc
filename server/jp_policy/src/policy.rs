//! A list of rules, compiled for one tool.
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [
//!     { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { mode = "ask" },
//! ]
//! ```

use std::collections::HashMap;

use serde_json::Value;

use crate::{
    argument::{Argument, resolve},
    exact_number::ExactNumber,
    group::Group,
    index::{ArgumentIndex, NONE},
    matcher::{Atom, Bound, Matcher, MatcherKind},
    mode::Mode,
    parameter::{ParameterType, Parameters},
    pattern::Pattern,
    problem::{ExpectedValue, RuleProblem, RuleProblemKind},
    search_tree::SearchTree,
};

/// A rule as it is written (RFD D25, "Rule structure").
#[derive(Clone, Debug, PartialEq)]
pub struct RawRule<M> {
    /// The JSON Pointer to a parameter; none for a catch-all.
    pub arg: Option<String>,
    /// The matchers, in the order written; a valid condition has exactly one.
    pub matchers: Vec<(MatcherKind, Value)>,
    /// What the rule decides.
    pub mode: M,
}

impl<M> RawRule<M> {
    /// The rule that matches every call.
    #[must_use]
    pub fn catch_all(mode: M) -> Self {
        Self {
            arg: None,
            matchers: Vec::new(),
            mode,
        }
    }

    /// A rule with one condition.
    #[must_use]
    pub fn condition(
        arg: impl Into<String>,
        kind: MatcherKind,
        value: impl Into<Value>,
        mode: M,
    ) -> Self {
        Self {
            arg: Some(arg.into()),
            matchers: vec![(kind, value.into())],
            mode,
        }
    }
}

/// What becomes of a rule whose `arg` does not exist in the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnresolvedArg {
    /// It is a problem, as in the rules of one tool.
    #[default]
    Report,
    /// It is skipped in silence, as in the rules of the tool defaults table `'*'`, which many tools share.
    Skip,
}

/// Why a rule takes no part in decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inert {
    /// It has a problem.
    Problem,
    /// The tool does not have its parameter.
    Unresolved,
}

/// The compiled condition of a rule.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    CatchAll,
    Matches { argument: usize, matcher: Matcher },
    Inert(Inert),
}

/// One rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule<M> {
    pub(crate) raw: RawRule<M>,
    pub(crate) condition: Condition,
}

/// The rules of one tool's `policy.run` or `policy.result`, compiled by [`compile`].
#[derive(Debug)]
pub struct Policy<M> {
    pub(crate) rules: Vec<Rule<M>>,
    pub(crate) groups: Vec<Group>,
    pub(crate) tree: SearchTree,
    /// The first catch-all.
    pub(crate) catch_all: Option<usize>,
    pub(crate) parameters: Parameters,
}

impl<M: Mode> Policy<M> {
    /// How many rules there are, those with a problem included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rule at `index` as it was written.
    #[must_use]
    pub fn rule(&self, index: usize) -> Option<&RawRule<M>> {
        self.rules.get(index).map(|rule| &rule.raw)
    }

    /// Whether both are the same rules, as they are written, under the same parameters: then they decide every call alike.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.len() == other.len()
            && (0..self.len()).all(|index| self.rule(index) == other.rule(index))
            && self.parameters == other.parameters
    }

    /// The mode of every call, if no argument can change it: a catch-all comes before every condition, or there are no rules.
    ///
    /// Such a policy decides before any argument arrives (RFD D25, "Interaction with argument streaming").
    #[must_use]
    pub fn is_unconditional(&self) -> Option<M> {
        let first = self
            .rules
            .iter()
            .find(|rule| !matches!(rule.condition, Condition::Inert(_)));
        match first.map(|rule| (&rule.condition, rule.raw.mode)) {
            None => Some(M::ASK),
            Some((Condition::CatchAll, mode)) => Some(mode),
            Some(_) => None,
        }
    }

    /// The mode of a call with these arguments and the rule that decides it; no rule for the implicit `ask`.
    ///
    /// The same decision as [`Policy::evaluate`], without the reasons; its cost does not grow with the number of rules that do not match.
    #[must_use]
    pub fn decide(&self, arguments: &Value) -> (M, Option<usize>) {
        let ceiling = self
            .catch_all
            .and_then(|rule| u32::try_from(rule).ok())
            .unwrap_or(NONE);
        let first = self.tree.first(&self.groups, arguments, ceiling);
        let rule = usize::try_from(first).ok().filter(|_| first != NONE);
        (self.mode_of(rule), rule)
    }

    /// The mode of a rule, or of the implicit fallback.
    pub(crate) fn mode_of(&self, rule: Option<usize>) -> M {
        rule.and_then(|rule| self.rules.get(rule))
            .map_or(M::ASK, |rule| rule.raw.mode)
    }

    /// The argument and the matcher of a rule with a condition.
    pub(crate) fn condition(&self, rule: usize) -> Option<(usize, &Matcher)> {
        match &self.rules.get(rule)?.condition {
            Condition::Matches { argument, matcher } => Some((*argument, matcher)),
            Condition::CatchAll | Condition::Inert(_) => None,
        }
    }
}

/// Compiles the rules of one tool.
///
/// Never fails: a rule with a problem takes no part in decisions and keeps its index.
/// Whoever decides with the policy must refuse the configuration when there are problems (RFD D25, "Validation").
#[must_use]
pub fn compile<M: Mode>(
    rules: &[RawRule<M>],
    parameters: &Parameters,
) -> (Policy<M>, Vec<RuleProblem>) {
    compile_with(rules, parameters, UnresolvedArg::Report)
}

/// Compiles rules as [`compile`] does, with a choice for those whose `arg` does not exist in the tool.
#[must_use]
pub fn compile_with<M: Mode>(
    rules: &[RawRule<M>],
    parameters: &Parameters,
    unresolved: UnresolvedArg,
) -> (Policy<M>, Vec<RuleProblem>) {
    let mut policy = Policy {
        rules: Vec::with_capacity(rules.len()),
        groups: Vec::new(),
        tree: SearchTree::default(),
        catch_all: None,
        parameters: parameters.clone(),
    };
    let mut problems = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (index, raw) in rules.iter().enumerate() {
        let condition = compile_rule(raw, &mut policy, &mut known).unwrap_or_else(|kind| {
            if unresolved == UnresolvedArg::Skip
                && matches!(*kind, RuleProblemKind::Unresolved { .. })
            {
                return Condition::Inert(Inert::Unresolved);
            }
            problems.push(RuleProblem {
                rule: index,
                kind: *kind,
            });
            Condition::Inert(Inert::Problem)
        });
        // More rules than this do not fit into memory.
        let number = u32::try_from(index).unwrap_or(NONE);
        match &condition {
            Condition::CatchAll if policy.catch_all.is_none() => policy.catch_all = Some(index),
            Condition::Matches { argument, matcher } => {
                if let Some(group) = policy.groups.get_mut(*argument) {
                    group.rules.push(number);
                    let permits = raw.mode.strictness() == M::UNATTENDED.strictness();
                    group.index.insert(number, matcher, permits);
                }
            }
            Condition::CatchAll | Condition::Inert(_) => {}
        }
        policy.rules.push(Rule {
            raw: raw.clone(),
            condition,
        });
    }
    for group in &mut policy.groups {
        group.index.finish();
    }
    policy.tree = SearchTree::new(&policy.groups);
    (policy, problems)
}

fn compile_rule<'a, M: Mode>(
    raw: &'a RawRule<M>,
    policy: &mut Policy<M>,
    known: &mut HashMap<&'a str, usize>,
) -> Result<Condition, Box<RuleProblemKind>> {
    let Some(pointer) = raw.arg.as_deref() else {
        return match raw.matchers.as_slice() {
            [] => Ok(Condition::CatchAll),
            [(matcher, _), ..] => Err(Box::new(RuleProblemKind::ArgMissing { matcher: *matcher })),
        };
    };
    let index = if let Some(index) = known.get(pointer) {
        *index
    } else {
        let argument = resolve(pointer, &policy.parameters)?;
        let index = policy.groups.len();
        policy.groups.push(Group {
            rules: Vec::new(),
            index: ArgumentIndex::new(argument.form),
            argument,
        });
        known.insert(pointer, index);
        index
    };
    let Some(group) = policy.groups.get(index) else {
        return Ok(Condition::Inert(Inert::Problem));
    };
    let (kind, value) = match raw.matchers.as_slice() {
        [] => {
            return Err(Box::new(RuleProblemKind::MatcherMissing {
                legal: group.argument.legal_matchers(),
                values: group.argument.few_values(),
            }));
        }
        [matcher] => matcher,
        several => {
            return Err(Box::new(RuleProblemKind::MatcherMultiple {
                matchers: several.iter().map(|(kind, _)| *kind).collect(),
            }));
        }
    };
    let matcher = compile_matcher(*kind, value, &group.argument)?;
    Ok(Condition::Matches {
        argument: index,
        matcher,
    })
}

fn compile_matcher(
    kind: MatcherKind,
    value: &Value,
    argument: &Argument,
) -> Result<Matcher, Box<RuleProblemKind>> {
    if !argument.allows(kind) {
        return Err(Box::new(RuleProblemKind::MatcherType {
            pointer: argument.pointer.clone(),
            matcher: kind,
            types: argument.types.clone(),
            legal: argument.legal_matchers(),
            values: argument.few_values(),
        }));
    }
    let refuse = |expected, found: &Value, member| {
        Box::new(RuleProblemKind::MatcherValueType {
            pointer: argument.pointer.clone(),
            matcher: kind,
            expected,
            found: found.clone(),
            member,
            values: argument.few_values(),
        })
    };
    let types = || argument.types.clone();
    let bound = |exclusive| match value {
        Value::Number(number) => ExactNumber::new(number)
            .map(|at| Bound { at, exclusive })
            .ok_or_else(|| refuse(ExpectedValue::Number, value, None)),
        _ => Err(refuse(ExpectedValue::Number, value, None)),
    };
    let text = || {
        value
            .as_str()
            .ok_or_else(|| refuse(ExpectedValue::Text, value, None))
    };
    match kind {
        MatcherKind::Const if !admits(&argument.types, value) => {
            Err(refuse(ExpectedValue::Types(types()), value, None))
        }
        MatcherKind::Const => Ok(Matcher::Const(Atom::of_literal(value, argument.form))),
        MatcherKind::Enum => {
            let Value::Array(members) = value else {
                return Err(refuse(ExpectedValue::List(types()), value, None));
            };
            for (index, member) in members.iter().enumerate() {
                if !admits(&argument.types, member) {
                    return Err(refuse(ExpectedValue::List(types()), member, Some(index)));
                }
            }
            Ok(enumeration(members, argument))
        }
        MatcherKind::Prefix => Ok(Matcher::Prefix(argument.form.key(text()?).into_owned())),
        MatcherKind::Pattern => Pattern::compile(text()?)
            .map(Matcher::Pattern)
            .map_err(|error| Box::new(RuleProblemKind::Pattern(error))),
        MatcherKind::Minimum => Ok(Matcher::Lower(bound(false)?)),
        MatcherKind::ExclusiveMinimum => Ok(Matcher::Lower(bound(true)?)),
        MatcherKind::Maximum => Ok(Matcher::Upper(bound(false)?)),
        MatcherKind::ExclusiveMaximum => Ok(Matcher::Upper(bound(true)?)),
    }
}

fn enumeration(values: &[Value], argument: &Argument) -> Matcher {
    let mut members: Vec<Atom> = values
        .iter()
        .filter_map(|value| Atom::of_literal(value, argument.form))
        .collect();
    let dead = members.len() < values.len();
    members.sort_unstable();
    members.dedup();
    Matcher::Enum { members, dead }
}

fn admits(types: &[ParameterType], value: &Value) -> bool {
    types.is_empty() || types.iter().any(|kind| kind.admits(value))
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
