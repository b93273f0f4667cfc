//! Where the node of a value is.

use super::super::Document;
use super::super::section::{NONE, NodeData, NodeKind, Section};
use super::super::span::Span;

/// A node of a section.
#[derive(Copy, Clone)]
pub(in crate::document) struct NodeRef<'a> {
    pub(in crate::document) document: &'a Document,
    pub(in crate::document) section: u32,
    pub(in crate::document) node: u32,
}

impl<'a> NodeRef<'a> {
    pub(in crate::document) fn section(self) -> Option<(&'a Section, u32, &'a str)> {
        self.document.sections_view().get(self.section)
    }

    pub(in crate::document) fn data(self) -> NodeData {
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

    pub(in crate::document) fn span(self) -> Span {
        self.section()
            .map_or(Span::default(), |(section, start, _)| {
                section.node(self.node).span.shift(start)
            })
    }

    pub(in crate::document) fn text(self) -> &'a str {
        self.section().map_or("", |(section, _, text)| {
            text.get(section.node(self.node).span.range()).unwrap_or("")
        })
    }
}
