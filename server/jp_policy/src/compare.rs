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
mod choices;
mod pairs;
mod search;
mod verdict;

use std::collections::BTreeSet;

use serde_json::Value;

pub use self::verdict::{ChangeVerdict, Direction};
use self::{
    choices::{Choices, is_inexact},
    pairs::candidates,
    search::{Outcome, Search},
};
use crate::{
    mode::Mode, parameter::Parameters, path_evaluation::CanonicalPath, path_form::normalize_path,
    policy::Policy,
};

/// Two policies side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyComparison<M> {
    /// What the change does as a whole.
    pub verdict: ChangeVerdict,
    /// The regions that are decided otherwise, one call for each pair of deciding rules.
    ///
    /// Every call was run through both policies.
    /// Every pair of modes that occurs is among them, not every pair of rules.
    pub changes: Vec<PolicyChange<M>>,
    /// What may differ and could not be shown to.
    pub undecided: Vec<Undecided<M>>,
}

/// One region that is decided otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyChange<M> {
    /// The arguments of a call in it, valid under the parameters of both sides.
    pub witness: Value,
    /// What happened to the call.
    pub before: M,
    /// The rule that decided, counted from 0; none for the implicit `ask`.
    pub before_rule: Option<usize>,
    /// What happens to it.
    pub after: M,
    /// The rule that decides, counted from 0; none for the implicit `ask`.
    pub after_rule: Option<usize>,
}

impl<M: Mode> PolicyChange<M> {
    /// Whether less or more is asked of a person.
    #[must_use]
    pub fn direction(&self) -> Direction {
        Direction::of(self.before, self.after)
    }
}

/// A possible difference for which no call was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided<M> {
    /// What would happen before.
    pub before: M,
    /// The rule that would decide before.
    pub before_rule: Option<usize>,
    /// What would happen after.
    pub after: M,
    /// The rule that would decide after.
    pub after_rule: Option<usize>,
    /// Why it is not known.
    pub reason: UndecidedReason,
}

/// Why it is not known whether two policies differ somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UndecidedReason {
    /// A `pattern` takes part, and no text was found that it and the other rules treat as needed.
    #[error("a `pattern` takes part, and no text was found that shows a difference")]
    Pattern,
    /// The shape of a parameter that rules look at is not the same on both sides.
    #[error("a parameter that rules look at has another shape")]
    Parameters,
    /// The values that would have to come together depend on each other, or are too many to try.
    #[error("no call was found that brings the values together")]
    Correlated,
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
    if is_identical(before, after) {
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

/// Where a path leads when no link is on its way: the look at a path that needs no disk.
///
/// `root` is the absolute path of the workspace; without it, absolute paths lead out of it.
#[must_use]
pub fn lexical_path(path: &str, root: Option<&str>) -> CanonicalPath {
    let normal = normalize_path(path);
    if normal == ".." || normal.starts_with("../") {
        return CanonicalPath::Outside;
    }
    if !normal.starts_with('/') {
        return CanonicalPath::Inside(normal);
    }
    let below = root.and_then(|root| normal.strip_prefix(root.trim_end_matches('/')));
    match below {
        Some("") => CanonicalPath::Inside(".".to_owned()),
        Some(below) => match below.strip_prefix('/') {
            Some(below) => CanonicalPath::Inside(below.to_owned()),
            None => CanonicalPath::Outside,
        },
        None => CanonicalPath::Outside,
    }
}

/// Whether both are the same text under the same parameters.
fn is_identical<M: Mode>(before: &Policy<M>, after: &Policy<M>) -> bool {
    let raw = |policy: &'_ Policy<M>, index: usize| policy.rule(index).cloned();
    before.len() == after.len()
        && (0..before.len()).all(|index| raw(before, index) == raw(after, index))
        && Parameters::eq(&before.parameters, &after.parameters)
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
