//! Which rules can never decide, and which decide more than they seem to.
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, # never decides: the first rule always does
//!     { mode = "ask" },
//! ]
//! ```

mod covered;
mod finding;
mod hazard;

use std::{cell::OnceCell, collections::HashMap};

use serde_json::Value;

use self::covered::{Cover, Weakest, after_catch_all, covered, exhausting_rules};
pub use self::finding::{CoverageFinding, NeverMatchesReason};
use crate::{
    cells::{Cell, Cells},
    index::NONE,
    matcher::{Atom, Matcher},
    mode::Mode,
    policy::{Condition, Group, Policy},
    witness::reaching,
};

/// Finds the rules that can never decide, those that match nothing, mixed-array hazards and a missing catch-all.
///
/// Findings come in rule order, a missing catch-all last.
/// A rule is only ever called unreachable when it provably is (RFD D25, "Unreachable rule detection"); and every unreachable rule is found
/// unless a `pattern` is involved.
///
/// What counts as possible: a call has a value for each required parameter, and values are of the declared types and among the declared
/// values; any other parameter may be absent (also one with a default, and a required one of an absent object), and arrays may be empty.
#[must_use]
pub fn coverage<M: Mode>(policy: &Policy<M>) -> Vec<CoverageFinding<M>> {
    let reach = Reach::new(policy);
    let mut findings = Vec::new();
    let mut weakest: Vec<Weakest<'_>> = vec![Weakest::default(); policy.groups.len()];
    for (index, rule) in policy.rules.iter().enumerate() {
        match &rule.condition {
            Condition::Inert(_) => {}
            Condition::CatchAll => findings.extend(reach.judge_catch_all(policy, index)),
            Condition::Matches { argument, matcher } => {
                let (Some(subject), Some(weakest)) = (
                    reach.subject(policy, index, *argument, matcher),
                    weakest.get_mut(*argument),
                ) else {
                    continue;
                };
                findings.extend(reach.judge(policy, &subject, weakest));
                weakest.see(index, matcher);
            }
        }
    }
    if policy.catch_all.is_none() {
        findings.push(CoverageFinding::MissingCatchAll);
    }
    findings
}

/// What [`coverage`] finds about one rule, and a [`witness`](crate::witness) for it; for less work than asking for both.
///
/// A missing catch-all is about no rule and is left out.
#[must_use]
pub fn coverage_of<M: Mode>(
    policy: &Policy<M>,
    rule: usize,
) -> (Vec<CoverageFinding<M>>, Option<Value>) {
    let reach = Reach::new(policy);
    let findings = match policy.rules.get(rule).map(|rule| &rule.condition) {
        None | Some(Condition::Inert(_)) => Vec::new(),
        Some(Condition::CatchAll) => reach.judge_catch_all(policy, rule).into_iter().collect(),
        Some(Condition::Matches { argument, matcher }) => {
            let Some(subject) = reach.subject(policy, rule, *argument, matcher) else {
                return (Vec::new(), None);
            };
            let mut weakest = Weakest::default();
            let earlier = subject.group.rules.iter();
            let earlier = earlier.filter_map(|earlier| usize::try_from(*earlier).ok());
            for earlier in earlier.take_while(|earlier| *earlier < rule) {
                if let Some((_, matcher)) = policy.condition(earlier) {
                    weakest.see(earlier, matcher);
                }
            }
            reach.judge(policy, &subject, &weakest)
        }
    };
    (findings, reaching(policy, &reach, rule))
}

/// A rule with a condition, and what its argument can be.
#[derive(Clone, Copy)]
struct Subject<'a> {
    index: usize,
    matcher: &'a Matcher,
    group: &'a Group,
    cells: &'a Cells,
}

/// Which cell each rule is the first to match.
pub(crate) struct Reach {
    /// The cells of each group.
    pub(crate) cells: Vec<Cells>,
    /// For each rule the cell of its group that it decides, as far as its own argument is concerned.
    pub(crate) cell_of: Vec<Option<usize>>,
    /// For the steps to an object: the group that always decides calls with that object, and its last rule that is needed for it.
    forced: HashMap<Vec<String>, (u32, usize)>,
    /// For each group the cell that is decided last.
    latest: Vec<OnceCell<Option<usize>>>,
    /// For each rule the next rule on the same argument that decides something and asks somebody.
    next_stricter: Vec<Option<usize>>,
}

impl Reach {
    pub(crate) fn new<M: Mode>(policy: &Policy<M>) -> Self {
        let cells: Vec<Cells> = policy
            .groups
            .iter()
            .map(|group| Cells::new(policy, group))
            .collect();
        let mut cell_of: Vec<Option<usize>> = vec![None; policy.rules.len()];
        let mut forced: HashMap<Vec<String>, (u32, usize)> = HashMap::new();
        for (number, (group, cells)) in policy.groups.iter().zip(&cells).enumerate() {
            for (index, cell) in cells.cells.iter().enumerate() {
                let rule = usize::try_from(cell.first).ok();
                if let Some(slot @ None) = rule.and_then(|rule| cell_of.get_mut(rule)) {
                    *slot = Some(index);
                }
            }
            let argument = &group.argument;
            if let Some(last) = cells.exhausted_by()
                && argument.forced_from < argument.steps.len()
            {
                let steps = argument.steps.iter().take(argument.forced_from);
                let key = steps.map(|step| step.name.clone()).collect();
                let entry = forced.entry(key).or_insert((last, number));
                *entry = (*entry).min((last, number));
            }
        }
        let next_stricter = next_stricter(policy, &cell_of);
        Self {
            latest: vec![OnceCell::new(); cells.len()],
            cells,
            cell_of,
            forced,
            next_stricter,
        }
    }

    /// A value of the group's argument that is decided as late as any, patterns included.
    pub(crate) fn latest<M: Mode>(&self, policy: &Policy<M>, group: usize) -> Option<&Value> {
        let cells = &self.cells.get(group)?.cells;
        let index = &policy.groups.get(group)?.index;
        let first = |cell: &Cell| {
            if cell.is_open {
                index.first_atom(&cell.atom, false)
            } else {
                cell.first
            }
        };
        let latest = self.latest.get(group)?.get_or_init(|| {
            (0..cells.len())
                .zip(cells)
                .max_by_key(|(_, cell)| first(cell))
                .map(|(cell, _)| cell)
        });
        cells.get((*latest)?).map(|cell| &cell.value)
    }

    /// The last rule that can decide a call with a value in `group`, or any call, because a value that must be there is decided by then.
    pub(crate) fn ceiling(&self, group: Option<&Group>) -> Option<(u32, usize)> {
        if self.forced.is_empty() {
            return None;
        }
        let mut key: Vec<String> = Vec::new();
        let mut best = self.forced.get(&key).copied();
        let steps = group.map_or(&[][..], |group| group.argument.steps.as_slice());
        if let [containers @ .., _] = steps {
            for step in containers {
                key.push(step.name.clone());
                let here = self.forced.get(&key).copied();
                best = best.into_iter().chain(here).min();
            }
        }
        best
    }

    /// Whether every call that could reach `rule` is decided earlier by the value of another argument, which it must have.
    fn exhausted<M: Mode>(
        &self,
        policy: &Policy<M>,
        group: Option<&Group>,
        rule: usize,
    ) -> Option<Cover<M>> {
        let (last, by) = self.ceiling(group)?;
        if usize::try_from(last).ok()? >= rule {
            return None;
        }
        let cover = exhausting_rules(policy, policy.groups.get(by)?, self.cells.get(by)?, rule);
        Some(cover)
    }

    fn subject<'a, M: Mode>(
        &'a self,
        policy: &'a Policy<M>,
        index: usize,
        argument: usize,
        matcher: &'a Matcher,
    ) -> Option<Subject<'a>> {
        Some(Subject {
            index,
            matcher,
            group: policy.groups.get(argument)?,
            cells: self.cells.get(argument)?,
        })
    }

    fn judge_catch_all<M: Mode>(
        &self,
        policy: &Policy<M>,
        rule: usize,
    ) -> Option<CoverageFinding<M>> {
        let cover = match policy.catch_all {
            Some(earlier) if earlier < rule => Some(Cover {
                by: vec![earlier],
                rfd_table: true,
                decides: self.exhausted(policy, None, earlier).map_or_else(
                    || vec![policy.mode_of(Some(earlier))],
                    |cover| cover.decides,
                ),
            }),
            _ if rule + 1 == policy.rules.len() => None,
            _ => self.exhausted(policy, None, rule),
        };
        cover.map(|cover| cover.finding(policy, rule))
    }

    fn next_stricter(&self, rule: usize) -> Option<usize> {
        self.next_stricter.get(rule).copied().flatten()
    }

    fn judge<M: Mode>(
        &self,
        policy: &Policy<M>,
        subject: &Subject<'_>,
        weakest: &Weakest<'_>,
    ) -> Vec<CoverageFinding<M>> {
        let rule = subject.index;
        let by_itself = self.cell_of.get(rule).is_some_and(Option::is_some);
        if !by_itself && let Some(reason) = never_matches(policy, subject) {
            return vec![CoverageFinding::NeverMatches {
                rule,
                member: None,
                reason,
            }];
        }
        let by_others = if by_itself {
            None
        } else {
            covered(policy, subject, weakest)
        };
        let cover = match policy.catch_all.filter(|earlier| *earlier < rule) {
            // The rule that is named should be one that decides, if the table lists it too.
            Some(earlier) => by_others
                .filter(|cover| cover.rfd_table && cover.by.iter().all(|by| *by < earlier))
                .or_else(|| Some(after_catch_all(policy, subject, earlier))),
            None => by_others,
        };
        let cover = cover.or_else(|| self.exhausted(policy, Some(subject.group), rule));
        if let Some(cover) = cover {
            return vec![cover.finding(policy, rule)];
        }
        let mut findings = dead_members(policy, subject);
        findings.extend(hazard::mixed_array(policy, self, rule, subject.group));
        findings
    }
}

fn next_stricter<M: Mode>(policy: &Policy<M>, cell_of: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut next: Vec<Option<usize>> = vec![None; policy.rules.len()];
    for group in &policy.groups {
        let mut upcoming: Option<usize> = None;
        for rule in group.rules.iter().rev() {
            let Ok(rule) = usize::try_from(*rule) else {
                continue;
            };
            if let Some(slot) = next.get_mut(rule) {
                *slot = upcoming;
            }
            let decides = cell_of.get(rule).is_some_and(Option::is_some)
                || matches!(policy.condition(rule), Some((_, Matcher::Pattern(_))));
            if decides && policy.mode_of(Some(rule)).is_stricter_than(M::UNATTENDED) {
                upcoming = Some(rule);
            }
        }
    }
    next
}

/// Why a rule that decides no cell matches nothing at all; `None` when it matches something.
fn never_matches<M: Mode>(policy: &Policy<M>, subject: &Subject<'_>) -> Option<NeverMatchesReason> {
    let Subject {
        matcher,
        group,
        cells,
        ..
    } = subject;
    let values = policy.rule(subject.index)?.matchers.first()?;
    let is_pattern = matches!(matcher, Matcher::Pattern(_));
    if is_pattern && !cells.is_declared {
        return None;
    }
    if !cells.of_matcher(matcher, group.argument.form).is_empty() {
        return None;
    }
    let declared = || group.argument.members.clone().unwrap_or_default();
    Some(match (matcher, &values.1) {
        (Matcher::Const(None), value) => not_normal(group, value),
        (Matcher::Enum { .. }, Value::Array(values)) if values.is_empty() => {
            NeverMatchesReason::EmptyEnum
        }
        (Matcher::Enum { members, .. }, Value::Array(values)) if members.is_empty() => {
            not_normal(group, values.first()?)
        }
        (Matcher::Const(_) | Matcher::Enum { .. }, _) if cells.is_declared => {
            NeverMatchesReason::NotDeclared {
                declared: declared(),
            }
        }
        (_, _) if cells.is_declared => NeverMatchesReason::NoDeclaredValue {
            declared: declared(),
        },
        (Matcher::Lower(_) | Matcher::Upper(_), _) => NeverMatchesReason::NoNumber,
        _ => return None,
    })
}

fn not_normal(group: &Group, value: &Value) -> NeverMatchesReason {
    let normal = match Atom::of_value(value, group.argument.form) {
        Atom::Text(key) => group.argument.form.text(&key).to_owned(),
        _ => String::new(),
    };
    NeverMatchesReason::NotNormal { normal }
}

/// The members of an `enum` that no value can equal, although others can.
fn dead_members<M: Mode>(policy: &Policy<M>, subject: &Subject<'_>) -> Vec<CoverageFinding<M>> {
    let Matcher::Enum { members, dead } = subject.matcher else {
        return Vec::new();
    };
    let raw = policy
        .rule(subject.index)
        .and_then(|raw| raw.matchers.first());
    let Some((_, Value::Array(values))) = raw else {
        return Vec::new();
    };
    if !dead && !subject.cells.is_declared {
        return Vec::new();
    }
    let form = subject.group.argument.form;
    let mut findings = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let reason = match Atom::of_literal(value, form) {
            None => not_normal(subject.group, value),
            Some(atom) if members.binary_search(&atom).is_ok() => {
                let alone = Matcher::Const(Some(atom));
                if !subject.cells.of_matcher(&alone, form).is_empty() {
                    continue;
                }
                NeverMatchesReason::NotDeclared {
                    declared: subject.group.argument.members.clone().unwrap_or_default(),
                }
            }
            Some(_) => continue,
        };
        findings.push(CoverageFinding::NeverMatches {
            rule: subject.index,
            member: Some(index),
            reason,
        });
    }
    findings
}

/// A rule number as it is kept in an index.
fn number(rule: usize) -> u32 {
    u32::try_from(rule).unwrap_or(NONE)
}

#[cfg(test)]
#[path = "coverage_tests.rs"]
mod tests;
