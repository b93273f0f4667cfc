//! What a key or value means, and what it comes to.
//!
//! ```toml
//! [conversation.tools.fs_read_file]
//! run = "ask"   # hover on `run`: what it decides, its type and default, the effective value and the layers that set it
//! ```

mod access;
mod enable;
mod model;
mod policy;
mod subject;
mod tool;

use jp_config::{
    document::{Document, Node, PathSegment, Place as Position, Span},
    graph::FileId,
    schema::{Merge, NodeId, Requirement, Sensitivity, Shape, Strategy, StringFormat, schema},
    view::{LayerValue, View},
};
use jp_tool::ConfigPath;
use serde_json::Value;

use self::subject::Subject;
use crate::{
    explain::{ConfigValue, value_at},
    place::{Place, line_of, shown_path},
    text::{
        markup::{self, Markup, MarkupKind},
        node::schema_node,
        toml_text,
    },
};

/// The most layers that are listed.
const MAXIMUM_LAYERS: usize = 8;

/// The text about one span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// What the text is about.
    pub span: Span,
    /// The text.
    pub text: String,
}

/// What to say about the key or value at an offset; nothing about blanks and comments.
#[must_use]
pub fn hover(
    view: &View,
    file: FileId,
    document: &Document,
    offset: usize,
    kind: MarkupKind,
) -> Option<Hover> {
    let position = document.at(offset);
    let (span, value) = match position.place {
        Position::Header { key, .. } => (key.span(), None),
        Position::Key { key, .. } => (key.span(), None),
        Position::String { string, .. } => (string.span(), Some(Node::Str(string))),
        Position::Value(node) => (node.span(), Some(node)),
        Position::Array { array, .. } => (array.span(), Some(array)),
        Position::Inline => (position.table.span(), Some(Node::Table(position.table))),
        Position::Missing(_) | Position::Comment(_) | Position::Blank { .. } => return None,
    };
    let mut path = position.path;
    if let Position::Header {
        segment, segments, ..
    } = position.place
        && segment + 1 == segments
        && let Some(element) = element_of_header(document, position.section)
    {
        path = element;
    }
    if path
        .iter()
        .any(|segment| matches!(segment, PathSegment::Key("")))
    {
        return None;
    }
    let subject = Subject {
        view,
        file,
        document,
        path,
        value,
    };
    let text = describe(&subject, kind);
    // Brackets and dots belong to the nearest key.
    let at = u32::try_from(offset)
        .unwrap_or(u32::MAX)
        .min(document.span().end);
    let span = Span::new(span.start.min(at), span.end.max(at));
    (!text.is_empty()).then_some(Hover { span, text })
}

/// The path of the list element that a `[[header]]` begins.
fn element_of_header(document: &Document, section: usize) -> Option<Vec<PathSegment<'_>>> {
    let section = document.sections().nth(section)?;
    if !section.is_array_of_tables() {
        return None;
    }
    let end = section.header_span()?.end;
    let path = document.at(end as usize).path;
    matches!(path.last(), Some(PathSegment::Index(_))).then_some(path)
}

fn describe(subject: &Subject<'_>, kind: MarkupKind) -> String {
    let mut markup = Markup::new(kind);
    markup.heading(&shown(&subject.path));
    let node = schema_node(&subject.path);
    tool::describe(subject, &mut markup);
    access::describe(subject, &mut markup);
    policy::describe(subject, &mut markup);
    enable::describe(subject, &mut markup);
    model::describe(subject, node, &mut markup);
    describe_target(subject, node, &mut markup);
    if let Some(node) = node {
        describe_node(subject, node, &mut markup);
    }
    describe_value(subject, node, &mut markup);
    markup.finish()
}

/// The path for people, who count the elements of lists from 1.
fn shown(path: &[PathSegment<'_>]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            PathSegment::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&toml_text::key(key));
            }
            PathSegment::Index(index) => {
                text.push_str(&format!(" #{}", index + 1));
            }
        }
    }
    text
}

fn describe_node(subject: &Subject<'_>, id: NodeId, markup: &mut Markup) {
    let schema = schema();
    let node = schema.node(id);
    if let Some(text) = subject.value.and_then(Node::as_str)
        && let Some(variant) = schema
            .variants(id)
            .into_iter()
            .find(|variant| variant.value == text || variant.aliases.contains(&text.as_ref()))
    {
        markup.paragraph(&format!("`{}`: {}", variant.value, variant.doc));
        if let Some(instead) = variant.deprecated {
            markup.paragraph(&format!("A legacy spelling: write `{instead}`."));
        }
    }
    if !node.doc.is_empty() {
        markup.paragraph(node.doc);
    }
    if !matches!(node.shape, Shape::Any) {
        markup.item(&format!("Type: {}", schema.describe(id)));
    }
    if let Some(default) = &node.default {
        markup.item(&format!(
            "Default: {}",
            markup::code(&toml_text::value(default))
        ));
    }
    let in_list = subject.keys().len() < subject.path.len();
    let merge = match wrapped_value(&subject.path) {
        true => Some("the wrapper's `strategy` says how layers combine."),
        false => merge_rule(node.merge),
    };
    if let Some(merge) = merge.filter(|_| !in_list) {
        markup.item(&format!("Layers: {merge}"));
    }
    if let Some(requirement) = requirement(&subject.path) {
        markup.item(requirement);
    }
    match node.sensitivity {
        Sensitivity::Ordinary => {}
        Sensitivity::Privileged => {
            markup.item("Privileged: it decides what runs or whether a human is asked.");
        }
        Sensitivity::Sensitive => {
            markup.item("Sensitive: a tool changes it only with `write = \"insecure_allow\"`.");
        }
    }
    if let Some(since) = node.since {
        markup.item(&format!("Since: {since}"));
    }
    if !node.released {
        markup.item("The released `jp` does not know it yet and refuses the file.");
    }
    for example in node.examples.iter().take(2) {
        markup.item(&format!("Example: {}", markup::code(example)));
    }
}

/// Whether a path leads to the value in a merge wrapper.
fn wrapped_value(path: &[PathSegment<'_>]) -> bool {
    let Some((PathSegment::Key("value"), parent)) = path.split_last() else {
        return false;
    };
    schema_node(parent).is_some_and(|id| schema().node(id).wrapper.is_some())
}

fn merge_rule(merge: Merge) -> Option<&'static str> {
    Some(match merge {
        Merge::Replace => "a later layer's value stands.",
        Merge::Struct | Merge::Map => "tables merge key by key.",
        Merge::MergeableVec {
            default: Strategy::Append,
        }
        | Merge::Append => "a later layer's list follows this one.",
        Merge::MergeableVec {
            default: Strategy::Prepend,
        } => "a later layer's list precedes this one.",
        Merge::MergeableVec {
            default: Strategy::Replace,
        } => "a later layer's list stands instead; `{ strategy = …, value = … }` says otherwise.",
        Merge::MergeableString => {
            "a later layer's text stands; `{ strategy = …, value = … }` says otherwise."
        }
        Merge::MergeableMap => "maps merge deeply; `{ strategy = …, value = … }` says otherwise.",
        Merge::Json => "tables merge deeply, everything else is replaced.",
        Merge::Enable => "a shorthand sets `state` and `allow_toggle`, a table only what it names.",
        Merge::Union => return None,
        Merge::FirstWins => "the first layer that sets it wins.",
    })
}

/// Whether the last key of a path must be present.
fn requirement(path: &[PathSegment<'_>]) -> Option<&'static str> {
    let (PathSegment::Key(key), parent) = path.split_last()? else {
        return None;
    };
    let field = schema().field(schema_node(parent)?, key)?;
    match field.requirement {
        Requirement::Optional => None,
        Requirement::Local => Some("Required: it must stand in this very table."),
        Requirement::Conditional => Some("Required: some layer must set it."),
        Requirement::Global => Some("Required: some layer must set it for the workspace to load."),
    }
}

/// What a string names: another config path.
fn describe_target(subject: &Subject<'_>, node: Option<NodeId>, markup: &mut Markup) {
    let (Some(node), Some(text)) = (node, subject.value.and_then(Node::as_str)) else {
        return;
    };
    if !schema().formats(node).contains(&StringFormat::ConfigPath) {
        return;
    }
    let Ok(path) = ConfigPath::parse(&text) else {
        return;
    };
    let shown = path.to_string();
    let segments: Vec<&str> = shown.split('.').collect();
    if let Ok(lookup) = schema().lookup(segments.iter().copied()) {
        let target = schema().node(lookup.node);
        if !target.doc.is_empty() {
            markup.paragraph(&format!("{}: {}", markup::code(&shown), target.summary()));
        }
    }
}

/// The effective value, and the layers that set it.
fn describe_value(subject: &Subject<'_>, node: Option<NodeId>, markup: &mut Markup) {
    let keys = subject.keys();
    if keys.len() < subject.path.len() || keys.is_empty() {
        return;
    }
    if node.is_some_and(is_only_a_table) {
        // Of a table only the places are told: what all tools come to need not be merged for that.
        describe_places(subject, &keys, markup);
        return;
    }
    let found = value_at(subject.view, &keys);
    let is_table = matches!(found.value, Value::Object(_));
    if is_table && found.layers.len() < 2 {
        return;
    }
    if !is_table && !found.value.is_null() && !found.is_default {
        let from = match &found.inherited_from {
            Some(from) => format!(", inherited from {}", markup::code(from)),
            None => String::new(),
        };
        markup.paragraph(&format!(
            "Effective value: {}{from}",
            markup::code(&markup::shortened(&toml_text::value(&found.value), 200))
        ));
    }
    if let Some((path, value)) = &found.in_effect {
        markup.paragraph(&format!(
            "A zero here stands for {}: {} in a turn.",
            markup::code(path),
            markup::code(&markup::shortened(&toml_text::value(value), 200))
        ));
    }
    if let Some(above) = &found.replaced_by {
        markup.paragraph(&format!(
            "{} is set as a whole by a stronger layer, so this key has no value of its own.",
            markup::code(above)
        ));
    }
    describe_layers(&found, is_table, markup);
}

fn is_only_a_table(node: NodeId) -> bool {
    let node = schema().node(node);
    node.wrapper.is_none() && matches!(node.shape, Shape::Struct(_) | Shape::Map(_))
}

/// The layers that say something of a table, where there are several.
fn describe_places(subject: &Subject<'_>, keys: &[&str], markup: &mut Markup) {
    let graph = subject.view.graph();
    let places: Vec<Place> = subject
        .view
        .values(keys)
        .filter_map(|(layer, value)| {
            let span = match value {
                LayerValue::Node(node) => node.span(),
                LayerValue::Data(_) => Span { start: 0, end: 0 },
            };
            let file = subject.view.file(layer)?;
            Some(Place { file, span })
        })
        .collect();
    if places.len() < 2 {
        return;
    }
    markup.paragraph("Set by, the strongest first:");
    for place in places.iter().rev().take(MAXIMUM_LAYERS) {
        let (path, line) = (shown_path(graph, *place), line_of(graph, *place) + 1);
        markup.item(&markup::code(&format!("{path}:{line}")));
    }
    describe_rest(places.len(), markup);
}

fn describe_rest(layers: usize, markup: &mut Markup) {
    if let Some(more) = layers.checked_sub(MAXIMUM_LAYERS + 1) {
        markup.item(&format!("and {} more", more + 1));
    }
}

fn describe_layers(found: &ConfigValue, is_table: bool, markup: &mut Markup) {
    if found.layers.is_empty() {
        return;
    }
    markup.paragraph("Set by, the strongest first:");
    for layer in found.layers.iter().rev().take(MAXIMUM_LAYERS) {
        let place = markup::code(&format!("{}:{}", layer.path, layer.line + 1));
        if is_table {
            markup.item(&place);
        } else {
            let value = markup::shortened(&toml_text::value(&layer.value), 80);
            markup.item(&format!("{place}: {}", markup::code(&value)));
        }
    }
    describe_rest(found.layers.len(), markup);
}

#[cfg(test)]
#[path = "hover_tests.rs"]
mod tests;
