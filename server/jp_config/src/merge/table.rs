//! Tables that merge key by key, and the shorthands that stand for one.
//!
//! ```toml
//! model.id = "openai/gpt"             # the same as { provider = "openai", name = "gpt" }
//! enable = "explicit"                 # the same as { state = false, allow_toggle = "if_named" }
//! command = "just serve"              # stands instead of a table
//! ```

use indexmap::{IndexMap, map::Entry};
use serde_json::Value;

use super::{
    Located, LocatedValue, finish as finish_value, is_passed_over, join as join_values,
    located::together, map::nothing, over_nothing, pass_over, says_nothing,
};
use crate::schema::{NodeId, NullMeaning, Schema};

/// Joins two values of which at least one may be a table.
pub(super) fn join(
    schema: &Schema,
    node: Option<NodeId>,
    lower: Located,
    upper: Located,
) -> Located {
    let both_speak = match node {
        Some(id) if schema.node(id).null != NullMeaning::Unset => {
            let is_silent = says_nothing(schema, id, &upper);
            let are_tables = matches!(
                (&lower.value, &upper.value),
                (LocatedValue::Table(_), LocatedValue::Table(_))
            );
            if is_silent && !are_tables {
                return lower;
            }
            !is_silent && !says_nothing(schema, id, &lower)
        }
        _ => true,
    };
    let lower = written_out(schema, node, lower, &upper);
    let origins = together(lower.origins, upper.origins);
    let value = match (lower.value, upper.value) {
        (LocatedValue::Table(lower), LocatedValue::Table(upper)) => {
            LocatedValue::Table(join_entries(schema, node, lower, upper, both_speak))
        }
        (_, value) => value,
    };
    Located { value, origins }
}

fn join_entries(
    schema: &Schema,
    node: Option<NodeId>,
    lower: IndexMap<String, Located>,
    upper: IndexMap<String, Located>,
    both_speak: bool,
) -> IndexMap<String, Located> {
    let child = |key: &str| node.and_then(|id| schema.child(id, key));
    let mut joined = lower;
    if both_speak && let Some(id) = node {
        for field in schema.fields(id) {
            if is_passed_over(schema, field.node)
                && !upper.contains_key(field.name)
                && let Some(slot) = joined.get_mut(field.name)
            {
                let before = std::mem::replace(slot, nothing());
                *slot = pass_over(schema, Some(field.node), before);
            }
        }
    }
    for (key, value) in upper {
        let child = child(&key);
        match joined.entry(key) {
            Entry::Vacant(slot) => {
                slot.insert(if both_speak {
                    over_nothing(schema, child, value)
                } else {
                    value
                });
            }
            Entry::Occupied(mut slot) => {
                let before = std::mem::replace(slot.get_mut(), nothing());
                slot.insert(join_values(schema, child, before, value));
            }
        }
    }
    joined
}

/// The lower value as the table that it stands for, where the upper one is a table.
fn written_out(schema: &Schema, node: Option<NodeId>, lower: Located, upper: &Located) -> Located {
    match (&lower.value, &upper.value) {
        (LocatedValue::String(_), LocatedValue::Table(_)) => {
            match table_of_shorthand(schema, node, &lower) {
                Some(table) => table,
                None => lower,
            }
        }
        _ => lower,
    }
}

/// [`Schema::table_of_shorthand`], with the places that the shorthand comes from.
#[must_use]
pub fn table_of_shorthand(
    schema: &Schema,
    node: Option<NodeId>,
    located: &Located,
) -> Option<Located> {
    let table = schema.table_of_shorthand(node?, located)?;
    let at = |value| Located {
        value,
        origins: located.origins.clone(),
    };
    let parts = table.into_iter().filter_map(|(key, part)| {
        let part = match part {
            Value::Bool(part) => LocatedValue::Boolean(part),
            Value::String(part) => LocatedValue::String(part),
            _ => return None,
        };
        Some((key, at(part)))
    });
    Some(at(LocatedValue::Table(parts.collect())))
}

/// `enable`: a shorthand sets both fields, a table only those that it names (RFD 081).
///
/// A value that is neither is reported where it stands, and sets nothing.
pub(super) fn join_enable(
    schema: &Schema,
    node: Option<NodeId>,
    lower: Located,
    upper: Located,
) -> Located {
    if !matches!(upper.value, LocatedValue::Table(_)) {
        return match table_of_shorthand(schema, node, &upper) {
            Some(table) => table,
            None => lower,
        };
    }
    let lower = table_of_shorthand(schema, node, &lower).unwrap_or(lower);
    let origins = together(lower.origins, upper.origins);
    let mut members = match lower.value {
        LocatedValue::Table(members) => members,
        _ => IndexMap::new(),
    };
    if let LocatedValue::Table(table) = upper.value {
        let set =
            |item: &Located| !matches!(item.value, LocatedValue::Null | LocatedValue::Missing);
        members.extend(table.into_iter().filter(|(_, item)| set(item)));
    }
    Located {
        value: LocatedValue::Table(members),
        origins,
    }
}

/// `enable` as a table.
pub(super) fn enable_table(schema: &Schema, node: Option<NodeId>, located: Located) -> Located {
    if let Some(table) = table_of_shorthand(schema, node, &located) {
        return table;
    }
    let value = match located.value {
        LocatedValue::Table(mut members) => {
            members.retain(|_, item| item.value != LocatedValue::Null);
            members
        }
        _ => IndexMap::new(),
    };
    Located {
        value: LocatedValue::Table(value),
        origins: located.origins,
    }
}

/// Reads the members of a table, each by its own rule; any other value is read already.
pub(super) fn finish(schema: &Schema, node: Option<NodeId>, located: Located) -> Located {
    let value = match located.value {
        LocatedValue::Table(table) => LocatedValue::Table(
            table
                .into_iter()
                .filter_map(|(key, item)| {
                    let child = node.and_then(|id| schema.child(id, &key));
                    Some((key, finish_value(schema, child, item)?))
                })
                .collect(),
        ),
        value => value,
    };
    Located {
        value,
        origins: located.origins,
    }
}
