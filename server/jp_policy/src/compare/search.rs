//! From a pair of choices to a call that shows the difference.
//!
//! ```json
//! {"from": "src/x", "to": "x"} // `to` is required and decided on its own, so it must not hide what changed for `from`
//! ```

use std::cell::Cell;

use serde_json::Value;

use super::{
    assemble::{Part, assemble},
    change::{PolicyChange, Undecided, UndecidedReason},
    choices::{Choice, Choices, Kind, Slot, clip, normal},
    lexical::lexical_path,
    pairs::{Candidate, either, mode_of},
    verdict::Direction,
};
use crate::{
    index::NONE, mode::Mode, path_evaluation::decide_paths, policy::Policy, prepare::prepare,
};

/// How many combinations of what a call needs besides are gone through for one candidate.
const COMBINATIONS: u32 = 20_000;

/// How many calls are made for one candidate.
const CALLS: u32 = 200;

/// What became of a candidate.
#[derive(Debug)]
pub(super) enum Outcome<M> {
    /// A call shows a difference.
    Found(PolicyChange<M>),
    /// No call has these choices and differs by them.
    Impossible,
    /// Neither.
    Unknown(UndecidedReason),
}

/// The search for calls.
pub(super) struct Search<'a, M> {
    before: &'a Policy<M>,
    after: &'a Policy<M>,
    root: Option<&'a str>,
    choices: &'a Choices,
}

/// What is tried for one candidate.
struct Attempt<'a> {
    /// Whether two choices must come together.
    is_pair: bool,
    /// The direction that is looked for; none for any difference.
    wanted: Option<Direction>,
    /// What can be at the other places that matter; nothing is `None`.
    free: Vec<Vec<Option<&'a Choice>>>,
    combinations: Cell<u32>,
    calls: Cell<u32>,
}

impl<'a, M: Mode> Search<'a, M> {
    pub(super) fn new(
        before: &'a Policy<M>,
        after: &'a Policy<M>,
        root: Option<&'a str>,
        choices: &'a Choices,
    ) -> Self {
        Self {
            before,
            after,
            root,
            choices,
        }
    }

    /// A candidate for which no call was found.
    pub(super) fn undecided(&self, candidate: &Candidate, reason: UndecidedReason) -> Undecided<M> {
        let rule = |rule: u32| usize::try_from(rule).ok().filter(|_| rule != NONE);
        Undecided {
            before: mode_of(self.before, candidate.before, false),
            before_rule: rule(candidate.before),
            after: mode_of(self.after, candidate.after, false),
            after_rule: rule(candidate.after),
            reason,
        }
    }

    /// Looks for a call with the choices of a candidate.
    ///
    /// Other paths of a call may turn a difference into one of another direction; a call that shows the direction of the candidate is
    /// looked for first.
    pub(super) fn realise(&self, candidate: &Candidate) -> Outcome<M> {
        let fixed: Vec<&Choice> = candidate
            .choices
            .iter()
            .filter_map(|choice| self.choices.choices.get(*choice))
            .collect();
        if !self.has_base(candidate, &fixed) {
            return Outcome::Impossible;
        }
        let Some(free) = self.free(candidate, &fixed) else {
            return Outcome::Impossible;
        };
        let is_outside = fixed.iter().fold((false, false), |outside, choice| {
            either(outside, choice.is_outside)
        });
        let wanted = Direction::of(
            mode_of(self.before, candidate.before, is_outside.0),
            mode_of(self.after, candidate.after, is_outside.1),
        );
        let mut attempt = Attempt {
            is_pair: fixed.len() > 1,
            wanted: Some(wanted),
            free,
            combinations: Cell::new(0),
            calls: Cell::new(0),
        };
        for wanted in [Some(wanted), None] {
            attempt.wanted = wanted;
            let mut chosen = fixed.clone();
            if let Some(change) = self.complete(&attempt, 0, &mut chosen) {
                return Outcome::Found(change);
            }
            if attempt.calls.get() > 0 {
                break;
            }
        }
        let is_exhausted = attempt.combinations.get() < COMBINATIONS;
        if is_exhausted && attempt.calls.get() == 0 {
            return Outcome::Impossible;
        }
        let takes_pattern = |choice: &&Choice| {
            let slot = self.choices.slots.get(choice.slot);
            choice.kind != Kind::Single && slot.is_some_and(|slot| slot.has_patterns)
        };
        let free = attempt
            .free
            .iter()
            .flatten()
            .filter_map(|choice| choice.as_ref());
        if fixed.iter().chain(free).any(takes_pattern) {
            Outcome::Unknown(UndecidedReason::Pattern)
        } else {
            Outcome::Unknown(UndecidedReason::Correlated)
        }
    }

    /// Whether a text that a pattern is found in can escape the rules without a pattern.
    fn has_base(&self, candidate: &Candidate, fixed: &[&Choice]) -> bool {
        fixed.iter().all(|choice| {
            let slot = self.choices.slots.get(choice.slot);
            choice.kind != Kind::Pattern
                || slot.into_iter().flat_map(|slot| &slot.choices).any(|base| {
                    let base = self.choices.choices.get(*base);
                    base.is_some_and(|base| base.kind == Kind::Open && comes_late(candidate, base))
                })
        })
    }

    /// What can be at each other place that matters; `None` when something must be there that decides too early.
    fn free(
        &self,
        candidate: &Candidate,
        fixed: &[&Choice],
    ) -> Option<Vec<Vec<Option<&'a Choice>>>> {
        let slots = &self.choices.slots;
        let is_fixed = |index: usize| {
            let own = slots.get(index);
            fixed.iter().any(|choice| {
                let part = slots.get(choice.slot).zip(own);
                choice.slot == index || part.is_some_and(|(other, own)| own.is_part_of(other))
            })
        };
        let steps = || {
            fixed
                .iter()
                .filter_map(|choice| slots.get(choice.slot))
                .map(|slot| slot.steps.as_slice())
        };
        let (required, optional): (Vec<_>, Vec<_>) = slots
            .iter()
            .enumerate()
            .filter(|(index, _)| !is_fixed(*index))
            .map(|(_, slot)| slot)
            .partition(|slot| slot.is_required_beside(steps()));
        let is_on_path = fixed.iter().any(|choice| choice.is_path);
        let other_paths = required.iter().filter(|slot| slot.is_path).count();
        // A path that a call need not have is decided without the one that it must have, which may come too early.
        let adds_path = !is_on_path && other_paths > 0 && optional.iter().any(|slot| slot.is_path);
        let are_several = adds_path || other_paths.saturating_add(usize::from(is_on_path)) > 1;
        let mut free: Vec<Vec<Option<&Choice>>> = Vec::new();
        for slot in required {
            let list: Vec<Option<&Choice>> = self
                .late_first(slot)
                .into_iter()
                .filter(|choice| (choice.is_path && are_several) || comes_late(candidate, choice))
                .map(Some)
                .collect();
            if list.is_empty() {
                // Something that is none of the choices may do.
                free.extend(slot.is_open.then(|| vec![None]));
                if !slot.is_open {
                    return None;
                }
                continue;
            }
            free.push(list);
        }
        if are_several {
            for slot in optional
                .into_iter()
                .filter(|slot| !slot.is_path || adds_path)
            {
                let late = self.late_first(slot).into_iter();
                let late = late.filter(|choice| comes_late(candidate, choice));
                free.push(std::iter::once(None).chain(late.map(Some)).collect());
            }
        }
        Some(free)
    }

    /// What can be at a place without a pattern being needed, the least decisive first.
    fn late_first(&self, slot: &Slot) -> Vec<&'a Choice> {
        let choices = slot.choices.iter();
        let mut list: Vec<&Choice> = choices
            .filter_map(|choice| self.choices.choices.get(*choice))
            .filter(|choice| choice.kind != Kind::Pattern)
            .collect();
        list.sort_by_key(|choice| {
            std::cmp::Reverse((choice.before.min(choice.after), choice.before, choice.after))
        });
        list
    }

    /// Goes through what can be at the places from `next` on.
    fn complete(
        &self,
        attempt: &Attempt<'a>,
        next: usize,
        chosen: &mut Vec<&'a Choice>,
    ) -> Option<PolicyChange<M>> {
        let Some(list) = attempt.free.get(next) else {
            attempt
                .combinations
                .set(attempt.combinations.get().saturating_add(1));
            return (self.is_whole(chosen) && self.differs(attempt, chosen))
                .then(|| self.show(attempt, chosen))
                .flatten();
        };
        for choice in list {
            if attempt.combinations.get() >= COMBINATIONS || attempt.calls.get() >= CALLS {
                return None;
            }
            chosen.extend(choice);
            let found = self.complete(attempt, next.saturating_add(1), chosen);
            if choice.is_some() {
                chosen.pop();
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether the choices hold all that a call with them must have: in an object there may be places that must not be left out.
    fn is_whole(&self, chosen: &[&Choice]) -> bool {
        let given = || chosen.iter().filter(|choice| choice.kind != Kind::Absent);
        let slots = &self.choices.slots;
        slots.iter().enumerate().all(|(index, slot)| {
            let is_there = |choice: &&Choice| {
                let other = slots.get(choice.slot);
                choice.slot == index || other.is_some_and(|other| other.is_part_of(slot))
            };
            let steps = given().filter_map(|choice| slots.get(choice.slot));
            let mut steps = steps
                .map(|slot| slot.steps.as_slice())
                .filter(|steps| steps.len() > 1);
            slot.is_open
                || slot.required_from == 0
                || chosen.iter().any(is_there)
                || !slot.is_required_beside(&mut steps)
        })
    }

    /// Whether a call of these choices is decided otherwise in the direction that is looked for, as far as rules are known.
    fn differs(&self, attempt: &Attempt<'a>, chosen: &[&Choice]) -> bool {
        let before = strictest(self.before, chosen, |choice| {
            let met = (choice.before, choice.is_outside.0);
            choice.is_there.0.then_some(met)
        });
        let after = strictest(self.after, chosen, |choice| {
            let met = (choice.after, choice.is_outside.1);
            choice.is_there.1.then_some(met)
        });
        let direction = Direction::of(before, after);
        before != after && attempt.wanted.is_none_or(|wanted| wanted == direction)
    }

    /// Makes calls of these choices until one shows a difference.
    fn show(&self, attempt: &Attempt<'a>, chosen: &[&Choice]) -> Option<PolicyChange<M>> {
        let given: Vec<&str> = self.given(chosen).collect();
        let mut parts: Vec<(&Slot, Vec<Value>)> = Vec::new();
        for choice in chosen.iter().filter(|choice| choice.kind != Kind::Absent) {
            let slot = self.choices.slots.get(choice.slot)?;
            match self.texts(attempt, chosen, choice) {
                Texts::OfBoth(values) => parts.push((slot, values)),
                Texts::Own => parts.push((slot, choice.values.clone())),
                Texts::Said => {}
            }
        }
        let longest = parts
            .iter()
            .map(|(_, values)| values.len())
            .max()
            .unwrap_or(1);
        // Most choices have one value; the others are tried one after the other, all places at once and then one by one.
        for round in 0..longest {
            for only in std::iter::once(None).chain((0..parts.len()).map(Some)) {
                let values: Vec<Part<'_>> = parts
                    .iter()
                    .enumerate()
                    .filter_map(|(place, (slot, values))| {
                        let number = if only.is_none_or(|only| only == place) {
                            round.min(values.len().saturating_sub(1))
                        } else {
                            0
                        };
                        let value = values.get(number)?.clone();
                        Some(Part {
                            steps: &slot.steps,
                            value,
                        })
                    })
                    .collect();
                let arguments = assemble(&self.choices.parameters, &values, &given);
                if let Some(change) = self.try_call(attempt, arguments) {
                    return Some(change);
                }
                attempt.calls.set(attempt.calls.get().saturating_add(1));
                if attempt.calls.get() >= CALLS {
                    return None;
                }
                if parts.len() < 2 {
                    break;
                }
            }
        }
        None
    }

    /// The arrays that must be given, because something else would stand in for them.
    fn given(&self, chosen: &[&Choice]) -> impl Iterator<Item = &str> {
        let absent = |choice: &&Choice| choice.kind == Kind::Absent;
        let absent: Vec<usize> = chosen
            .iter()
            .copied()
            .filter(absent)
            .map(|choice| choice.slot)
            .collect();
        let choices = self.choices.choices.iter();
        choices
            .filter(move |choice| choice.kind == Kind::Absent && !absent.contains(&choice.slot))
            .filter_map(|choice| self.choices.slots.get(choice.slot)?.steps.first())
            .map(|step| step.name.as_str())
    }

    /// The texts of a choice that shares one value with another one of the candidate.
    fn texts(&self, attempt: &Attempt<'a>, chosen: &[&Choice], choice: &Choice) -> Texts {
        let slot = self.choices.slots.get(choice.slot);
        let pair: Vec<&&Choice> = chosen
            .iter()
            .filter(|other| other.slot == choice.slot && other.kind != Kind::Absent)
            .collect();
        let ([one, other], Some(slot)) = (pair.as_slice(), slot) else {
            return Texts::Own;
        };
        let is_shared = one.kind == Kind::Pattern || other.kind == Kind::Pattern;
        if !attempt.is_pair || !is_shared || one.kind == Kind::Single || other.kind == Kind::Single
        {
            return Texts::Own;
        }
        if !std::ptr::eq(**one, choice) {
            return Texts::Said;
        }
        let mut texts: Vec<Value> = Vec::new();
        let mut add = |text: String| {
            let text = normal(slot.form, &text);
            if !texts.contains(&text) {
                texts.push(text);
            }
        };
        for left in one.values.iter().filter_map(Value::as_str) {
            add(format!("{}{left}", other.prefix));
            for right in other.values.iter().filter_map(Value::as_str) {
                add(right.to_owned());
                add(format!("{}{right}", one.prefix));
                for between in ["", " ", "/"] {
                    add(format!("{left}{between}{right}"));
                    add(format!("{right}{between}{left}"));
                }
            }
        }
        Texts::OfBoth(texts)
    }

    /// A call, if it is valid on both sides and decided otherwise.
    fn try_call(&self, attempt: &Attempt<'a>, arguments: Value) -> Option<PolicyChange<M>> {
        let decide = |policy: &Policy<M>| {
            let Value::Object(given) = arguments.clone() else {
                return None;
            };
            let prepared = Value::Object(prepare(given, &policy.parameters).ok()?);
            let decision = decide_paths(policy, &prepared, |path| {
                Some(lexical_path(path, self.root))
            });
            Some((decision.mode, decision.rule))
        };
        let (before, before_rule) = decide(self.before)?;
        let (after, after_rule) = decide(self.after)?;
        let direction = Direction::of(before, after);
        let is_wanted = attempt.wanted.is_none_or(|wanted| wanted == direction);
        (before != after && is_wanted).then_some(PolicyChange {
            witness: arguments,
            before,
            before_rule,
            after,
            after_rule,
        })
    }
}

/// What is decided about a call of these choices: each path on its own, beside everything that is no path.
///
/// `met` gives the rule that a choice meets and whether it leads out of the workspace; none where it is not there.
fn strictest<M: Mode>(
    policy: &Policy<M>,
    chosen: &[&Choice],
    met: impl Fn(&Choice) -> Option<(u32, bool)>,
) -> M {
    let others = chosen.iter().filter(|choice| !choice.is_path);
    let others = others
        .filter_map(|choice| met(choice).map(|(rule, _)| rule))
        .fold(clip(policy, NONE), u32::min);
    // What two choices at one place stand for is one path.
    let mut paths: Vec<(usize, u32, bool)> = Vec::new();
    for choice in chosen.iter().filter(|choice| choice.is_path) {
        let Some((rule, leads_out)) = met(choice) else {
            continue;
        };
        match paths.iter_mut().find(|(slot, ..)| *slot == choice.slot) {
            Some((_, lowest, is_outside)) => {
                *lowest = rule.min(*lowest);
                *is_outside |= leads_out;
            }
            None => paths.push((choice.slot, rule, leads_out)),
        }
    }
    paths
        .iter()
        .map(|(_, rule, is_outside)| mode_of(policy, others.min(*rule), *is_outside))
        .reduce(|one, other| if other.outranks(one) { other } else { one })
        .unwrap_or_else(|| mode_of(policy, others, false))
}

/// Where the value of a choice comes from.
enum Texts {
    /// From the choice itself.
    Own,
    /// One text for this choice and another one.
    OfBoth(Vec<Value>),
    /// The other choice has said it.
    Said,
}

/// Whether a choice leaves the decision of a candidate as it is, before and after.
fn comes_late(candidate: &Candidate, choice: &Choice) -> bool {
    choice.before >= candidate.before && choice.after >= candidate.after
}
