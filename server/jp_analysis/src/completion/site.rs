//! From a place in a text to what the schema says of it.
//!
//! ```toml
//! policy.run = [{ mode = "un" }]   # conversation.tools.edit.policy.run[0].mode, replace `un`
//! ```

use jp_config::document::{
    Document, Node, PathSegment, Place, Position, Span, Str, Table, TableKind,
};
use jp_config::schema::{NodeId, Schema};

use super::values::Replaced;

/// What a cursor is at; on the lines after a bracket that is not closed yet, within the brackets.
pub(crate) fn position(document: &Document, offset: usize) -> Position<'_> {
    let position = document.at(offset);
    if !matches!(position.place, Place::Blank { .. }) {
        return position;
    }
    let start = document.section_at(offset).start() as usize;
    let text = document.text().get(start..offset).unwrap_or_default();
    let Some(length) = end_of_code(text) else {
        return position;
    };
    let before = document.at(start + length);
    let is_nested = before.table.kind() == TableKind::Inline
        || before
            .path
            .iter()
            .skip(position.path.len())
            .any(|segment| matches!(segment, PathSegment::Index(_)));
    match before.place {
        Place::Array { .. } | Place::Inline => before,
        Place::Missing(_) | Place::Key { .. } if is_nested => Position {
            place: Place::Blank { empty_line: false },
            ..before
        },
        _ => position,
    }
}

/// The end of the last line that holds more than a comment.
fn end_of_code(text: &str) -> Option<usize> {
    let mut end = text.len();
    for line in text.split_inclusive('\n').rev() {
        let start = end - line.len();
        let code = without_comment(line).trim_end();
        if !code.is_empty() {
            return Some(start + code.len());
        }
        end = start;
    }
    None
}

/// The description of a path.
pub(super) fn node_at(schema: &Schema, path: &[PathSegment<'_>]) -> Option<NodeId> {
    path.iter()
        .try_fold(schema.root(), |node, segment| match segment {
            PathSegment::Key(key) => schema.child(node, key),
            PathSegment::Index(_) => schema.item(node),
        })
}

/// A path as text; `[]` stands for any element.
pub(super) fn path_text(path: &[PathSegment<'_>]) -> Vec<String> {
    path.iter()
        .map(|segment| match segment {
            PathSegment::Key(key) => (*key).to_owned(),
            PathSegment::Index(_) => "[]".to_owned(),
        })
        .collect()
}

/// The table below a table; of a list of tables the last element.
pub(super) fn child_table<'a>(
    table: Option<Table<'a>>,
    segment: PathSegment<'_>,
) -> Option<Table<'a>> {
    let PathSegment::Key(key) = segment else {
        return table;
    };
    match table?.get(key)?.value() {
        Node::Table(table) => Some(table),
        Node::Array(array) => array.items().last()?.as_table(),
        _ => None,
    }
}

/// What a string item replaces; nothing for a string over several lines, which no one-line edit fits.
pub(super) fn string_replacement(
    document: &Document,
    string: Str<'_>,
    offset: u32,
) -> Option<Replaced> {
    let text = string.text();
    let quote = text
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    let span = string.span();
    if string.is_multi_line() {
        return None;
    }
    if string.is_whole() {
        let inside = Span::new(span.start + 1, span.end.saturating_sub(1));
        return Some(if inside.touches(offset) {
            Replaced::Inside {
                span: inside,
                whole: span,
                quote,
            }
        } else {
            Replaced::Whole {
                span,
                quote: Some(quote),
            }
        });
    }
    // Where the closing quote is missing, only what reads like one word belongs to the string.
    let rest = document.text().get(offset as usize..span.end as usize)?;
    let word = rest
        .find(|character: char| {
            !(character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/' | '*'))
        })
        .unwrap_or(rest.len());
    let mut end = offset + u32::try_from(word).ok()?;
    if document.text().get(end as usize..)?.starts_with(quote) {
        end += 1;
    }
    Some(Replaced::Whole {
        span: Span::new(span.start, end),
        quote: Some(quote),
    })
}

/// The last character before a place that is neither blank nor in a comment.
pub(super) fn last_significant(before: &str) -> Option<char> {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let (earlier, line) = before.split_at(line_start);
    if let Some(last) = line.trim_end().chars().next_back() {
        return Some(last);
    }
    earlier.lines().rev().find_map(|line| {
        let code = without_comment(line).trim_end();
        code.chars().next_back()
    })
}

/// The first character after a place that is neither blank nor in a comment.
pub(super) fn first_significant(after: &str) -> Option<char> {
    after
        .lines()
        .find_map(|line| without_comment(line).trim_start().chars().next())
}

/// A line without its comment; `#` in strings belongs to them.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        match (quote, character) {
            (None, '#') => return line.get(..at).unwrap_or(line),
            (None, '"' | '\'') => quote = Some(character),
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if open == character && !escaped => quote = None,
            _ => {}
        }
        escaped = false;
    }
    line
}
