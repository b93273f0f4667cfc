//! From a place in a text to what the schema says of it.
//!
//! ```toml
//! policy.run = [{ mode = "un" }]   # conversation.tools.edit.policy.run[0].mode, replace `un`
//! ```

use jp_config::document::{Document, Node, PathSegment, Span, Str, Table};

use super::values::Replaced;

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
