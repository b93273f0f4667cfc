//! Whether a value sets anything.
//!
//! ```toml
//! [assistant]              # sets something
//! instructions = []        # sets nothing
//! model.parameters = {}    # sets nothing
//! name = ""                # sets a text
//! ```

use crate::{
    schema::{
        Merge, NodeId, NullMeaning, Schema, Shape,
        wrapper::{DEDUP, STRATEGY, VALUE, discards},
    },
    tree::{Kind, Tree},
};

/// Whether a value is as good as absent to the released `jp`.
///
/// An optional value that is written is always set.
/// Of the others, a table sets nothing if no known key of it does, and an empty list, map or text sets nothing.
#[must_use]
pub fn says_nothing<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> bool {
    let node = schema.node(id);
    match tree.kind() {
        Kind::Null => node.null.sets_nothing(),
        Kind::Missing => true,
        _ if matches!(
            node.null,
            NullMeaning::Unset | NullMeaning::Kept | NullMeaning::Value
        ) =>
        {
            false
        }
        Kind::String => tree.as_str().is_some_and(|text| text.is_empty()),
        Kind::Array => tree.items().next().is_none(),
        Kind::Table => table_says_nothing(schema, id, tree),
        _ => false,
    }
}

fn table_says_nothing<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> bool {
    let node = schema.node(id);
    match (&node.merge, &node.shape) {
        (Merge::MergeableVec { .. }, _) => wrapper_says_nothing(tree),
        (_, Shape::Map(_)) => tree.entries().next().is_none(),
        _ => tree.entries().all(|entry| {
            schema
                .child(id, T::key(&entry))
                .is_none_or(|child| says_nothing(schema, child, T::value(&entry)))
        }),
    }
}

/// A wrapper without elements still speaks to other layers by what else it holds.
fn wrapper_says_nothing<T: Tree>(tree: T) -> bool {
    let is_set = |key: &str| {
        tree.get(key)
            .is_some_and(|value| !matches!(value.kind(), Kind::Null | Kind::Missing))
    };
    let has_elements = tree
        .get(VALUE)
        .is_some_and(|value| value.items().next().is_some());
    !has_elements && !is_set(STRATEGY) && !is_set(DEDUP) && !discards(tree)
}
