//! Findings that move with the sections of their documents.
//!
//! A finding is kept with spans relative to the sections they lie in, so that an edit elsewhere in the file moves it
//! without its being found anew.

use hashbrown::HashMap;
use jp_config::{
    document::{Document, Span},
    graph::{FileId, Graph},
};

use crate::diagnostic::{Diagnostic, Place};

/// A finding whose spans are relative to sections.
#[derive(Debug, Clone)]
pub(crate) struct Anchored {
    finding: Diagnostic,
    /// The revision of the section of each place, in the order of [`Diagnostic::visit_places`].
    /// Absent for a place in a data file, which has no sections.
    revisions: Vec<Option<u64>>,
    /// The distinct sections among them.
    sections: Vec<(FileId, u64)>,
}

/// Where the sections of a graph's documents start, found on demand.
pub(crate) struct SectionStarts<'a> {
    graph: &'a Graph,
    by_offset: HashMap<FileId, Vec<(u32, u64)>>,
    by_revision: HashMap<FileId, HashMap<u64, u32>>,
}

impl<'a> SectionStarts<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            by_offset: HashMap::new(),
            by_revision: HashMap::new(),
        }
    }

    fn document(&self, file: FileId) -> Option<&'a Document> {
        self.graph.content(file)?.document()
    }

    /// The section that an offset lies in: its start and revision.
    fn section_at(&mut self, file: FileId, offset: u32) -> Option<(u32, u64)> {
        let document = self.document(file)?;
        let starts = self.by_offset.entry(file).or_insert_with(|| {
            document
                .sections()
                .map(|section| (section.span().start, section.revision()))
                .collect()
        });
        let after = starts.partition_point(|(start, _)| *start <= offset);
        starts.get(after.checked_sub(1)?).copied()
    }

    fn start_of(&mut self, file: FileId, revision: u64) -> Option<u32> {
        let document = self.document(file)?;
        self.by_revision
            .entry(file)
            .or_insert_with(|| {
                document
                    .sections()
                    .map(|section| (section.revision(), section.span().start))
                    .collect()
            })
            .get(&revision)
            .copied()
    }
}

impl Anchored {
    /// Anchors a finding in the sections where its places lie.
    pub(crate) fn new(mut finding: Diagnostic, starts: &mut SectionStarts<'_>) -> Self {
        let mut revisions = Vec::new();
        let mut sections = Vec::new();
        finding.visit_places(&mut |place| {
            let section = starts.section_at(place.file, place.span.start);
            revisions.push(section.map(|(_, revision)| revision));
            if let Some((start, revision)) = section {
                place.span = moved_back(place.span, start);
                sections.push((place.file, revision));
            }
        });
        sections.sort_unstable();
        sections.dedup();
        Self {
            finding,
            revisions,
            sections,
        }
    }

    /// The file of the finding.
    pub(crate) fn file(&self) -> FileId {
        self.finding.place.file
    }

    /// Every file that the finding points into, with repetitions.
    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> {
        let mentioned = self.sections.iter().map(|(file, _)| *file);
        mentioned.chain([self.file()])
    }

    /// Whether every section that the finding mentions is still there.
    pub(crate) fn exists(&self, starts: &mut SectionStarts<'_>) -> bool {
        self.sections
            .iter()
            .all(|(file, revision)| starts.start_of(*file, *revision).is_some())
    }

    /// The finding with spans of the whole text; nothing if one of its sections is gone.
    pub(crate) fn resolve(&self, starts: &mut SectionStarts<'_>) -> Option<Diagnostic> {
        let mut finding = self.finding.clone();
        let mut revisions = self.revisions.iter();
        let mut gone = false;
        finding.visit_places(&mut |place: &mut Place| {
            let Some(Some(revision)) = revisions.next() else {
                return;
            };
            match starts.start_of(place.file, *revision) {
                Some(start) => place.span = moved(place.span, start),
                None => gone = true,
            }
        });
        (!gone).then_some(finding)
    }
}

/// A span relative to a section as a span of the whole text.
pub(crate) fn moved(span: Span, start: u32) -> Span {
    Span {
        start: span.start.saturating_add(start),
        end: span.end.saturating_add(start),
    }
}

fn moved_back(span: Span, start: u32) -> Span {
    Span {
        start: span.start.saturating_sub(start),
        end: span.end.saturating_sub(start),
    }
}
