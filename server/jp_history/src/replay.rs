//! The recorded calls of a workspace, judged under one policy after another.
//!
//! ```text
//! 412 calls of `read`, 80 different ones -> 80 decisions -> rule 1: 37 calls, rule 2: no call
//! ```
//!
//! Calls with the same arguments are judged once, and their arguments are prepared once for all policies with the same parameters.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use jp_conversation::Timestamp;
use jp_policy::{CanonicalPath, Mode, Parameters, Policy, decide_mode};
use serde_json::Value;

use crate::call::{Call, parsed};
use crate::history::History;
use crate::intern::TextId;
use crate::tally::prepared;

/// How many bytes of JSON are kept prepared together. What is beyond is prepared again for every judgement.
const PREPARED: usize = 32 << 20;
/// After how many calls somebody is asked whether the judgement is still wanted.
const STRIDE: usize = 256;

/// The recorded calls of a workspace, by tool.
#[derive(Debug, Default)]
pub struct Replay {
    history: History,
    tools: BTreeMap<Box<str>, ToolCalls>,
    /// How many bytes of JSON are kept prepared.
    prepared: usize,
}

/// The calls of one tool, each with all that have the same arguments.
#[derive(Debug, Default)]
struct ToolCalls {
    sets: Vec<CallSet>,
    /// What the arguments are prepared for; none before the first judgement.
    parameters: Option<Parameters>,
    calls: usize,
}

#[derive(Debug)]
struct CallSet {
    arguments: TextId,
    calls: usize,
    last: Timestamp,
    fit: Fit,
}

/// The arguments of a set, for the parameters of its tool.
#[derive(Debug)]
enum Fit {
    /// They are prepared for each judgement.
    Unprepared,
    /// They do not fit the tool.
    Unfit,
    /// As rules see them.
    Prepared(Value),
}

/// The mode of a call and the rule that decides it, none for what follows the last rule; nothing where the arguments do not fit the tool.
pub type ByRule<M> = Option<(M, Option<usize>)>;

/// What one policy decides about the recorded calls of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement<M> {
    /// By set of equal calls; none where the arguments do not fit the tool.
    decisions: Vec<ByRule<M>>,
}

/// How many recorded calls of a tool each of its rules decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures {
    /// All recorded calls of the tool.
    pub calls: usize,
    /// Those whose arguments do not fit the tool any more.
    pub unfit: usize,
    /// By rule, and at the end what follows the last rule.
    pub rules: Vec<RuleFigures>,
}

/// The recorded calls that one rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleFigures {
    /// How many.
    pub calls: usize,
    /// The newest.
    pub last: Option<Timestamp>,
}

/// Recorded calls that two policies decide in two modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedCalls<M> {
    /// The mode under the first policy; none where the arguments do not fit.
    pub before: Option<M>,
    /// The mode under the second policy; none where the arguments do not fit.
    pub after: Option<M>,
    /// How many calls.
    pub calls: usize,
}

impl Replay {
    /// Sorts the calls by tool and by arguments.
    #[must_use]
    pub fn new(history: History) -> Self {
        let mut tools: HashMap<TextId, ToolCalls> = HashMap::new();
        let mut places: HashMap<(TextId, TextId), usize> = HashMap::new();
        for kept in &history.calls {
            let tool = tools.entry(kept.tool).or_default();
            tool.calls += 1;
            let place = *places
                .entry((kept.tool, kept.arguments))
                .or_insert(tool.sets.len());
            match tool.sets.get_mut(place) {
                Some(set) => {
                    set.calls += 1;
                    set.last = set.last.max(kept.at);
                }
                None => tool.sets.push(CallSet {
                    arguments: kept.arguments,
                    calls: 1,
                    last: kept.at,
                    fit: Fit::Unprepared,
                }),
            }
        }
        let named = tools
            .into_iter()
            .map(|(tool, calls)| (Box::from(history.text(tool)), calls))
            .collect();
        Self {
            history,
            tools: named,
            prepared: 0,
        }
    }

    /// What was read.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// The tools with a call on record, by name.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(AsRef::as_ref)
    }

    /// What a policy decides about the calls of a tool; none where `goes_on` says that nobody wants to know any more.
    ///
    /// `canonical` says where a path leads.
    pub fn judge<M: Mode>(
        &mut self,
        tool: &str,
        policy: &Policy<M>,
        parameters: &Parameters,
        canonical: &mut dyn FnMut(&str) -> Option<CanonicalPath>,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<Judgement<M>> {
        let Some(calls) = self.tools.get_mut(tool) else {
            return Some(Judgement {
                decisions: Vec::new(),
            });
        };
        if calls.parameters.as_ref() != Some(parameters) {
            for set in &mut calls.sets {
                if !matches!(set.fit, Fit::Unprepared) {
                    self.prepared -= self.history.text(set.arguments).len();
                }
                set.fit = Fit::Unprepared;
            }
            calls.parameters = Some(parameters.clone());
        }
        let mut decisions = Vec::with_capacity(calls.sets.len());
        for (number, set) in calls.sets.iter_mut().enumerate() {
            if number % STRIDE == 0 && !goes_on() {
                return None;
            }
            let mut decide = |arguments: &Value| decide_mode(policy, arguments, &mut *canonical);
            let decision = match &set.fit {
                Fit::Unfit => None,
                Fit::Prepared(arguments) => Some(decide(arguments)),
                Fit::Unprepared => {
                    let text = self.history.text(set.arguments);
                    let arguments = prepared(parsed(text), parameters);
                    let decision = arguments.as_ref().map(decide);
                    if self.prepared + text.len() <= PREPARED {
                        self.prepared += text.len();
                        set.fit = arguments.map_or(Fit::Unfit, Fit::Prepared);
                    }
                    decision
                }
            };
            decisions.push(decision);
        }
        Some(Judgement { decisions })
    }

    /// The recorded calls of a tool, the oldest first.
    pub fn calls<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = Call<'a>> + Clone {
        let calls = self.history.calls();
        calls.filter(move |call| call.tool() == tool)
    }

    /// How many calls of a tool each of `rules` rules decides.
    #[must_use]
    pub fn figures<M: Mode>(&self, tool: &str, judgement: &Judgement<M>, rules: usize) -> Figures {
        let Some(calls) = self.tools.get(tool) else {
            return Figures::default();
        };
        let mut figures = Figures {
            calls: calls.calls,
            unfit: 0,
            rules: vec![RuleFigures::default(); rules + 1],
        };
        for (set, decision) in calls.sets.iter().zip(&judgement.decisions) {
            let Some((_, rule)) = decision else {
                figures.unfit += set.calls;
                continue;
            };
            if let Some(line) = figures.rules.get_mut(rule.unwrap_or(rules)) {
                line.calls += set.calls;
                line.last = line.last.max(Some(set.last));
            }
        }
        figures
    }

    /// The calls of a tool that two judgements decide in two modes, those that most calls have in common first.
    #[must_use]
    pub fn changes<M: Mode>(
        &self,
        tool: &str,
        before: &Judgement<M>,
        after: &Judgement<M>,
    ) -> Vec<ChangedCalls<M>> {
        let mut found: Vec<ChangedCalls<M>> = Vec::new();
        let sets = self.tools.get(tool).map_or(&[][..], |calls| &calls.sets);
        for (set, (before, after)) in sets
            .iter()
            .zip(before.decisions.iter().zip(&after.decisions))
        {
            let (before, after) = (mode_of(*before), mode_of(*after));
            if before == after {
                continue;
            }
            let is_same =
                |known: &&mut ChangedCalls<M>| (known.before, known.after) == (before, after);
            match found.iter_mut().find(is_same) {
                Some(known) => known.calls += set.calls,
                None => found.push(ChangedCalls {
                    before,
                    after,
                    calls: set.calls,
                }),
            }
        }
        found.sort_by_key(|change| std::cmp::Reverse(change.calls));
        found
    }

    /// The recorded calls of a tool, the newest first, each with the mode and the rule; none where the arguments do not fit.
    #[must_use]
    pub fn decided<M: Mode>(
        &self,
        tool: &str,
        judgement: &Judgement<M>,
    ) -> Vec<(Call<'_>, ByRule<M>)> {
        let sets = self.tools.get(tool).map_or(&[][..], |calls| &calls.sets);
        let decisions: HashMap<TextId, ByRule<M>> = sets
            .iter()
            .zip(&judgement.decisions)
            .map(|(set, decision)| (set.arguments, *decision))
            .collect();
        let calls = self.history.calls().rev();
        calls
            .filter(|call| call.tool() == tool)
            .filter_map(|call| Some((call, *decisions.get(&call.kept.arguments)?)))
            .collect()
    }
}

fn mode_of<M: Mode>(decision: ByRule<M>) -> Option<M> {
    decision.map(|(mode, _)| mode)
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
