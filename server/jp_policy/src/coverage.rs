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
mod subject;

use serde_json::Value;

pub use self::finding::{CoverageFinding, NeverMatchesReason};
use self::{
    covered::{Cover, Weakest, after_catch_all, covered, exhausting_rules},
    subject::Subject,
};
use crate::{
    group::Group,
    matcher::{Atom, Matcher},
    mode::Mode,
    policy::{Condition, Policy},
    reach::Reach,
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

impl Reach {
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
        // Where nothing is declared, every value that a rule names is among the cells.
        (Matcher::Const(_) | Matcher::Enum { .. }, _) => NeverMatchesReason::NotDeclared {
            declared: declared(),
        },
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

#[cfg(test)]
#[path = "coverage_tests.rs"]
mod tests;
