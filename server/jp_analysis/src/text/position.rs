//! What a cursor is at, also in text that is not TOML yet.
//!
//! ```toml
//! run = [
//!     { mode = "ask" },
//!     # within the brackets, though they are not closed
//! ```

use jp_config::document::{Document, PathSegment, Place, Position, TableKind};

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

/// The last character before a place that is neither blank nor in a comment.
pub(crate) fn last_significant(before: &str) -> Option<char> {
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
pub(crate) fn first_significant(after: &str) -> Option<char> {
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
