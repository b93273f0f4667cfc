//! Where a text is too broken for a fix to be trusted.
//!
//! ```toml
//! run = [{ mode = "ask" }   # what is put in here may land in other brackets than those meant
//! ```

use std::collections::BTreeMap;

use jp_config::{
    document::{Document, Span, SyntaxErrorKind},
    graph::{FileId, Graph},
};

use crate::Fix;

/// Where the syntax of the files is broken, looked up once for each file.
pub(super) struct Mistakes<'a> {
    graph: &'a Graph,
    files: BTreeMap<FileId, Broken>,
}

/// The places of mistakes, by where they begin, each with the furthest end up to it.
struct Broken {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Broken {
    fn of(document: &Document) -> Self {
        let mut spans: Vec<Span> = document
            .errors()
            .into_iter()
            .filter(|error| error.kind == SyntaxErrorKind::Syntax)
            .map(|error| error.span)
            .collect();
        spans.sort_unstable();
        let ends = spans.iter().scan(0, |furthest, span| {
            *furthest = span.end.max(*furthest);
            Some(*furthest)
        });
        Self {
            ends: ends.collect(),
            starts: spans.iter().map(|span| span.start).collect(),
        }
    }

    fn meets(&self, part: Span) -> bool {
        let before = self.starts.partition_point(|start| *start <= part.end);
        let furthest = before.checked_sub(1).and_then(|last| self.ends.get(last));
        furthest.is_some_and(|end| part.start <= *end)
    }
}

impl<'a> Mistakes<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            files: BTreeMap::new(),
        }
    }

    /// Whether a fix can be trusted with the text as it is.
    ///
    /// Where brackets are broken, something put in or taken out may land in the wrong ones; a replaced word stays where it is.
    pub(super) fn allow(&mut self, fix: &Fix) -> bool {
        fix.edits.iter().all(|edit| {
            let content = self.graph.content(edit.place.file);
            let Some(document) = content.and_then(|content| content.document()) else {
                return false;
            };
            let span = edit.place.span;
            let is_word = !span.is_empty() && !edit.text.is_empty();
            let part = if is_word {
                span
            } else {
                document.section_at(span.start as usize).span()
            };
            let broken = self.files.entry(edit.place.file);
            !broken.or_insert_with(|| Broken::of(document)).meets(part)
        })
    }
}
