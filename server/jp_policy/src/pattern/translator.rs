//! The state of one translation, and a cursor over its source.

use std::{collections::BTreeSet, ops::Range};

use super::problem::{PatternError, PatternErrorKind, PatternWarning};

/// State of one translation.
pub(super) struct Translator<'s> {
    pub(super) source: &'s str,
    /// Byte offset of the next character.
    pub(super) position: usize,
    pub(super) output: String,
    pub(super) warnings: Vec<PatternWarning>,
    pub(super) unsupported: Option<PatternError>,
    pub(super) depth: usize,
    pub(super) groups: usize,
    pub(super) names: BTreeSet<String>,
    /// Names that the current alternative and those around it declared: only these forbid a duplicate.
    pub(super) names_in_scope: BTreeSet<String>,
    /// The members of `names_in_scope` in source order, so that an alternative's end can drop its own.
    pub(super) scope: Vec<String>,
    pub(super) references: Vec<Reference>,
}

/// A `\1` or `\k<name>`, whose group may be declared after it.
pub(super) struct Reference {
    pub(super) target: Target,
    pub(super) offset: Range<usize>,
}

pub(super) enum Target {
    /// `None` is a number beyond `usize`.
    Number(Option<usize>),
    Name(String),
}

impl<'s> Translator<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            source,
            position: 0,
            output: String::with_capacity(source.len() + source.len() / 2),
            warnings: Vec::new(),
            unsupported: None,
            depth: 0,
            groups: 0,
            names: BTreeSet::new(),
            names_in_scope: BTreeSet::new(),
            scope: Vec::new(),
            references: Vec::new(),
        }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.position..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.position += expected.len();
        }
        found
    }

    pub(super) fn text(&self, range: Range<usize>) -> &'s str {
        self.source.get(range).unwrap_or_default()
    }

    pub(super) fn invalid(
        &self,
        offset: Range<usize>,
        construct: &str,
        message: impl Into<String>,
    ) -> PatternError {
        PatternError {
            kind: PatternErrorKind::Invalid,
            construct: construct.to_owned(),
            message: message.into(),
            offset,
        }
    }

    /// Remembers the first unsupported construct and goes on, so that an invalid pattern is called invalid.
    pub(super) fn unsupported(
        &mut self,
        offset: Range<usize>,
        construct: &str,
        message: impl Into<String>,
    ) {
        if self
            .unsupported
            .as_ref()
            .is_some_and(|first| first.offset.start <= offset.start)
        {
            return;
        }
        self.unsupported = Some(PatternError {
            kind: PatternErrorKind::Unsupported,
            construct: construct.to_owned(),
            message: message.into(),
            offset,
        });
    }

    pub(super) fn warn(&mut self, offset: Range<usize>, replacement: String, message: String) {
        self.warnings.push(PatternWarning {
            construct: self.text(offset.clone()).to_owned(),
            replacement,
            message,
            offset,
        });
    }
}
