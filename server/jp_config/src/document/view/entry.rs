//! Keys with their values.
//!
//! ```toml
//! run = "ask"      # key `run`, value a string
//! enable           # a key without a value yet
//! ```

use std::fmt;

use super::super::Document;
use super::super::section::{EntryData, NONE, Target};
use super::super::span::Span;
use super::super::spine::{KeyRef, SpineKind};
use super::{Array, Key, Node, NodeRef, Table};

#[derive(Copy, Clone)]
pub(super) struct LocalEntry {
    pub(super) section: u32,
    pub(super) table: u32,
    pub(super) slot: u32,
}

/// A key and its value.
#[derive(Copy, Clone)]
pub struct Entry<'a> {
    pub(super) document: &'a Document,
    pub(super) local: Option<LocalEntry>,
    /// The table that headers make under this key, or [`NONE`].
    pub(super) spine: u32,
}

impl<'a> Entry<'a> {
    fn data(self) -> Option<(LocalEntry, EntryData)> {
        let local = self.local?;
        let (section, _, _) = self.document.sections_view().get(local.section)?;
        let entry = section
            .table(local.table)?
            .entries
            .get(local.slot as usize)?;
        Some((local, *entry))
    }

    /// The first occurrence of the key.
    #[must_use]
    pub fn first_key(self) -> Key<'a> {
        let local = self.data().map(|(local, entry)| KeyRef {
            section: local.section,
            key: entry.key,
        });
        let header = self
            .document
            .spine
            .node(self.spine)
            .and_then(|node| node.occurrences.first().copied());
        let at = match (local, header) {
            (Some(local), Some(header)) if header.section < local.section => header,
            (Some(local), _) => local,
            (None, Some(header)) => header,
            (None, None) => KeyRef {
                section: NONE,
                key: NONE,
            },
        };
        Key::new(self.document, at)
    }

    /// The decoded key.
    #[must_use]
    pub fn key(self) -> &'a str {
        self.first_key().text()
    }

    /// Where the key stands first, quotes included.
    #[must_use]
    pub fn key_span(self) -> Span {
        self.first_key().span()
    }

    /// All occurrences of the key in order, the segments of headers too.
    #[must_use]
    pub fn keys(self) -> Vec<Key<'a>> {
        let mut keys = Vec::new();
        if let Some((local, entry)) = self.data()
            && let Some((section, _, _)) = self.document.sections_view().get(local.section)
        {
            let mut next = entry.key;
            while let Some(key) = section.keys.get(next as usize) {
                let at = KeyRef {
                    section: local.section,
                    key: next,
                };
                keys.push(Key::new(self.document, at));
                next = key.next;
            }
        }
        if let Some(node) = self.document.spine.node(self.spine) {
            keys.extend(
                node.occurrences
                    .iter()
                    .map(|at| Key::new(self.document, *at)),
            );
            keys.sort_by_key(|key| key.span());
        }
        keys
    }

    /// Where the key stands, all occurrences in order, the segments of headers too.
    #[must_use]
    pub fn key_spans(self) -> Vec<Span> {
        self.keys().into_iter().map(Key::span).collect()
    }

    /// Whether some occurrence of the key is a `*` without quotes.
    #[must_use]
    pub fn bare_star(self) -> bool {
        self.key() == "*" && self.keys().into_iter().any(Key::bare_star)
    }

    /// The value; of a key that is defined as a value and as a table, what comes first.
    #[must_use]
    pub fn value(self) -> Node<'a> {
        let node = self.document.spine.node(self.spine);
        if let Some((local, entry)) = self.data() {
            match entry.target {
                Target::Node(id) => {
                    let value = NodeRef {
                        document: self.document,
                        section: local.section,
                        node: id,
                    };
                    let header_first = node
                        .and_then(|node| node.occurrences.first())
                        .is_some_and(|at| at.section < local.section);
                    if node.is_none() || !(header_first || value.view().is_missing()) {
                        return value.view();
                    }
                }
                Target::Table(table) => {
                    if node.is_none_or(|node| node.kind != SpineKind::Array) {
                        return Node::Table(Table {
                            document: self.document,
                            spine: self.spine,
                            section: local.section,
                            table,
                        });
                    }
                }
            }
        }
        match node.map(|node| node.kind) {
            Some(SpineKind::Array) => Node::Array(Array {
                document: self.document,
                spine: self.spine,
                section: NONE,
                node: NONE,
            }),
            _ => Node::Table(Table::from_spine(self.document, self.spine)),
        }
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} = {:?}", self.first_key(), self.value())
    }
}
