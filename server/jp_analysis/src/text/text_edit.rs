//! Edits that take out or add an entry or a section, and leave the text around it as it is.
//!
//! ```toml
//! [conversation.tools.grep]
//! source = "local" # an entry on its own line goes with its comment
//! policy = { run = "ask", result = "ask" } # one in braces goes with its comma
//!
//! [conversation.tools.grep.access] # a section goes with its header
//! ```

use std::ops::Range;

use jp_config::{
    document::{Document, Entry, Node, PathSegment, SectionRef, Span, TableKind},
    graph::FileId,
};

use super::node::node_at;
use crate::{fix::Edit, place::Place};

/// Takes an entry out of the table that it stands in; `statement` is its key and its value.
///
/// Nothing where something else shares its line.
pub(crate) fn remove_statement(document: &Document, file: FileId, statement: Span) -> Option<Edit> {
    let text = document.text();
    let (key_start, end) = (statement.start as usize, statement.end as usize);
    let before = text.get(..key_start)?;
    let start = before.rfind(['\n', '{', ',']).map_or(0, |at| at + 1);
    let rest = text.get(end..)?;
    let separator = before.get(..start)?.chars().next_back();
    let range = if matches!(separator, None | Some('\n')) && !rest.trim_start().starts_with(',') {
        let line = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let tail = rest.get(..line)?.trim();
        if !tail.is_empty() && !tail.starts_with('#') {
            return None;
        }
        start..end + line
    } else {
        let blank = rest.len() - rest.trim_start().len();
        match rest.trim_start().chars().next() {
            Some(',') => start..end + blank + 1,
            _ if separator == Some(',') => start.saturating_sub(1)..end,
            _ => start..end,
        }
    };
    Some(edit(file, range, String::new()))
}

/// Takes a key out of a document, wherever it stands: as an entry, in dotted keys, and in headers.
pub(crate) fn remove_key(document: &Document, file: FileId, entry: Entry<'_>) -> Option<Vec<Edit>> {
    let mut edits: Vec<Edit> = Vec::new();
    for key in entry.key_spans() {
        let edit = match document.at(key.start as usize).statement {
            Some(statement) => remove_statement(document, file, statement.span)?,
            None => remove_section(document, file, document.section_at(key.start as usize))?,
        };
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    Some(edits)
}

/// Adds entries right after another one, in its layout.
pub(crate) fn add_after(
    document: &Document,
    file: FileId,
    statement: Span,
    entries: &[String],
) -> Option<Edit> {
    let text = document.text();
    let end = statement.end as usize;
    if document.at(statement.start as usize).table.kind() == TableKind::Inline {
        let text = format!(", {}", entries.join(", "));
        return Some(edit(file, end..end, text));
    }
    let line_break = line_break(text);
    let indent = text.get(line_start(text, statement.start as usize)..statement.start as usize)?;
    let rest = text.get(end..)?;
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let at = end + line.len();
    let lines: String = entries
        .iter()
        .map(|entry| format!("{line_break}{indent}{entry}"))
        .collect();
    Some(edit(file, at..at, lines))
}

/// Takes a section out: its header, its statements, and what separates it from the next header.
pub(crate) fn remove_section(
    document: &Document,
    file: FileId,
    section: SectionRef<'_>,
) -> Option<Edit> {
    let (_, whole) = section_ranges(document, section)?;
    Some(edit(file, whole, String::new()))
}

/// A section from its header to its last statement, and the same with what separates it from the next header.
///
/// Comments after the last statement are the next section's.
pub(crate) fn section_ranges(
    document: &Document,
    section: SectionRef<'_>,
) -> Option<(Range<usize>, Range<usize>)> {
    let header = section.header_span()?.start as usize;
    let span = section.span();
    let text = document.text().get(span.range())?;
    let mut end = span.start as usize;
    let mut offset = end;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            end = offset + line.trim_end().len();
        }
        offset += line.len();
    }
    let rest = document.text().get(end..)?;
    let blank = rest.len() - rest.trim_start().len();
    let to_next = rest.get(..blank)?.rfind('\n').map_or(0, |at| at + 1);
    Some((header..end, header..end + to_next))
}

/// The entry that the key at an offset names.
pub(crate) fn entry_at(document: &Document, offset: u32) -> Option<Entry<'_>> {
    let path = document.at(offset as usize).path;
    let (PathSegment::Key(key), parents) = path.split_last()? else {
        return None;
    };
    match node_at(document, parents)? {
        Node::Table(table) => table.get(key),
        _ => None,
    }
}

/// How a text ends its lines, which its first line says.
pub(crate) fn line_break(text: &str) -> &'static str {
    let first = text.split_once('\n').map(|(first, _)| first);
    if first.is_some_and(|first| first.ends_with('\r')) {
        "\r\n"
    } else {
        "\n"
    }
}

/// Where the line of an offset begins.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1)
}

/// Where the comments begin that stand right above a line, of which `at` is a part.
///
/// The line's own beginning is `at` if nothing stands above it.
pub(crate) fn comments_above(document: &Document, at: usize) -> usize {
    let text = document.text();
    let mut start = line_start(text, at);
    let mut found = at;
    while let Some(above) = start.checked_sub(1) {
        let line = line_start(text, above);
        let is_comment = text.get(line..start).is_some_and(|shown| {
            let blank = shown.len() - shown.trim_start().len();
            // A line of a text may look like a comment.
            shown.trim_start().starts_with('#')
                && document
                    .section_at(line)
                    .comments()
                    .any(|comment| comment.start as usize == line + blank)
        });
        if !is_comment {
            break;
        }
        (start, found) = (line, line);
    }
    found
}

/// A range of bytes as a span.
pub(crate) fn span(range: Range<usize>) -> Span {
    let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    Span {
        start: narrow(range.start),
        end: narrow(range.end),
    }
}

/// The replacement of a range of a file.
pub(crate) fn edit(file: FileId, range: Range<usize>, text: String) -> Edit {
    Edit {
        place: Place {
            file,
            span: span(range),
        },
        text,
    }
}
