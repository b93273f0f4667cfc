//! What a hover is about.

use jp_config::{
    document::{Document, Node, PathSegment},
    graph::FileId,
    view::View,
};

use crate::{diagnostic::Place, options::Options, text::node::node_at, tool::ToolContext};

/// What stands at an offset, with everything that a description needs.
pub(super) struct Subject<'a> {
    pub(super) view: &'a View,
    pub(super) file: FileId,
    pub(super) document: &'a Document,
    /// The byte of the document that was asked for.
    pub(super) offset: usize,
    pub(super) path: Vec<PathSegment<'a>>,
    /// Whether the offset is in a value, not on a key.
    pub(super) value: Option<Node<'a>>,
}

impl Subject<'_> {
    /// The keys of the path up to the first list.
    pub(super) fn keys(&self) -> Vec<&str> {
        self.path
            .iter()
            .map_while(|segment| match segment {
                PathSegment::Key(key) => Some(*key),
                PathSegment::Index(_) => None,
            })
            .collect()
    }

    /// The tool whose table the path leads into.
    pub(super) fn tool(&self) -> Option<&str> {
        match self.path.as_slice() {
            [
                PathSegment::Key("conversation"),
                PathSegment::Key("tools"),
                PathSegment::Key(tool),
                ..,
            ] => Some(tool),
            _ => None,
        }
    }

    /// The merged tool whose table the path leads into.
    pub(super) fn context(&self) -> Option<ToolContext<'_>> {
        ToolContext::of(self.view, self.tool()?, Options::default())
    }

    /// The place of the list element that the path leads into.
    pub(super) fn element_place(&self) -> Option<Place> {
        let index = self
            .path
            .iter()
            .position(|segment| matches!(segment, PathSegment::Index(_)))?;
        let node = node_at(self.document, self.path.get(..=index)?)?;
        Some(Place {
            file: self.file,
            span: node.span(),
        })
    }

    /// The key after the first list index.
    pub(super) fn element_key(&self) -> Option<&str> {
        let mut rest = self
            .path
            .iter()
            .skip_while(|segment| matches!(segment, PathSegment::Key(_)));
        rest.next()?;
        match rest.next()? {
            PathSegment::Key(key) => Some(key),
            PathSegment::Index(_) => None,
        }
    }
}
