//! Views of a document: tables, entries, arrays and scalars.
//!
//! ```toml
//! [conversation.tools.a]      # `conversation` is one table, whatever headers name it
//! run = "ask"                 # an entry: key `run`, value a string
//! ```
//!
//! Every view is a few indexes and a reference to the document, and cheap to copy.

use std::borrow::Cow;
use std::fmt;

use super::Document;
use super::section::{EntryData, LocalKind, NONE, NodeData, NodeKind, Section, TableData, Target};
use super::span::{Span, narrow};
use super::spine::{KeyRef, SpineKind, SpineNode};

mod array;
mod scalar;
mod section_ref;

pub use array::Array;
pub use scalar::{Scalar, Str};
pub use section_ref::SectionRef;

/// A node of a section.
#[derive(Copy, Clone)]
pub(super) struct NodeRef<'a> {
    pub(super) document: &'a Document,
    pub(super) section: u32,
    pub(super) node: u32,
}

impl<'a> NodeRef<'a> {
    pub(super) fn section(self) -> Option<(&'a Section, u32, &'a str)> {
        self.document.sections_view().get(self.section)
    }

    pub(super) fn data(self) -> NodeData {
        self.section().map_or(
            NodeData {
                kind: NodeKind::Missing,
                closed: true,
                span: Span::default(),
                payload: NONE,
            },
            |(section, _, _)| section.node(self.node),
        )
    }

    pub(super) fn span(self) -> Span {
        self.section()
            .map_or(Span::default(), |(section, start, _)| {
                section.node(self.node).span.shift(start)
            })
    }

    pub(super) fn text(self) -> &'a str {
        self.section().map_or("", |(section, _, text)| {
            text.get(section.node(self.node).span.range()).unwrap_or("")
        })
    }

    pub(super) fn view(self) -> Node<'a> {
        let data = self.data();
        match data.kind {
            NodeKind::Str => Node::Str(Str { node: self }),
            NodeKind::Integer => Node::Integer(Scalar { node: self }),
            NodeKind::Float => Node::Float(Scalar { node: self }),
            NodeKind::Boolean => Node::Boolean(Scalar { node: self }),
            NodeKind::Datetime => Node::Datetime(Scalar { node: self }),
            NodeKind::Missing | NodeKind::BrokenStr => Node::Missing(Scalar { node: self }),
            NodeKind::Array => Node::Array(Array {
                document: self.document,
                spine: NONE,
                section: self.section,
                node: self.node,
            }),
            NodeKind::Inline => Node::Table(Table {
                document: self.document,
                spine: NONE,
                section: self.section,
                table: data.payload,
            }),
        }
    }
}

/// A value.
#[derive(Copy, Clone, Debug)]
pub enum Node<'a> {
    /// A table, however it is written.
    Table(Table<'a>),
    /// An array of values or of tables.
    Array(Array<'a>),
    /// A whole string.
    Str(Str<'a>),
    /// An integer that fits an `i64`.
    Integer(Scalar<'a>),
    /// A float.
    Float(Scalar<'a>),
    /// `true` or `false`.
    Boolean(Scalar<'a>),
    /// A date, a time, or both.
    Datetime(Scalar<'a>),
    /// No value yet, or text that is no value; the syntax error says so.
    Missing(Scalar<'a>),
}

/// What sort of value a [`Node`] is.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Kind {
    /// [`Node::Table`].
    Table,
    /// [`Node::Array`].
    Array,
    /// [`Node::Str`].
    Str,
    /// [`Node::Integer`].
    Integer,
    /// [`Node::Float`].
    Float,
    /// [`Node::Boolean`].
    Boolean,
    /// [`Node::Datetime`].
    Datetime,
    /// [`Node::Missing`].
    Missing,
}

impl<'a> Node<'a> {
    /// What sort of value it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Node::Table(_) => Kind::Table,
            Node::Array(_) => Kind::Array,
            Node::Str(_) => Kind::Str,
            Node::Integer(_) => Kind::Integer,
            Node::Float(_) => Kind::Float,
            Node::Boolean(_) => Kind::Boolean,
            Node::Datetime(_) => Kind::Datetime,
            Node::Missing(_) => Kind::Missing,
        }
    }

    /// The text of the value; for a table [`Table::span`], for an array [`Array::span`].
    #[must_use]
    pub fn span(self) -> Span {
        match self {
            Node::Table(table) => table.span(),
            Node::Array(array) => array.span(),
            Node::Str(string) => string.span(),
            Node::Integer(scalar)
            | Node::Float(scalar)
            | Node::Boolean(scalar)
            | Node::Datetime(scalar)
            | Node::Missing(scalar) => scalar.span(),
        }
    }

    /// The table, if it is one.
    #[must_use]
    pub fn as_table(self) -> Option<Table<'a>> {
        match self {
            Node::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The array, if it is one.
    #[must_use]
    pub fn as_array(self) -> Option<Array<'a>> {
        match self {
            Node::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The decoded string, if it is one.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        match self {
            Node::Str(string) => Some(string.value()),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Node::Boolean(scalar) => Some(scalar.text() == "true"),
            _ => None,
        }
    }

    /// The integer, if it is one.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Node::Integer(scalar) => scalar.integer(),
            _ => None,
        }
    }

    /// The float, if it is one.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Node::Float(scalar) => scalar.float(),
            _ => None,
        }
    }

    /// Whether there is no value yet, or none that TOML knows.
    #[must_use]
    pub fn is_missing(self) -> bool {
        matches!(self, Node::Missing(_))
    }
}

/// One occurrence of a key segment.
#[derive(Copy, Clone)]
pub struct Key<'a> {
    document: &'a Document,
    at: KeyRef,
}

impl<'a> Key<'a> {
    pub(super) fn new(document: &'a Document, at: KeyRef) -> Self {
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
    pub(super) document: &'a Document,
    /// The node that headers make, or [`NONE`].
    pub(super) spine: u32,
    /// Where `table` is.
    pub(super) section: u32,
    /// The table that keys and braces make, or [`NONE`].
    pub(super) table: u32,
}

impl<'a> Table<'a> {
    pub(super) fn from_spine(document: &'a Document, spine: u32) -> Self {
        Self {
            document,
            spine,
            section: NONE,
            table: NONE,
        }
    }

    pub(super) fn from_local(document: &'a Document, section: u32, table: u32) -> Self {
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

#[derive(Copy, Clone)]
struct LocalEntry {
    section: u32,
    table: u32,
    slot: u32,
}

/// A key and its value.
#[derive(Copy, Clone)]
pub struct Entry<'a> {
    document: &'a Document,
    local: Option<LocalEntry>,
    /// The table that headers make under this key, or [`NONE`].
    spine: u32,
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

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} table@{:?}", self.kind(), self.span().range())
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} = {:?}", self.first_key(), self.value())
    }
}
