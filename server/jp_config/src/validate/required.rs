//! What must be there once everything is merged, and what must not be there for the released `jp`.
//!
//! ```toml
//! [conversation.tools.grep]
//! run = "ask"                # `source` must come from some layer
//!
//! [[conversation.tools.grep.access.net]]   # the released `jp` rejects `net`
//! host = "docs.rs"
//! ```

use super::{At, Violation, value::fits};
use crate::{
    code::{Code, Severity},
    path::{push_index, push_key},
    schema::{Field, Merge, NodeId, Requirement, Schema, Shape},
    tree::{Kind, Tree},
};

/// What must be set for a workspace to load; of each group, one path suffices.
const GLOBAL: [&[&[&str]]; 2] = [
    &[&["assistant", "model", "id"]],
    &[
        &["conversation", "tools", "*", "run"],
        &["conversation", "tools", "*", "policy", "run"],
    ],
];

/// The keys that merged config lacks: those that some layer must set once their table exists.
#[must_use]
pub fn missing_required<T: Tree>(
    schema: &Schema,
    id: NodeId,
    tree: T,
    path: &str,
) -> Vec<Violation<T>> {
    let mut found = Vec::new();
    walk(schema, id, tree, &mut path.to_owned(), &mut |visit| {
        let (fields, table, path) = match visit {
            Visit::Table(fields, table, path) => (fields, table, path),
            Visit::Entry(field, ..) => return !stands_whole(schema, field.node),
        };
        let missing = fields.iter().filter(|field| {
            field.requirement == Requirement::Conditional
                && table
                    .get(field.name)
                    .is_none_or(|value| value.kind() == Kind::Null)
        });
        found.extend(missing.map(|field| self::missing(path, field.name, table)));
        true
    });
    found
}

/// The keys that merged config lacks although the value of another key asks for them: the config loads, and the table cannot be used.
///
/// What is empty is missing.
#[must_use]
pub fn missing_companions<T: Tree>(
    schema: &Schema,
    id: NodeId,
    tree: T,
    path: &str,
) -> Vec<Violation<T>> {
    let mut found = Vec::new();
    walk(schema, id, tree, &mut path.to_owned(), &mut |visit| {
        let Visit::Table(fields, table, path) = visit else {
            return true;
        };
        let says = |key, text| {
            let value = table.get(key);
            value.is_some_and(|value| value.as_str().as_deref() == Some(text))
        };
        for field in fields {
            let Requirement::Companion { key, value } = field.requirement else {
                continue;
            };
            let is_absent = match table.get(field.name) {
                Some(value) if value.kind() == Kind::String => {
                    value.as_str().is_some_and(|text| text.is_empty())
                }
                Some(value) => value.kind() == Kind::Null,
                None => true,
            };
            if is_absent && says(key, value) {
                found.push(Violation {
                    severity: Severity::Warning,
                    ..missing(path, field.name, table)
                });
            }
        }
        true
    });
    found
}

/// Whether a table stands as it is written and stays partial, such as the assistant that answers a question: nothing is required in it.
fn stands_whole(schema: &Schema, id: NodeId) -> bool {
    schema.node(id).merge == Merge::Replace
        && schema
            .branches(id)
            .into_iter()
            .any(|branch| matches!(schema.node(branch).shape, Shape::Struct(_)))
}

/// The keys that a whole merged workspace lacks: without them it does not load.
#[must_use]
pub fn missing_global<T: Tree>(root: T) -> Vec<Violation<T>> {
    let present = |path: &&[&str]| {
        let found = path
            .iter()
            .try_fold(root, |table, segment| table.get(segment));
        found.is_some_and(|value| value.kind() != Kind::Null)
    };
    GLOBAL
        .iter()
        .filter(|alternatives| !alternatives.iter().any(present))
        .filter_map(|alternatives| {
            let (key, table) = alternatives.first()?.split_last()?;
            Some(missing(&table.join("."), key, root))
        })
        .collect()
}

/// The keys that the released `jp` rejects, the outermost of each only.
#[must_use]
pub fn rejected_by_released<T: Tree>(
    schema: &Schema,
    id: NodeId,
    tree: T,
    path: &str,
) -> Vec<Violation<T>> {
    let mut found = Vec::new();
    walk(schema, id, tree, &mut path.to_owned(), &mut |visit| {
        let Visit::Entry(field, entry, path) = visit else {
            return true;
        };
        let node = schema.node(field.node);
        if !node.released {
            let since = node
                .since
                .map_or_else(String::new, |since| format!(" ({since})"));
            found.push(Violation {
                code: Code::ReleasedJpRejects,
                severity: Severity::Warning,
                at: At::Key(entry),
                path: path.to_owned(),
                message: format!(
                    "the released `jp` rejects `{}`{since} and refuses to load the file",
                    field.name
                ),
                expected: Vec::new(),
                suggestion: None,
            });
        }
        node.released
    });
    found
}

pub(super) fn missing<T: Tree>(path: &str, key: &str, table: T) -> Violation<T> {
    let mut path = path.to_owned();
    push_key(&mut path, key);
    Violation {
        code: Code::MissingRequired,
        severity: Severity::Error,
        at: At::Value(table),
        message: format!("missing required value for `{path}`"),
        path,
        expected: vec![key.to_owned()],
        suggestion: None,
    }
}

/// A stop on the way through a document.
enum Visit<'v, T: Tree> {
    /// A table with known keys.
    Table(&'v [Field], T, &'v str),
    /// A known key of one.
    Entry(&'v Field, T::Entry, &'v str),
}

/// Visits all that the schema describes; an entry is entered where `visit` says so.
fn walk<T: Tree>(
    schema: &Schema,
    id: NodeId,
    tree: T,
    path: &mut String,
    visit: &mut impl FnMut(Visit<'_, T>) -> bool,
) {
    let node = schema.node(id);
    let kind = tree.kind();
    if let Some(wrapper) = schema.wrapper_of(id, tree) {
        walk(schema, wrapper, tree, path, visit);
        return;
    }
    match &node.shape {
        Shape::Struct(shape) if kind == Kind::Table => {
            visit(Visit::Table(&shape.fields, tree, path));
            for entry in tree.entries() {
                let key = T::key(&entry);
                let Some(field) = shape.fields.iter().find(|field| field.name == key) else {
                    continue;
                };
                let length = push_key(path, key);
                if visit(Visit::Entry(field, entry.clone(), path)) {
                    walk(schema, field.node, T::value(&entry), path, visit);
                }
                path.truncate(length);
            }
        }
        Shape::Map(shape) if kind == Kind::Table => {
            for entry in tree.entries() {
                let key = T::key(&entry);
                let length = push_key(path, key);
                walk(schema, shape.get(key), T::value(&entry), path, visit);
                path.truncate(length);
            }
        }
        Shape::List { item } => {
            for (index, element) in tree.items().enumerate() {
                let length = push_index(path, index);
                walk(schema, *item, element, path, visit);
                path.truncate(length);
            }
        }
        Shape::Union(branches) => {
            let fitting = branches
                .iter()
                .find(|branch| fits(&schema.node(**branch).shape, tree));
            if let Some(branch) = fitting {
                walk(schema, *branch, tree, path, visit);
            }
        }
        _ => {}
    }
}
