//! From a cursor outwards: the text of a string, the string, the rule, the list, the statement, the section.
//!
//! ```toml
//! policy.run = [{ arg = "/path", mode = "ask" }]
//! #                       ^ path, "/path", arg = "/path", { … }, [ … ], the statement
//! ```

use jp_config::document::{Document, Entry, Node, Span};

/// The parts around an offset, the innermost first; each lies in the next.
#[must_use]
pub fn selection(document: &Document, offset: usize) -> Vec<Span> {
    let offset = u32::try_from(offset.min(document.text().len())).unwrap_or(u32::MAX);
    let mut parts = Parts {
        offset,
        found: vec![document.span()],
    };
    let section = document.section_at(offset as usize);
    let text = document
        .text()
        .get(section.span().range())
        .unwrap_or_default();
    let end = section.start() + u32::try_from(text.trim_end().len()).unwrap_or(u32::MAX);
    parts.add(Span::new(section.start(), end));
    if let Some(header) = section.header_span() {
        parts.add(header);
        for key in section.header() {
            parts.add(key.span());
        }
    }
    for entry in section.body().entries() {
        parts.entry(entry);
    }
    for comment in section.comments() {
        parts.add(comment);
    }
    parts.chain()
}

struct Parts {
    offset: u32,
    found: Vec<Span>,
}

impl Parts {
    fn add(&mut self, span: Span) {
        if span.touches(self.offset) && !span.is_empty() {
            self.found.push(span);
        }
    }

    fn entry(&mut self, entry: Entry<'_>) {
        for key in entry.key_spans() {
            self.add(key);
        }
        let end = end_of(entry);
        self.add(Span::new(entry.key_span().start, end));
        self.value(entry.value());
    }

    fn value(&mut self, value: Node<'_>) {
        match value {
            Node::Table(table) => {
                if table.kind() == jp_config::document::TableKind::Inline {
                    if !table.span().touches(self.offset) {
                        return;
                    }
                    self.add(table.span());
                }
                for entry in table.entries() {
                    self.entry(entry);
                }
            }
            Node::Array(array) => {
                if !array.span().touches(self.offset) {
                    return;
                }
                self.add(array.span());
                for item in array.items() {
                    self.value(item);
                }
            }
            Node::Str(string) => {
                self.add(string.span());
                let length = string.value().len();
                self.add(string.span_of(0..length));
            }
            other => self.add(other.span()),
        }
    }

    /// Every part that holds all smaller ones.
    fn chain(mut self) -> Vec<Span> {
        self.found
            .sort_by_key(|span| (span.len(), std::cmp::Reverse(span.start)));
        let mut chain: Vec<Span> = Vec::new();
        for span in self.found {
            let fits = chain.last().is_none_or(|inner| {
                span.start <= inner.start && inner.end <= span.end && span != *inner
            });
            if fits {
                chain.push(span);
            }
        }
        chain
    }
}

/// The end of the last value that an entry holds.
fn end_of(entry: Entry<'_>) -> u32 {
    let value = entry.value();
    let own = value.span().end.max(entry.key_span().end);
    match value {
        Node::Table(table) if table.kind() == jp_config::document::TableKind::Dotted => {
            table.entries().map(end_of).max().unwrap_or(own).max(own)
        }
        _ => own,
    }
}

#[cfg(test)]
#[path = "selection_tests.rs"]
mod tests;
