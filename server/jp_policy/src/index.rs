//! The lowest rule that matches a value, found without trying the rules one by one.
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, # both prefixes and the constant are one trie
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { arg = "/path", const = "Cargo.toml", mode = "edit" },
//! ]
//! ```

mod number_index;
mod pattern_index;
mod trie;

use std::collections::HashMap;

use serde_json::Value;

use self::{number_index::NumberIndex, pattern_index::PatternIndex, trie::Trie};
use crate::{
    exact_number::ExactNumber,
    matcher::{Atom, Matcher, TextForm, canonical},
    pattern::Pattern,
};

/// No rule.
pub(crate) const NONE: u32 = u32::MAX;

/// All rules on one argument.
#[derive(Debug)]
pub(crate) struct ArgumentIndex {
    form: TextForm,
    text: Trie,
    patterns: PatternIndex,
    numbers: NumberIndex,
    booleans: [Vec<u32>; 2],
    others: HashMap<String, Vec<u32>>,
    longest_container: Option<usize>,
}

impl ArgumentIndex {
    pub(crate) fn new(form: TextForm) -> Self {
        Self {
            form,
            text: Trie::default(),
            patterns: PatternIndex::default(),
            numbers: NumberIndex::default(),
            booleans: [Vec::new(), Vec::new()],
            others: HashMap::new(),
            longest_container: None,
        }
    }

    /// Adds a rule; rules come in ascending order.
    ///
    /// `permits` says how to read a pattern search that was given up: as no match for a rule that permits, as a match for any other.
    pub(crate) fn insert(&mut self, rule: u32, matcher: &Matcher, permits: bool) {
        match matcher {
            Matcher::Const(atom) => {
                if let Some(atom) = atom {
                    self.insert_atom(rule, atom);
                }
            }
            Matcher::Enum { members, .. } => {
                for member in members {
                    self.insert_atom(rule, member);
                }
            }
            Matcher::Prefix(prefix) => self.text.insert_prefix(prefix, rule),
            Matcher::Pattern(pattern) => self.patterns.insert(rule, pattern, permits),
            Matcher::Lower(bound) => self.numbers.insert_lower(*bound, rule),
            Matcher::Upper(bound) => self.numbers.insert_upper(*bound, rule),
        }
    }

    fn insert_atom(&mut self, rule: u32, atom: &Atom) {
        match atom {
            Atom::Text(key) => self.text.insert_exact(key, rule),
            Atom::Number(number) => self.numbers.insert_point(*number, rule),
            Atom::Boolean(boolean) => {
                if let Some(rules) = self.booleans.get_mut(usize::from(*boolean)) {
                    rules.push(rule);
                }
            }
            Atom::Other(text) => {
                self.longest_container = self.longest_container.max(Some(text.len()));
                self.others.entry(text.clone()).or_default().push(rule);
            }
        }
    }

    /// Makes lookups possible; call it once, after the last rule.
    pub(crate) fn finish(&mut self) {
        self.numbers.finish();
    }

    /// The lowest rule below `ceiling` that `value` satisfies, or else `ceiling`.
    pub(crate) fn first(&self, value: &Value, ceiling: u32) -> u32 {
        match value {
            Value::String(text) => self.first_text(&self.form.key(text), ceiling),
            Value::Bool(boolean) => self.first_boolean(*boolean, ceiling),
            Value::Number(number) => match ExactNumber::new(number) {
                Some(number) => self.numbers.first(number, ceiling),
                None => ceiling,
            },
            Value::Null | Value::Array(_) | Value::Object(_) if self.others.is_empty() => ceiling,
            Value::Null | Value::Array(_) | Value::Object(_) => {
                self.first_other(&canonical(value), ceiling)
            }
        }
    }

    /// The lowest rule that matches `atom`, or [`NONE`].
    ///
    /// With `ignore_patterns`, a rule with a pattern is taken to match nothing.
    pub(crate) fn first_atom(&self, atom: &Atom, ignore_patterns: bool) -> u32 {
        match atom {
            Atom::Text(key) if ignore_patterns => self.text.first(key, NONE),
            Atom::Text(key) => self.first_text(key, NONE),
            Atom::Number(number) => self.numbers.first(*number, NONE),
            Atom::Boolean(boolean) => self.first_boolean(*boolean, NONE),
            Atom::Other(text) => self.first_other(text, NONE),
        }
    }

    /// The rules that match `atom`, in ascending order, at most `limit` of them.
    ///
    /// Of the bounds only the weakest of each side is named.
    pub(crate) fn matching(
        &self,
        atom: &Atom,
        ignore_patterns: bool,
        ceiling: u32,
        limit: usize,
    ) -> Vec<u32> {
        let mut rules: Vec<u32> = match atom {
            Atom::Text(key) => {
                let mut rules = self.text.matching(key, ceiling, limit);
                if !ignore_patterns {
                    rules.extend(self.patterns.matching(self.form.text(key), ceiling));
                }
                rules
            }
            Atom::Number(number) => self.numbers.matching(*number, ceiling, limit),
            Atom::Boolean(boolean) => self
                .booleans
                .get(usize::from(*boolean))
                .cloned()
                .unwrap_or_default(),
            Atom::Other(text) => self.others.get(text).cloned().unwrap_or_default(),
        };
        rules.retain(|rule| *rule < ceiling);
        rules.sort_unstable();
        rules.dedup();
        rules.truncate(limit);
        rules
    }

    /// The lowest rule with this very pattern.
    pub(crate) fn first_with_pattern(&self, pattern: &Pattern) -> Option<u32> {
        self.patterns.first_with(pattern)
    }

    /// The length of the longest object or array that a rule names, in its canonical text; none when no rule names one.
    pub(crate) fn longest_container(&self) -> Option<usize> {
        self.longest_container
    }

    /// Whether some constant or prefix of a rule starts with `key`.
    pub(crate) fn has_text_below(&self, key: &str) -> bool {
        self.text.has_below(key)
    }

    fn first_text(&self, key: &str, ceiling: u32) -> u32 {
        let best = self.text.first(key, ceiling);
        self.patterns.first(self.form.text(key), best)
    }

    fn first_boolean(&self, boolean: bool, ceiling: u32) -> u32 {
        let rules = self.booleans.get(usize::from(boolean));
        lowest(rules.map(Vec::as_slice)).min(ceiling)
    }

    fn first_other(&self, text: &str, ceiling: u32) -> u32 {
        lowest(self.others.get(text).map(Vec::as_slice)).min(ceiling)
    }
}

fn lowest(rules: Option<&[u32]>) -> u32 {
    rules
        .and_then(|rules| rules.first())
        .copied()
        .unwrap_or(NONE)
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
