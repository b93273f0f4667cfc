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

mod edit;
mod error;
mod parser;
mod position;
mod section;
mod span;
mod spine;
mod tokens;
mod tree;
mod view;

pub use error::{Repair, SyntaxError, SyntaxErrorKind};
pub use position::{PathSegment, Place, Position, Statement};
pub use span::Span;
pub use view::{Array, Entries, Entry, Key, Kind, Node, Scalar, SectionRef, Str, Table, TableKind};

use parser::{Parser, duplicate_error};
use section::Placed;
use span::narrow;
use spine::{Conflict, Sections, Spine};

#[cfg(test)]
#[path = "document/agreement_tests.rs"]
mod agreement_tests;
#[cfg(test)]
mod dump;
#[cfg(test)]
#[path = "document/hostile_tests.rs"]
mod hostile_tests;
#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

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
        let mut parser = Parser::new(&text, 0, 0);
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

    /// The mistakes, by position: syntax, keys and tables that are defined twice, bare `*` keys.
    ///
    /// Of each section, and of what is defined twice in different sections, as many as anybody reads.
    #[must_use]
    pub fn errors(&self) -> Vec<SyntaxError> {
        self.first_errors(usize::MAX)
    }

    /// The first mistakes of [`Document::errors`], `limit` at most.
    #[must_use]
    pub fn first_errors(&self, limit: usize) -> Vec<SyntaxError> {
        let sections = self.sections_view();
        let syntax = self.placed.iter().flat_map(|placed| {
            let errors = placed.section.errors.iter();
            errors.map(|error| (error.span.shift(placed.start), Mistake::In(placed, error)))
        });
        let body = self.body_conflicts.iter().map(|(_, conflict)| conflict);
        let twice = self.spine.conflicts.iter().chain(body);
        let twice = twice.map(|conflict| {
            let span = sections.key_span(conflict.second);
            (span, Mistake::Between(conflict))
        });
        let mut mistakes: Vec<_> = syntax.chain(twice).collect();
        mistakes.sort_by_key(|(span, _)| *span);
        mistakes.truncate(limit);
        let described = mistakes.into_iter().map(|(span, mistake)| match mistake {
            Mistake::In(placed, error) => placed_error(placed, error),
            Mistake::Between(conflict) => {
                let first = sections.key_span(conflict.first);
                duplicate_error(sections.key(conflict.second), span, first)
            }
        });
        described.collect()
    }

    /// How many mistakes the text has.
    #[must_use]
    pub fn error_count(&self) -> usize {
        let sections = self.placed.iter().map(|placed| &placed.section);
        let syntax: usize = sections
            .map(|section| section.errors.len() + section.more_errors as usize)
            .sum();
        syntax + self.spine.conflicts.len() + self.body_conflicts.len()
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

/// A mistake, before it is described.
enum Mistake<'a> {
    /// In a section, with spans relative to it.
    In(&'a Placed, &'a SyntaxError),
    /// Between two sections.
    Between(&'a Conflict),
}

/// A mistake of a section with spans of the whole text.
fn placed_error(placed: &Placed, error: &SyntaxError) -> SyntaxError {
    let mut error = error.clone();
    error.span = error.span.shift(placed.start);
    if let Some((span, _)) = &mut error.related {
        *span = span.shift(placed.start);
    }
    if let Some(repair) = &mut error.repair {
        repair.span = repair.span.shift(placed.start);
    }
    error
}

/// The part of a text that 32-bit offsets reach.
fn readable(text: &str) -> &str {
    let end = floor_boundary(text, u32::MAX as usize - 1);
    text.get(..end).unwrap_or("")
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
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
