//! What a key of settings means.
//!
//! ```toml
//! [severity]
//! merge-trap = "off"   # hover on `merge-trap`: what is found under that code, and the levels
//! ```

use jp_config::document::{Document, PathSegment, Place};
use serde_json::Value;

use super::{description, shape_at, words};
use crate::{
    hover::Hover,
    text::markup::{MarkupKind, code},
};

/// What to say about the key at an offset of a file that `schema` describes; nothing anywhere else.
#[must_use]
pub fn hover(
    schema: &Value,
    document: &Document,
    offset: usize,
    kind: MarkupKind,
) -> Option<Hover> {
    let position = document.at(offset);
    let (Place::Key { key, .. } | Place::Header { key, .. }) = position.place else {
        return None;
    };
    let path: Vec<&str> = position
        .path
        .iter()
        .map(|segment| match segment {
            PathSegment::Key(key) => key,
            PathSegment::Index(_) => "[]",
        })
        .collect();
    let shape = shape_at(schema, &path)?;
    let quoted = |word: &str| match kind {
        MarkupKind::Markdown => code(word),
        MarkupKind::PlainText => word.to_owned(),
    };
    let mut parts = vec![description(shape)?.to_owned()];
    let levels: Vec<String> = words(shape).map(quoted).collect();
    if !levels.is_empty() {
        parts.push(format!("One of {}", levels.join(", ")));
    }
    if let Some(default) = shape.get("default").and_then(Value::as_str) {
        parts.push(format!("Default: {}", quoted(default)));
    }
    Some(Hover {
        span: key.span(),
        text: parts.join("\n\n"),
    })
}
