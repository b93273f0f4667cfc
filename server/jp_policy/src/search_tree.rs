//! All arguments that rules look at, as one tree that a call is walked along once.
//!
//! ```json
//! { "path": "src/lib.rs", "patterns": [{ "paths": [".env"] }] }
//! ```

use serde_json::{Map, Value};

use crate::{group::Group, index::NONE};

/// The pointers of all groups, segment by segment.
#[derive(Debug)]
pub(crate) struct SearchTree {
    /// The root, which stands for the arguments object, comes first.
    nodes: Vec<Node>,
}

/// One segment of a pointer.
#[derive(Debug)]
pub(crate) struct Node {
    /// Sorted by name.
    children: Vec<(String, usize)>,
    /// The rules on exactly this pointer.
    pub(crate) group: Option<usize>,
    /// How many arrays, one in the other, are traversed here.
    pub(crate) arrays: u32,
    /// The lowest rule at or below this node.
    lowest: u32,
}

impl Node {
    fn new(arrays: u32) -> Self {
        Self {
            children: Vec::new(),
            group: None,
            arrays,
            lowest: NONE,
        }
    }
}

impl Default for SearchTree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::new(0)],
        }
    }
}

impl SearchTree {
    pub(crate) fn new(groups: &[Group]) -> Self {
        let mut tree = Self::default();
        for (index, group) in groups.iter().enumerate() {
            let _: Option<()> = tree.insert(index, group);
        }
        tree
    }

    /// `None` cannot happen: every index in the tree is one that it made.
    fn insert(&mut self, index: usize, group: &Group) -> Option<()> {
        let lowest = group.rules.first().copied().unwrap_or(NONE);
        let mut current: usize = 0;
        for step in &group.argument.steps {
            let made = self.nodes.len();
            let node = self.nodes.get_mut(current)?;
            node.lowest = node.lowest.min(lowest);
            match node
                .children
                .binary_search_by(|(name, _)| name.as_str().cmp(&step.name))
            {
                Ok(at) => current = node.children.get(at)?.1,
                Err(at) => {
                    node.children.insert(at, (step.name.clone(), made));
                    self.nodes.push(Node::new(step.arrays));
                    current = made;
                }
            }
            let node = self.nodes.get_mut(current)?;
            node.arrays = node.arrays.max(step.arrays);
        }
        let node = self.nodes.get_mut(current)?;
        node.lowest = node.lowest.min(lowest);
        node.group = Some(index);
        Some(())
    }

    /// The node of the arguments object.
    pub(crate) fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    /// The node of a property of the objects at `node`, if a rule looks there.
    pub(crate) fn child(&self, node: &Node, name: &str) -> Option<&Node> {
        let found = node
            .children
            .binary_search_by(|(child, _)| child.as_str().cmp(name));
        let (_, child) = node.children.get(found.ok()?)?;
        self.nodes.get(*child)
    }

    /// The lowest rule below `ceiling` that some value in `arguments` satisfies, or else `ceiling`.
    pub(crate) fn first(&self, groups: &[Group], arguments: &Value, ceiling: u32) -> u32 {
        match (self.nodes.first(), arguments) {
            (Some(root), Value::Object(arguments)) => {
                self.first_in_object(groups, root, arguments, ceiling)
            }
            _ => ceiling,
        }
    }

    fn first_in_object(
        &self,
        groups: &[Group],
        node: &Node,
        object: &Map<String, Value>,
        ceiling: u32,
    ) -> u32 {
        let mut best = ceiling;
        let mut look = |child: usize, value: &Value| {
            if let Some(child) = self.nodes.get(child)
                && child.lowest < best
            {
                best = self.first_in_value(groups, child, value, child.arrays, best);
            }
        };
        if node.children.len() <= object.len() {
            for (name, child) in &node.children {
                if let Some(value) = object.get(name) {
                    look(*child, value);
                }
            }
        } else {
            for (name, value) in object {
                let found = node
                    .children
                    .binary_search_by(|(child, _)| child.as_str().cmp(name));
                if let Some((_, child)) = found.ok().and_then(|at| node.children.get(at)) {
                    look(*child, value);
                }
            }
        }
        best
    }

    fn first_in_value(
        &self,
        groups: &[Group],
        node: &Node,
        value: &Value,
        arrays: u32,
        ceiling: u32,
    ) -> u32 {
        if let Value::Array(elements) = value
            && arrays > 0
        {
            return elements.iter().fold(ceiling, |best, element| {
                self.first_in_value(groups, node, element, arrays.saturating_sub(1), best)
            });
        }
        let mut best = ceiling;
        if let Some(group) = node.group.and_then(|group| groups.get(group)) {
            best = group.index.first(value, best);
        }
        match value {
            Value::Object(object) if !node.children.is_empty() => {
                self.first_in_object(groups, node, object, best)
            }
            _ => best,
        }
    }
}
