//! Keys that a table does not know.
//!
//! ```toml
//! [conversation.tools.grep]
//! summery = "x"     # did you mean `summary`?
//! hidden = true     # did you mean `style.hidden`?
//!
//! [mcp.servers.x]   # write `providers.mcp`
//! ```

use crate::{
    code::Severity,
    schema::{Field, NodeId, Schema, Shape, StructShape, UnknownKeys},
    words::{one_of, shorten, suggest},
};

/// What to say about a key that a table does not know.
#[derive(Debug, Clone, Eq, PartialEq)]
pub struct UnknownKey {
    /// A warning where the released `jp` drops the key in silence.
    pub severity: Severity,
    /// What is wrong and what to write instead.
    pub message: String,
    /// The keys that are legal.
    pub expected: Vec<&'static str>,
    /// The key to write instead, dotted where it belongs one table deeper.
    pub suggestion: Option<String>,
}

/// What to say about `key` in the table `parent`, such as the segment of a header that [`Schema::lookup_header`] rejects.
///
/// `None` means that the parent takes no keys of its own at all, or takes any.
#[must_use]
pub fn unknown_key(schema: &Schema, parent: NodeId, key: &str) -> Option<UnknownKey> {
    Some(in_table(schema, shape_of(schema, parent)?, key))
}

fn shape_of(schema: &Schema, parent: NodeId) -> Option<&StructShape> {
    let mut shapes = schema
        .branches(parent)
        .into_iter()
        .chain(schema.node(parent).wrapper);
    shapes.find_map(|id| match &schema.node(id).shape {
        Shape::Struct(shape) => Some(shape),
        _ => None,
    })
}

/// How bad [`unknown_key`] is, without a word on it.
#[must_use]
pub fn unknown_key_severity(schema: &Schema, parent: NodeId) -> Severity {
    shape_of(schema, parent).map_or(Severity::Error, severity)
}

pub(super) fn in_table(schema: &Schema, shape: &StructShape, key: &str) -> UnknownKey {
    let expected: Vec<_> = shape.fields.iter().map(|field| field.name).collect();
    let mut message = format!("unknown key `{}`", shorten(key));
    let severity = severity(shape);
    if severity == Severity::Warning {
        message.push_str(" is silently ignored");
    }
    let hint = shape.hints.iter().find(|(name, _)| *name == key);
    let suggestion = if let Some((_, hint)) = hint {
        message.push_str(&format!(": {hint}"));
        let meant = expected
            .iter()
            .find(|name| *hint == format!("write `{name}`"));
        meant.map(|name| (*name).to_owned())
    } else {
        let near = suggest(key, expected.iter().copied())
            .map(str::to_owned)
            .or_else(|| deeper(schema, shape, key));
        match &near {
            Some(near) => message.push_str(&format!(", did you mean `{near}`?")),
            None => message.push_str(&format!(", expected {}", one_of(expected.iter().copied()))),
        }
        near
    };
    UnknownKey {
        severity,
        message,
        expected,
        suggestion,
    }
}

/// How bad an unknown key of a table is.
pub(super) fn severity(shape: &StructShape) -> Severity {
    match shape.unknown_keys {
        UnknownKeys::Deny => Severity::Error,
        UnknownKeys::Ignore => Severity::Warning,
    }
}

/// The dotted key, where exactly one table of the shape knows the key.
fn deeper(schema: &Schema, shape: &StructShape, key: &str) -> Option<String> {
    let knows = |field: &&Field| {
        schema
            .branches(field.node)
            .into_iter()
            .any(|branch| match &schema.node(branch).shape {
                Shape::Struct(inner) => inner.fields.iter().any(|field| field.name == key),
                _ => false,
            })
    };
    let mut found = shape.fields.iter().filter(knows);
    match (found.next(), found.next()) {
        (Some(only), None) => Some(format!("{}.{key}", only.name)),
        _ => None,
    }
}
