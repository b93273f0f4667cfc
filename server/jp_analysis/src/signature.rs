//! The form of the table around a place, with the part that is being written.
//!
//! ```toml
//! { arg = "/path", prefix = "src/" }   # { arg = "/path", ⟨prefix = path⟩, mode }
//! ```
//!
//! It is one form and at most three lines: the form, what the part under the cursor is, and what the table is for.
//! A policy rule whose matcher is not written yet lists the matchers that its parameter may have in one place.

mod rule;

use std::ops::Range;

use jp_config::{
    document::{Document, Node, PathSegment, Place, Table, TableKind},
    schema::{Field, NodeId, Requirement, Shape, schema},
    view::View,
};

use crate::text::{
    markup::{Markup, MarkupKind, code, one_line, shortened},
    node::{node_at, schema_node},
    position::position,
    toml_text,
};

/// A table with more keys than this has no form that can be taken in at a glance.
const MOST_KEYS: usize = 12;

/// The most characters of one part of a form.
const LONGEST_PART: usize = 90;

/// The form of the table around a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The whole form on one line; control characters are written out.
    pub label: String,
    /// What a table of this form means, on one line.
    pub doc: String,
    /// Its keys, in the order of the label.
    pub parameters: Vec<SignatureParameter>,
    /// The key under the cursor; between keys the first one that is not there yet.
    pub active_parameter: Option<usize>,
}

/// One key of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParameter {
    /// The bytes of the label that show it.
    pub label: Range<usize>,
    /// What it means, on one line.
    pub doc: String,
}

/// Says what form the table around `offset` has; nothing outside of inline tables and elements of lists.
#[must_use]
pub fn signature_help(
    view: &View,
    document: &Document,
    offset: usize,
    kind: MarkupKind,
) -> Option<Signature> {
    let text = document.text();
    let position = position(document, text.floor_char_boundary(offset.min(text.len())));
    let mut path = position.path;
    let mut is_new = false;
    match position.place {
        Place::Comment(_) | Place::Header { .. } => return None,
        Place::Array { index, .. } => {
            path.push(PathSegment::Index(index));
            is_new = true;
        }
        _ => {}
    }
    for end in (1..=path.len()).rev() {
        let (form, rest) = path.split_at(end);
        let is_element = matches!(form.last(), Some(PathSegment::Index(_)));
        let table = node_at(document, form)
            .and_then(Node::as_table)
            .filter(|_| !(is_new && rest.is_empty()));
        let is_inline = table.is_some_and(|table| table.kind() == TableKind::Inline);
        if !is_element && !is_inline {
            continue;
        }
        let Some(node) = schema_node(form) else {
            continue;
        };
        if schema().fields(node).is_empty() {
            continue;
        }
        let key = match rest.first() {
            Some(PathSegment::Key(key)) => Some(*key),
            _ => None,
        };
        let site = Site {
            view,
            path: form,
            node,
            table,
            key,
            kind,
        };
        return rule::signature(&site).or_else(|| plain(&site));
    }
    None
}

/// The table that is being written.
struct Site<'a> {
    view: &'a View,
    /// Its path.
    path: &'a [PathSegment<'a>],
    /// Its description.
    node: NodeId,
    /// The table, if the text has it already.
    table: Option<Table<'a>>,
    /// The key under the cursor.
    key: Option<&'a str>,
    kind: MarkupKind,
}

impl Site<'_> {
    fn has(&self, key: &str) -> bool {
        self.table.is_some_and(|table| table.get(key).is_some())
    }

    /// Which of the keys of a form is being written.
    fn active(&self, keys: &[&str]) -> Option<usize> {
        let Some(typed) = self.key else {
            return keys.iter().position(|key| !self.has(key));
        };
        let exact = keys.iter().position(|key| *key == typed);
        exact.or_else(|| keys.iter().position(|key| is_begun(key, typed)))
    }
}

/// Whether `typed` is the beginning of a key; nothing is the beginning of none.
fn is_begun(key: &str, typed: &str) -> bool {
    !typed.is_empty() && key.starts_with(typed)
}

/// The one form of a table whose keys the schema names.
fn plain(site: &Site<'_>) -> Option<Signature> {
    let mut fields: Vec<&Field> = schema().fields(site.node).iter().collect();
    if fields.len() > MOST_KEYS {
        return None;
    }
    fields.sort_by_key(|field| field.requirement != Requirement::Local);
    let keys: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let active = site.active(&keys);
    let mut form = Form::new(site.kind);
    for (index, field) in fields.iter().enumerate() {
        let is_shown = field.requirement == Requirement::Local || active == Some(index);
        let part = match field.requirement {
            Requirement::Local => format!("{} = {}", field.name, words(field.node)),
            _ if is_shown => format!("{}? = {}", field.name, words(field.node)),
            _ => format!("{}?", field.name),
        };
        form.key(&part, |markup| describe_field(field, markup));
    }
    Some(form.finish(schema().node(site.node).summary(), active))
}

fn describe_field(field: &Field, markup: &mut Markup) {
    let node = schema().node(field.node);
    let mut line = node.summary().to_owned();
    if let Some(default) = &node.default {
        let default = code(&toml_text::value(default));
        line.push_str(&format!(" Default: {default}."));
    }
    markup.paragraph(line.trim_start());
}

/// What a value looks like, in a few words: `true | false`, `"ask" | "unattended"`, `string`.
fn words(node: NodeId) -> String {
    let schema = schema();
    let mut found: Vec<String> = Vec::new();
    for branch in schema.branches(node) {
        match &schema.node(branch).shape {
            Shape::Boolean => found.push("true | false".to_owned()),
            Shape::Integer { .. } => found.push("integer".to_owned()),
            Shape::Float => found.push("number".to_owned()),
            Shape::String(_) => found.push("string".to_owned()),
            Shape::Enum(variants) => {
                let variants = variants
                    .iter()
                    .filter(|variant| variant.deprecated.is_none());
                found.extend(variants.map(|variant| format!("\"{}\"", variant.value)));
            }
            Shape::Any => found.push("value".to_owned()),
            Shape::Struct(_) | Shape::Map(_) => found.push("table".to_owned()),
            Shape::List { .. } => found.push("list".to_owned()),
            Shape::Union(_) => {}
        }
    }
    found.dedup();
    found.join(" | ")
}

/// A form that is being put together.
struct Form {
    kind: MarkupKind,
    label: String,
    parameters: Vec<SignatureParameter>,
}

impl Form {
    fn new(kind: MarkupKind) -> Self {
        Self {
            kind,
            label: "{ ".to_owned(),
            parameters: Vec::new(),
        }
    }

    fn key(&mut self, part: &str, describe: impl FnOnce(&mut Markup)) {
        if !self.parameters.is_empty() {
            self.label.push_str(", ");
        }
        let start = self.label.len();
        self.label
            .push_str(&one_line(&shortened(part, LONGEST_PART)));
        let mut markup = Markup::new(self.kind);
        describe(&mut markup);
        self.parameters.push(SignatureParameter {
            label: start..self.label.len(),
            doc: markup.finish(),
        });
    }

    fn finish(mut self, doc: &str, active_parameter: Option<usize>) -> Signature {
        self.label.push_str(" }");
        let mut markup = Markup::new(self.kind);
        if !doc.is_empty() {
            markup.paragraph(doc);
        }
        Signature {
            label: self.label,
            doc: markup.finish(),
            parameters: self.parameters,
            active_parameter,
        }
    }
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
