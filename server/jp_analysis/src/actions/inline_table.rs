//! Tables in braces as tables with a header, and back.
//!
//! ```toml
//! style = { hidden = true }
//!
//! [conversation.tools.a.style]
//! hidden = true
//! ```

use jp_config::document::{
    Document, Node, PathSegment, Place as At, SectionRef, Span, Table, TableKind,
};
use jp_config::schema::schema;

use super::{Action, Site};
use crate::toml_text;

/// A table in braces as a section of its own, right after the one that holds it.
pub(super) fn expand(site: &Site<'_>) -> Option<Action> {
    let entry = match site.position.place {
        At::Key {
            segment, segments, ..
        } if segment + 1 == segments => site.entry()?,
        At::Value(_) => site.entry()?,
        _ => return None,
    };
    let Node::Table(table) = entry.value() else {
        return None;
    };
    if table.kind() != TableKind::Inline || is_in_braces(site)? {
        return None;
    }
    let section = site.document.section_at(table.span().start as usize);
    let has_comment = section
        .comments()
        .any(|comment| table.span().contains(comment.start));
    if has_comment {
        return None;
    }
    let (statement, comment) = statement_line(site, section, table.span())?;
    let path: Vec<String> = site
        .position
        .path
        .iter()
        .filter_map(|segment| match segment {
            PathSegment::Key(key) => Some(key_text(key)),
            PathSegment::Index(_) => None,
        })
        .collect();
    let header = path.join(".");
    let line_break = site.line_break();
    let mut text = format!("{line_break}[{header}]");
    if !comment.is_empty() {
        text.push(' ');
        text.push_str(comment);
    }
    for statement in statements(site, table)? {
        text.push_str(line_break);
        text.push_str(statement);
    }
    let end = end_of_statements(site.document, section)?;
    let lead = if end > statement.start && end <= statement.end {
        ""
    } else {
        line_break
    };
    let edits = if lead.is_empty() {
        // The statement is the last one: the section takes its place.
        let after = site.document.text().get(statement.end as usize..)?;
        let tail = if after.is_empty() { "" } else { line_break };
        let span = Span::new(statement.start, statement.end);
        vec![site.edit(span, format!("{text}{tail}"))]
    } else {
        vec![
            site.edit(statement, ""),
            site.edit(Span::new(end, end), format!("{lead}{text}")),
        ]
    };
    Some(site.rewrite(format!("Write the table as `[{header}]`"), edits))
}

/// A section as a table in braces, as the last entry of the section of the table around it.
pub(super) fn collapse(site: &Site<'_>) -> Option<Action> {
    let At::Header { .. } = site.position.place else {
        return None;
    };
    let section = site.document.section_at(site.range.start as usize);
    let header_span = section.header_span()?;
    let keys = section.header();
    let (last, parents) = keys.split_last()?;
    if section.is_array_of_tables() || parents.is_empty() || last.is_missing() {
        return None;
    }
    let parents: Vec<&str> = parents.iter().map(|key| key.text()).collect();
    // The rest of what the table holds must not stand elsewhere.
    let own: Vec<&str> = keys.iter().map(|key| key.text()).collect();
    let is_shared = site.document.sections().any(|other| {
        let other_keys = other.header();
        other.index() != section.index()
            && other_keys.len() >= own.len()
            && own
                .iter()
                .zip(&other_keys)
                .all(|(own, other)| *own == other.text())
    });
    let end = end_of_statements(site.document, section)?;
    let has_comment = section.comments().any(|comment| comment.start < end);
    let table = section.table();
    let is_free = schema().lookup_header(own.iter().copied()).is_ok();
    if is_shared || has_comment || !is_free || table.kind() != TableKind::Header {
        return None;
    }
    let parent = site
        .document
        .sections()
        .take(section.index())
        .filter(|other| {
            let other_keys = other.header();
            other_keys.len() == parents.len()
                && parents
                    .iter()
                    .zip(&other_keys)
                    .all(|(own, other)| *own == other.text())
        })
        .last()?;
    if site.is_broken(parent.span()) {
        return None;
    }
    let entries = statements(site, section.body())?;
    let inline = if entries.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", entries.join(", "))
    };
    let line_break = site.line_break();
    let at = end_of_statements(site.document, parent)?;
    let rest = site.document.text().get(end as usize..)?;
    let blank = rest.len() - rest.trim_start().len();
    let to_next = rest.get(..blank)?.rfind('\n').map_or(0, |at| at + 1);
    let removed = Span::new(header_span.start, end + u32::try_from(to_next).ok()?);
    let text = format!("{line_break}{} = {inline}", key_text(last.text()));
    Some(site.rewrite(
        format!("Write the table in braces, in `[{}]`", parents.join(".")),
        vec![site.edit(Span::new(at, at), text), site.edit(removed, "")],
    ))
}

fn key_text(key: &str) -> String {
    match key {
        "*" => "'*'".to_owned(),
        key => toml_text::key(key),
    }
}

/// Whether the entry stands in braces or in an array of values itself.
fn is_in_braces(site: &Site<'_>) -> Option<bool> {
    let section = site.document.section_at(site.range.start as usize);
    let header = section.header().len();
    let keys = site
        .position
        .path
        .iter()
        .filter(|segment| matches!(segment, PathSegment::Key(_)))
        .count();
    let mut table = section.body();
    let mut path = site
        .position
        .path
        .iter()
        .filter_map(|segment| match segment {
            PathSegment::Key(key) => Some(*key),
            PathSegment::Index(_) => None,
        })
        .skip(header)
        .take(keys.saturating_sub(header).saturating_sub(1));
    path.try_fold(false, |found, key| {
        let next = table.get(key)?.value();
        let inner = next.as_table()?;
        table = inner;
        Some(found || inner.kind() != TableKind::Dotted)
    })
}

/// The lines of the statement that ends with a value, if nothing stands on them but a comment, and that comment.
fn statement_line<'a>(
    site: &Site<'a>,
    section: SectionRef<'_>,
    value: Span,
) -> Option<(Span, &'a str)> {
    let text = site.document.text();
    let keys = site.entry()?.key_spans();
    let key = keys.into_iter().rfind(|key| key.end <= value.start)?;
    let start = text
        .get(..key.start as usize)?
        .rfind('\n')
        .map_or(0, |at| at + 1);
    if start < section.start() as usize {
        return None;
    }
    let before = text.get(start..key.start as usize)?;
    // A dotted key begins before its last segment.
    let is_key = before
        .chars()
        .all(|character| character.is_alphanumeric() || " \t._-'\"*".contains(character));
    let rest = text.get(value.end as usize..)?;
    let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let comment = rest.get(..length)?.trim();
    let is_alone = comment.is_empty() || comment.starts_with('#');
    let span = Span::new(
        u32::try_from(start).ok()?,
        value.end + u32::try_from(length).ok()?,
    );
    (is_key && is_alone).then_some((span, comment))
}

/// The statements of a table, as they are written.
fn statements<'a>(site: &Site<'a>, table: Table<'a>) -> Option<Vec<&'a str>> {
    let mut found = Vec::new();
    collect(site, table, &mut found)?;
    found.sort_by_key(|(start, _)| *start);
    Some(found.into_iter().map(|(_, text)| text).collect())
}

fn collect<'a>(site: &Site<'a>, table: Table<'a>, found: &mut Vec<(u32, &'a str)>) -> Option<()> {
    for entry in table.entries() {
        match entry.value() {
            Node::Table(inner) if inner.kind() == TableKind::Dotted => {
                collect(site, inner, found)?;
            }
            Node::Missing(_) => return None,
            value => {
                let key = entry.keys().into_iter().next()?.span();
                let before = site.document.text().get(..key.start as usize)?;
                // A dotted key begins where its first segment does.
                let dotted = before.trim_end_matches(|character: char| {
                    character.is_alphanumeric() || "._-'\"".contains(character)
                });
                let start = u32::try_from(dotted.len()).ok()?;
                let text = site.text(Span::new(start, value.span().end))?;
                found.push((start, text));
            }
        }
    }
    Some(())
}

/// The end of the last line of a section that holds more than a comment.
fn end_of_statements(document: &Document, section: SectionRef<'_>) -> Option<u32> {
    let span = section.span();
    let body = section.body();
    let header_end = section
        .header_span()
        .map_or(span.start, |header| header.end);
    let last = end_of_values(body)
        .filter(|end| *end <= span.end)
        .unwrap_or(header_end)
        .max(header_end);
    let rest = document.text().get(last as usize..span.end as usize)?;
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = rest.get(..length)?.trim_end_matches('\r');
    Some(last + u32::try_from(line.len()).ok()?)
}

/// The end of the last value of a table and of the dotted tables in it.
fn end_of_values(table: Table<'_>) -> Option<u32> {
    table
        .entries()
        .filter_map(|entry| match entry.value() {
            Node::Table(inner) if inner.kind() == TableKind::Dotted => end_of_values(inner),
            value => Some(value.span().end),
        })
        .max()
}
