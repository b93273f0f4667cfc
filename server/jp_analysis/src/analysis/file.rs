//! What one file gets wrong on its own, section by section.

use std::{collections::HashMap, sync::Arc};

use jp_config::{
    content::{Content, ContentFormat},
    document::{Document, SectionRef},
    graph::{FileId, GraphFile},
};

use super::Effort;
use crate::{
    allow::Allow,
    anchor::moved,
    diagnostic::Diagnostic,
    identity::FileIdentity,
    limit::{Found, MAXIMUM_FINDINGS, Omitted},
    options::Options,
    rules,
};

/// What is found in one file on its own.
#[derive(Debug)]
pub(super) struct FileFindings {
    content: Option<Arc<Content>>,
    sections: Vec<SectionFindings>,
    /// Everything that the file gets wrong on its own, with spans of the whole text.
    local: Vec<Diagnostic>,
    /// What is counted besides.
    omitted: Omitted,
    /// The comments that allow findings, with spans of the whole text.
    allows: Vec<Allow>,
    identity: FileIdentity,
}

/// What is found in one section, with spans relative to it.
#[derive(Debug, Clone)]
struct SectionFindings {
    revision: u64,
    findings: Option<Arc<[Diagnostic]>>,
    /// What was counted besides, because there was no room for it.
    omitted: Omitted,
    /// The comments that allow findings.
    allows: Option<Arc<[Allow]>>,
}

impl FileFindings {
    /// The findings of a file; what `previous` found in sections that are the same is not found anew.
    pub(super) fn of(
        file: FileId,
        graph_file: &GraphFile,
        options: Options,
        previous: Option<&Arc<Self>>,
        effort: &mut Effort,
    ) -> Arc<Self> {
        let content = graph_file.content.as_ref();
        if let Some(previous) = previous {
            let is_same = match (content, &previous.content) {
                (Some(content), Some(before)) => Arc::ptr_eq(before, content),
                (None, None) => true,
                _ => false,
            };
            if is_same {
                return Arc::clone(previous);
            }
        }
        effort.files += 1;
        let before = previous.map_or(&[][..], |previous| &previous.sections);
        let mut sections = Vec::new();
        let mut local = Found::default();
        let mut allows = Vec::new();
        match content.map(Arc::as_ref) {
            Some(Content::Toml(document)) => {
                local = rules::syntax(file, document);
                let mut reuse = Reuse::new(before);
                sections.reserve(document.sections().len());
                for section in document.sections() {
                    let room = MAXIMUM_FINDINGS.saturating_sub(local.findings.len());
                    let kept = reuse.find(section.revision());
                    let kept = kept.filter(|kept| kept.fills(room)).unwrap_or_else(|| {
                        let found = rules::section(file, section, options, room);
                        SectionFindings::new(document, section, found)
                    });
                    kept.place(file, section.start(), &mut local);
                    let here = kept.allows.iter().flat_map(|allows| allows.iter());
                    allows.extend(here.map(|allow| allow.clone().placed(section.start())));
                    sections.push(kept);
                }
            }
            Some(Content::Data(data)) => {
                let format = ContentFormat::of(&graph_file.path);
                local = rules::data(file, format, data.as_ref());
            }
            None => {}
        }
        Arc::new(Self {
            identity: content.map_or_else(FileIdentity::default, |content| {
                FileIdentity::of(content, previous.map(|previous| &previous.identity))
            }),
            content: content.cloned(),
            sections,
            local: local.findings,
            omitted: local.omitted,
            allows,
        })
    }

    pub(super) fn identity(&self) -> &FileIdentity {
        &self.identity
    }

    /// The comments that allow findings in the file.
    pub(super) fn allows(&self) -> &[Allow] {
        &self.allows
    }

    /// Everything that the file gets wrong on its own, with spans of the whole text.
    pub(super) fn local(&self) -> Found {
        Found {
            findings: self.local.clone(),
            omitted: self.omitted,
        }
    }
}

impl SectionFindings {
    fn new(document: &Document, section: SectionRef<'_>, found: Found) -> Self {
        let Found { findings, omitted } = found;
        let allows: Vec<Allow> = section
            .comments()
            .filter_map(|comment| Allow::parse(document.text(), comment))
            .map(|allow| allow.relative(section.start()))
            .collect();
        Self {
            revision: section.revision(),
            allows: (!allows.is_empty()).then(|| allows.into()),
            findings: (!findings.is_empty()).then(|| findings.into()),
            omitted,
        }
    }

    /// Whether the findings that were kept are all, or as many as there is room for.
    fn fills(&self, room: usize) -> bool {
        let kept = self.findings.as_ref().map_or(0, |findings| findings.len());
        self.omitted.is_empty() || kept >= room
    }

    /// Adds the findings with spans of the whole text, as long as there is room.
    fn place(&self, file: FileId, start: u32, found: &mut Found) {
        for finding in self.findings.iter().flat_map(|findings| findings.iter()) {
            if found.findings.len() >= MAXIMUM_FINDINGS {
                found.omitted.note(finding.severity, finding.code);
                continue;
            }
            let mut finding = finding.clone();
            finding.visit_places(&mut |place| {
                place.file = file;
                place.span = moved(place.span, start);
            });
            found.findings.push(finding);
        }
        found.omitted.add(self.omitted);
    }
}

/// Finds kept sections again; sections keep their order, so a forward search suffices but for moved ones.
struct Reuse<'a> {
    before: &'a [SectionFindings],
    next: usize,
    index: Option<HashMap<u64, usize>>,
}

impl<'a> Reuse<'a> {
    fn new(before: &'a [SectionFindings]) -> Self {
        Self {
            before,
            next: 0,
            index: None,
        }
    }

    fn find(&mut self, revision: u64) -> Option<SectionFindings> {
        if let Some(kept) = self.before.get(self.next)
            && kept.revision == revision
        {
            self.next += 1;
            return Some(kept.clone());
        }
        let before = self.before;
        let index = self.index.get_or_insert_with(|| {
            before
                .iter()
                .enumerate()
                .map(|(position, kept)| (kept.revision, position))
                .collect()
        });
        let position = *index.get(&revision)?;
        self.next = position + 1;
        self.before.get(position).cloned()
    }
}
