//! Arrays, of values and of tables alike.
//!
//! ```toml
//! run = ["ask", { mode = "ask" }]
//!
//! [[access.fs]]
//! path = "src"
//! ```

use std::fmt;

use super::super::Document;
use super::super::section::NONE;
use super::super::span::Span;
use super::{Node, NodeRef, Table};

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
