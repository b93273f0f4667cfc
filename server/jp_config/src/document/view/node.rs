//! Values, and arrays of them.
//!
//! ```toml
//! run = ["ask", { mode = "ask" }]
//!
//! [[access.fs]]
//! path = "src"
//! ```

use std::borrow::Cow;
use std::fmt;

use super::super::Document;
use super::super::section::{NONE, NodeKind};
use super::super::span::Span;
use super::node_ref::NodeRef;
use super::scalar::{Scalar, Str};
use super::table::Table;

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

impl<'a> NodeRef<'a> {
    pub(in crate::document) fn view(self) -> Node<'a> {
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

/// An array of values, or an array of tables.
#[derive(Copy, Clone)]
pub struct Array<'a> {
    pub(super) document: &'a Document,
    /// The node that headers make, or [`NONE`].
    pub(super) spine: u32,
    pub(super) section: u32,
    pub(super) node: u32,
}

impl<'a> Array<'a> {
    fn ids(self) -> &'a [u32] {
        if let Some(node) = self.document.spine.node(self.spine) {
            return &node.children;
        }
        let Some((section, _, _)) = self.document.sections_view().get(self.section) else {
            return &[];
        };
        section.list(section.node(self.node).payload)
    }

    /// Whether it is written as `[[headers]]`.
    #[must_use]
    pub fn is_array_of_tables(self) -> bool {
        self.spine != NONE
    }

    /// The number of items.
    #[must_use]
    pub fn len(self) -> usize {
        self.ids().len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.ids().is_empty()
    }

    /// The item at `index`.
    #[must_use]
    pub fn get(self, index: usize) -> Option<Node<'a>> {
        let id = *self.ids().get(index)?;
        Some(self.item(id))
    }

    fn item(self, id: u32) -> Node<'a> {
        if self.is_array_of_tables() {
            return Node::Table(Table::from_spine(self.document, id));
        }
        NodeRef {
            document: self.document,
            section: self.section,
            node: id,
        }
        .view()
    }

    /// The items in order.
    pub fn items(self) -> impl ExactSizeIterator<Item = Node<'a>> + 'a {
        self.ids().iter().map(move |id| self.item(*id))
    }

    /// The brackets with what is between; for an array of tables its first header.
    #[must_use]
    pub fn span(self) -> Span {
        if self.is_array_of_tables() {
            let first = self.ids().first().copied().unwrap_or(NONE);
            return Table::from_spine(self.document, first).span();
        }
        NodeRef {
            document: self.document,
            section: self.section,
            node: self.node,
        }
        .span()
    }
}

impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "array of {}@{:?}", self.len(), self.span().range())
    }
}
