//! The single values that a partial config sets.
//!
//! ```json
//! { "conversation": { "tools": { "grep": { "enable": true } } } }
//! ```
//!
//! sets `conversation.tools.grep.enable.state` and `conversation.tools.grep.enable.allow_toggle`.
//! Authorization, confirmation and claims of a tool's changes all work on this list (RFD 078).

use std::borrow::Cow;

use serde_json::Value;

use super::{NodeId, Schema, Shape};
use crate::path::push_key;

/// One value that a partial config sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf<'v> {
    /// The segments of its config path.
    pub path: Vec<String>,
    /// Its description; `None` for a key that the schema does not know.
    pub node: Option<NodeId>,
    /// The value, with shorthands written out.
    pub value: Cow<'v, Value>,
}

impl Leaf<'_> {
    /// The config path in one text, segments with other than bare characters quoted.
    #[must_use]
    pub fn dotted(&self) -> String {
        let mut dotted = String::new();
        for segment in &self.path {
            push_key(&mut dotted, segment);
        }
        dotted
    }
}

impl Schema {
    /// The values that a partial config sets, in document order.
    ///
    /// - A list is one leaf, and so is a merge wrapper, whatever it wraps.
    /// - A shorthand of `enable` sets `state` and `allow_toggle`.
    /// - A model id sets `provider` and `name`; an alias is one leaf, so resolve aliases first.
    /// - Free-form data is one leaf, and so is an empty entry of a map.
    /// - `null` sets nothing.
    #[must_use]
    pub fn leaves<'v>(&self, partial: &'v Value) -> Vec<Leaf<'v>> {
        let mut leaves = Vec::new();
        self.collect_leaves(Some(self.root()), partial, &mut Vec::new(), &mut leaves);
        leaves
    }

    fn collect_leaves<'v>(
        &self,
        id: Option<NodeId>,
        value: &'v Value,
        path: &mut Vec<String>,
        leaves: &mut Vec<Leaf<'v>>,
    ) {
        if value.is_null() {
            return;
        }
        if let Some(table) = id.and_then(|id| self.table_of_shorthand(id, value)) {
            for (key, value) in table {
                let mut path = path.clone();
                path.push(key.clone());
                leaves.push(Leaf {
                    path,
                    node: id.and_then(|id| self.child(id, &key)),
                    value: Cow::Owned(value),
                });
            }
            return;
        }
        let (Some(table), Some(id)) = (self.inner_table(id, value), id) else {
            leaves.push(Leaf {
                path: path.clone(),
                node: id,
                value: Cow::Borrowed(value),
            });
            return;
        };
        let is_map = self.map(id).is_some();
        for (key, value) in table {
            let child = self.child(id, key);
            path.push(key.clone());
            let is_empty_entry = is_map && value.as_object().is_some_and(serde_json::Map::is_empty);
            if is_empty_entry {
                leaves.push(Leaf {
                    path: path.clone(),
                    node: child,
                    value: Cow::Borrowed(value),
                });
            } else {
                self.collect_leaves(child, value, path, leaves);
            }
            path.pop();
        }
    }

    /// The entries of a value that is a table by its description and no merge wrapper.
    fn inner_table<'v>(
        &self,
        id: Option<NodeId>,
        value: &'v Value,
    ) -> Option<&'v serde_json::Map<String, Value>> {
        let table = value.as_object()?;
        let is_wrapped = self.wrapper_of(id?, value).is_some();
        let is_table = self
            .branches(id?)
            .into_iter()
            .any(|branch| matches!(self.node(branch).shape, Shape::Struct(_) | Shape::Map(_)));
        (is_table && !is_wrapped).then_some(table)
    }
}

#[cfg(test)]
#[path = "leaves_tests.rs"]
mod tests;
