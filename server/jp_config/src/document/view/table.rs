//! Tables, merged from all places that define them.
//!
//! ```toml
//! [conversation.tools.a]      # `conversation` is one table, whatever headers name it
//! policy.run = "ask"          # and `policy` one that a dotted key makes
//! ```

use std::fmt;

use super::super::Document;
use super::super::section::{LocalKind, NONE, Section, TableData};
use super::super::span::{Span, narrow};
use super::super::spine::{KeyRef, SpineKind, SpineNode};
use super::entry::{Entry, LocalEntry};

/// How a table is written.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum TableKind {
    /// The document itself.
    Root,
    /// `[a.b]`.
    Header,
    /// `[[a.b]]`.
    ArrayElement,
    /// `{ a = 1 }`.
    Inline,
    /// `a.b = 1` makes `a` one.
    Dotted,
    /// `[a.b]` makes `a` one.
    Implicit,
}

/// A table, merged from all places that define it.
#[derive(Copy, Clone)]
pub struct Table<'a> {
    pub(in crate::document) document: &'a Document,
    /// The node that headers make, or [`NONE`].
    pub(in crate::document) spine: u32,
    /// Where `table` is.
    pub(in crate::document) section: u32,
    /// The table that keys and braces make, or [`NONE`].
    pub(in crate::document) table: u32,
}

impl Document {
    /// The table of the whole document.
    #[must_use]
    pub fn root(&self) -> Table<'_> {
        Table::from_spine(self, 0)
    }
}

impl<'a> Table<'a> {
    pub(in crate::document) fn from_spine(document: &'a Document, spine: u32) -> Self {
        Self {
            document,
            spine,
            section: NONE,
            table: NONE,
        }
    }

    pub(in crate::document) fn from_local(
        document: &'a Document,
        section: u32,
        table: u32,
    ) -> Self {
        Self {
            document,
            spine: NONE,
            section,
            table,
        }
    }

    fn node(self) -> Option<&'a SpineNode> {
        self.document.spine.node(self.spine)
    }

    fn local(self) -> Option<(&'a Section, u32, &'a TableData)> {
        let (section, start, _) = self.document.sections_view().get(self.section)?;
        Some((section, start, section.table(self.table)?))
    }

    /// The tables of sections that define entries of this one, in order.
    fn bodies(self) -> impl Iterator<Item = (u32, u32)> + 'a {
        let sections = self.node().map_or(&[][..], |node| &node.sections);
        let local = (self.table != NONE).then_some((self.section, self.table));
        sections.iter().map(|section| (*section, 0)).chain(local)
    }

    /// How the table is written.
    ///
    /// Where several ways meet, a header wins, then braces and dotted keys.
    #[must_use]
    pub fn kind(self) -> TableKind {
        match self.node().map(|node| node.kind) {
            _ if self.spine == 0 => return TableKind::Root,
            Some(SpineKind::Explicit | SpineKind::Array) => return TableKind::Header,
            Some(SpineKind::Element) => return TableKind::ArrayElement,
            Some(SpineKind::Implicit) | None => {}
        }
        match self.local().map(|(_, _, table)| table.kind) {
            Some(LocalKind::Inline) => TableKind::Inline,
            Some(LocalKind::Dotted) => TableKind::Dotted,
            Some(LocalKind::Body) => TableKind::Header,
            None => TableKind::Implicit,
        }
    }

    /// The entry of `key`; the first one if the key is defined twice.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Entry<'a>> {
        let sections = self.document.sections_view();
        let local = self.bodies().find_map(|(section, table)| {
            let (data, _, text) = sections.get(section)?;
            Some(LocalEntry {
                section,
                table,
                slot: data.find(table, key, text)?,
            })
        });
        let child = if self.spine == NONE {
            None
        } else {
            self.document.spine.child(sections, self.spine, key)
        };
        self.entry(local, child)
    }

    fn entry(self, local: Option<LocalEntry>, child: Option<u32>) -> Option<Entry<'a>> {
        if local.is_none() && child.is_none() {
            return None;
        }
        Some(Entry {
            document: self.document,
            local,
            spine: child.unwrap_or(NONE),
        })
    }

    /// The entries in order of first appearance; keys that are missing from the text are left out.
    pub fn entries(self) -> Entries<'a> {
        let sections = self.document.sections_view();
        let children = self.node().map_or(&[][..], |node| &node.children);
        if self
            .node()
            .is_some_and(|node| node.kind == SpineKind::Array)
        {
            return Entries::default();
        }
        let mut found: Vec<(u32, Entry<'a>)> = Vec::new();
        let mut taken = hashbrown::HashSet::new();
        for (section, table) in self.bodies() {
            let Some((data, _, text)) = sections.get(section) else {
                continue;
            };
            let entries = data.table(table).map_or(&[][..], |t| &t.entries);
            found.reserve(entries.len());
            for (slot, entry) in entries.iter().enumerate() {
                let key = KeyRef {
                    section,
                    key: entry.key,
                };
                if sections.is_missing(key) {
                    continue;
                }
                let child = if children.is_empty() {
                    None
                } else {
                    let name = data.key_text(entry.key, text);
                    self.document.spine.child(sections, self.spine, name)
                };
                if let Some(child) = child
                    && !taken.insert(child)
                {
                    continue;
                }
                let local = LocalEntry {
                    section,
                    table,
                    slot: narrow(slot),
                };
                let start = sections.key_span(key).start;
                found.extend(self.entry(Some(local), child).map(|entry| (start, entry)));
            }
        }
        if self.bodies().nth(1).is_some() {
            found = without_repeats(found);
        }
        for child in children {
            let Some(node) = self.document.spine.node(*child) else {
                continue;
            };
            if node.missing || taken.contains(child) {
                continue;
            }
            if let (Some(at), Some(entry)) =
                (node.occurrences.first(), self.entry(None, Some(*child)))
            {
                found.push((sections.key_span(*at).start, entry));
            }
        }
        if !found.is_sorted_by_key(|(start, _)| *start) {
            found.sort_by_key(|(start, _)| *start);
        }
        Entries {
            found: found.into_iter(),
        }
    }

    /// Whether the table has no entry.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.entries().next().is_none()
    }

    /// The best place to speak of the table as a whole.
    ///
    /// The first header, else the braces, else the first key that makes it; `None` for the root.
    #[must_use]
    pub fn header_span(self) -> Option<Span> {
        if self.spine == 0 {
            return None;
        }
        let sections = self.document.sections_view();
        if let Some(node) = self.node() {
            let header = node.sections.first().and_then(|section| {
                let (data, start, _) = sections.get(*section)?;
                Some(data.header?.span.shift(start))
            });
            let key = || node.occurrences.first().map(|at| sections.key_span(*at));
            if let Some(span) = header.or_else(key) {
                return Some(span);
            }
        }
        self.local()
            .map(|(_, start, table)| table.span.shift(start))
    }

    /// The braces of an inline table; else [`Table::header_span`], empty at the start of the text for the root.
    #[must_use]
    pub fn span(self) -> Span {
        self.header_span().unwrap_or_default()
    }

    /// All places that define entries of the table: whole sections, braces, dotted keys with their values.
    #[must_use]
    pub fn spans(self) -> Vec<Span> {
        let sections = self.document.sections_view();
        let mut spans = Vec::new();
        for (section, table) in self.bodies() {
            let Some((data, start, _)) = sections.get(section) else {
                continue;
            };
            match data.table(table) {
                Some(_) if table == 0 => spans.push(Span::new(start, start + data.len)),
                Some(local) => spans.push(local.span.shift(start)),
                None => {}
            }
        }
        spans
    }

    /// A number that changes whenever the content of a section that contributes to the table or to a table in it changes.
    ///
    /// It is the same for the same sections wherever they stand in the text, and different in the next process.
    #[must_use]
    pub fn sections_revision_hash(self) -> u64 {
        let sections = self.document.sections_view();
        let mut combined = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |section: u32| {
            let revision = sections
                .get(section)
                .map_or(0, |(data, _, _)| data.revision);
            combined = (combined ^ revision)
                .wrapping_mul(0x0000_0100_0000_01b3)
                .rotate_left(23);
        };
        if self.table != NONE {
            add(self.section);
        }
        let mut pending = vec![self.spine];
        while let Some(id) = pending.pop() {
            let Some(node) = self.document.spine.node(id) else {
                continue;
            };
            for section in &node.sections {
                add(*section);
            }
            pending.extend(node.children.iter().rev());
        }
        combined
    }
}

/// Leaves the first of several entries with the same key, as two headers of the same name make them.
fn without_repeats(found: Vec<(u32, Entry<'_>)>) -> Vec<(u32, Entry<'_>)> {
    let mut names = hashbrown::HashSet::new();
    found
        .into_iter()
        .filter(|(_, entry)| names.insert(entry.key()))
        .collect()
}

/// The entries of a table, see [`Table::entries`].
#[derive(Clone, Debug, Default)]
pub struct Entries<'a> {
    found: std::vec::IntoIter<(u32, Entry<'a>)>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.found.next().map(|(_, entry)| entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.found.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}

impl<'a> IntoIterator for Table<'a> {
    type Item = Entry<'a>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.entries()
    }
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} table@{:?}", self.kind(), self.span().range())
    }
}
