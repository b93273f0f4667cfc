//! What a change of rules changes: exactly, with a call for every difference.
//!
//! ```toml
//! run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }] # before
//! run = [{ arg = "/path", prefix = "s", mode = "unattended" }, { mode = "ask" }]   # after: `s/x` was asked for, `src/x` was not
//! ```
//!
//! A call is decided by the lowest rule that one of its values meets.
//! So two policies differ if and only if they differ on a call whose decision before comes from one value and whose decision after comes
//! from the same or one other value: the values are cut into cells that no rule of either policy tells apart, and the pairs of cells
//! are gone through without making all of them.
//! That looks at rules alone and finds too much where values depend on each other, never too little.
//! What it finds is then tried on the evaluator, and counts when a call shows it.

mod assemble;
mod change;
mod choices;
mod lexical;
mod pairs;
mod search;
mod verdict;

use std::collections::BTreeSet;

pub use self::{
    change::{PolicyChange, Undecided, UndecidedReason},
    lexical::lexical_path,
    verdict::{ChangeVerdict, Direction},
};
use self::{
    choices::{Choices, is_inexact},
    pairs::candidates,
    search::{Outcome, Search},
};
use crate::{mode::Mode, policy::Policy};

/// Two policies side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyComparison<M> {
    /// What the change does as a whole.
    pub verdict: ChangeVerdict,
    /// The regions that are decided otherwise, one call for each pair of deciding rules.
    ///
    /// Every call was run through both policies.
    /// Every pair of modes that occurs on calls with at most one path is among them, not every pair of rules.
    /// Where several paths change, each on its own, the strictest on either side may make a further pair; its direction is among them.
    pub changes: Vec<PolicyChange<M>>,
    /// What may differ and could not be shown to.
    pub undecided: Vec<Undecided<M>>,
}

/// Compares two policies, each under the parameters that it was compiled for.
///
/// What is compared are the calls that are valid on both sides, as they are after [`prepare`](crate::prepare()) on each side, decided as
/// [`decide_paths`](crate::decide_paths) does with [`lexical_path`]: several paths are decided each on its own.
/// `root` is the absolute path of the workspace; without it, absolute paths lead out of it.
///
/// Without `pattern`, and where parameters have the same shape on both sides, the verdict is exact.
#[must_use]
pub fn compare<M: Mode>(
    before: &Policy<M>,
    after: &Policy<M>,
    root: Option<&str>,
) -> PolicyComparison<M> {
    let mut comparison = PolicyComparison {
        verdict: ChangeVerdict::Equal,
        changes: Vec::new(),
        undecided: Vec::new(),
    };
    if before.is_same(after) {
        return comparison;
    }
    let choices = Choices::new(before, after, root);
    let search = Search::new(before, after, root, &choices);
    let mut seen: BTreeSet<(u32, u32)> = BTreeSet::new();
    let mut shown: BTreeSet<(Option<usize>, Option<usize>)> = BTreeSet::new();
    let mut open: Vec<Undecided<M>> = Vec::new();
    for candidate in candidates(before, after, &choices) {
        let rules = (candidate.before, candidate.after);
        if seen.contains(&rules) {
            continue;
        }
        match search.realise(&candidate) {
            Outcome::Found(change) => {
                seen.insert(rules);
                if shown.insert((change.before_rule, change.after_rule)) {
                    comparison.changes.push(change);
                }
            }
            Outcome::Impossible => {}
            Outcome::Unknown(reason) => open.push(search.undecided(&candidate, reason)),
        }
    }
    open.retain(|undecided| !shown.contains(&(undecided.before_rule, undecided.after_rule)));
    for undecided in open {
        let known = &mut comparison.undecided;
        if !known.contains(&undecided) {
            known.push(undecided);
        }
    }
    let directions = comparison.changes.iter().map(PolicyChange::direction);
    let possible = comparison
        .undecided
        .iter()
        .map(|undecided| Direction::of(undecided.before, undecided.after));
    comparison.verdict = if is_inexact(before, after) {
        comparison.undecided.push(Undecided {
            before: M::ASK,
            before_rule: None,
            after: M::ASK,
            after_rule: None,
            reason: UndecidedReason::Parameters,
        });
        ChangeVerdict::Unknown
    } else {
        ChangeVerdict::of(directions, possible)
    };
    comparison
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
