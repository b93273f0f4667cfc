//! Located TOML documents.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! source = "local"
//! enable            # a mistake is one error; everything around it stays
//!
//! [[conversation.tools.fs_modify_file.access.fs]]
//! path = "src"
//! ```
//!
//! [`Document::parse`] never fails: it gives a tree of everything that can be read, and [`Document::errors`].
//! The dialect is TOML 1.1.
//!
//! The text is split at header lines into sections, each parsed alone and shared between versions.
//! [`Document::edit`] parses the sections that an edit touches and keeps all others; the result equals a fresh parse.
//! Views ([`Table`], [`Entry`], [`Node`]) merge what several sections say about one table on the way.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

mod error;
mod parser;
mod position;
mod section;
mod span;
mod spine;
mod tokens;
mod view;

pub use error::{SyntaxError, SyntaxErrorKind};
pub use position::{PathSegment, Place, Position};
pub use span::Span;
pub use view::{Array, Entries, Entry, Key, Kind, Node, Scalar, SectionRef, Str, Table, TableKind};

use parser::{Parser, duplicate_error};
use section::Section;
use span::narrow;
use spine::{Conflict, Sections, Spine};

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

/// A section and where it starts.
#[derive(Clone, Debug)]
struct Placed {
    start: u32,
    section: Arc<Section>,
}

/// A TOML text and its tree.
///
/// Cloning is cheap and gives a snapshot that later edits do not touch.
#[derive(Clone)]
pub struct Document {
    text: Arc<String>,
    placed: Arc<Vec<Placed>>,
    spine: Arc<Spine>,
    /// What the body of a section and a header define twice, by the index of that section.
    body_conflicts: Arc<Vec<(u32, Conflict)>>,
    /// The sections whose parse looked beyond the next section, in order.
    far: Vec<u32>,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("bytes", &self.text.len())
            .field("sections", &self.placed.len())
            .finish_non_exhaustive()
    }
}

impl Default for Document {
    fn default() -> Self {
        Self::parse("")
    }
}

impl Document {
    /// Parses a text.
    ///
    /// Offsets are 32 bits wide: of a text beyond 4 GiB the part beyond is not read.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = Arc::new(readable(text).to_owned());
        let mut placed = Vec::new();
        let mut parser = Parser::new(&text, 0);
        let mut start = 0;
        while let Some(section) = parser.section() {
            placed.push(Placed {
                start,
                section: Arc::new(section),
            });
            start = parser.offset();
        }
        let sections = Sections {
            text: &text,
            placed: &placed,
        };
        let spine = Spine::build(sections);
        let mut conflicts = Vec::new();
        collect_conflicts(&spine, sections, 0..narrow(placed.len()), &mut conflicts);
        let far = far_sections(&placed, 0..placed.len());
        Self {
            text,
            placed: Arc::new(placed),
            spine: Arc::new(spine),
            body_conflicts: Arc::new(conflicts),
            far,
        }
    }

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
        let mut parser = Parser::new(&self.text, base as usize);
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

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, to keep.
    #[must_use]
    pub fn shared_text(&self) -> Arc<String> {
        Arc::clone(&self.text)
    }

    /// The whole text as a range.
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(0, narrow(self.text.len()))
    }

    /// All mistakes, by position: syntax, keys and tables that are defined twice, bare `*` keys.
    #[must_use]
    pub fn errors(&self) -> Vec<SyntaxError> {
        let mut errors = Vec::new();
        for placed in self.placed.iter() {
            for error in &placed.section.errors {
                let mut error = error.clone();
                error.span = error.span.shift(placed.start);
                if let Some((span, _)) = &mut error.related {
                    *span = span.shift(placed.start);
                }
                errors.push(error);
            }
        }
        let sections = self.sections_view();
        let body = self.body_conflicts.iter().map(|(_, conflict)| conflict);
        for conflict in self.spine.conflicts.iter().chain(body) {
            errors.push(duplicate_error(
                sections.key(conflict.second),
                sections.key_span(conflict.second),
                sections.key_span(conflict.first),
            ));
        }
        errors.sort_by_key(|error| error.span);
        errors
    }

    /// The table of the whole document.
    #[must_use]
    pub fn root(&self) -> Table<'_> {
        Table::from_spine(self, 0)
    }

    /// The sections in order; the first stands before the first header and may be empty.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = SectionRef<'_>> {
        (0..self.placed.len()).map(|index| SectionRef {
            document: self,
            index: narrow(index),
        })
    }

    /// The section that holds the byte at `offset`; the last one for an offset at or beyond the end.
    #[must_use]
    pub fn section_at(&self, offset: usize) -> SectionRef<'_> {
        SectionRef {
            document: self,
            index: self.section_index(narrow(offset)),
        }
    }

    /// All comments, in order.
    pub fn comments(&self) -> impl Iterator<Item = Span> + '_ {
        self.sections().flat_map(SectionRef::comments)
    }

    /// What is at `offset`; an offset beyond the end counts as the end.
    #[must_use]
    pub fn at(&self, offset: usize) -> Position<'_> {
        position::at(self, narrow(offset.min(self.text.len())))
    }

    fn section_index(&self, offset: u32) -> u32 {
        let after = self.placed.partition_point(|placed| placed.start <= offset);
        // Only an empty first section shares its start with the next.
        narrow(after.saturating_sub(1))
    }

    fn sections_view(&self) -> Sections<'_> {
        Sections {
            text: &self.text,
            placed: &self.placed,
        }
    }
}

/// The part of a text that 32-bit offsets reach.
fn readable(text: &str) -> &str {
    let end = floor_boundary(text, u32::MAX as usize - 1);
    text.get(..end).unwrap_or("")
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

/// Where a replaced range ended, and where its replacement does.
#[derive(Copy, Clone)]
struct Edit {
    end: u32,
    new_end: u32,
}

/// The sections in a range whose parse looked beyond the section after them.
fn far_sections(placed: &[Placed], range: Range<usize>) -> Vec<u32> {
    range
        .filter(|index| {
            let (Some(this), next) = (placed.get(*index), placed.get(index + 1)) else {
                return false;
            };
            let next_end = next.map_or(u32::MAX, |next| next.start + next.section.len);
            this.section.cut_string || this.start + this.section.reach >= next_end
        })
        .map(narrow)
        .collect()
}

fn collect_conflicts(
    spine: &Spine,
    sections: Sections<'_>,
    range: Range<u32>,
    found: &mut Vec<(u32, Conflict)>,
) {
    let mut conflicts = Vec::new();
    for index in range {
        spine.body_conflicts(sections, index, &mut conflicts);
        found.extend(conflicts.drain(..).map(|conflict| (index, conflict)));
    }
}
