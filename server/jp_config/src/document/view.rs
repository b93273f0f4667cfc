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
use super::section::{NONE, NodeData, NodeKind, Section};
use super::span::Span;
use super::spine::KeyRef;

mod array;
mod entry;
mod scalar;
mod section_ref;
mod table;

pub use array::Array;
pub use entry::Entry;
pub use scalar::{Scalar, Str};
pub use section_ref::SectionRef;
pub use table::{Entries, Table, TableKind};

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
