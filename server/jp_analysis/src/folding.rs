//! What of a document can be folded away.
//!
//! ```toml
//! [conversation.tools.a]   # the whole section
//! policy.run = [           # the list
//!     { mode = "ask" },
//! ]
//! ```

use jp_config::document::{Document, Node, Span, Table};

/// What is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// A section, list, inline table or text.
    Region,
    /// Several lines of comments.
    Comment,
}

/// A part of several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// The part, from its first to its last character.
    pub span: Span,
    /// What it is.
    pub kind: FoldKind,
}

/// Everything that can be folded, by position.
#[must_use]
pub fn folds(document: &Document) -> Vec<Fold> {
    let mut folds = Folds {
        text: document.text(),
        found: Vec::new(),
    };
    for section in document.sections() {
        if let Some(header) = section.header_span() {
            folds.section(header, section.span());
        }
        folds.table(section.body());
    }
    folds.comments(document);
    folds
        .found
        .sort_by_key(|fold| (fold.span.start, std::cmp::Reverse(fold.span.end)));
    folds.found
}

struct Folds<'a> {
    text: &'a str,
    found: Vec<Fold>,
}

impl Folds<'_> {
    fn add(&mut self, span: Span, kind: FoldKind) {
        let part = self.text.get(span.range()).unwrap_or_default();
        if part.contains(['\n', '\r']) {
            self.found.push(Fold { span, kind });
        }
    }

    /// A section, without the comments above the next header, which belong to that.
    fn section(&mut self, header: Span, section: Span) {
        let mut content = self
            .text
            .get(section.range())
            .unwrap_or_default()
            .trim_end();
        while let Some((before, last)) = content.rsplit_once(['\n', '\r']) {
            if !last.trim_start().starts_with('#') {
                break;
            }
            content = before.trim_end();
        }
        let end = section.start + u32::try_from(content.len()).unwrap_or(u32::MAX);
        self.add(
            Span::new(header.start, end.max(header.end)),
            FoldKind::Region,
        );
    }

    fn table(&mut self, table: Table<'_>) {
        for entry in table.entries() {
            self.value(entry.value());
        }
    }

    fn value(&mut self, value: Node<'_>) {
        match value {
            Node::Table(table) => {
                if table.kind() == jp_config::document::TableKind::Inline {
                    self.add(table.span(), FoldKind::Region);
                }
                self.table(table);
            }
            Node::Array(array) => {
                self.add(array.span(), FoldKind::Region);
                for item in array.items() {
                    self.value(item);
                }
            }
            Node::Str(string) => self.add(string.span(), FoldKind::Region),
            _ => {}
        }
    }

    /// Comments that stand alone on lines which follow each other.
    fn comments(&mut self, document: &Document) {
        let mut block: Option<Span> = None;
        for comment in document.comments() {
            let before = self.text.get(..comment.start as usize).unwrap_or_default();
            let alone = before
                .rsplit(['\n', '\r'])
                .next()
                .is_none_or(|line| line.trim().is_empty());
            let joined = block.filter(|block| {
                let between = self
                    .text
                    .get(block.end as usize..comment.start as usize)
                    .unwrap_or_default();
                alone && between.trim().is_empty() && between.matches('\n').count() <= 1
            });
            match joined {
                Some(joined) => block = Some(Span::new(joined.start, comment.end)),
                None => {
                    if let Some(done) = block.take() {
                        self.add(done, FoldKind::Comment);
                    }
                    block = alone.then_some(comment);
                }
            }
        }
        if let Some(done) = block {
            self.add(done, FoldKind::Comment);
        }
    }
}

#[cfg(test)]
#[path = "folding_tests.rs"]
mod tests;
