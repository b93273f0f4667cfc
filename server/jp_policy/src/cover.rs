//! The smallest set of rules that together cover a set of cells.

use std::collections::BTreeMap;

/// How many branches the search tries before it settles for what it has.
const BUDGET: u32 = 20_000;

/// A smallest set of rules such that each cell has one of its own in the set, ascending.
///
/// Each cell lists its rules in ascending order.
/// Beyond a fixed amount of work the set is one from which no rule can be taken away, and may not be smallest.
/// A cell without rules is left out of account.
pub(crate) fn smallest_cover(cells: &[Vec<u32>]) -> Vec<u32> {
    let mut open: Vec<&[u32]> = cells
        .iter()
        .map(Vec::as_slice)
        .filter(|rules| !rules.is_empty())
        .collect();
    open.sort_unstable_by(|left, right| (left.len(), *left).cmp(&(right.len(), *right)));
    open.dedup();
    let mut chosen: Vec<u32> = open
        .iter()
        .filter_map(|rules| match rules {
            [only] => Some(*only),
            _ => None,
        })
        .collect();
    open.retain(|rules| !rules.iter().any(|rule| chosen.binary_search(rule).is_ok()));
    let mut search = Search {
        best: greedy(&open),
        budget: BUDGET,
    };
    search.run(&open, &mut Vec::new());
    chosen.extend(search.best);
    chosen.sort_unstable();
    chosen
}

struct Search {
    best: Vec<u32>,
    budget: u32,
}

impl Search {
    fn run(&mut self, open: &[&[u32]], chosen: &mut Vec<u32>) {
        // The cell with the fewest rules comes first: some rule of it must be in the set.
        let Some(rules) = open.first() else {
            if chosen.len() < self.best.len() {
                self.best = chosen.clone();
            }
            return;
        };
        if chosen.len().saturating_add(1) >= self.best.len() {
            return;
        }
        for rule in *rules {
            let Some(budget) = self.budget.checked_sub(1) else {
                return;
            };
            self.budget = budget;
            let left: Vec<&[u32]> = open
                .iter()
                .copied()
                .filter(|rules| rules.binary_search(rule).is_err())
                .collect();
            chosen.push(*rule);
            self.run(&left, chosen);
            chosen.pop();
        }
    }
}

/// Takes the rule that covers most of what is left until nothing is left, then drops what turned out superfluous.
fn greedy(cells: &[&[u32]]) -> Vec<u32> {
    let mut open: Vec<&[u32]> = cells.to_vec();
    let mut chosen: Vec<u32> = Vec::new();
    while !open.is_empty() {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for rule in open.iter().copied().flatten() {
            let count = counts.entry(*rule).or_default();
            *count = count.saturating_add(1);
        }
        // Of equally good rules the lowest.
        let best = counts
            .iter()
            .max_by_key(|(rule, count)| (**count, std::cmp::Reverse(**rule)));
        let Some((rule, _)) = best else { break };
        chosen.push(*rule);
        open.retain(|rules| rules.binary_search(rule).is_err());
    }
    for rule in chosen.clone() {
        let is_superfluous = cells.iter().all(|rules| {
            rules
                .iter()
                .any(|other| *other != rule && chosen.contains(other))
        });
        if is_superfluous {
            chosen.retain(|other| *other != rule);
        }
    }
    chosen
}

#[cfg(test)]
#[path = "cover_tests.rs"]
mod tests;
