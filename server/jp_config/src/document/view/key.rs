//! Keys, one segment at a time.

use std::fmt;

use super::super::Document;
use super::super::span::Span;
use super::super::spine::KeyRef;

/// One occurrence of a key segment.
#[derive(Copy, Clone)]
pub struct Key<'a> {
    document: &'a Document,
    at: KeyRef,
}

impl<'a> Key<'a> {
    pub(in crate::document) fn new(document: &'a Document, at: KeyRef) -> Self {
        Self { document, at }
    }

    /// The decoded key.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.document.sections_view().key(self.at)
    }

    /// Where it stands, quotes included.
    #[must_use]
    pub fn span(self) -> Span {
        self.document.sections_view().key_span(self.at)
    }

    /// Whether it is a `*` without quotes.
    #[must_use]
    pub fn bare_star(self) -> bool {
        self.document
            .sections_view()
            .get(self.at.section)
            .and_then(|(section, _, _)| section.keys.get(self.at.key as usize))
            .is_some_and(|key| key.bare_star)
    }

    /// Whether the text holds no key here although one belongs here, as after `a.`.
    #[must_use]
    pub fn is_missing(self) -> bool {
        self.document.sections_view().is_missing(self.at)
    }
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?}", self.text(), self.span().range())
    }
}
