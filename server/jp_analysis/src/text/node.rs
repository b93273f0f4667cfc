//! From a path to what the text has at it, and to what the schema says of it.
//!
//! ```toml
//! policy.run = [{ mode = "ask" }]   # policy, run, 0, mode
//! ```

use jp_config::{
    document::{Document, Node, PathSegment},
    schema::{NodeId, schema},
};

/// What a document holds at a path.
pub(crate) fn node_at<'a>(document: &'a Document, path: &[PathSegment<'_>]) -> Option<Node<'a>> {
    path.iter().try_fold(
        Node::Table(document.root()),
        |node, segment| match segment {
            PathSegment::Key(key) => Some(node.as_table()?.get(key)?.value()),
            PathSegment::Index(index) => node.as_array()?.get(*index),
        },
    )
}

/// The description of the value that a path leads to.
pub(crate) fn schema_node(path: &[PathSegment<'_>]) -> Option<NodeId> {
    path.iter()
        .try_fold(schema().root(), |node, segment| match segment {
            PathSegment::Key(key) => schema().child(node, key),
            PathSegment::Index(_) => element_of(node),
        })
}

/// The description of the value that keys lead to; `[]` is any element of a list.
pub(crate) fn schema_node_of<K: AsRef<str>>(keys: &[K]) -> Option<NodeId> {
    keys.iter()
        .try_fold(schema().root(), |node, key| match key.as_ref() {
            "[]" => element_of(node),
            key => schema().child(node, key),
        })
}

/// The description of the elements of a list.
fn element_of(list: NodeId) -> Option<NodeId> {
    // The plain list in a merge wrapper is a list of the same elements.
    let wrapped = || schema().item(schema().node(list).wrapper?);
    schema().item(list).or_else(wrapped)
}
