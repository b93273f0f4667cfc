//! Numeric rules as sorted bounds with running minima.
//!
//! ```toml
//! { arg = "/start_line", minimum = 1000, mode = "ask" }
//! { arg = "/start_line", const = 1, mode = "unattended" }
//! ```

use std::collections::HashMap;

use super::{NONE, lowest};
use crate::{exact_number::ExactNumber, matcher::Bound};

/// Constants and bounds on one numeric argument.
#[derive(Debug, Default)]
pub(super) struct NumberIndex {
    points: HashMap<ExactNumber, Vec<u32>>,
    /// After [`NumberIndex::finish`]: from the weakest to the strongest.
    lower: Vec<Entry>,
    upper: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bound: Bound,
    rule: u32,
    /// The lowest rule among this bound and the weaker ones.
    lowest: u32,
}

impl NumberIndex {
    pub(super) fn insert_point(&mut self, point: ExactNumber, rule: u32) {
        self.points.entry(point).or_default().push(rule);
    }

    pub(super) fn insert_lower(&mut self, bound: Bound, rule: u32) {
        self.lower.push(Entry {
            bound,
            rule,
            lowest: rule,
        });
    }

    pub(super) fn insert_upper(&mut self, bound: Bound, rule: u32) {
        self.upper.push(Entry {
            bound,
            rule,
            lowest: rule,
        });
    }

    pub(super) fn finish(&mut self) {
        self.lower
            .sort_by_key(|entry| (entry.bound.at, entry.bound.exclusive));
        self.upper.sort_by(|left, right| {
            (right.bound.at, left.bound.exclusive).cmp(&(left.bound.at, right.bound.exclusive))
        });
        for side in [&mut self.lower, &mut self.upper] {
            let mut lowest = NONE;
            for entry in side {
                lowest = lowest.min(entry.rule);
                entry.lowest = lowest;
            }
        }
    }

    /// The lowest rule below `ceiling` that matches `number`, or else `ceiling`.
    pub(super) fn first(&self, number: ExactNumber, ceiling: u32) -> u32 {
        let lower = self
            .lower
            .partition_point(|entry| entry.bound.admits_from_below(number));
        let upper = self
            .upper
            .partition_point(|entry| entry.bound.admits_from_above(number));
        let point = if self.points.is_empty() {
            NONE
        } else {
            lowest(self.points.get(&number).map(Vec::as_slice))
        };
        ceiling
            .min(point)
            .min(running(&self.lower, lower))
            .min(running(&self.upper, upper))
    }

    /// The rules below `ceiling` that match `number`: constants, and the weakest bound of each side.
    pub(super) fn matching(&self, number: ExactNumber, ceiling: u32, limit: usize) -> Vec<u32> {
        let mut found: Vec<u32> = self
            .points
            .get(&number)
            .into_iter()
            .flatten()
            .copied()
            .take_while(|rule| *rule < ceiling)
            .take(limit)
            .collect();
        let weakest = |side: &[Entry], admits: fn(Bound, ExactNumber) -> bool| {
            side.iter()
                .find(|entry| entry.rule < ceiling)
                .filter(|entry| admits(entry.bound, number))
                .map(|entry| entry.rule)
        };
        found.extend(weakest(&self.lower, Bound::admits_from_below));
        found.extend(weakest(&self.upper, Bound::admits_from_above));
        found
    }
}

fn running(side: &[Entry], admitting: usize) -> u32 {
    admitting
        .checked_sub(1)
        .and_then(|last| side.get(last))
        .map_or(NONE, |entry| entry.lowest)
}
