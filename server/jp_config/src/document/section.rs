//! One section: a header line and the body below it, parsed alone.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]   # the header
//! source = "local"                      # the body: statements
//! policy.result = "unattended"
//! ```
//!
//! Every offset in a section counts from the section's start, so that a section can move in the text unchanged.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::error::SyntaxError;
use super::span::Span;

/// Stands for "none" where an index into an arena is expected.
pub(super) const NONE: u32 = u32::MAX;

/// From this many entries on, a table finds its keys by hash.
const INDEXED: usize = 12;

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum NodeKind {
    Str,
    /// A string with a mistake in it: a value that is missing, but text that a cursor can be in.
    BrokenStr,
    Integer,
    Float,
    Boolean,
    Datetime,
    Missing,
    Array,
    Inline,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct NodeData {
    pub(super) kind: NodeKind,
    /// Whether an array or inline table has its closing bracket.
    pub(super) closed: bool,
    pub(super) span: Span,
    /// Array: index into `lists`. Inline table: index into `tables`.
    pub(super) payload: u32,
}

#[derive(Clone, Debug)]
pub(super) struct KeyData {
    pub(super) span: Span,
    /// Where the decoded text stands in the section, unless `owned` names one.
    pub(super) text: Span,
    /// Index into `strings`, or [`NONE`].
    pub(super) owned: u32,
    /// The next occurrence of the same entry, or [`NONE`].
    pub(super) next: u32,
    pub(super) bare_star: bool,
    pub(super) missing: bool,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct StatementData {
    pub(super) first_key: u32,
    pub(super) key_count: u32,
    /// The end of the `=`, or [`NONE`].
    pub(super) equals: u32,
    pub(super) value: u32,
    pub(super) span: Span,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum Target {
    Node(u32),
    Table(u32),
}

#[derive(Copy, Clone, Debug)]
pub(super) struct EntryData {
    pub(super) key: u32,
    pub(super) last_key: u32,
    pub(super) target: Target,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum LocalKind {
    Body,
    Inline,
    Dotted,
}

#[derive(Clone, Debug)]
pub(super) struct TableData {
    pub(super) kind: LocalKind,
    /// The braces of an inline table, the first key of a dotted one.
    pub(super) span: Span,
    pub(super) entries: Vec<EntryData>,
    pub(super) statements: Vec<u32>,
    index: Option<HashTable<u32>>,
}

impl TableData {
    pub(super) fn new(kind: LocalKind, span: Span) -> Self {
        Self {
            kind,
            span,
            entries: Vec::new(),
            statements: Vec::new(),
            index: None,
        }
    }
}

/// The first line of a section.
#[derive(Copy, Clone, Debug)]
pub(super) struct HeaderData {
    /// From the opening to the closing brackets.
    pub(super) span: Span,
    /// The end of the header's line, without the line break.
    pub(super) line_end: u32,
    pub(super) key_count: u32,
    pub(super) is_array: bool,
}

/// The parsed content of one section; immutable once built.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) revision: u64,
    pub(super) len: u32,
    /// The keys of the header are the first of `keys`.
    pub(super) header: Option<HeaderData>,
    pub(super) keys: Vec<KeyData>,
    pub(super) strings: Vec<Box<str>>,
    pub(super) nodes: Vec<NodeData>,
    pub(super) lists: Vec<(u32, u32)>,
    pub(super) items: Vec<u32>,
    /// The body is the first table.
    pub(super) tables: Vec<TableData>,
    pub(super) statements: Vec<StatementData>,
    pub(super) comments: Vec<Span>,
    /// The mistakes, at most [`MAXIMUM_ERRORS`].
    pub(super) errors: Vec<SyntaxError>,
    /// How many further mistakes there are.
    pub(super) more_errors: u32,
    /// Up to where the text took part in the parse; beyond `len` where brackets or strings are not closed.
    pub(super) reach: u32,
    /// Whether a multi-line string was cut short, so that all of the text after it took part.
    pub(super) cut_string: bool,
}

/// The most mistakes that a section describes; the rest are counted.
const MAXIMUM_ERRORS: usize = 1_000;

/// A section and where it starts.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) start: u32,
    pub(super) section: Arc<Section>,
}

impl Section {
    /// Notes a mistake.
    pub(super) fn report(&mut self, error: impl FnOnce() -> SyntaxError) {
        if self.errors.len() < MAXIMUM_ERRORS {
            self.errors.push(error());
        } else {
            self.more_errors += 1;
        }
    }

    /// Gives back what building took in advance: a file has thousands of sections, and they live long.
    pub(super) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.strings.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.lists.shrink_to_fit();
        self.items.shrink_to_fit();
        self.statements.shrink_to_fit();
        self.comments.shrink_to_fit();
        self.errors.shrink_to_fit();
        for table in &mut self.tables {
            table.entries.shrink_to_fit();
            table.statements.shrink_to_fit();
        }
        self.tables.shrink_to_fit();
    }

    pub(super) fn node(&self, id: u32) -> NodeData {
        self.nodes.get(id as usize).copied().unwrap_or(NodeData {
            kind: NodeKind::Missing,
            closed: true,
            span: Span::default(),
            payload: NONE,
        })
    }

    pub(super) fn list(&self, id: u32) -> &[u32] {
        let Some((start, len)) = self.lists.get(id as usize).copied() else {
            return &[];
        };
        self.items
            .get(start as usize..(start + len) as usize)
            .unwrap_or(&[])
    }

    pub(super) fn table(&self, id: u32) -> Option<&TableData> {
        self.tables.get(id as usize)
    }

    pub(super) fn statement(&self, id: u32) -> Option<&StatementData> {
        self.statements.get(id as usize)
    }

    /// The decoded text of a key; `text` is the section's text.
    pub(super) fn key_text<'a>(&'a self, id: u32, text: &'a str) -> &'a str {
        let Some(key) = self.keys.get(id as usize) else {
            return "";
        };
        if key.owned == NONE {
            text.get(key.text.range()).unwrap_or("")
        } else {
            self.strings.get(key.owned as usize).map_or("", |s| s)
        }
    }

    /// Finds the entry of `table` whose key is `name`, and not a missing key.
    pub(super) fn find(&self, table: u32, name: &str, text: &str) -> Option<u32> {
        let table = self.table(table)?;
        let is = |entry: &EntryData| {
            self.key_text(entry.key, text) == name
                && !self
                    .keys
                    .get(entry.key as usize)
                    .is_some_and(|key| key.missing)
        };
        if let Some(index) = &table.index {
            return index
                .find(hash(name), |slot| {
                    table.entries.get(*slot as usize).is_some_and(is)
                })
                .copied();
        }
        let slot = table.entries.iter().position(is)?;
        u32::try_from(slot).ok()
    }

    /// Appends an entry to `table`.
    pub(super) fn push_entry(&mut self, table: u32, entry: EntryData, text: &str) {
        let Some(data) = self.tables.get_mut(table as usize) else {
            return;
        };
        data.entries.push(entry);
        let len = data.entries.len();
        if len < INDEXED {
            return;
        }
        let mut index = data.index.take().unwrap_or_default();
        let entries = self.table(table).map_or(&[][..], |t| &t.entries);
        let hash_of = |slot: &u32| {
            entries
                .get(*slot as usize)
                .map_or(0, |entry| hash(self.key_text(entry.key, text)))
        };
        for slot in index.len()..len {
            let slot = super::span::narrow(slot);
            index.insert_unique(hash_of(&slot), slot, hash_of);
        }
        if let Some(data) = self.tables.get_mut(table as usize) {
            data.index = Some(index);
        }
    }

    /// Whether the header names the same tables as `other`'s does.
    pub(super) fn same_header(&self, text: &str, other: &Section, other_text: &str) -> bool {
        match (&self.header, &other.header) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                a.is_array == b.is_array
                    && a.key_count == b.key_count
                    && (0..a.key_count).all(|id| {
                        let missing =
                            |s: &Section| s.keys.get(id as usize).is_some_and(|k| k.missing);
                        self.key_text(id, text) == other.key_text(id, other_text)
                            && missing(self) == missing(other)
                    })
            }
            _ => false,
        }
    }
}

/// Hashes for the life of a process; only ever compared with itself.
pub(super) fn hash(value: impl std::hash::Hash) -> u64 {
    static HASHER: std::sync::OnceLock<DefaultHashBuilder> = std::sync::OnceLock::new();
    HASHER
        .get_or_init(DefaultHashBuilder::default)
        .hash_one(value)
}
