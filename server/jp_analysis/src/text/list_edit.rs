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
    graph::{FileId, Graph},
    merge::Located,
    view::{LayerValue, View, value_at},
};

use crate::{
    fix::Edit,
    text::text_edit::{comments_above, edit, line_break, line_start, section_ranges},
};

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
    /// The list at a config path, as a file of a view writes it.
    pub(crate) fn of_layer(view: &'a View, file: FileId, path: &[&str]) -> Option<Self> {
        Self::of_file(view.graph(), file, path)
    }

    /// The list at a config path, as a file writes it.
    pub(crate) fn of_file(graph: &'a Graph, file: FileId, path: &[&str]) -> Option<Self> {
        let content = graph.content(file)?;
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

    /// The elements.
    pub(crate) fn items(&self) -> impl Iterator<Item = Node<'a>> {
        self.array.items()
    }

    /// The position of an element in this file's list.
    pub(crate) fn position(&self, element: &Located) -> Option<usize> {
        self.position_of(element.origin()?.span)
    }

    /// The position of the element with a span.
    pub(crate) fn position_of(&self, span: Span) -> Option<usize> {
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
    ///
    /// It takes the comments above it and on its line along, and goes above those of the earlier one.
    pub(crate) fn move_before(&self, index: usize, target: usize) -> Option<Vec<Edit>> {
        let line_break = self.line_break;
        if self.array.is_array_of_tables() {
            let moved = self.block(index)?;
            let start = self.block(target)?.range.start;
            let (_, whole) = self.section(index)?;
            let text = format!("{}{}{line_break}{line_break}", moved.before, moved.element);
            let removed = moved.range.start..whole.end;
            return Some(vec![
                self.edit(start..start, text),
                self.edit(removed, String::new()),
            ]);
        }
        let span = *self.elements.get(index)?;
        let at = self.elements.get(target)?.start as usize;
        let element = self.get(range(span))?;
        let Some(target_line) = self.line_of(target) else {
            let removed = match self.line_of(index) {
                Some(_) => self.remove_keeping_comments(index)?,
                None => self.remove(index)?,
            };
            return Some(vec![self.edit(at..at, format!("{element}, ")), removed]);
        };
        let start = self.comments_above(target_line.start);
        let Some(line) = self.line_of(index) else {
            let indent = self.get(target_line.start..at)?;
            let text = format!("{indent}{element},{line_break}");
            return Some(vec![self.edit(start..start, text), self.remove(index)?]);
        };
        let from = self.comments_above(line.start);
        let before = self.get(from..span.start as usize)?;
        let comment = self.get(line.comment)?;
        let space = if comment.is_empty() { "" } else { " " };
        let text = format!("{before}{element},{space}{comment}{line_break}");
        Some(vec![
            self.edit(start..start, text),
            self.edit(from..line.end_with_break, String::new()),
        ])
    }

    /// Puts a table before an element and the comments above it; `entries` are its entries, each as TOML text.
    pub(crate) fn insert_before(&self, index: usize, entries: &[String]) -> Option<Vec<Edit>> {
        let line_break = self.line_break;
        if self.array.is_array_of_tables() {
            let start = self.block(index)?.range.start;
            let indent = self.indent(self.section(index)?.0.start)?;
            let header = self.get(range(*self.elements.get(index)?))?;
            let lines = std::iter::once(header).chain(entries.iter().map(String::as_str));
            let lines: String = lines
                .map(|line| format!("{indent}{line}{line_break}"))
                .collect();
            return Some(vec![
                self.edit(start..start, format!("{lines}{line_break}")),
            ]);
        }
        let entries = entries.join(", ");
        let at = self.elements.get(index)?.start as usize;
        let Some(line) = self.line_of(index) else {
            return Some(vec![self.edit(at..at, format!("{{ {entries} }}, "))]);
        };
        let indent = self.get(line.start..at)?;
        let start = self.comments_above(line.start);
        let text = format!("{indent}{{ {entries} }},{line_break}");
        Some(vec![self.edit(start..start, text)])
    }

    /// Puts a table after the last element; `entry` is its one entry as TOML text.
    pub(crate) fn append(&self, entry: &str) -> Option<Vec<Edit>> {
        self.append_tables(&[vec![entry.to_owned()]])
    }

    /// Puts tables after the last element; each is its entries as TOML text.
    pub(crate) fn append_tables(&self, tables: &[Vec<String>]) -> Option<Vec<Edit>> {
        let line_break = self.line_break;
        if let Some(last) = self.elements.len().checked_sub(1)
            && self.array.is_array_of_tables()
        {
            let (block, _) = self.section(last)?;
            let header = self.get(range(*self.elements.get(last)?))?;
            let indent = self.indent(block.start)?;
            let separator = format!("{line_break}{indent}");
            let text: String = tables
                .iter()
                .map(|table| {
                    let entries = table.join(&separator);
                    format!("{line_break}{separator}{header}{separator}{entries}")
                })
                .collect();
            return Some(vec![self.edit(block.end..block.end, text)]);
        }
        let inline = |table: &Vec<String>| format!("{{ {} }}", table.join(", "));
        let inlines: Vec<String> = tables.iter().map(inline).collect();
        self.append_values(&inlines)
    }

    /// Puts values after the last element of a list in brackets; each is TOML text.
    pub(crate) fn append_values(&self, inlines: &[String]) -> Option<Vec<Edit>> {
        let line_break = self.line_break;
        let Some(last) = self.elements.len().checked_sub(1) else {
            let start = (self.array.span().start as usize).saturating_add(1);
            return Some(vec![self.edit(start..start, inlines.join(", "))]);
        };
        let end = self.elements.get(last)?.end as usize;
        let Some(line) = self.line_of(last) else {
            let text = inlines.join(", ");
            let after = match self.comma_after(end) {
                Some(comma) => self.edit(comma..comma, format!(" {text}")),
                None => self.edit(end..end, format!(", {text}")),
            };
            return Some(vec![after]);
        };
        let indent = self.get(line.start..self.elements.get(last)?.start as usize)?;
        let has_comma = self.comma_after(end).is_some();
        let comma = if has_comma { "," } else { "" };
        let lines = inlines.join(&format!(",{line_break}{indent}"));
        let text = format!("{line_break}{indent}{lines}{comma}");
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

    /// Puts the elements in another order; `order` holds their present positions.
    ///
    /// An element takes the comments above it and on its line along.
    /// Nothing where comments stand among elements that share lines.
    pub(crate) fn reorder(&self, order: &[usize]) -> Option<Vec<Edit>> {
        let blocks: Vec<Block<'a>> = (0..self.elements.len())
            .map(|index| self.block(index))
            .collect::<Option<_>>()?;
        let mut edits = Vec::new();
        for (slot, from) in order.iter().enumerate() {
            if slot == *from {
                continue;
            }
            let (slot, moved) = (blocks.get(slot)?, blocks.get(*from)?);
            let text = format!(
                "{}{}{}{}",
                moved.before, moved.element, slot.comma, moved.after
            );
            edits.push(self.edit(slot.range.clone(), text));
        }
        Some(edits)
    }

    /// Takes an element out and leaves its comments where they are.
    pub(crate) fn remove_keeping_comments(&self, index: usize) -> Option<Edit> {
        let block = self.block(index)?;
        if self.array.is_array_of_tables() {
            return (!block.element.contains('#')).then(|| self.remove(index))?;
        }
        if block.after.trim().is_empty() {
            return self.remove(index);
        }
        let element = range(*self.elements.get(index)?);
        let end = block.range.end - block.after.trim_start().len();
        Some(self.edit(element.start..end, String::new()))
    }

    /// An element with what belongs to it.
    fn block(&self, index: usize) -> Option<Block<'a>> {
        let element = range(*self.elements.get(index)?);
        if self.array.is_array_of_tables() {
            let (section, _) = self.section(index)?;
            let start = self.comments_above(section.start);
            return Some(Block {
                range: start..section.end,
                before: self.get(start..section.start)?,
                element: self.get(section)?,
                comma: "",
                after: "",
            });
        }
        let after_comma = self.comma_after(element.end);
        let (start, end) = match self.line_of(index) {
            Some(line) => {
                let line_start = self.comments_above(line.start);
                (line_start, line.end)
            }
            None if self.has_comments() => return None,
            None => (element.start, after_comma.unwrap_or(element.end)),
        };
        Some(Block {
            range: start..end,
            before: self.get(start..element.start)?,
            comma: if after_comma.is_some() { "," } else { "" },
            after: self.get(after_comma.unwrap_or(element.end)..end)?,
            element: self.get(element)?,
        })
    }

    fn comments_above(&self, at: usize) -> usize {
        comments_above(self.document, at)
    }

    fn has_comments(&self) -> bool {
        let span = self.array.span();
        let mut comments = self.document.comments();
        comments.any(|comment| span.contains(comment.start))
    }

    fn edit(&self, range: Range<usize>, text: String) -> Edit {
        edit(self.file, range, text)
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
        section_ranges(
            self.document,
            self.document.section_at(header.start as usize),
        )
    }
}

/// An element and the text around it that it takes along.
struct Block<'a> {
    range: Range<usize>,
    /// Comments above, and the indentation.
    before: &'a str,
    element: &'a str,
    comma: &'static str,
    /// The rest of the line.
    after: &'a str,
}

struct ElementLine {
    start: usize,
    comment: Range<usize>,
    end: usize,
    end_with_break: usize,
}

fn is_plain(between: &str) -> bool {
    !between.contains(['\n', '#'])
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
