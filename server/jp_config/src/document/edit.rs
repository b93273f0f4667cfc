//! Edits: only the sections that an edit touches are parsed again.
//!
//! ```toml
//! [a]
//! x = 1      # typed here: this section is parsed again
//! [b]        # kept, as is everything from here on; only its offset moves
//! ```
//!
//! A section depends on its own text and on what its parse looked at beyond, its reach.
//! Parsing starts at the first section whose reach meets the edit.
//! It ends where a section begins that began there before the edit, because sections start from one and the same state.
//!
//! Most sections reach a token into the next one; to look from the edit backwards as long as sections reach it finds those.
//! One that is not closed may reach over many that do not, to the end of the text: such sections are listed as *far*, and asked by name.
//! A string that ran into the end of the text (`cut_string`) depends on all that follows, wherever its reach ended.

use std::ops::Range;
use std::sync::Arc;

use super::parser::Parser;
use super::section::Placed;
use super::span::{Span, narrow};
use super::spine::{Sections, Spine};
use super::{Document, collect_conflicts, far_sections, floor_boundary};

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;

/// Where a replaced range ended, and where its replacement does.
#[derive(Copy, Clone)]
struct Edit {
    end: u32,
    new_end: u32,
}

impl Document {
    /// Replaces a range of bytes of the text.
    ///
    /// A range beyond the text or not on character boundaries is moved to the nearest boundaries before.
    pub fn edit(&mut self, range: Range<usize>, replacement: &str) {
        let start = floor_boundary(&self.text, range.start);
        let end = floor_boundary(&self.text, range.end).max(start);
        self.replace(start..end, replacement);
    }

    fn replace(&mut self, range: Range<usize>, replacement: &str) {
        let first = self.first_touched(range.start);
        let base = self.placed.get(first).map_or(0, |placed| placed.start);
        let old = self.region(base, range.end);
        let text = Arc::make_mut(&mut self.text);
        text.replace_range(range.clone(), replacement);
        if text.len() >= u32::MAX as usize {
            *self = Self::parse(&self.text);
            return;
        }
        let edit = Edit {
            end: narrow(range.end),
            new_end: narrow(range.start + replacement.len()),
        };
        let (fresh, kept) = self.parse_touched(first, base, edit);
        let same_headers = self.same_headers(first..kept, &fresh, &old, base, edit);
        let count = fresh.len();
        self.splice(first..kept, fresh, edit);
        self.refresh(first, first + count, kept, same_headers);
    }

    /// The first section whose parse may have looked at `offset` or beyond.
    fn first_touched(&self, offset: usize) -> usize {
        let offset = narrow(offset);
        let mut first = self.section_index(offset) as usize;
        let reaches = |index: usize| {
            self.placed.get(index).is_some_and(|placed| {
                placed.section.cut_string || placed.start + placed.section.reach >= offset
            })
        };
        while let Some(before) = first.checked_sub(1)
            && reaches(before)
        {
            first = before;
        }
        self.far
            .iter()
            .map(|index| *index as usize)
            .take_while(|index| *index < first)
            .find(|index| reaches(*index))
            .unwrap_or(first)
    }

    /// The text from `base` to the end of the section that holds `end`.
    fn region(&self, base: u32, end: usize) -> String {
        let last = self.section_index(narrow(end)) as usize;
        let end = self
            .placed
            .get(last)
            .map_or(base, |placed| placed.start + placed.section.len);
        let region = Span::new(base, end.max(base)).range();
        self.text.get(region).unwrap_or("").to_owned()
    }

    /// Parses from section `first` on, until a section of old begins where one of the text begins.
    ///
    /// Returns the parsed sections and the first old one to keep after them.
    fn parse_touched(&self, first: usize, base: u32, edit: Edit) -> (Vec<Placed>, usize) {
        let mut fresh = Vec::new();
        let mut parser = Parser::new(&self.text, first, base as usize);
        let mut start = base;
        while let Some(section) = parser.section() {
            fresh.push(Placed {
                start,
                section: Arc::new(section),
            });
            start = parser.offset();
            if start < edit.new_end {
                continue;
            }
            let before = start - edit.new_end + edit.end;
            let from = first + 1;
            let kept = self.placed.get(from..).unwrap_or(&[]);
            if let Ok(at) = kept.binary_search_by_key(&before, |placed| placed.start) {
                return (fresh, from + at);
            }
        }
        (fresh, self.placed.len())
    }

    /// Whether the parsed sections have the headers of the ones they replace.
    ///
    /// `old` is the text from `base` on as it was; the text that lies beyond it is unchanged.
    fn same_headers(
        &self,
        replaced: Range<usize>,
        fresh: &[Placed],
        old: &str,
        base: u32,
        edit: Edit,
    ) -> bool {
        let replaced = self.placed.get(replaced).unwrap_or(&[]);
        replaced.len() == fresh.len()
            && replaced.iter().zip(fresh).all(|(before, after)| {
                let len = before.section.len;
                let within = Span::new(before.start - base, before.start - base + len);
                let before_text = old.get(within.range()).or_else(|| {
                    let start = (before.start + edit.new_end).checked_sub(edit.end)?;
                    self.text.get(Span::new(start, start + len).range())
                });
                let after_span = Span::new(after.start, after.start + after.section.len);
                let after_text = self.text.get(after_span.range());
                after.section.same_header(
                    after_text.unwrap_or(""),
                    &before.section,
                    before_text.unwrap_or(""),
                )
            })
    }

    fn splice(&mut self, replaced: Range<usize>, fresh: Vec<Placed>, edit: Edit) {
        let placed = Arc::make_mut(&mut self.placed);
        if edit.new_end != edit.end {
            for later in placed.iter_mut().skip(replaced.end) {
                later.start = later.start - edit.end + edit.new_end;
            }
        }
        placed.splice(replaced, fresh);
    }

    /// Brings what is known across sections up to date, after `first..end` replaced `first..kept`.
    fn refresh(&mut self, first: usize, end: usize, kept: usize, same_headers: bool) {
        let changed = narrow(first)..narrow(end);
        let kept = narrow(kept);
        let moved = |index: u32| index - kept + changed.end;
        let mut far: Vec<u32> = Vec::new();
        far.extend(
            self.far
                .iter()
                .copied()
                .filter(|index| *index < changed.start),
        );
        far.extend(far_sections(&self.placed, first.saturating_sub(1)..end));
        far.extend(
            self.far
                .iter()
                .copied()
                .filter(|index| *index >= kept)
                .map(moved),
        );
        far.dedup();
        self.far = far;
        let sections = Sections {
            text: &self.text,
            placed: &self.placed,
        };
        if !same_headers {
            self.spine = Arc::new(Spine::build(sections));
            let mut conflicts = Vec::new();
            let all = 0..narrow(self.placed.len());
            collect_conflicts(&self.spine, sections, all, &mut conflicts);
            self.body_conflicts = Arc::new(conflicts);
            return;
        }
        let mut conflicts = Vec::new();
        collect_conflicts(&self.spine, sections, changed.clone(), &mut conflicts);
        if !conflicts.is_empty() || !self.body_conflicts.is_empty() {
            let known = Arc::make_mut(&mut self.body_conflicts);
            known.retain(|(index, _)| !changed.contains(index));
            known.extend(conflicts);
            known.sort_by_key(|(index, _)| *index);
        }
    }

    /// Like [`Document::edit`], leaving this document as it is.
    #[must_use]
    pub fn edited(&self, range: Range<usize>, replacement: &str) -> Self {
        let mut document = self.clone();
        document.edit(range, replacement);
        document
    }
}
