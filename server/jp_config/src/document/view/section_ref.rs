//! Sections as the text has them, before tables are merged.
//!
//! ```toml
//! [conversation.tools.a]      # the header
//! run = "ask"                 # the body
//! ```

use std::fmt;

use super::super::Document;
use super::super::section::Section;
use super::super::span::{Span, narrow};
use super::super::spine::KeyRef;
use super::{Key, Table};

/// A section: a header line and its body.
#[derive(Copy, Clone)]
pub struct SectionRef<'a> {
    pub(in super::super) document: &'a Document,
    pub(in super::super) index: u32,
}

impl Document {
    /// The sections in order; the first stands before the first header and may be empty.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = SectionRef<'_>> {
        (0..self.placed.len()).map(|index| SectionRef {
            document: self,
            index: narrow(index),
        })
    }

    /// The section that holds the byte at `offset`; the last one for an offset at or beyond the end.
    #[must_use]
    pub fn section_at(&self, offset: usize) -> SectionRef<'_> {
        SectionRef {
            document: self,
            index: self.section_index(narrow(offset)),
        }
    }

    /// All comments, in order.
    pub fn comments(&self) -> impl Iterator<Item = Span> + '_ {
        self.sections().flat_map(SectionRef::comments)
    }
}

impl<'a> SectionRef<'a> {
    fn data(self) -> Option<(&'a Section, u32, &'a str)> {
        self.document.sections_view().get(self.index)
    }

    /// The position among the document's sections; zero is what stands before the first header.
    #[must_use]
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// The offset of the first byte.
    #[must_use]
    pub fn start(self) -> u32 {
        self.data().map_or(0, |(_, start, _)| start)
    }

    /// The whole section, up to the next header line.
    #[must_use]
    pub fn span(self) -> Span {
        self.data().map_or(Span::default(), |(section, start, _)| {
            Span::new(start, start + section.len)
        })
    }

    /// The header with its brackets; `None` for the first section.
    #[must_use]
    pub fn header_span(self) -> Option<Span> {
        let (section, start, _) = self.data()?;
        Some(section.header?.span.shift(start))
    }

    /// The segments of the header.
    #[must_use]
    pub fn header(self) -> Vec<Key<'a>> {
        let count = self
            .data()
            .and_then(|(section, _, _)| section.header)
            .map_or(0, |header| header.key_count);
        (0..count)
            .map(|key| {
                let at = KeyRef {
                    section: self.index,
                    key,
                };
                Key::new(self.document, at)
            })
            .collect()
    }

    /// Whether the header has double brackets.
    #[must_use]
    pub fn is_array_of_tables(self) -> bool {
        self.data()
            .and_then(|(section, _, _)| section.header)
            .is_some_and(|header| header.is_array)
    }

    /// A number for the parsed content: the same as long as the section is untouched, never used for another content.
    #[must_use]
    pub fn revision(self) -> u64 {
        self.data().map_or(0, |(section, _, _)| section.revision)
    }

    /// What the body alone defines, without what other sections add.
    #[must_use]
    pub fn body(self) -> Table<'a> {
        Table::from_local(self.document, self.index, 0)
    }

    /// The merged table that the body belongs to.
    #[must_use]
    pub fn table(self) -> Table<'a> {
        let owner = self
            .document
            .spine
            .owners
            .get(self.index as usize)
            .copied()
            .unwrap_or(0);
        Table::from_spine(self.document, owner)
    }

    /// The comments, in order.
    pub fn comments(self) -> impl Iterator<Item = Span> + 'a {
        let (comments, start) = self.data().map_or((&[][..], 0), |(section, start, _)| {
            (&section.comments[..], start)
        });
        comments.iter().map(move |span| span.shift(start))
    }
}

impl fmt::Debug for SectionRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section {}@{:?}", self.index, self.span().range())
    }
}
