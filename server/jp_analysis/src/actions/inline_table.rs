//! Tables in braces as tables with a header, and back.
//!
//! ```toml
//! style = { hidden = true } # a comment stays with what it is about
//!
//! [conversation.tools.a.style] # a comment stays with what it is about
//! hidden = true
//! ```

use std::ops::Range;

use jp_config::document::{
    Document, Node, PathSegment, Place as At, SectionRef, Span, Table, TableKind,
};
use jp_config::schema::schema;

use super::{action::Action, site::Site};
use crate::text::{
    text_edit::{comments_above, line_start},
    toml_text,
};

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
    let (statement, comment) = statement_line(site, section, table.span())?;
    let path: Vec<String> = site
        .position
        .path
        .iter()
        .filter_map(|segment| match segment {
            PathSegment::Key(key) => Some(toml_text::key(key)),
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
    for line in lines_in_braces(site, table)? {
        text.push_str(line_break);
        text.push_str(&line);
    }
    let end = end_of_statements(site.document, section)?;
    let lead = if end > statement.start && end <= statement.end {
        ""
    } else {
        line_break
    };
    let edits = if lead.is_empty() {
        // The statement is the last one: the section takes its place.
        let ends_line = site.text(statement)?.ends_with('\n');
        let tail = if ends_line { line_break } else { "" };
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
///
/// Comments among its entries go above the entry.
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
    let own: Vec<&str> = keys.iter().map(|key| key.text()).collect();
    let table = section.table();
    let is_free = schema().lookup_header(own.iter().copied()).is_ok();
    if !is_free || table.kind() != TableKind::Header {
        return None;
    }
    let around: Vec<String> = parents.iter().map(|key| toml_text::key(key)).collect();
    let around = around.join(".");
    let title = format!("Write the table in braces, in `[{around}]`");
    let before = site.document.sections().take(section.index());
    let parent = before
        .filter(|other| other.header().len() == parents.len() && begins_with(*other, &parents))
        .last();
    let parent = parent?;
    // The rest of what the table holds must not stand elsewhere.
    let is_shared = site
        .document
        .sections()
        .any(|other| other.index() != section.index() && begins_with(other, &own));
    if is_shared {
        let name: Vec<String> = own.iter().map(|key| toml_text::key(key)).collect();
        let reason = format!("other headers hold parts of `{}`", name.join("."));
        return Some(site.refusal(title, reason));
    }
    if site.is_broken(parent.span()) {
        return None;
    }
    let end = end_of_statements(site.document, section)?;
    let entries = statements(site, section.body())?;
    let texts: Vec<&str> = entries.iter().filter_map(|span| site.text(*span)).collect();
    let inline = match texts.join(", ") {
        entries if entries.is_empty() => "{}".to_owned(),
        entries => format!("{{ {entries} }}"),
    };
    let line_break = site.line_break();
    let text = site.document.text();
    let at = end_of_statements(site.document, parent)?;
    // The comments above the header may be those at the end of the section before.
    let start = comments_above(site.document, header_span.start as usize).max(at as usize);
    let comments: String = comments_of(site, section, &entries, start..end as usize)?
        .into_iter()
        .map(|comment| format!("{line_break}{comment}"))
        .collect();
    let rest = text.get(end as usize..)?;
    let blank = rest.len() - rest.trim_start().len();
    let to_next = rest.get(..blank)?.rfind('\n').map_or(0, |at| at + 1);
    let removed = Span::new(
        u32::try_from(start).ok()?,
        end + u32::try_from(to_next).ok()?,
    );
    let entry = format!(
        "{comments}{line_break}{} = {inline}",
        toml_text::key(last.text())
    );
    Some(site.rewrite(
        title,
        vec![site.edit(Span::new(at, at), entry), site.edit(removed, "")],
    ))
}

/// The comments above the header of a section, on its line, and among its entries.
fn comments_of<'a>(
    site: &Site<'a>,
    section: SectionRef<'a>,
    entries: &[Span],
    part: Range<usize>,
) -> Option<Vec<&'a str>> {
    let header = section.header_span()?.start as usize;
    let above = site.document.text().get(part.start..header)?.lines();
    let own = section
        .comments()
        .filter(|comment| (comment.start as usize) < part.end)
        .filter(|comment| !entries.iter().any(|entry| entry.contains(comment.start)))
        .filter_map(|comment| site.text(comment));
    let above = above.map(str::trim).filter(|line| !line.is_empty());
    Some(above.chain(own).collect())
}

/// Whether the header of a section begins with some keys.
fn begins_with(section: SectionRef<'_>, keys: &[&str]) -> bool {
    let header = section.header();
    header.len() >= keys.len()
        && keys
            .iter()
            .zip(&header)
            .all(|(key, other)| *key == other.text())
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
    let statement = site.document.at(key.start as usize).statement?.span;
    let start = line_start(text, statement.start as usize);
    if start < section.start() as usize {
        return None;
    }
    let before = text.get(start..statement.start as usize)?;
    let rest = text.get(value.end as usize..)?;
    let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let comment = rest.get(..length)?.trim();
    let is_alone = comment.is_empty() || comment.starts_with('#');
    let span = Span::new(
        u32::try_from(start).ok()?,
        value.end + u32::try_from(length).ok()?,
    );
    // A byte order mark is no part of the line.
    let is_first = before.trim_start_matches('\u{feff}').trim().is_empty();
    (is_first && is_alone).then_some((span, comment))
}

/// The entries of a table in braces as lines, with the comments among them.
fn lines_in_braces(site: &Site<'_>, table: Table<'_>) -> Option<Vec<String>> {
    let text = site.document.text();
    let section = site.document.section_at(table.span().start as usize);
    let statements = statements(site, table)?;
    let mut comments = section
        .comments()
        .filter(|comment| table.span().contains(comment.start))
        .filter(|comment| !statements.iter().any(|span| span.contains(comment.start)))
        .peekable();
    let mut lines: Vec<String> = Vec::new();
    for statement in &statements {
        while let Some(comment) = comments.next_if(|comment| comment.start < statement.start) {
            lines.push(site.text(comment)?.to_owned());
        }
        let mut line = site.text(*statement)?.to_owned();
        let end_of_line = text
            .get(statement.end as usize..)?
            .find('\n')
            .map_or(text.len(), |at| statement.end as usize + at);
        let next = statements
            .iter()
            .find(|other| other.start > statement.start);
        let upto = next.map_or(end_of_line, |next| end_of_line.min(next.start as usize));
        if let Some(comment) = comments.next_if(|comment| (comment.start as usize) < upto) {
            line.push(' ');
            line.push_str(site.text(comment)?);
        }
        lines.push(line);
    }
    for comment in comments {
        lines.push(site.text(comment)?.to_owned());
    }
    Some(lines)
}

/// The statements of a table, in the order of the text.
fn statements(site: &Site<'_>, table: Table<'_>) -> Option<Vec<Span>> {
    let mut found = Vec::new();
    collect(site, table, &mut found)?;
    found.sort_unstable();
    Some(found)
}

fn collect(site: &Site<'_>, table: Table<'_>, found: &mut Vec<Span>) -> Option<()> {
    for entry in table.entries() {
        match entry.value() {
            Node::Table(inner) if inner.kind() == TableKind::Dotted => {
                collect(site, inner, found)?;
            }
            Node::Missing(_) => return None,
            _ => {
                let key = entry.key_span().start as usize;
                found.push(site.document.at(key).statement?.span);
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
