//! Edits of lists that keep the list's own formatting.
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" }, # removed or moved with its comment
//!     { mode = "ask" },                                        # appended in the same layout
//! ]
//! ```

use std::ops::Range;

use jp_config::{
    document::{Array, Document, Node, Span},
    graph::FileId,
    merge::Located,
    view::{LayerValue, View, value_at},
};

use crate::{diagnostic::Place, fix::Edit};

/// A list as one file writes it.
#[derive(Clone)]
pub(crate) struct ListText<'a> {
    file: FileId,
    document: &'a Document,
    array: Array<'a>,
    /// In the order of the text.
    elements: Vec<Span>,
    line_break: &'static str,
}

impl<'a> ListText<'a> {
    /// The list at a config path, as a file writes it.
    pub(crate) fn of_layer(view: &'a View, file: FileId, path: &[&str]) -> Option<Self> {
        let content = view.graph().content(file)?;
        let document = content.document()?;
        let LayerValue::Node(node) = value_at(content, path)? else {
            return None;
        };
        let array = match node {
            Node::Array(array) => array,
            Node::Table(table) => table.get("value")?.value().as_array()?,
            _ => return None,
        };
        Some(Self {
            file,
            document,
            array,
            elements: array.items().map(Node::span).collect(),
            line_break: line_break(document.text()),
        })
    }

    /// The position of an element in this file's list.
    pub(crate) fn position(&self, element: &Located) -> Option<usize> {
        let span = element.origin()?.span;
        let index = self
            .elements
            .binary_search_by_key(&span.start, |other| other.start)
            .ok()?;
        (self.elements.get(index) == Some(&span)).then_some(index)
    }

    /// Takes an element out.
    pub(crate) fn remove(&self, index: usize) -> Option<Edit> {
        let range = if self.array.is_array_of_tables() {
            self.section(index)?.1
        } else {
            self.line_of(index).map_or_else(
                || self.inline_range(index),
                |line| Some(line.start..line.end_with_break),
            )?
        };
        Some(self.edit(range, String::new()))
    }

    /// Takes an element out and puts it before an earlier one.
    pub(crate) fn move_before(&self, index: usize, target: usize) -> Option<Vec<Edit>> {
        let line_break = self.line_break;
        let at = *self.elements.get(target)?;
        let moved = if self.array.is_array_of_tables() {
            let block = self.get(self.section(index)?.0)?;
            format!("{block}{line_break}{line_break}")
        } else {
            let element = self.get(range(*self.elements.get(index)?))?;
            match self.line_of(target) {
                Some(line) => {
                    let comment = self
                        .line_of(index)
                        .and_then(|line| self.get(line.comment))
                        .filter(|comment| !comment.is_empty())
                        .map_or_else(String::new, |comment| format!(" {comment}"));
                    let indent = self.get(line.start..at.start as usize)?;
                    format!("{element},{comment}{line_break}{indent}")
                }
                None => format!("{element}, "),
            }
        };
        let start = at.start as usize;
        Some(vec![self.edit(start..start, moved), self.remove(index)?])
    }

    /// Puts a table after the last element; `entries` are its entries as TOML text.
    pub(crate) fn append(&self, entries: &str) -> Option<Vec<Edit>> {
        let line_break = self.line_break;
        let Some(last) = self.elements.len().checked_sub(1) else {
            let start = (self.array.span().start as usize).saturating_add(1);
            return Some(vec![self.edit(start..start, format!("{{ {entries} }}"))]);
        };
        if self.array.is_array_of_tables() {
            let (block, _) = self.section(last)?;
            let header = self.get(range(*self.elements.get(last)?))?;
            let indent = self.indent(block.start)?;
            let text =
                format!("{line_break}{line_break}{indent}{header}{line_break}{indent}{entries}");
            return Some(vec![self.edit(block.end..block.end, text)]);
        }
        let end = self.elements.get(last)?.end as usize;
        let Some(line) = self.line_of(last) else {
            let after = match self.comma_after(end) {
                Some(comma) => self.edit(comma..comma, format!(" {{ {entries} }}")),
                None => self.edit(end..end, format!(", {{ {entries} }}")),
            };
            return Some(vec![after]);
        };
        let indent = self.get(line.start..self.elements.get(last)?.start as usize)?;
        let has_comma = self.comma_after(end).is_some();
        let comma = if has_comma { "," } else { "" };
        let text = format!("{line_break}{indent}{{ {entries} }}{comma}");
        if has_comma {
            return Some(vec![self.edit(line.end..line.end, text)]);
        }
        if line.end == end {
            return Some(vec![self.edit(end..end, format!(",{text}"))]);
        }
        Some(vec![
            self.edit(end..end, ",".to_owned()),
            self.edit(line.end..line.end, text),
        ])
    }

    fn edit(&self, range: Range<usize>, text: String) -> Edit {
        Edit {
            place: Place {
                file: self.file,
                span: span(range),
            },
            text,
        }
    }

    fn get(&self, range: Range<usize>) -> Option<&'a str> {
        self.document.text().get(range)
    }

    fn indent(&self, at: usize) -> Option<&'a str> {
        let start = line_start(self.document.text(), at);
        self.get(start..at)
            .filter(|indent| indent.trim().is_empty())
            .or(Some(""))
    }

    /// The lines of an element that shares them with nothing but its comma and a comment.
    fn line_of(&self, index: usize) -> Option<ElementLine> {
        let text = self.document.text();
        let element = *self.elements.get(index)?;
        let start = line_start(text, element.start as usize);
        let before = self.get(start..element.start as usize)?;
        let end = element.end as usize;
        let after_comma = self.comma_after(end).unwrap_or(end);
        let rest = text.get(after_comma..)?;
        let length = rest.find('\n')?;
        let tail = rest.get(..length)?;
        let comment = tail.trim();
        let is_alone = before.trim().is_empty() && (comment.is_empty() || comment.starts_with('#'));
        let comment_start = after_comma + (tail.len() - tail.trim_start().len());
        let line_end = after_comma + tail.trim_end_matches('\r').len();
        is_alone.then_some(ElementLine {
            start,
            comment: comment_start..comment_start + comment.len(),
            end: line_end,
            end_with_break: after_comma + length + 1,
        })
    }

    /// An element that shares its line with others, and one of the commas around it.
    fn inline_range(&self, index: usize) -> Option<Range<usize>> {
        let element = *self.elements.get(index)?;
        let (start, end) = (element.start as usize, element.end as usize);
        if let Some(next) = self.elements.get(index + 1) {
            let upto = start..next.start as usize;
            if is_plain(self.get(end..next.start as usize)?) {
                return Some(upto);
            }
            return Some(start..self.comma_after(end)?);
        }
        if let Some(previous) = index
            .checked_sub(1)
            .and_then(|index| self.elements.get(index))
        {
            let from = previous.end as usize;
            if is_plain(self.get(from..start)?) {
                return Some(from..end);
            }
        }
        Some(start..self.comma_after(end).unwrap_or(end))
    }

    /// The offset after the comma that follows an element on the same line.
    fn comma_after(&self, end: usize) -> Option<usize> {
        let rest = self.document.text().get(end..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        rest.get(blank..)?
            .starts_with(',')
            .then_some(end + blank + 1)
    }

    /// The statements of a `[[header]]` element, and the same with what separates it from the next header.
    fn section(&self, index: usize) -> Option<(Range<usize>, Range<usize>)> {
        let header = *self.elements.get(index)?;
        let section = self.document.section_at(header.start as usize).span();
        let text = self.get(range(section))?;
        let start = section.start as usize;
        let mut end = start;
        let mut offset = start;
        for line in text.split_inclusive('\n') {
            let content = line.trim();
            if !content.is_empty() && !content.starts_with('#') {
                end = offset + line.trim_end().len();
            }
            offset += line.len();
        }
        let rest = self.document.text().get(end..)?;
        let blank = rest.len() - rest.trim_start().len();
        let to_next = rest.get(..blank)?.rfind('\n').map_or(0, |at| at + 1);
        let header = header.start as usize;
        Some((header..end, header..end + to_next))
    }
}

struct ElementLine {
    start: usize,
    comment: Range<usize>,
    end: usize,
    end_with_break: usize,
}

/// Takes a key with its value out of the table that it stands in.
pub(crate) fn remove_entry(view: &View, place: Place, key: Span) -> Option<Edit> {
    let text = view.graph().content(place.file)?.document()?.text();
    let (key_start, end) = (key.start as usize, place.span.end as usize);
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
    Some(Edit {
        place: Place {
            file: place.file,
            span: span(range),
        },
        text: String::new(),
    })
}

/// How a text ends its lines.
pub(crate) fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1)
}

fn is_plain(between: &str) -> bool {
    !between.contains(['\n', '#'])
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

fn span(range: Range<usize>) -> Span {
    let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    Span {
        start: narrow(range.start),
        end: narrow(range.end),
    }
}
