//! The outline of a document, and the names of a workspace.
//!
//! ```toml
//! [conversation.tools.fs_read_file]   # a tool
//! run = "ask"                         # in it, a key
//! ```

use jp_config::{
    document::{Document, Entry, Key, Node, SectionRef, Span, Table},
    graph::{FileId, Graph},
};

use crate::{
    diagnostic::Place,
    names::{Name, Role, names_in},
    text::toml_text,
};

/// The deepest nesting that an outline shows.
const MAXIMUM_DEPTH: usize = 6;

/// The longest value that an outline shows.
const LONGEST_DETAIL: usize = 60;

/// The keys whose values tell tables apart, the best first.
const TELLING: [&str; 8] = [
    "path", "host", "name", "arg", "mode", "source", "type", "id",
];

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A table of `conversation.tools`.
    Tool,
    /// Any other table.
    Table,
    /// A list.
    List,
    /// A text.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// Anything else, or nothing yet.
    Other,
}

/// One line of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The key, or the keys of a header.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// A few words of what it holds: a value, or what tells a table of a list from the others.
    pub detail: Option<String>,
    /// All of it.
    pub span: Span,
    /// The name in it.
    pub name_span: Span,
    /// What it holds.
    pub children: Vec<Symbol>,
}

/// The outline of a document: a symbol for each section, and one for each key before the first header.
#[must_use]
pub fn document_symbols(document: &Document) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for section in document.sections() {
        let children = entries(document, section.body().entries(), 1);
        match section.header_span() {
            Some(header) => symbols.push(of_section(document, section, header, children)),
            None => symbols.extend(children),
        }
    }
    symbols
}

fn of_section(
    document: &Document,
    section: SectionRef<'_>,
    header: Span,
    children: Vec<Symbol>,
) -> Symbol {
    let keys: Vec<&str> = section.header().into_iter().map(Key::text).collect();
    let name: Vec<String> = keys.iter().map(|key| toml_text::key(key)).collect();
    let kind = match keys.as_slice() {
        _ if section.is_array_of_tables() => SymbolKind::List,
        ["conversation", "tools", _] => SymbolKind::Tool,
        _ => SymbolKind::Table,
    };
    let text = document.text();
    let content = text.get(section.span().range()).unwrap_or_default();
    let end = section.start() + narrow(content.trim_end().len());
    Symbol {
        name: name.join("."),
        kind,
        detail: telling(document, section.body()),
        span: Span::new(header.start, end.max(header.end)),
        name_span: header,
        children,
    }
}

/// The first of the entries that tell tables apart.
fn telling(document: &Document, table: Table<'_>) -> Option<String> {
    let key = TELLING.iter().find(|key| table.get(key).is_some())?;
    let entry = table.get(key)?;
    match entry.value() {
        Node::Str(text) => shown(document, text.span()),
        _ => None,
    }
}

/// A value on one line, if it is short.
fn shown(document: &Document, span: Span) -> Option<String> {
    let text = document.text().get(span.range())?;
    let is_short = text.len() <= LONGEST_DETAIL && !text.contains(char::is_control);
    is_short.then(|| text.to_owned())
}

fn entries<'a>(
    document: &Document,
    entries: impl Iterator<Item = Entry<'a>>,
    depth: usize,
) -> Vec<Symbol> {
    entries
        .map(|entry| of_entry(document, entry, depth))
        .collect()
}

fn of_entry(document: &Document, entry: Entry<'_>, depth: usize) -> Symbol {
    let value = entry.value();
    let name_span = entry.key_span();
    let children = match value {
        Node::Table(table) if depth < MAXIMUM_DEPTH => {
            entries(document, table.entries(), depth + 1)
        }
        _ => Vec::new(),
    };
    let end = children
        .iter()
        .map(|child| child.span.end)
        .chain([value.span().end, name_span.end])
        .max()
        .unwrap_or(name_span.end);
    Symbol {
        name: if entry.key().is_empty() {
            "\"\"".to_owned()
        } else {
            entry.key().to_owned()
        },
        kind: match value {
            Node::Table(_) => SymbolKind::Table,
            Node::Array(_) => SymbolKind::List,
            Node::Str(_) => SymbolKind::Text,
            Node::Integer(_) | Node::Float(_) => SymbolKind::Number,
            Node::Boolean(_) => SymbolKind::Boolean,
            Node::Datetime(_) | Node::Missing(_) => SymbolKind::Other,
        },
        detail: match value {
            Node::Table(_) | Node::Array(_) | Node::Missing(_) => None,
            _ => shown(document, value.span()),
        },
        span: Span::new(name_span.start, end),
        name_span,
        children,
    }
}

/// The names that the files of a workspace define, and that hold the characters of `query` in order.
///
/// A name is listed once for each file that defines it.
#[must_use]
pub fn workspace_symbols(graph: &Graph, query: &str) -> Vec<(Name, Place)> {
    let mut found: Vec<(Name, Place)> = Vec::new();
    for (index, file) in graph.files.iter().enumerate() {
        let Some(document) = file.content.as_ref().and_then(|content| content.document()) else {
            continue;
        };
        let file = FileId(narrow(index));
        let before = found.len();
        let mut names: Vec<_> = names_in(document)
            .into_iter()
            .filter(|occurrence| occurrence.role == Role::Definition)
            .filter(|occurrence| fits(occurrence.name.text(), query))
            .collect();
        names.sort_by(|a, b| (&a.name, a.span).cmp(&(&b.name, b.span)));
        names.dedup_by(|later, first| later.name == first.name);
        found.extend(names.into_iter().map(|occurrence| {
            let place = Place {
                file,
                span: occurrence.span,
            };
            (occurrence.name, place)
        }));
        if let Some(own) = found.get_mut(before..) {
            own.sort_by_key(|(_, place)| place.span);
        }
    }
    found
}

/// Whether a name holds the characters of a query in order, whatever their case.
fn fits(name: &str, query: &str) -> bool {
    let mut characters = name.chars().flat_map(char::to_lowercase);
    query
        .chars()
        .flat_map(char::to_lowercase)
        .all(|wanted| characters.any(|character| character == wanted))
}

fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "symbols_tests.rs"]
mod tests;
