//! What a comment stands beside.

use jp_config::document::{Document, Place as At, Span};

use crate::{
    selection::selection,
    text::text_edit::{line_start, span},
};

/// What a comment holds for.
pub(super) enum Target {
    /// What begins or ends on the part of a line before the comment.
    Line(Span),
    /// What begins in a part of the text.
    Part(Span),
}

impl Target {
    /// What a comment of the document holds for.
    pub(super) fn of(document: &Document, comment: Span) -> Self {
        let text = document.text();
        let start = line_start(text, comment.start as usize);
        let before = text.get(start..comment.start as usize).unwrap_or_default();
        let section = document.section_at(start);
        if section.header_span().is_some_and(|header| {
            (start..comment.start as usize).contains(&(header.start as usize))
        }) {
            return Self::Part(section.span());
        }
        if !before.trim().is_empty() {
            return Self::Line(span(start..comment.start as usize));
        }
        let next = next(text, comment.end as usize);
        Self::Part(part(document, next).unwrap_or(Span::new(comment.end, comment.end)))
    }

    /// Whether it holds for a finding at a span.
    pub(super) fn holds(&self, finding: Span) -> bool {
        match self {
            Self::Line(line) => {
                line.contains(finding.start)
                    || (line.start < finding.end && finding.end <= line.end)
            }
            Self::Part(part) => part.contains(finding.start),
        }
    }
}

/// The offset of what follows blanks and comments.
fn next(text: &str, mut offset: usize) -> usize {
    loop {
        let rest = text.get(offset..).unwrap_or_default();
        let ahead = rest.trim_start();
        offset += rest.len() - ahead.len();
        if !ahead.starts_with('#') {
            return offset;
        }
        offset += ahead.find('\n').unwrap_or(ahead.len());
    }
}

/// The table, statement or element that begins at an offset.
fn part(document: &Document, offset: usize) -> Option<Span> {
    let start = u32::try_from(offset).ok()?;
    let section = document.section_at(offset);
    if section
        .header_span()
        .is_some_and(|header| header.start == start)
    {
        return Some(section.span());
    }
    let position = document.at(offset);
    if let Some(statement) = position.statement.filter(|it| it.span.start == start) {
        return Some(statement.span);
    }
    if matches!(position.place, At::String { string, .. } if string.span().start != start) {
        return None;
    }
    let is_element = matches!(
        position.place,
        At::String { .. } | At::Value(_) | At::Array { .. } | At::Inline
    );
    let parts = selection(document, offset).into_iter();
    let mut parts = parts.filter(|part| part.start == start && *part != section.span());
    is_element.then(|| parts.next_back()).flatten()
}

/// Where a comment on a line of its own holds for a finding: the start of that line, and how far it is indented.
pub(crate) fn site(document: &Document, finding: Span) -> Option<(usize, &str)> {
    let text = document.text();
    let mut starts: Vec<u32> = selection(document, finding.start as usize)
        .into_iter()
        .map(|part| part.start)
        .collect();
    starts.dedup();
    starts.into_iter().find_map(|start| {
        let line = line_start(text, start as usize);
        let indent = text.get(line..start as usize)?;
        let part = part(document, start as usize)?;
        (indent.trim().is_empty() && part.contains(finding.start)).then_some((line, indent))
    })
}
