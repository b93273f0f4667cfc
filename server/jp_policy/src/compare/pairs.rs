//! The pairs of choices that lead to different decisions before and after.
//!
//! ```toml
//! run = [{ arg = "/a", const = 1, mode = "skip" }, { arg = "/b", const = 1, mode = "ask" }] # swapped: only a call with both shows it
//! ```
//!
//! The decision before comes from a choice that meets the lowest rule before, the decision after from one that meets the lowest after.
//! For each choice as the former, and each mode, the best partner is the one that meets the lowest rule after:
//! if any partner leads to a call, so does this one, because what else the call needs must only not come before it.

use std::collections::BTreeMap;

use super::choices::{Choice, Choices, Kind, clip};
use crate::{index::NONE, mode::Mode, policy::Policy};

/// Choices that may show a difference.
#[derive(Debug)]
pub(super) struct Candidate {
    /// None of them: what the call must have anyway.
    pub(super) choices: Vec<usize>,
    /// The rule that decides before; [`NONE`] for the implicit `ask`.
    pub(super) before: u32,
    /// The rule that decides after; [`NONE`] for the implicit `ask`.
    pub(super) after: u32,
}

/// What holds for one of two choices, before and after.
pub(super) const fn either(one: (bool, bool), other: (bool, bool)) -> (bool, bool) {
    (one.0 || other.0, one.1 || other.1)
}

/// The mode of a rule as it is kept in an index.
pub(super) fn mode_of<M: Mode>(policy: &Policy<M>, rule: u32, is_outside: bool) -> M {
    let rule = usize::try_from(rule).ok().filter(|_| rule != NONE);
    let mode = policy.mode_of(rule);
    if is_outside && !mode.is_stricter_than(M::UNATTENDED) {
        M::ASK
    } else {
        mode
    }
}

/// The candidates; those of one choice come first, and the call without any before them.
pub(super) fn candidates<M: Mode>(
    before: &Policy<M>,
    after: &Policy<M>,
    choices: &Choices,
) -> Vec<Candidate> {
    let differ = |left: u32, right: u32, is_outside: (bool, bool)| {
        mode_of(before, left, is_outside.0) != mode_of(after, right, is_outside.1)
    };
    let mut found = Vec::new();
    let nothing = (clip(before, NONE), clip(after, NONE));
    if differ(nothing.0, nothing.1, (false, false)) {
        found.push(Candidate {
            choices: Vec::new(),
            before: nothing.0,
            after: nothing.1,
        });
    }
    for (index, choice) in choices.choices.iter().enumerate() {
        if differ(choice.before, choice.after, choice.is_outside) {
            found.push(Candidate {
                choices: vec![index],
                before: choice.before,
                after: choice.after,
            });
        }
    }
    let buckets = buckets(after, choices);
    for (index, choice) in choices.choices.iter().enumerate() {
        for (kind, bucket) in &buckets {
            let is_outside = either(choice.is_outside, kind.is_outside);
            if !are_compatible(choices, choice, kind) {
                continue;
            }
            for partner in bucket.values().filter_map(|list| best(list, choice.before)) {
                let Some(other) = choices.choices.get(partner) else {
                    continue;
                };
                if partner != index
                    && other.after < choice.after
                    && differ(choice.before, other.after, is_outside)
                {
                    found.push(Candidate {
                        choices: vec![index, partner],
                        before: choice.before,
                        after: other.after,
                    });
                }
            }
        }
    }
    found
}

/// Choices that go together with the same others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BucketKind {
    slot: usize,
    kind: Kind,
    is_path: bool,
    is_there: (bool, bool),
    is_outside: (bool, bool),
}

/// Choices by the rule that they meet before, the highest first, each with the one up to there that meets the lowest rule after.
type Ranked = Vec<(u32, usize)>;

/// The choices of each kind, by the mode that they lead to after.
fn buckets<M: Mode>(
    after: &Policy<M>,
    choices: &Choices,
) -> BTreeMap<BucketKind, BTreeMap<&'static str, Ranked>> {
    let mut buckets: BTreeMap<BucketKind, BTreeMap<&'static str, Ranked>> = BTreeMap::new();
    for (index, choice) in choices.choices.iter().enumerate() {
        let kind = BucketKind {
            slot: choice.slot,
            kind: choice.kind,
            is_path: choice.is_path,
            is_there: choice.is_there,
            is_outside: choice.is_outside,
        };
        let mode = mode_of(after, choice.after, choice.is_outside.1).keyword();
        let bucket = buckets.entry(kind).or_default();
        bucket.entry(mode).or_default().push((choice.before, index));
    }
    let after = |index: usize| {
        choices
            .choices
            .get(index)
            .map_or(NONE, |choice| choice.after)
    };
    for ranked in buckets.values_mut().flat_map(BTreeMap::values_mut) {
        ranked.sort_unstable_by_key(|(before, index)| (std::cmp::Reverse(*before), *index));
        let mut lowest: Option<usize> = None;
        for (_, index) in ranked {
            let best = lowest.filter(|best| after(*best) <= after(*index));
            lowest = Some(best.unwrap_or(*index));
            *index = best.unwrap_or(*index);
        }
    }
    buckets
}

/// Of the choices that meet no rule lower than `least` before, the one that meets the lowest after.
fn best(ranked: &Ranked, least: u32) -> Option<usize> {
    let end = ranked.partition_point(|(before, _)| *before >= least);
    let (_, index) = ranked.get(end.checked_sub(1)?)?;
    Some(*index)
}

/// Whether one call can have both, and decides them together.
fn are_compatible(choices: &Choices, choice: &Choice, other: &BucketKind) -> bool {
    let same = choice.slot == other.slot;
    let is_text = |kind: Kind| matches!(kind, Kind::Open | Kind::Pattern);
    let has_pattern = choice.kind == Kind::Pattern || other.kind == Kind::Pattern;
    if same && has_pattern && is_text(choice.kind) && is_text(other.kind) {
        return true;
    }
    let meet = |one: (bool, bool), two: (bool, bool)| (one.0 && two.0) || (one.1 && two.1);
    let is_absent = choice.kind == Kind::Absent || other.kind == Kind::Absent;
    if same && is_absent {
        return false;
    }
    if choice.is_path && other.is_path && meet(choice.is_there, other.is_there) {
        return false;
    }
    let slot = choices.slots.get(choice.slot);
    let others = choices.slots.get(other.slot);
    if slot
        .zip(others)
        .is_some_and(|(slot, other)| slot.is_part_of(other))
    {
        return false;
    }
    !same || slot.is_some_and(|slot| slot.is_repeated)
}
