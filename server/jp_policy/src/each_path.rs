//! The rule that decides each path of a call on its own, for all paths in one walk.
//!
//! ```json
//! {"text": "x", "paths": ["a", "b"]}   // decided as {"text": "x", "paths": ["a"]} and as {"text": "x", "paths": ["b"]}
//! ```
//!
//! A rule is met by any value at its pointer.
//! So the lowest rule that a call with one path meets is the lowest that the path meets, or that anything else meets:
//! the latter is known for all paths together, except for objects and arrays that hold the path and are named as a whole.

use std::ops::Range;

use serde_json::Value;

use crate::{
    group::Group,
    index::NONE,
    matcher::canonical,
    parameter::{Parameter, Parameters},
    path_values::{is_path, with_one_path},
    search_tree::{Node, SearchTree},
};

/// For each path in `arguments`, the lowest rule that a call without the other paths meets, or [`NONE`]; in the order of the walk.
pub(crate) fn first_for_each_path(
    tree: &SearchTree,
    groups: &[Group],
    parameters: &Parameters,
    arguments: &Value,
) -> Vec<u32> {
    let mut walk = Walk {
        tree,
        groups,
        firsts: Vec::new(),
    };
    if let Value::Object(arguments) = arguments {
        walk.several(arguments.iter().map(|(name, value)| Part {
            value,
            parameter: parameters.properties.get(name),
            node: tree.root().and_then(|root| tree.child(root, name)),
            arrays: None,
        }));
    }
    walk.firsts
}

/// A value, what is declared of it, and the rules on it.
#[derive(Clone, Copy)]
struct Part<'a> {
    value: &'a Value,
    parameter: Option<&'a Parameter>,
    node: Option<&'a Node>,
    /// How many arrays are still traversed; as many as the node says when it is `None`.
    arrays: Option<u32>,
}

struct Walk<'a> {
    tree: &'a SearchTree,
    groups: &'a [Group],
    /// The lowest rule for each path that the walk has come by.
    firsts: Vec<u32>,
}

impl<'a> Walk<'a> {
    /// The lowest rule that some of the parts meets without any path; each path of a part learns of what the other parts meet.
    fn several(&mut self, parts: impl Iterator<Item = Part<'a>>) -> u32 {
        let mut lowest = NONE;
        let mut second = NONE;
        let mut with_paths: Vec<(Range<usize>, u32)> = Vec::new();
        for part in parts {
            let start = self.firsts.len();
            let first = self.part(part);
            if first < lowest {
                second = lowest;
                lowest = first;
            } else {
                second = second.min(first);
            }
            if self.firsts.len() > start {
                with_paths.push((start..self.firsts.len(), first));
            }
        }
        for (paths, own) in with_paths {
            let others = if own == lowest { second } else { lowest };
            for first in self.firsts.get_mut(paths).unwrap_or_default() {
                *first = others.min(*first);
            }
        }
        lowest
    }

    /// The lowest rule that the part meets without any path.
    fn part(&mut self, part: Part<'a>) -> u32 {
        let Part {
            value,
            parameter,
            node,
            arrays,
        } = part;
        let group = node
            .and_then(|node| node.group)
            .and_then(|group| self.groups.get(group));
        if is_path(value, parameter) {
            self.firsts
                .push(group.map_or(NONE, |group| group.index.first(value, NONE)));
            return NONE;
        }
        let start = self.firsts.len();
        let arrays = arrays.unwrap_or_else(|| node.map_or(0, |node| node.arrays));
        let inside = match value {
            Value::Array(elements) => {
                let is_traversed = arrays > 0;
                let first = self.several(elements.iter().map(|value| Part {
                    value,
                    parameter: parameter.and_then(|parameter| parameter.items.as_deref()),
                    node: node.filter(|_| is_traversed),
                    arrays: Some(arrays.saturating_sub(1)),
                }));
                if is_traversed {
                    return first;
                }
                first
            }
            Value::Object(object) => {
                let tree = self.tree;
                self.several(object.iter().map(|(name, value)| Part {
                    value,
                    parameter: parameter.and_then(|parameter| parameter.properties.get(name)),
                    node: node.and_then(|node| tree.child(node, name)),
                    arrays: None,
                }))
            }
            _ => NONE,
        };
        match group {
            Some(group) => inside.min(self.whole(value, parameter, group, start)),
            None => inside,
        }
    }

    /// The lowest rule that the value as a whole meets without any path; each of its paths learns of what it meets with that path.
    fn whole(
        &mut self,
        value: &Value,
        parameter: Option<&Parameter>,
        group: &Group,
        start: usize,
    ) -> u32 {
        if self.firsts.len() == start {
            return group.index.first(value, NONE);
        }
        let (Some(longest), Some(bare)) = (
            group.index.longest_container(),
            with_one_path(value, parameter, None),
        ) else {
            return NONE;
        };
        // With a path it is longer still, and equal to nothing that a rule names.
        if canonical(&bare).len() > longest {
            return NONE;
        }
        for (number, first) in self.firsts.iter_mut().skip(start).enumerate() {
            if let Some(value) = with_one_path(value, parameter, Some(number)) {
                *first = group.index.first(&value, *first);
            }
        }
        group.index.first(&bare, NONE)
    }
}
