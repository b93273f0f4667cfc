//! Edits on trial: what a change would do to the text.

use std::{collections::BTreeMap, ops::Range};

use jp_config::{
    document::Document,
    graph::{FileId, Graph},
};

use crate::Edit;

/// More edits than this cost more to take back than another copy.
const MOST_TAKEN_BACK: usize = 8;

/// Copies of the documents, on which edits are tried and taken back.
pub(super) struct Trials<'a> {
    graph: &'a Graph,
    copies: BTreeMap<FileId, Trial>,
}

/// A copy of a document, and how many mistakes it has.
struct Trial {
    document: Document,
    mistakes: usize,
}

impl<'a> Trials<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            copies: BTreeMap::new(),
        }
    }

    /// Whether edits leave no mistake of syntax, and no key that stands twice, that was not there.
    pub(super) fn is_harmless<'e>(&mut self, edits: impl IntoIterator<Item = &'e Edit>) -> bool {
        self.judged(edits, |before, after| after <= before)
    }

    /// Whether edits leave fewer mistakes of syntax than there were.
    pub(super) fn mends(&mut self, edits: &[Edit]) -> bool {
        self.judged(edits, |before, after| after < before)
    }

    /// Compares the number of mistakes in each changed file before and after some edits.
    fn judged<'e>(
        &mut self,
        edits: impl IntoIterator<Item = &'e Edit>,
        accept: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let mut edits: Vec<&Edit> = edits.into_iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        let mut undo: Vec<(FileId, Range<usize>, String)> = Vec::with_capacity(edits.len());
        let mut is_whole = true;
        for edit in edits {
            let file = edit.place.file;
            let range = edit.place.span.range();
            let before = self
                .copy(file)
                .and_then(|copy| Some((copy.document.text().get(range.clone())?.to_owned(), copy)));
            let Some((before, copy)) = before else {
                is_whole = false;
                break;
            };
            copy.document.edit(range.clone(), &edit.text);
            undo.push((file, range.start..range.start + edit.text.len(), before));
        }
        let accepted = undo.iter().all(|(file, ..)| {
            let copy = self.copies.get(file);
            copy.is_some_and(|copy| accept(copy.mistakes, copy.document.error_count()))
        });
        let is_long = undo.len() > MOST_TAKEN_BACK;
        for (file, range, before) in undo.into_iter().rev() {
            if is_long {
                self.copies.remove(&file);
            } else if let Some(copy) = self.copies.get_mut(&file) {
                copy.document.edit(range, &before);
            }
        }
        is_whole && accepted
    }

    fn copy(&mut self, file: FileId) -> Option<&mut Trial> {
        let content = self.graph.content(file)?;
        let document = content.document()?;
        Some(self.copies.entry(file).or_insert_with(|| Trial {
            document: document.clone(),
            mistakes: document.error_count(),
        }))
    }
}
