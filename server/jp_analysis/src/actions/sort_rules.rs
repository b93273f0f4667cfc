//! Rules with stricter modes first, so that no permissive rule decides what a stricter one is meant for.
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { arg = "/path", prefix = ".env", mode = "ask" }, # comes first, and takes this along
//!     { mode = "ask" },
//! ]
//! ```

use std::cmp::Reverse;

use jp_policy::{Mode as _, ResultMode};

use super::{action::Action, rule_list::rules_around, site::Site};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let list = rules_around(site)?;
    let mut order: Vec<(bool, Reverse<u8>, usize)> = Vec::new();
    for (index, rule) in list.rules.iter().enumerate() {
        let mode = rule.get("mode")?.value().as_str()?.into_owned();
        // Both kinds of modes are the same words, in the same order of strictness.
        let strictness = ResultMode::from_keyword(&mode)?.strictness();
        let is_catch_all = rule.get("arg").is_none();
        order.push((is_catch_all, Reverse(strictness), index));
    }
    // Sorting a catch-all that hides rules would bring them to life: that is the author's decision.
    let first_catch_all = order.iter().position(|(is_catch_all, ..)| *is_catch_all);
    if first_catch_all.is_some_and(|at| at + 1 < order.len()) {
        return None;
    }
    let mut sorted = order.clone();
    sorted.sort();
    if sorted == order {
        return None;
    }
    let order: Vec<usize> = sorted.iter().map(|(_, _, from)| *from).collect();
    let edits = list.text.reorder(&order)?;
    Some(site.rewrite("Sort rules: stricter modes first", edits))
}
