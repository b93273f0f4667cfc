//! Arrays whose elements deserve different treatment.
//!
//! ```toml
//! run = [
//!     { arg = "/hosts", enum = ["docs.rs"], mode = "unattended" }, # also decides ["docs.rs", "paste.example"]
//!     { arg = "/hosts", const = "paste.example", mode = "ask" },
//!     { mode = "ask" },
//! ]
//! ```
//!
//! Paths are no hazard: each is decided on its own.

use serde_json::Value;

use super::{finding::CoverageFinding, subject::number};
use crate::{
    group::Group,
    index::NONE,
    matcher::TextForm,
    mode::Mode,
    policy::Policy,
    reach::Reach,
    witness::{call, value_for},
};

/// How many stricter rules are tried; only patterns without a known text can make an attempt fail.
const ATTEMPTS: u32 = 32;

/// The hazard of a reachable rule, if there is one.
pub(super) fn mixed_array<M: Mode>(
    policy: &Policy<M>,
    reach: &Reach,
    rule: usize,
    group: &Group,
) -> Option<CoverageFinding<M>> {
    let is_lax = !policy.mode_of(Some(rule)).is_stricter_than(M::UNATTENDED);
    if !is_lax || !group.argument.is_repeated() {
        return None;
    }
    let own = value_for(policy, reach, rule)?;
    let (argument, _) = policy.condition(rule)?;
    let hazard = |other: &Value| {
        if group.argument.form == TextForm::Path && other.is_string() {
            return None;
        }
        let alone = call(policy, reach, argument, std::slice::from_ref(other));
        let (mode, decided_by) = policy.decide(&alone);
        if !mode.is_stricter_than(M::UNATTENDED) {
            return None;
        }
        let stricter_rule = decided_by.filter(|decided_by| {
            matches!(policy.condition(*decided_by), Some((other, _)) if other == argument)
        });
        let witness = call(policy, reach, argument, &[own.clone(), other.clone()]);
        (policy.decide(&witness).1 == Some(rule)).then_some(CoverageFinding::MixedArrayHazard {
            rule,
            stricter_rule,
            witness,
        })
    };
    let ceiling = reach
        .ceiling(Some(group))
        .and_then(|(last, _)| usize::try_from(last).ok());
    let end = policy.catch_all.into_iter().chain(ceiling).min();
    let mut next = reach.next_stricter(rule);
    for _ in 0..ATTEMPTS {
        let Some(stricter) = next.filter(|next| end.is_none_or(|end| *next < end)) else {
            break;
        };
        let found = value_for(policy, reach, stricter).and_then(|other| hazard(&other));
        if found.is_some() {
            return found;
        }
        next = reach.next_stricter(stricter);
    }
    let default = policy.mode_of(policy.catch_all);
    if !default.is_stricter_than(M::UNATTENDED) {
        return None;
    }
    let fallback = policy.catch_all.map_or(NONE, number);
    let cells = &reach.cells.get(argument)?.cells;
    cells
        .iter()
        .filter(|cell| cell.first >= fallback)
        .find_map(|cell| hazard(&cell.value))
}
