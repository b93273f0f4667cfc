//! A radix trie over the bytes of constants and prefixes.
//!
//! ```toml
//! { arg = "/command", prefix = "git ", mode = "ask" }
//! { arg = "/command", const = "git status", mode = "unattended" } # below the prefix, one walk finds both
//! ```

use super::lowest;

/// Constants and prefixes, each with the rules that have it, ascending.
#[derive(Debug)]
pub(super) struct Trie {
    /// The root comes first.
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    /// The bytes between the parent and this node.
    label: Box<[u8]>,
    /// The first byte of each child's label, sorted.
    children: Vec<(u8, u32)>,
    exact: Vec<u32>,
    prefix: Vec<u32>,
}

impl Default for Trie {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
        }
    }
}

impl Trie {
    pub(super) fn insert_exact(&mut self, key: &str, rule: u32) {
        if let Some(node) = self.node_for(key) {
            node.exact.push(rule);
        }
    }

    pub(super) fn insert_prefix(&mut self, key: &str, rule: u32) {
        if let Some(node) = self.node_for(key) {
            node.prefix.push(rule);
        }
    }

    /// The lowest rule below `ceiling` that matches `key`, or else `ceiling`.
    pub(super) fn first(&self, key: &str, ceiling: u32) -> u32 {
        let mut best = ceiling;
        self.walk(key, |node, is_end| {
            best = best.min(lowest(Some(&node.prefix)));
            if is_end {
                best = best.min(lowest(Some(&node.exact)));
            }
        });
        best
    }

    /// The rules below `ceiling` that match `key`, at most the first `limit` of each node.
    pub(super) fn matching(&self, key: &str, ceiling: u32, limit: usize) -> Vec<u32> {
        let mut found = Vec::new();
        self.walk(key, |node, is_end| {
            let exact = if is_end { node.exact.as_slice() } else { &[] };
            for rules in [node.prefix.as_slice(), exact] {
                let below = rules.iter().copied().take_while(|rule| *rule < ceiling);
                found.extend(below.take(limit));
            }
        });
        found
    }

    /// Whether some key starts with `key`.
    pub(super) fn has_below(&self, key: &str) -> bool {
        let mut rest = key.as_bytes();
        let mut node = self.nodes.first();
        while let (Some(current), [byte, ..]) = (node, rest) {
            let Some(child) = self.child(current, *byte) else {
                return false;
            };
            match rest.strip_prefix(&*child.label) {
                Some(remaining) => rest = remaining,
                None => return child.label.starts_with(rest),
            }
            node = Some(child);
        }
        rest.is_empty()
    }

    fn walk<'a>(&'a self, key: &str, mut visit: impl FnMut(&'a Node, bool)) {
        let mut rest = key.as_bytes();
        let Some(mut node) = self.nodes.first() else {
            return;
        };
        loop {
            visit(node, rest.is_empty());
            let Some(child) = rest.first().and_then(|byte| self.child(node, *byte)) else {
                return;
            };
            let Some(remaining) = rest.strip_prefix(&*child.label) else {
                return;
            };
            rest = remaining;
            node = child;
        }
    }

    fn child(&self, node: &Node, byte: u8) -> Option<&Node> {
        let at = child_at(node, byte).ok()?;
        let (_, child) = node.children.get(at)?;
        self.nodes.get(usize::try_from(*child).ok()?)
    }

    /// The node of `key`, made if there is none.
    ///
    /// `None` cannot happen: every index in the trie is one that it made.
    fn node_for(&mut self, key: &str) -> Option<&mut Node> {
        let mut rest = key.as_bytes();
        let mut current: usize = 0;
        while let Some(byte) = rest.first() {
            let node = self.nodes.get(current)?;
            match child_at(node, *byte) {
                Ok(at) => {
                    let (_, child) = node.children.get(at)?;
                    current = usize::try_from(*child).ok()?;
                    let label = &self.nodes.get(current)?.label;
                    let common = common_length(label, rest);
                    if common < label.len() {
                        self.split(current, common)?;
                    }
                    rest = rest.get(common..)?;
                }
                Err(at) => {
                    let child = u32::try_from(self.nodes.len()).ok()?;
                    let entry = (*byte, child);
                    self.nodes.push(Node {
                        label: rest.into(),
                        ..Node::default()
                    });
                    self.nodes.get_mut(current)?.children.insert(at, entry);
                    current = usize::try_from(child).ok()?;
                    rest = &[];
                }
            }
        }
        self.nodes.get_mut(current)
    }

    /// Cuts the label of a node after `length` bytes: the node keeps the head, a child of its own takes what it had.
    fn split(&mut self, index: usize, length: usize) -> Option<()> {
        let child = u32::try_from(self.nodes.len()).ok()?;
        let node = self.nodes.get_mut(index)?;
        let (head, tail) = node.label.split_at_checked(length)?;
        let (head, tail): (Box<[u8]>, Box<[u8]>) = (head.into(), tail.into());
        let byte = *tail.first()?;
        let lower = Node {
            label: tail,
            ..std::mem::take(node)
        };
        node.label = head;
        node.children.push((byte, child));
        self.nodes.push(lower);
        Some(())
    }
}

fn child_at(node: &Node, byte: u8) -> Result<usize, usize> {
    node.children
        .binary_search_by_key(&byte, |(first, _)| *first)
}

fn common_length(left: &[u8], right: &[u8]) -> usize {
    left.iter()
        .zip(right)
        .take_while(|(left, right)| left == right)
        .count()
}
