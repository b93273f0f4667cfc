//! A policy rule one place further up or down: the first rule that matches a call decides it.
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { arg = "/path", prefix = "src/secret", mode = "ask" },   # further up, it decides before the other
//! ]
//! ```

use super::{action::Action, rule_list::rules_around, site::Site};

/// Exchanges the rule with the one before it.
pub(super) fn up(site: &Site<'_>) -> Option<Action> {
    exchanged(site, |index| index.checked_sub(1), "Move the rule up")
}

/// Exchanges the rule with the one after it.
pub(super) fn down(site: &Site<'_>) -> Option<Action> {
    exchanged(site, Some, "Move the rule down")
}

/// Exchanges the rule at the index that `first` makes of this one's with the next one.
fn exchanged(
    site: &Site<'_>,
    first: impl Fn(usize) -> Option<usize>,
    title: &str,
) -> Option<Action> {
    let list = rules_around(site)?;
    let first = first(list.index?)?;
    let mut order: Vec<usize> = (0..list.rules.len()).collect();
    if first + 1 >= order.len() {
        return None;
    }
    order.swap(first, first + 1);
    let edits = list.text.reorder(&order)?;
    Some(site.rewrite(title, edits))
}
