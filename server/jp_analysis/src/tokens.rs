//! What each word of a document is, for an editor to colour by meaning.
//!
//! ```toml
//! [conversation.tools.fs_read_file]   # namespace, namespace, tool
//! run = "unattended"                  # key, enum member
//! ```

mod template;

use jp_config::{
    document::{Document, Entry, Key, Node, SectionRef, Span, Str, Table},
    schema::{KeyKind, NodeId, Shape, StringFormat, schema},
};

use self::template::PieceKind;
use crate::{risk::risk, tool::DEFAULTS};

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A comment.
    Comment,
    /// A key of a table that the schema knows.
    Key,
    /// A key that names a table in a header.
    Table,
    /// The name of a tool.
    Tool,
    /// The name of a parameter.
    Parameter,
    /// Any other name that a person picks: an alias, a server, an option.
    Name,
    /// A text.
    Text,
    /// What is put into a text when a command is rendered, in its braces.
    Template,
    /// A regular expression.
    Pattern,
    /// One of the texts that the schema lists.
    Variant,
    /// A number, date or time.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// A word, its kind, and what else is to be seen of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The word.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind,
    /// Whether it defines what it names.
    pub declares: bool,
    /// Whether something else is to be written instead.
    pub deprecated: bool,
    /// Whether something happens without asking because of it, or everything is granted.
    pub permissive: bool,
}

/// The tokens of one section, by position and without overlap.
///
/// They depend on the section's text alone.
#[must_use]
pub fn section_tokens(section: SectionRef<'_>) -> Vec<Token> {
    let mut tokens = Tokens { found: Vec::new() };
    let node = tokens.header(section);
    let mut path: Vec<&str> = section.header().into_iter().map(Key::text).collect();
    tokens.table(&mut path, node, section.body());
    tokens.found.extend(section.comments().map(|span| Token {
        span,
        kind: TokenKind::Comment,
        declares: false,
        deprecated: false,
        permissive: false,
    }));
    tokens.found.sort_by_key(|token| token.span);
    let mut end = 0;
    tokens.found.retain(|token| {
        let fits = token.span.start >= end && !token.span.is_empty();
        if fits {
            end = token.span.end;
        }
        fits
    });
    tokens.found
}

/// The tokens of a document, by position and without overlap.
#[must_use]
pub fn tokens(document: &Document) -> Vec<Token> {
    document.sections().flat_map(section_tokens).collect()
}

struct Tokens {
    found: Vec<Token>,
}

impl Tokens {
    fn add(&mut self, span: Span, kind: TokenKind, declares: bool) {
        self.found.push(Token {
            span,
            kind,
            declares,
            deprecated: false,
            permissive: false,
        });
    }

    fn header(&mut self, section: SectionRef<'_>) -> Option<NodeId> {
        let schema = schema();
        let mut node = Some(schema.root());
        for key in section.header() {
            // Lists of tables are followed by no index in a header.
            let parent = node.map(innermost);
            let (kind, declares) = key_kind(parent, key.text(), TokenKind::Table);
            self.add(key.span(), kind, declares);
            node = parent.and_then(|parent| schema.child(parent, key.text()));
        }
        if section.is_array_of_tables() {
            node = node.and_then(|node| schema.item(node));
        }
        node
    }

    /// The words of a table; `path` leads to it, without the numbers of list elements.
    fn table<'a>(&mut self, path: &mut Vec<&'a str>, node: Option<NodeId>, table: Table<'a>) {
        for entry in table.entries() {
            path.push(entry.key());
            self.entry(path, node, table, entry);
            path.pop();
        }
    }

    fn entry<'a>(
        &mut self,
        path: &mut Vec<&'a str>,
        parent: Option<NodeId>,
        table: Table<'a>,
        entry: Entry<'a>,
    ) {
        let (kind, declares) = key_kind(parent, entry.key(), TokenKind::Key);
        for span in entry.key_spans() {
            self.add(span, kind, declares);
        }
        let child = parent.and_then(|parent| schema().child(parent, entry.key()));
        let first = self.found.len();
        self.value(path, child, entry.value());
        if risk(path, table, entry.value()).is_some() {
            for token in self.found.iter_mut().skip(first) {
                token.permissive = true;
            }
        }
    }

    fn value<'a>(&mut self, path: &mut Vec<&'a str>, node: Option<NodeId>, value: Node<'a>) {
        match value {
            Node::Table(table) => self.table(path, node, table),
            Node::Array(array) => {
                let item = node.and_then(|node| schema().item(node));
                for element in array.items() {
                    self.value(path, item, element);
                }
            }
            Node::Str(string) if is_rendered(path) => self.rendered(string),
            Node::Str(string) => self.string(node, string),
            Node::Integer(scalar) | Node::Float(scalar) | Node::Datetime(scalar) => {
                self.add(scalar.span(), TokenKind::Number, false);
            }
            Node::Boolean(scalar) => self.add(scalar.span(), TokenKind::Boolean, false),
            Node::Missing(_) => {}
        }
    }

    /// The text of a command, with what is put into it.
    fn rendered(&mut self, string: Str<'_>) {
        let start = string.span().start;
        for piece in template::pieces(string.text()) {
            let kind = match piece.kind {
                PieceKind::Text => TokenKind::Text,
                PieceKind::Template => TokenKind::Template,
                PieceKind::Argument => TokenKind::Parameter,
            };
            let place = |offset: usize| start + u32::try_from(offset).unwrap_or(u32::MAX);
            let span = Span::new(place(piece.range.start), place(piece.range.end));
            self.add(span, kind, false);
        }
    }

    fn string(&mut self, node: Option<NodeId>, string: Str<'_>) {
        let text = string.value();
        let variant = node.and_then(|node| {
            schema()
                .variants(node)
                .into_iter()
                .find(|variant| variant.value == text)
        });
        let format = node.map(|node| schema().formats(node)).unwrap_or_default();
        let kind = match variant {
            Some(_) => TokenKind::Variant,
            None if format.contains(&StringFormat::Regex) => TokenKind::Pattern,
            None if format.contains(&StringFormat::ToolName) => TokenKind::Tool,
            None => TokenKind::Text,
        };
        self.found.push(Token {
            span: string.span(),
            kind,
            declares: false,
            deprecated: variant.is_some_and(|variant| variant.deprecated.is_some()),
            permissive: false,
        });
    }
}

/// Whether the texts at a path are rendered when a tool is called.
fn is_rendered(path: &[&str]) -> bool {
    matches!(path, ["conversation", "tools", _, "command", ..])
}

/// The element that a list of tables, or a list of lists of them, holds.
fn innermost(mut node: NodeId) -> NodeId {
    while let Some(item) = schema().item(node) {
        // Free-form data is its own element.
        if item == node {
            break;
        }
        node = item;
    }
    node
}

fn key_kind(parent: Option<NodeId>, key: &str, other: TokenKind) -> (TokenKind, bool) {
    let Some(parent) = parent else {
        return (TokenKind::Name, false);
    };
    if matches!(schema().node(parent).shape, Shape::Any) {
        return (TokenKind::Name, false);
    }
    match schema().map(parent).map(|map| map.key) {
        Some(KeyKind::Tool) if key == DEFAULTS => (TokenKind::Table, false),
        Some(KeyKind::Tool) => (TokenKind::Tool, true),
        Some(KeyKind::Parameter) => (TokenKind::Parameter, true),
        Some(_) => (TokenKind::Name, true),
        None => (other, false),
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
