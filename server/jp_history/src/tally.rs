//! What the rules of today decide about recorded calls.
//!
//! ```text
//! rule 1  unattended   37 calls, 30 of them allowed by the policy, 7 by a person
//! ```

use std::collections::BTreeMap;

use hashbrown::HashMap;
use jp_conversation::Timestamp;
use jp_policy::{CanonicalPath, Mode, Parameters, Policy, decide_paths, prepare};
use serde_json::Value;

use crate::answer::Answer;
use crate::call::Call;

/// The recorded calls of one tool, by the rule that decides them today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally<M> {
    /// One line for each rule, in their order, then one for what follows the last rule.
    pub lines: Vec<TallyLine<M>>,
    /// The calls whose arguments do not fit the tool any more; none of the rules decides them.
    pub unfit: Counts,
    /// How many calls were decided in another mode when they were made, of those whose mode is on record.
    pub changed: usize,
}

/// The calls that one rule decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyLine<M> {
    /// The rule, from 0; none for what follows the last one.
    pub rule: Option<usize>,
    /// How many calls it decides in which mode: its own, or `ask` for a path out of the workspace.
    pub modes: Vec<(M, usize)>,
    /// What was said to them.
    pub counts: Counts,
}

/// How many calls there are, and what was said to them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// How many.
    pub calls: usize,
    /// The newest of them.
    pub last: Option<Timestamp>,
    /// What was said to how many.
    pub answers: BTreeMap<Answer, usize>,
}

impl Counts {
    fn add(&mut self, call: Call<'_>) {
        self.calls += 1;
        self.last = self.last.max(Some(call.at()));
        *self.answers.entry(call.answer()).or_insert(0) += 1;
    }
}

/// Decides recorded calls of one tool by its policy of today, on the arguments that the model gave.
///
/// `canonical` says where a path leads today; equal arguments are decided once.
#[must_use]
pub fn tally<'a, M: Mode>(
    calls: impl Iterator<Item = Call<'a>>,
    policy: &Policy<M>,
    parameters: &Parameters,
    canonical: &dyn Fn(&str) -> Option<CanonicalPath>,
) -> Tally<M> {
    let line = |rule| TallyLine {
        rule,
        modes: Vec::new(),
        counts: Counts::default(),
    };
    let rules = (0..policy.len()).map(Some).chain([None]);
    let mut tally = Tally {
        lines: rules.map(line).collect(),
        unfit: Counts::default(),
        changed: 0,
    };
    let mut decided: HashMap<&str, Option<(M, Option<usize>)>> = HashMap::new();
    for call in calls {
        let decision = decided
            .entry(call.arguments_text())
            .or_insert_with(|| decide(policy, parameters, call.arguments(), canonical));
        let Some((mode, rule)) = *decision else {
            tally.unfit.add(call);
            continue;
        };
        if let Some(then) = call.decision()
            && then.mode != mode.keyword()
        {
            tally.changed += 1;
        }
        let place = rule.unwrap_or(policy.len());
        if let Some(line) = tally.lines.get_mut(place) {
            line.counts.add(call);
            match line.modes.iter_mut().find(|(known, _)| *known == mode) {
                Some((_, count)) => *count += 1,
                None => line.modes.push((mode, 1)),
            }
        }
    }
    tally
}

/// The mode and the rule of a call; none where its arguments do not fit the tool.
pub(crate) fn decide<M: Mode>(
    policy: &Policy<M>,
    parameters: &Parameters,
    arguments: Value,
    canonical: &dyn Fn(&str) -> Option<CanonicalPath>,
) -> Option<(M, Option<usize>)> {
    let arguments = prepared(arguments, parameters)?;
    let decision = decide_paths(policy, &arguments, canonical);
    Some((decision.mode, decision.rule))
}

/// The arguments as rules see them; none where they do not fit the tool.
pub(crate) fn prepared(arguments: Value, parameters: &Parameters) -> Option<Value> {
    let Value::Object(arguments) = arguments else {
        return None;
    };
    prepare(arguments, parameters).ok().map(Value::Object)
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
