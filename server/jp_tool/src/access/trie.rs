//! A prefix tree over path segments.
//!
//! ```text
//! src            -> 1
//! src/generated  -> 2      longest("src/generated/a.rs") = 2
//! ```

use std::collections::HashMap;

/// Values at sequences of segments.
///
/// The nodes live in one vector, so that neither building nor dropping recurses however deep a path is.
#[derive(Debug, Clone)]
pub(super) struct SegmentTrie<V> {
    nodes: Vec<Node<V>>,
}

#[derive(Debug, Clone)]
struct Node<V> {
    children: HashMap<Box<[u8]>, usize>,
    value: Option<V>,
}

impl<V> Default for SegmentTrie<V> {
    fn default() -> Self {
        Self {
            nodes: vec![Node::empty()],
        }
    }
}

impl<V> Node<V> {
    fn empty() -> Self {
        Self {
            children: HashMap::new(),
            value: None,
        }
    }
}

impl<V> SegmentTrie<V> {
    /// Sets the value at `segments`, replacing what was there.
    pub(super) fn insert<'k>(&mut self, segments: impl Iterator<Item = &'k [u8]>, value: V) {
        let mut at = 0;
        for segment in segments {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            at = if let Some(child) = node.children.get(segment) {
                *child
            } else {
                node.children.insert(segment.into(), next);
                self.nodes.push(Node::empty());
                next
            };
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.value = Some(value);
        }
    }

    /// The value at the longest prefix of `segments` that has one, and the length of that prefix.
    pub(super) fn longest<'k>(
        &self,
        segments: impl Iterator<Item = &'k [u8]>,
    ) -> Option<(usize, &V)> {
        let mut node = self.nodes.first()?;
        let mut best = node.value.as_ref().map(|value| (0, value));
        for (depth, segment) in segments.enumerate() {
            let Some(child) = node
                .children
                .get(segment)
                .and_then(|child| self.nodes.get(*child))
            else {
                break;
            };
            node = child;
            if let Some(value) = &node.value {
                best = Some((depth + 1, value));
            }
        }
        best
    }
}
