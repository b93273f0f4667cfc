//! The tables that keys name: statements find their place, and a key that is defined twice is said to be.
//!
//! ```toml
//! policy.run = "ask"       # makes `policy`
//! policy.result = "ask"    # finds it
//! policy.run = "skip"      # `run` is defined twice
//! ```

use super::super::error::{SyntaxError, SyntaxErrorKind};
use super::super::section::{EntryData, LocalKind, NodeKind, StatementData, Target};
use super::super::span::{Span, narrow};
use super::{Parser, shorten};

impl Parser<'_> {
    /// Puts a statement's value into the tables that its keys name.
    pub(super) fn insert(&mut self, table: u32, statement: StatementData, line: u32) {
        let id = narrow(self.section.statements.len());
        self.section.statements.push(statement);
        if let Some(table) = self.section.tables.get_mut(table as usize) {
            table.statements.push(id);
        }
        let mut table = table;
        let last = statement.first_key + statement.key_count.saturating_sub(1);
        for key in statement.first_key..last {
            match self.enter(table, key, line) {
                Some(inner) => table = inner,
                None => return,
            }
        }
        let value = self.section.node(statement.value);
        let text = self.key_text(last);
        let missing = self.is_missing(last);
        let Some(slot) = self
            .section
            .find(table, &text, self.rest)
            .filter(|_| !missing)
        else {
            let entry = EntryData {
                key: last,
                last_key: last,
                target: Target::Node(statement.value),
            };
            self.section.push_entry(table, entry, self.rest);
            return;
        };
        if value.kind == NodeKind::Missing && value.span.is_empty() {
            return;
        }
        if self.is_placeholder(table, slot) {
            self.retarget(table, slot, last, Target::Node(statement.value));
            return;
        }
        self.duplicate(table, slot, last, line, &text);
    }

    /// Finds or makes the table that a leading key segment names.
    fn enter(&mut self, table: u32, key: u32, line: u32) -> Option<u32> {
        let text = self.key_text(key);
        let span = self
            .section
            .keys
            .get(key as usize)
            .map_or(Span::default(), |k| k.span);
        let found = if self.is_missing(key) {
            None
        } else {
            self.section.find(table, &text, self.rest)
        };
        let Some(slot) = found else {
            let inner = self.push_table(LocalKind::Dotted, span);
            let entry = EntryData {
                key,
                last_key: key,
                target: Target::Table(inner),
            };
            self.section.push_entry(table, entry, self.rest);
            return Some(inner);
        };
        let target = self
            .section
            .table(table)
            .and_then(|t| t.entries.get(slot as usize))
            .map(|e| e.target);
        if let Some(Target::Table(inner)) = target {
            self.chain(table, slot, key);
            return Some(inner);
        }
        if self.is_placeholder(table, slot) {
            let inner = self.push_table(LocalKind::Dotted, span);
            self.retarget(table, slot, key, Target::Table(inner));
            return Some(inner);
        }
        self.duplicate(table, slot, key, line, &text);
        None
    }

    /// Whether an entry is a key that has no value yet.
    fn is_placeholder(&self, table: u32, slot: u32) -> bool {
        let entry = self
            .section
            .table(table)
            .and_then(|t| t.entries.get(slot as usize));
        matches!(entry.map(|e| e.target), Some(Target::Node(node))
            if self.section.node(node).kind == NodeKind::Missing && self.section.node(node).span.is_empty())
    }

    fn retarget(&mut self, table: u32, slot: u32, key: u32, target: Target) {
        self.chain(table, slot, key);
        if let Some(entry) = self
            .section
            .tables
            .get_mut(table as usize)
            .and_then(|t| t.entries.get_mut(slot as usize))
        {
            entry.target = target;
        }
    }

    /// Notes one more occurrence of an entry's key.
    fn chain(&mut self, table: u32, slot: u32, key: u32) {
        let Some(entry) = self
            .section
            .tables
            .get_mut(table as usize)
            .and_then(|t| t.entries.get_mut(slot as usize))
        else {
            return;
        };
        let last = std::mem::replace(&mut entry.last_key, key);
        if let Some(last) = self.section.keys.get_mut(last as usize) {
            last.next = key;
        }
    }

    fn duplicate(&mut self, table: u32, slot: u32, key: u32, line: u32, text: &str) {
        self.attempts += 1;
        if !self.faulty_lines.insert(line) {
            return;
        }
        let span_of = |key: u32| {
            self.section
                .keys
                .get(key as usize)
                .map_or(Span::default(), |k| k.span)
        };
        let first = self
            .section
            .table(table)
            .and_then(|t| t.entries.get(slot as usize))
            .map_or(Span::default(), |entry| span_of(entry.key));
        let second = span_of(key);
        self.section.report(|| duplicate_error(text, second, first));
    }
}

/// The error for a key or table that is defined twice.
pub(in crate::document) fn duplicate_error(name: &str, span: Span, first: Span) -> SyntaxError {
    SyntaxError {
        kind: SyntaxErrorKind::DuplicateKey,
        span,
        message: format!(
            "`{}` is defined twice: remove one or rename it",
            shorten(name)
        ),
        related: Some((first, format!("`{}` is first defined here", shorten(name)))),
        repair: None,
    }
}
