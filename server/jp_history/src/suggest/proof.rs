//! What is promised of a rule, checked with the engine that decides calls.
//!
//! ```text
//! candidate at its place -> valid? reachable? hides none? -> every recorded call, before and after -> protected files
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use jp_policy::{
    CanonicalPath, CoverageFinding, Parameter, ParameterType, PathDecision, Policy, RawRule,
    RunMode, compare, compile_with, coverage, decide_paths, prepare, witness, witnesses,
};
use serde_json::{Map, Number, Value};

use super::{Reason, Subject};
use crate::answer::Answer;
use crate::call::Call;

/// How many calls candidates are made from, the newest; they are proven on all.
const MOST_ASKED: usize = 1_000;

/// How many of the recorded calls that a candidate lets run are tried with other arguments.
const MOST_SAMPLES: usize = 8;

/// How many calls candidates show that are not on record.
const MOST_WITNESSES: usize = 3;

/// What was said to the arguments of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Approved,
    Unrecorded,
    Refused,
    /// A person let other arguments run in their place.
    Edited,
    Nothing,
}

/// The arguments of a call, and what was said to them; those that a person has made of them are approved, those that they were
/// made of are not.
fn said(call: Call<'_>) -> Vec<(Value, Said)> {
    let original = match call.answer() {
        Answer::AllowedByPerson => Said::Approved,
        Answer::Unrecorded => Said::Unrecorded,
        Answer::RefusedByPerson | Answer::UnrecordedRefusal => Said::Refused,
        Answer::EditedByPerson => Said::Edited,
        _ => Said::Nothing,
    };
    let arguments = call.arguments();
    match call.edited() {
        Some(edited) if edited == arguments => vec![(arguments, Said::Approved)],
        Some(edited) => vec![(arguments, Said::Edited), (edited, Said::Approved)],
        None => vec![(arguments, original)],
    }
}

/// Calls that the candidate lets run, and each beside what makes another rule let a path run: of several paths, each is decided by a rule
/// of its own.
fn samples(candidate: &Candidate) -> Vec<Value> {
    let mut made = witnesses(&candidate.policy);
    let own = made.get_mut(candidate.position).and_then(Option::take);
    let mut samples: Vec<Value> = candidate.samples.iter().cloned().chain(own).collect();
    let others: Vec<Value> = made
        .into_iter()
        .enumerate()
        .filter(|(rule, _)| {
            let rule = candidate.policy.rule(*rule);
            rule.is_some_and(|rule| rule.mode == RunMode::Unattended)
        })
        .filter_map(|(_, made)| made)
        .collect();
    let joined: Vec<Value> = samples
        .iter()
        .flat_map(|sample| others.iter().map(move |other| (sample, other)))
        .flat_map(|(sample, other)| [joined(sample, other), joined(other, sample)])
        .collect();
    samples.extend(joined);
    samples
}

/// The arguments of both calls, those of the second where both have them.
fn joined(one: &Value, other: &Value) -> Value {
    let mut joined = one.clone();
    if let (Some(joined), Some(other)) = (joined.as_object_mut(), other.as_object()) {
        joined.extend(
            other
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
    }
    joined
}

/// The numbers beside one.
fn beside(number: &Number) -> Vec<Value> {
    match (number.as_i64(), number.as_f64()) {
        (Some(number), _) => vec![
            Value::from(number.saturating_sub(1)),
            Value::from(number.saturating_add(1)),
        ],
        (None, Some(number)) => vec![Value::from(number - 1.0), Value::from(number + 1.0)],
        (None, None) => Vec::new(),
    }
}

/// The calls that candidates are made from.
#[derive(Default)]
pub(super) struct Basis {
    pub(super) calls: usize,
    pub(super) prompts: usize,
    pub(super) approvals: usize,
    pub(super) unrecorded: usize,
    pub(super) refusals: usize,
    /// Prepared arguments of the newest calls that would be asked about, by the place of the rule that asks.
    asked: BTreeMap<usize, Vec<Value>>,
    /// All recorded arguments, as text.
    recorded: HashSet<String>,
    /// Those that a person refused or edited.
    refused: HashSet<String>,
}

impl Basis {
    pub(super) fn of<'a>(prover: &Prover<'_>, calls: impl Iterator<Item = Call<'a>>) -> Self {
        let mut basis = Self::default();
        let calls: Vec<Call<'_>> = calls.collect();
        for call in calls.iter().rev().copied() {
            basis.calls += 1;
            basis.prompts += usize::from(call.answer().is_prompt());
            for (arguments, said) in said(call) {
                basis.refusals += usize::from(said == Said::Refused);
                let Some(prepared) = prover.prepared(arguments) else {
                    continue;
                };
                let text = prepared.to_string();
                if matches!(said, Said::Refused | Said::Edited) {
                    basis.refused.insert(text.clone());
                }
                basis.recorded.insert(text);
                if !matches!(said, Said::Approved | Said::Unrecorded) {
                    continue;
                }
                let decision = prover.decide(&prover.policy, &prepared);
                if !is_asked(&decision) {
                    continue;
                }
                basis.approvals += usize::from(said == Said::Approved);
                basis.unrecorded += usize::from(said == Said::Unrecorded);
                let place = decision.rule.unwrap_or(prover.policy.len());
                let asked = basis.asked.entry(place).or_default();
                if asked.len() < MOST_ASKED {
                    asked.push(prepared);
                }
            }
        }
        basis
    }

    /// Leaves the calls of one rule that asks alone, or none.
    pub(super) fn keep_asked_by(&mut self, position: Option<usize>) {
        self.asked.retain(|asking, _| Some(*asking) == position);
        if let Some(position) = position {
            self.asked.entry(position).or_default();
        }
    }

    /// The calls by the place of the rule that asks, the place with most calls first; one that waits is among those of its place.
    pub(super) fn by_position<'a>(
        &'a self,
        waiting: Option<&'a Waiting>,
    ) -> Vec<(usize, Vec<&'a Value>)> {
        let mut positions: Vec<(usize, Vec<&Value>)> = self
            .asked
            .iter()
            .map(|(position, calls)| {
                let here = waiting.filter(|waiting| waiting.position == *position);
                // What was refused at another time is nothing to start from.
                let calls = calls.iter();
                let calls = calls.filter(|call| !self.refused.contains(&call.to_string()));
                let calls = calls.chain(here.map(|waiting| &waiting.arguments));
                (*position, calls.collect())
            })
            .collect();
        positions.sort_by_key(|(_, calls)| std::cmp::Reverse(calls.len()));
        positions
    }
}

/// A value for the parameter that holds the path wherever it can; none where it holds none.
fn holding(parameter: &Parameter, path: &str) -> Option<Value> {
    if parameter.types.contains(&ParameterType::Path) {
        return Some(path.into());
    }
    if let Some(items) = parameter.items.as_deref() {
        return holding(items, path).map(|item| Value::Array(vec![item]));
    }
    let members: Map<String, Value> = parameter
        .properties
        .iter()
        .filter_map(|(name, member)| Some((name.clone(), holding(member, path)?)))
        .collect();
    (!members.is_empty()).then_some(Value::Object(members))
}

/// Whether a rule can answer instead of the person: nothing answers for a path out of the workspace, or where editing is wanted.
fn is_asked(decision: &PathDecision<RunMode>) -> bool {
    decision.mode == RunMode::Ask && decision.outside().next().is_none()
}

/// A call that waits for a person.
pub(super) struct Waiting {
    /// Its prepared arguments.
    pub(super) arguments: Value,
    /// The place of the rule that asks.
    pub(super) position: usize,
}

/// A rule at its place, and what is known of it so far.
pub(super) struct Candidate {
    pub(super) rule: RawRule<RunMode>,
    pub(super) position: usize,
    policy: Policy<RunMode>,
    pub(super) approvals: usize,
    pub(super) unrecorded: usize,
    pub(super) others: usize,
    pub(super) failure: Option<Reason>,
    /// Some of the recorded calls that it lets run.
    samples: Vec<Value>,
}

impl Candidate {
    /// How many calls it would have answered.
    pub(super) const fn answered(&self) -> usize {
        self.approvals + self.unrecorded
    }
}

/// Decides recorded calls without and with candidates.
pub(super) struct Prover<'a> {
    subject: Subject<'a>,
    policy: Policy<RunMode>,
    /// What is wrong with the rules as they are.
    findings: Vec<CoverageFinding<RunMode>>,
    /// Where paths lead, each looked up once.
    known: RefCell<HashMap<String, Option<CanonicalPath>>>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(subject: Subject<'a>) -> Self {
        let (policy, _) = compile_with(subject.rules, subject.parameters, subject.unresolved);
        Self {
            subject,
            findings: coverage(&policy),
            policy,
            known: RefCell::default(),
        }
    }

    fn prepared(&self, arguments: Value) -> Option<Value> {
        match arguments {
            Value::Object(arguments) => {
                let prepared = prepare(arguments, self.subject.parameters).ok()?;
                Some(Value::Object(prepared))
            }
            _ => None,
        }
    }

    /// A call that waits, where a rule could answer instead of the person.
    pub(super) fn waiting(&self, arguments: &Value) -> Option<Waiting> {
        let arguments = self.prepared(arguments.clone())?;
        let decision = self.decide(&self.policy, &arguments);
        is_asked(&decision).then(|| Waiting {
            position: decision.rule.unwrap_or(self.policy.len()),
            arguments,
        })
    }

    /// Whether the candidate lets a call run that waits, which is then one of its samples.
    pub(super) fn answers(&self, candidate: &mut Candidate, waiting: &Waiting) -> bool {
        let admits = self.admits(candidate, &waiting.arguments);
        if admits {
            candidate.samples.push(waiting.arguments.clone());
        }
        admits
    }

    fn decide(&self, policy: &Policy<RunMode>, arguments: &Value) -> PathDecision<RunMode> {
        decide_paths(policy, arguments, |path| {
            let mut known = self.known.borrow_mut();
            let entry = known.entry_ref(path);
            entry
                .or_insert_with(|| (self.subject.canonical)(path))
                .clone()
        })
    }

    /// The rule at its place, judged without any call.
    pub(super) fn candidate(&mut self, rule: RawRule<RunMode>, position: usize) -> Candidate {
        let mut rules = self.subject.rules.to_vec();
        rules.insert(position.min(rules.len()), rule.clone());
        let (policy, problems) =
            compile_with(&rules, self.subject.parameters, self.subject.unresolved);
        let failure = match problems.first() {
            Some(problem) => Some(Reason::Invalid(problem.kind.to_string())),
            None => self.failure(&policy, position),
        };
        let failure = failure.or_else(|| self.overridden(&policy));
        Candidate {
            rule,
            position,
            policy,
            approvals: 0,
            unrecorded: 0,
            others: 0,
            failure,
            samples: Vec::new(),
        }
    }

    /// What the rules say with the candidate that they do not say without it.
    fn failure(&self, policy: &Policy<RunMode>, position: usize) -> Option<Reason> {
        coverage(policy).into_iter().find_map(|finding| {
            let rule = finding.rule()?;
            if rule == position {
                return Some(match finding {
                    CoverageFinding::MixedArrayHazard { witness, .. } => Reason::Hazard(witness),
                    _ => Reason::NeverDecides,
                });
            }
            let before = rule - usize::from(rule > position);
            let is_hazard = matches!(finding, CoverageFinding::MixedArrayHazard { .. });
            let is_known = self.findings.iter().any(|known| {
                let was_hazard = matches!(known, CoverageFinding::MixedArrayHazard { .. });
                known.rule() == Some(before) && was_hazard == is_hazard
            });
            match finding {
                _ if is_known => None,
                CoverageFinding::MixedArrayHazard { witness, .. } => Some(Reason::Hazard(witness)),
                _ => Some(Reason::Hides(before)),
            }
        })
    }

    /// A call, on record or not, about which more changes than who is asked: one that a rule skips or wants edited.
    fn overridden(&self, policy: &Policy<RunMode>) -> Option<Reason> {
        let is_answer = |before, after| (before, after) == (RunMode::Ask, RunMode::Unattended);
        let comparison = compare(&self.policy, policy, None);
        let mut changes = comparison.changes.into_iter();
        let change = changes.find(|change| !is_answer(change.before, change.after));
        if let Some(change) = change {
            return Some(Reason::Changes(change.witness));
        }
        let mut open = comparison.undecided.into_iter();
        let open = open.find(|open| !is_answer(open.before, open.after));
        open.map(|open| Reason::Unknown(open.reason))
    }

    /// Decides every recorded call without and with each candidate.
    pub(super) fn replay<'c>(
        &self,
        candidates: &mut [Candidate],
        calls: impl Iterator<Item = Call<'c>>,
    ) {
        for call in calls {
            for (arguments, said) in said(call) {
                let Some(arguments) = self.prepared(arguments) else {
                    continue;
                };
                let before = self.decide(&self.policy, &arguments);
                for candidate in candidates.iter_mut().filter(|it| it.failure.is_none()) {
                    let after = self.decide(&candidate.policy, &arguments);
                    if after.mode == before.mode {
                        continue;
                    }
                    if !is_asked(&before) || after.mode != RunMode::Unattended {
                        candidate.failure = Some(Reason::Changes(arguments.clone()));
                        continue;
                    }
                    if candidate.samples.len() < MOST_SAMPLES {
                        candidate.samples.push(arguments.clone());
                    }
                    match said {
                        Said::Approved => candidate.approvals += 1,
                        Said::Unrecorded => candidate.unrecorded += 1,
                        Said::Nothing => candidate.others += 1,
                        Said::Refused | Said::Edited => {
                            candidate.failure = Some(Reason::Refused(arguments.clone()));
                        }
                    }
                }
            }
        }
    }

    /// Whether the candidate newly lets a call run with these arguments.
    fn admits(&self, candidate: &Candidate, arguments: &Value) -> bool {
        self.decide(&candidate.policy, arguments).mode == RunMode::Unattended
            && self.decide(&self.policy, arguments).mode != RunMode::Unattended
    }

    /// Fails the candidate if it lets a call reach a protected file, be it beside other paths.
    pub(super) fn reaches_protected(&self, candidate: &mut Candidate) {
        if candidate.failure.is_some() {
            return;
        }
        let samples = samples(candidate);
        for path in self.subject.protected {
            let mut calls = samples
                .iter()
                .flat_map(|sample| self.with_path(sample, path));
            let reaching = calls.find(|call| self.admits(candidate, call));
            if let Some(call) = reaching {
                candidate.failure = Some(Reason::Protected {
                    path: path.clone(),
                    call,
                });
                return;
            }
        }
    }

    /// Calls like the sample with this path: at each place of a path that it has, and in each argument that can hold one, beside the
    /// other paths and without them.
    fn with_path(&self, sample: &Value, path: &str) -> Vec<Value> {
        let mut calls = Vec::new();
        for place in self.decide(&self.policy, sample).paths {
            let mut call = sample.clone();
            if let Some(value) = call.pointer_mut(&place.pointer) {
                *value = path.into();
            }
            calls.push(call);
        }
        let properties = self.subject.parameters.properties.iter();
        let holders: Vec<(&String, Value)> = properties
            .filter_map(|(name, parameter)| Some((name, holding(parameter, path)?)))
            .collect();
        if holders.is_empty() {
            return calls;
        }
        let mut bare = sample.clone();
        let mut all = sample.clone();
        for (name, value) in &holders {
            if let Some(arguments) = bare.as_object_mut() {
                arguments.shift_remove(*name);
            }
            if let Some(arguments) = all.as_object_mut() {
                arguments.insert((*name).clone(), value.clone());
            }
        }
        calls.push(all);
        for (name, value) in holders {
            for base in [sample, &bare] {
                let mut call = base.clone();
                if let Some(arguments) = call.as_object_mut() {
                    arguments.insert(name.clone(), value.clone());
                }
                calls.push(call);
            }
        }
        calls
    }

    /// Calls that the candidate lets run and that are not on record.
    pub(super) fn witnesses(&self, candidate: &Candidate, basis: &Basis) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        let samples = candidate.samples.iter();
        let varied = samples.flat_map(|sample| self.varied(candidate, sample));
        let made = witness(&candidate.policy, candidate.position);
        for call in varied.chain(made) {
            if found.len() == MOST_WITNESSES {
                break;
            }
            let is_new = !basis.recorded.contains(&call.to_string()) && !found.contains(&call);
            if is_new && self.admits(candidate, &call) {
                found.push(call);
            }
        }
        found
    }

    /// Calls like the sample: another file in the folder of a `prefix`, and other values of each argument.
    fn varied(&self, candidate: &Candidate, sample: &Value) -> Vec<Value> {
        let mut calls = Vec::new();
        if let Some((jp_policy::MatcherKind::Prefix, Value::String(folder))) =
            candidate.rule.matchers.first()
        {
            let arg = candidate.rule.arg.as_deref().unwrap_or_default();
            // An argument is named without the numbers of elements.
            let is_meant = |pointer: &str| {
                let mut keys = pointer
                    .split('/')
                    .filter(|key| key.is_empty() || key.bytes().any(|byte| !byte.is_ascii_digit()));
                arg.split('/').all(|key| keys.next() == Some(key))
            };
            let paths = self.decide(&self.policy, sample).paths;
            // The other paths may be let run by other rules, as they are.
            for all in [true, false] {
                let mut call = sample.clone();
                for place in &paths {
                    if let Some(value) = call
                        .pointer_mut(&place.pointer)
                        .filter(|_| all || is_meant(&place.pointer))
                    {
                        *value = format!("{folder}/any/other/file").into();
                    }
                }
                calls.push(call);
            }
        }
        let names = sample.as_object().into_iter().flat_map(|call| call.keys());
        for name in names {
            let others = match sample.get(name) {
                Some(Value::String(_)) => vec![Value::from("anything else")],
                Some(Value::Bool(boolean)) => vec![Value::from(!boolean)],
                Some(Value::Number(number)) => beside(number),
                _ => continue,
            };
            for other in others {
                let mut call = sample.clone();
                if let Some(value) = call.get_mut(name) {
                    *value = other;
                }
                // Declared values are not left.
                calls.extend(self.prepared(call));
            }
        }
        calls
    }
}
