//! Merging layers by the schema's merge rules, with where each value comes from.
//!
//! ```toml
//! # layer A
//! access.fs = [{ path = ".", read = true }]
//! # layer B appends; `strategy = "replace"` would start over
//! access.fs = { strategy = "append", value = [{ path = "src", write = true }] }
//! ```
//!
//! A layer is a *partial* config: what it leaves out keeps the value of the layers below it.
//! So is what two layers come to: a merge wrapper in it still speaks to the layers below, until [`finish`] reads it as a value.
//! The rules are those of the released `jp`, down to what its merging loses, because a person works with what `jp` loads.

mod json;
mod list;
mod located;
mod map;
mod presence;
mod table;
mod text;
mod tree;

use self::located::together;
pub use self::{
    list::rules_of,
    located::{LayerId, Located, LocatedValue, Origin},
    presence::says_nothing,
    table::table_of_shorthand,
};
use crate::schema::{Merge, NodeId, Schema, Shape, Strategy};

/// Merges what several layers say of one schema node, weakest first, and reads the result as a value.
///
/// Answers nothing where no layer sets a value.
/// A node that the schema does not know merges like free-form JSON.
#[must_use]
pub fn merge(schema: &Schema, node: Option<NodeId>, stack: Vec<Located>) -> Option<Located> {
    let joined = stack
        .into_iter()
        .reduce(|lower, upper| join(schema, node, lower, upper))?;
    finish(schema, node, joined)
}

/// Puts one partial value over another; the result is partial too.
///
/// What is still being typed sets nothing, and neither does a `null` outside of free-form data.
#[must_use]
pub fn join(schema: &Schema, node: Option<NodeId>, lower: Located, upper: Located) -> Located {
    if sets_nothing(schema, node, &upper) {
        return lower;
    }
    if sets_nothing(schema, node, &lower) {
        return upper;
    }
    match rule(schema, node) {
        Merge::MergeableVec { default } => list::join(lower, upper, default),
        Merge::Append => list::append(lower, upper),
        Merge::MergeableString => text::join(lower, upper),
        Merge::FirstWins => lower,
        Merge::Replace => replace(schema, node, lower, upper),
        Merge::Enable => table::join_enable(schema, node, lower, upper),
        Merge::Json => json::join(lower, upper),
        Merge::MergeableMap => map::join(lower, upper, &|key, lower, upper| {
            let entry = node.and_then(|id| schema.child(id, key));
            join(schema, entry, lower, upper)
        }),
        Merge::Struct | Merge::Map | Merge::Union => table::join(schema, node, lower, upper),
    }
}

/// What a field becomes when an upper layer sets other keys of the same table, and not the field.
///
/// To `jp` a list that a layer does not mention is an empty one, and so is a map of labels:
/// a wrapper loses its strategy to it, and with `discard_when_merged` its elements.
#[must_use]
pub fn pass_over(schema: &Schema, node: Option<NodeId>, lower: Located) -> Located {
    match rule(schema, node) {
        Merge::MergeableVec {
            default: Strategy::Append,
        } => list::pass_over(lower),
        Merge::MergeableMap => map::pass_over(lower),
        _ => lower,
    }
}

/// What a field is when a lower layer sets other keys of the same table, and not the field: see [`pass_over`].
#[must_use]
pub fn over_nothing(schema: &Schema, node: Option<NodeId>, upper: Located) -> Located {
    match rule(schema, node) {
        Merge::MergeableVec {
            default: Strategy::Append,
        } => list::over_nothing(upper),
        _ => upper,
    }
}

/// Whether a table's other keys have a part in what becomes of this one: see [`pass_over`].
#[must_use]
pub fn is_passed_over(schema: &Schema, node: NodeId) -> bool {
    matches!(
        schema.node(node).merge,
        Merge::MergeableMap
            | Merge::MergeableVec {
                default: Strategy::Append
            }
    )
}

/// Reads a partial value as the value that it comes to: wrappers and shorthands written out, `null` left out.
///
/// Answers nothing where the value sets nothing.
#[must_use]
pub fn finish(schema: &Schema, node: Option<NodeId>, located: Located) -> Option<Located> {
    if sets_nothing(schema, node, &located) {
        return None;
    }
    Some(match rule(schema, node) {
        Merge::MergeableVec { .. } => {
            let item = node.and_then(|id| schema.item(id));
            finish_items(schema, item, list::plain(located))
        }
        Merge::Append => finish_items(schema, node.and_then(|id| schema.item(id)), located),
        Merge::MergeableString => text::plain(located),
        Merge::MergeableMap => table::finish(schema, node, map::plain(located)),
        Merge::Enable => table::enable_table(schema, node, located),
        Merge::Struct | Merge::Map | Merge::Union => table::finish(schema, node, located),
        Merge::Replace => match node.map(|id| &schema.node(id).shape) {
            Some(Shape::List { item }) => finish_items(schema, Some(*item), located),
            _ => located,
        },
        Merge::Json | Merge::FirstWins => located,
    })
}

/// The elements of a list do not merge with each other; each is read alone.
fn finish_items(schema: &Schema, item: Option<NodeId>, located: Located) -> Located {
    let value = match located.value {
        LocatedValue::List(items) => LocatedValue::List(
            items
                .into_iter()
                .filter_map(|element| finish(schema, item, element))
                .collect(),
        ),
        value => value,
    };
    Located {
        value,
        origins: located.origins,
    }
}

fn rule(schema: &Schema, node: Option<NodeId>) -> Merge {
    node.map_or(Merge::Json, |id| schema.node(id).merge)
}

fn sets_nothing(schema: &Schema, node: Option<NodeId>, located: &Located) -> bool {
    match located.value {
        LocatedValue::Missing => true,
        LocatedValue::Null => node.is_some_and(|id| schema.node(id).null.sets_nothing()),
        _ => false,
    }
}

/// The upper value stands, unless it is one that `jp` takes for none.
fn replace(schema: &Schema, node: Option<NodeId>, lower: Located, upper: Located) -> Located {
    if node.is_some_and(|id| says_nothing(schema, id, &upper)) {
        return lower;
    }
    Located {
        value: upper.value,
        origins: together(lower.origins, upper.origins),
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
