//! Patterns, searched together once there are several.
//!
//! ```toml
//! { arg = "/command", pattern = "rm\\s+-rf", mode = "ask" }
//! { arg = "/command", pattern = "^git push", mode = "ask" }
//! ```

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
};

use regex::RegexSet;

use crate::pattern::Pattern;

/// Below this many patterns, searching for one after the other is faster.
const SET_FROM: usize = 4;

/// The patterns on one argument, in rule order.
#[derive(Debug, Default)]
pub(super) struct PatternIndex {
    patterns: Vec<Entry>,
    first_of: HashMap<Pattern, u32>,
    /// All patterns in one automaton; `None` if it would be too large.
    set: OnceLock<Option<RegexSet>>,
}

#[derive(Debug)]
struct Entry {
    rule: u32,
    pattern: Pattern,
    permits: bool,
}

impl Entry {
    fn matches(&self, text: &str) -> bool {
        // A search that was given up must not permit anything, nor lift a restriction.
        self.pattern.try_is_match(text).unwrap_or(!self.permits)
    }
}

impl PatternIndex {
    pub(super) fn insert(&mut self, rule: u32, pattern: &Pattern, permits: bool) {
        self.first_of.entry(pattern.clone()).or_insert(rule);
        self.patterns.push(Entry {
            rule,
            pattern: pattern.clone(),
            permits,
        });
    }

    /// The lowest rule below `ceiling` whose pattern is found in `text`, or else `ceiling`.
    pub(super) fn first(&self, text: &str, ceiling: u32) -> u32 {
        let below = self.patterns.partition_point(|entry| entry.rule < ceiling);
        let Some(candidates) = self.patterns.get(..below) else {
            return ceiling;
        };
        if candidates.len() < SET_FROM {
            return candidates
                .iter()
                .find(|entry| entry.matches(text))
                .map_or(ceiling, |entry| entry.rule);
        }
        match self.search(text) {
            Some(found) => found
                .first()
                .and_then(|at| candidates.get(*at))
                .map_or(ceiling, |entry| entry.rule),
            None => candidates
                .iter()
                .find(|entry| entry.matches(text))
                .map_or(ceiling, |entry| entry.rule),
        }
    }

    /// The lowest rule with this very pattern.
    pub(super) fn first_with(&self, pattern: &Pattern) -> Option<u32> {
        self.first_of.get(pattern).copied()
    }

    /// The rules below `ceiling` whose pattern is found in `text`.
    pub(super) fn matching(&self, text: &str, ceiling: u32) -> Vec<u32> {
        let found = if self.patterns.len() < SET_FROM {
            None
        } else {
            self.search(text)
        };
        let entries: Vec<&Entry> = match found {
            Some(found) => found
                .into_iter()
                .filter_map(|at| self.patterns.get(at))
                .collect(),
            None => self
                .patterns
                .iter()
                .filter(|entry| entry.matches(text))
                .collect(),
        };
        entries
            .into_iter()
            .map(|entry| entry.rule)
            .filter(|rule| *rule < ceiling)
            .collect()
    }

    /// Where the patterns stand that are found in `text`, ascending; `None` when they cannot be searched together.
    fn search(&self, text: &str) -> Option<Vec<usize>> {
        let set = self
            .set
            .get_or_init(|| {
                let sources = self
                    .patterns
                    .iter()
                    .map(|entry| entry.pattern.rust_source());
                catch_unwind(AssertUnwindSafe(|| RegexSet::new(sources).ok())).unwrap_or(None)
            })
            .as_ref()?;
        catch_unwind(AssertUnwindSafe(|| {
            if set.is_match(text) {
                set.matches(text).into_iter().collect()
            } else {
                Vec::new()
            }
        }))
        .ok()
    }
}
