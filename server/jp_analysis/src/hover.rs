//! What a key or value means, and what it comes to.
//!
//! ```toml
//! [conversation.tools.fs_read_file]
//! run = "ask"   # hover on `run`: the effective value and where it stands, what it decides, then its type and default
//! ```

mod access;
mod enable;
mod model;
mod policy;
mod subject;
mod template;
mod tool;

use std::borrow::Cow;

use jp_config::{
    document::{Document, Node, PathSegment, Place as Position, Span},
    graph::FileId,
    schema::{NodeId, Shape, StringFormat, schema},
    view::{LayerValue, View},
};
use jp_tool::ConfigPath;
use serde_json::Value;

pub use self::access::AccessRule;
use self::subject::Subject;
use crate::{
    explain::{
        ConfigValue, value_at,
        words::{Style, effective_sentence},
    },
    place::{Place, line_of, shown_path},
    text::{
        markup::{self, Markup},
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
///
/// What holds comes first, with the place that says it; then what that means, in a line each; what is seldom asked comes last.
///
/// `kernel` says what a kernel holds of the access rule there ([`access_rule_at`]), where that has been asked.
#[must_use]
pub fn hover(
    view: &View,
    file: FileId,
    document: &Document,
    offset: usize,
    kernel: Option<&str>,
    style: Style<'_>,
) -> Option<Hover> {
    let (subject, span) = subject_at(view, file, document, offset)?;
    let text = describe(&subject, kernel, style);
    // Brackets and dots belong to the nearest key.
    let at = u32::try_from(offset)
        .unwrap_or(u32::MAX)
        .min(document.span().end);
    let span = Span::new(span.start.min(at), span.end.max(at));
    (!text.is_empty()).then_some(Hover { span, text })
}

/// The access rule at an offset, of a local tool; none elsewhere, and none where another layer's rules stand instead.
#[must_use]
pub fn access_rule_at(
    view: &View,
    file: FileId,
    document: &Document,
    offset: usize,
) -> Option<AccessRule> {
    let (subject, _) = subject_at(view, file, document, offset)?;
    access::rule_of(&subject)
}

/// What stands at an offset, and where.
fn subject_at<'a>(
    view: &'a View,
    file: FileId,
    document: &'a Document,
    offset: usize,
) -> Option<(Subject<'a>, Span)> {
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
        offset,
        path,
        value,
    };
    Some((subject, span))
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

fn describe(subject: &Subject<'_>, kernel: Option<&str>, style: Style<'_>) -> String {
    let mut markup = Markup::new(style.kind);
    let node = schema_node(&subject.path);
    let held = held(subject, node);
    match held.as_ref().filter(|found| says_a_value(found, node)) {
        Some(found) => markup.paragraph(&effective_sentence(found, style)),
        None => markup.heading(&shown(&subject.path)),
    }
    tool::describe(subject, &mut markup);
    access::describe(subject, kernel, &mut markup);
    policy::describe(subject, &mut markup);
    template::describe(subject, &mut markup);
    enable::describe(subject, &mut markup);
    model::describe(subject, node, &mut markup);
    describe_target(subject, node, &mut markup);
    if let Some(node) = node {
        describe_variant(subject, node, held.as_ref(), &mut markup);
        let summary = schema().node(node).summary();
        if !summary.is_empty() {
            markup.paragraph(summary);
        }
    }
    match &held {
        Some(found) => describe_layers(found, style, &mut markup),
        None => describe_places(subject, node, style, &mut markup),
    }
    if let Some(node) = node {
        describe_node(subject, node, held.as_ref(), &mut markup);
    }
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

/// What a word of the schema means: the one under the cursor, else the one that holds.
fn describe_variant(
    subject: &Subject<'_>,
    id: NodeId,
    held: Option<&ConfigValue>,
    markup: &mut Markup,
) {
    let written = subject.value.and_then(Node::as_str);
    let holds = || Some(held?.value.as_str()?.into());
    let Some(text) = written.or_else(holds) else {
        return;
    };
    let variants = schema().variants(id).into_iter();
    let mut named = variants
        .filter(|variant| variant.value == text || variant.aliases.contains(&text.as_ref()));
    if let Some(variant) = named.next() {
        markup.paragraph(&format!("`{}`: {}", variant.value, variant.doc));
        if let Some(instead) = variant.deprecated {
            markup.paragraph(&format!("A legacy spelling: write `{instead}`."));
        }
    }
}

/// What the schema says beside the first line of its description.
fn describe_node(
    subject: &Subject<'_>,
    id: NodeId,
    held: Option<&ConfigValue>,
    markup: &mut Markup,
) {
    let schema = schema();
    let node = schema.node(id);
    if !matches!(node.shape, Shape::Any) {
        // A paragraph, so that what follows is no item of a list before it.
        markup.paragraph(&format!("Type: {}", schema.describe(id)));
    }
    if let Some(default) = &node.default
        && !held.is_some_and(|found| found.is_default)
    {
        markup.item(&format!(
            "Default: {}",
            markup::code(&toml_text::value(default))
        ));
    }
    let in_list = subject.keys().len() < subject.path.len();
    let merge = match wrapped_value(&subject.path) {
        true => Some("the wrapper's `strategy` says how they combine."),
        false => node.merge.describe(),
    };
    if let Some(merge) = merge.filter(|_| !in_list) {
        markup.item(&format!("In several files: {merge}"));
    }
    if let Some(requirement) = requirement(&subject.path) {
        markup.item(&requirement);
    }
    if let Some(sensitivity) = node.sensitivity.describe() {
        markup.item(sensitivity);
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
    let rest = node.doc.strip_prefix(node.summary()).unwrap_or_default();
    if !rest.trim().is_empty() {
        markup.paragraph(rest.trim());
    }
}

/// Whether a path leads to the value in a merge wrapper.
fn wrapped_value(path: &[PathSegment<'_>]) -> bool {
    let Some((PathSegment::Key("value"), parent)) = path.split_last() else {
        return false;
    };
    schema_node(parent).is_some_and(|id| schema().node(id).wrapper.is_some())
}

/// Whether the last key of a path must be present.
fn requirement(path: &[PathSegment<'_>]) -> Option<Cow<'static, str>> {
    let (PathSegment::Key(key), parent) = path.split_last()? else {
        return None;
    };
    let field = schema().field(schema_node(parent)?, key)?;
    field.requirement.describe()
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

/// What the path holds; nothing in a list, and of a table none but its places are told: what all tools come to need not be merged for that.
fn held(subject: &Subject<'_>, node: Option<NodeId>) -> Option<ConfigValue> {
    let keys = subject.keys();
    if keys.len() < subject.path.len() || keys.is_empty() || node.is_some_and(is_only_a_table) {
        return None;
    }
    Some(value_at(subject.view, &keys))
}

/// Whether what a path holds says something on one line.
fn says_a_value(found: &ConfigValue, node: Option<NodeId>) -> bool {
    match &found.value {
        Value::Object(_) => false,
        Value::Null => node.is_some(),
        _ => true,
    }
}

fn is_only_a_table(node: NodeId) -> bool {
    let node = schema().node(node);
    node.wrapper.is_none() && matches!(node.shape, Shape::Struct(_) | Shape::Map(_))
}

/// The files that say something of a table, where there are several.
fn describe_places(
    subject: &Subject<'_>,
    node: Option<NodeId>,
    style: Style<'_>,
    markup: &mut Markup,
) {
    let keys = subject.keys();
    if keys.len() < subject.path.len() || keys.is_empty() || !node.is_some_and(is_only_a_table) {
        return;
    }
    let graph = subject.view.graph();
    let places: Vec<Place> = subject
        .view
        .values(&keys)
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
        let path = shown_path(graph, *place);
        markup.item(&style.place(&path, line_of(graph, *place) + 1));
    }
    describe_rest(places.len(), markup);
}

fn describe_rest(layers: usize, markup: &mut Markup) {
    if let Some(more) = layers.checked_sub(MAXIMUM_LAYERS + 1) {
        markup.item(&format!("and {} more", more + 1));
    }
}

/// The files that say something of a value, where there are several.
fn describe_layers(found: &ConfigValue, style: Style<'_>, markup: &mut Markup) {
    if let Some((path, value)) = &found.in_effect {
        markup.paragraph(&format!(
            "A zero here stands for {}: {} in a turn.",
            markup::code(path),
            markup::code(&markup::shortened(&toml_text::value(value), 200))
        ));
    }
    if found.layers.len() < 2 {
        return;
    }
    let is_table = matches!(found.value, Value::Object(_));
    markup.paragraph("Set by, the strongest first:");
    for layer in found.layers.iter().rev().take(MAXIMUM_LAYERS) {
        let place = style.place(&layer.path, layer.line + 1);
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
