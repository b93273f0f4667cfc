//! Everything that is found in a workspace, kept so that the next keystroke pays only for what it changed.
//!
//! ```text
//! keystroke -> one section of one file -> that section's structural findings
//!                                      -> the tools that the section has a part in
//! ```
//!
//! An [`Analysis`] is a value: the next one is made from it and the changed graph, and shares what did not change.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use indexmap::IndexMap;
use jp_config::{
    content::{Content, ContentFormat},
    graph::{FileId, Graph, GraphFile},
    view::View,
};

use crate::{
    anchor::{Anchored, SectionStarts, moved},
    diagnostic::{Diagnostic, Place},
    identity::{FileIdentity, ViewIdentity, combine},
    limit::{self, Found, MAXIMUM_FINDINGS, Omitted},
    options::Options,
    rules::{self, ConfigPlaces},
    tool::ToolContext,
};

/// How many findings of a file on how it names others offer a fix.
const PROBLEMS_WITH_FIXES: usize = 100;

/// The findings of a workspace.
#[derive(Debug, Clone)]
pub struct Analysis {
    graph: Arc<Graph>,
    options: Options,
    files: Vec<Arc<FileFindings>>,
    views: Vec<ViewFindings>,
    found: Vec<Arc<Vec<Diagnostic>>>,
}

/// What is found in one file on its own.
#[derive(Debug)]
struct FileFindings {
    content: Option<Arc<Content>>,
    sections: Vec<SectionFindings>,
    /// Everything that the file gets wrong on its own, with spans of the whole text.
    local: Vec<Diagnostic>,
    /// What is counted besides.
    omitted: Omitted,
    identity: FileIdentity,
}

/// What is found in one section, with spans relative to it.
#[derive(Debug, Clone)]
struct SectionFindings {
    revision: u64,
    findings: Option<Arc<[Diagnostic]>>,
    /// What was counted besides, because there was no room for it.
    omitted: Omitted,
}

/// What is found in one view: the workspace's own, or that of a fragment.
#[derive(Debug, Clone)]
struct ViewFindings {
    fragment: Option<usize>,
    tools: IndexMap<String, Kept>,
    others: Kept,
}

/// Findings, and the identity of everything they were found in.
#[derive(Debug, Clone)]
struct Kept {
    identity: u64,
    findings: Option<Arc<[Anchored]>>,
    /// What is counted besides, by file.
    omitted: BTreeMap<FileId, Omitted>,
}

impl Analysis {
    /// Analyses a workspace from scratch.
    #[must_use]
    pub fn new(graph: Arc<Graph>, options: Options) -> Self {
        let nothing = Self {
            graph: Arc::new(Graph::default()),
            options,
            files: Vec::new(),
            views: Vec::new(),
            found: Vec::new(),
        };
        nothing.update(graph)
    }

    /// Analyses the next state of the workspace, reusing what did not change.
    #[must_use]
    pub fn update(&self, graph: Arc<Graph>) -> Self {
        let same_files = same_files(&self.graph, &graph);
        let files: Vec<_> = graph
            .files
            .iter()
            .enumerate()
            .map(|(index, file)| {
                let previous = self.files.get(index).filter(|_| same_files);
                self.file_findings(file_id(index), file, previous)
            })
            .collect();
        let identities: Vec<&FileIdentity> = files.iter().map(|file| &file.identity).collect();
        let base = ViewIdentity::base(&graph.layers, &identities);
        let places = ConfigPlaces::default();
        let mut views = Vec::with_capacity(graph.fragments.len() + 1);
        let fragments = std::iter::once(None).chain((0..graph.fragments.len()).map(Some));
        for (index, fragment) in fragments.enumerate() {
            let previous = self.views.get(index).filter(|_| same_files);
            let extended = fragment
                .and_then(|index| graph.fragments.get(index))
                .map(|fragment| base.extended(&fragment.layers, &identities));
            views.push(ViewFindings::update(
                &graph,
                fragment,
                extended.as_ref().unwrap_or(&base),
                self.options,
                &places,
                previous,
            ));
        }
        let found = gather(&graph, &files, &views)
            .into_iter()
            .enumerate()
            .map(|(index, found)| match self.found.get(index) {
                Some(before) if **before == found => Arc::clone(before),
                _ => Arc::new(found),
            })
            .collect();
        Self {
            graph,
            options: self.options,
            files,
            views,
            found,
        }
    }

    /// The graph that was analysed.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// What a person chose.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// Every finding of one file, sorted by place.
    ///
    /// The same allocation as before an update, if nothing about it changed.
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> Arc<Vec<Diagnostic>> {
        self.found
            .get(file.index())
            .map(Arc::clone)
            .unwrap_or_default()
    }

    /// Every finding of every file, by file and place.
    pub fn all_diagnostics(&self) -> impl Iterator<Item = (FileId, &Arc<Vec<Diagnostic>>)> {
        self.found
            .iter()
            .enumerate()
            .map(|(index, found)| (file_id(index), found))
    }

    fn file_findings(
        &self,
        file: FileId,
        graph_file: &GraphFile,
        previous: Option<&Arc<FileFindings>>,
    ) -> Arc<FileFindings> {
        let content = graph_file.content.as_ref();
        if let (Some(content), Some(previous)) = (content, previous)
            && previous
                .content
                .as_ref()
                .is_some_and(|before| Arc::ptr_eq(before, content))
        {
            return Arc::clone(previous);
        }
        let before = previous.map_or(&[][..], |previous| &previous.sections);
        let mut sections = Vec::new();
        let mut local = Found::default();
        match content.map(Arc::as_ref) {
            Some(Content::Toml(document)) => {
                local = rules::syntax(file, document);
                let mut reuse = Reuse::new(before);
                sections.reserve(document.sections().len());
                for section in document.sections() {
                    let room = MAXIMUM_FINDINGS.saturating_sub(local.findings.len());
                    let kept = reuse.find(section.revision());
                    let kept = kept.filter(|kept| kept.fills(room)).unwrap_or_else(|| {
                        let found = rules::section(file, section, self.options, room);
                        SectionFindings::new(section.revision(), found)
                    });
                    kept.place(file, section.start(), &mut local);
                    sections.push(kept);
                }
            }
            Some(Content::Data(data)) => {
                let format = ContentFormat::of(&graph_file.path);
                local = rules::data(file, format, data.as_ref());
            }
            None => {}
        }
        Arc::new(FileFindings {
            identity: content.map_or_else(FileIdentity::default, |content| {
                FileIdentity::of(content, previous.map(|previous| &previous.identity))
            }),
            content: content.cloned(),
            sections,
            local: local.findings,
            omitted: local.omitted,
        })
    }
}

impl SectionFindings {
    fn new(revision: u64, found: Found) -> Self {
        let Found { findings, omitted } = found;
        Self {
            revision,
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

/// All findings by file, sorted by place.
fn gather(
    graph: &Graph,
    files: &[Arc<FileFindings>],
    views: &[ViewFindings],
) -> Vec<Vec<Diagnostic>> {
    let mut starts = SectionStarts::new(graph);
    let mut found: Vec<Found> = files
        .iter()
        .map(|file| Found {
            findings: file.local.clone(),
            omitted: file.omitted,
        })
        .collect();
    for (file, effective) in effective(graph, views, &mut starts) {
        if let Some(slot) = found.get_mut(file.index()) {
            slot.findings.extend(effective.findings);
            slot.omitted.add(effective.omitted);
        }
    }
    let mut problems: HashMap<FileId, usize> = HashMap::new();
    for problem in &graph.problems {
        let before = problems.entry(problem.file).or_default();
        *before += 1;
        if let Some(slot) = found.get_mut(problem.file.index()) {
            let finding = rules::graph_problem(graph, problem, *before <= PROBLEMS_WITH_FIXES);
            // Their own room: the findings of other rules must not hide that the file lacks its neighbours.
            match *before <= MAXIMUM_FINDINGS {
                true => slot.findings.push(finding),
                false => slot.omitted.note(finding.severity, finding.code),
            }
        }
    }
    for finding in rules::left_unset(graph) {
        if let Some(slot) = found.get_mut(finding.place.file.index()) {
            slot.findings.push(finding);
        }
    }
    found
        .into_iter()
        .map(|mut found| {
            sort(&mut found.findings);
            limit::close(&mut found.findings, found.omitted);
            found.findings
        })
        .collect()
}

/// Findings that hold in every view which has their file as part of its fragment.
///
/// Fragments are alternatives: what one of them lacks, another may bring, so only what is wrong in all of them is wrong.
fn effective(
    graph: &Graph,
    views: &[ViewFindings],
    starts: &mut SectionStarts<'_>,
) -> BTreeMap<FileId, Found> {
    let base: HashSet<FileId> = graph.layers.iter().map(|layer| layer.file).collect();
    let mut found: BTreeMap<FileId, Found> = BTreeMap::new();
    let mut judged: HashSet<FileId> = HashSet::new();
    for view in views {
        let fragment = view.fragment.and_then(|index| graph.fragments.get(index));
        let mut here = view.findings(starts);
        let Some(fragment) = fragment else {
            here.retain(|file, _| base.contains(file));
            found = here;
            continue;
        };
        // A file that the fragment reaches in several ways is one file, judged once.
        let own: BTreeSet<FileId> = fragment
            .layers
            .iter()
            .map(|layer| layer.file)
            .filter(|file| !base.contains(file))
            .collect();
        for file in own {
            let findings = here.remove(&file).unwrap_or_default();
            if judged.insert(file) {
                found.insert(file, findings);
            } else if let Some(earlier) = found.get_mut(&file) {
                keep_common(&mut earlier.findings, &findings.findings);
            }
        }
    }
    found
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

impl ViewFindings {
    fn update(
        graph: &Arc<Graph>,
        fragment: Option<usize>,
        identities: &ViewIdentity,
        options: Options,
        places: &ConfigPlaces,
        previous: Option<&Self>,
    ) -> Self {
        let view = match fragment {
            None => View::new(Arc::clone(graph)),
            Some(index) => View::with_fragment(Arc::clone(graph), index),
        };
        let mut starts = SectionStarts::new(graph);
        let mut tools = IndexMap::with_capacity(identities.tools.len());
        for (name, identity) in &identities.tools {
            let identity = combine(*identity, identities.context);
            let kept = previous
                .and_then(|previous| previous.tools.get(name))
                .filter(|kept| kept.holds(identity, &mut starts));
            let kept = match kept {
                Some(kept) => kept.clone(),
                None => {
                    let mut findings = Vec::new();
                    if let Some(context) = ToolContext::of(&view, name, options) {
                        rules::check_tool(&context, places, &mut findings);
                    }
                    Kept::new(identity, findings, &mut starts)
                }
            };
            tools.insert(name.clone(), kept);
        }
        let identity = identities.everything;
        let others = previous
            .map(|previous| &previous.others)
            .filter(|kept| kept.holds(identity, &mut starts));
        let others = match others {
            Some(kept) => kept.clone(),
            None => {
                let mut findings = Vec::new();
                rules::check_view(&view, options, &mut findings);
                Kept::new(identity, findings, &mut starts)
            }
        };
        Self {
            fragment,
            tools,
            others,
        }
    }

    /// The findings by file.
    fn findings(&self, starts: &mut SectionStarts<'_>) -> BTreeMap<FileId, Found> {
        let mut found: BTreeMap<FileId, Found> = BTreeMap::new();
        for kept in self.tools.values().chain([&self.others]) {
            for anchored in kept.findings.iter().flat_map(|kept| kept.iter()) {
                if let Some(finding) = anchored.resolve(starts) {
                    let found = found.entry(anchored.file()).or_default();
                    found.findings.push(finding);
                }
            }
            for (file, omitted) in &kept.omitted {
                found.entry(*file).or_default().omitted.add(*omitted);
            }
        }
        found
    }
}

impl Kept {
    fn new(identity: u64, findings: Vec<Diagnostic>, starts: &mut SectionStarts<'_>) -> Self {
        let mut omitted: BTreeMap<FileId, Omitted> = BTreeMap::new();
        let mut told: HashMap<FileId, usize> = HashMap::new();
        let findings: Arc<[Anchored]> = findings
            .into_iter()
            .filter_map(|finding| {
                let file = finding.place.file;
                let told = told.entry(file).or_default();
                *told += 1;
                if *told > MAXIMUM_FINDINGS {
                    let omitted = omitted.entry(file).or_default();
                    omitted.note(finding.severity, finding.code);
                    return None;
                }
                Some(Anchored::new(finding, starts))
            })
            .collect();
        Self {
            identity,
            findings: (!findings.is_empty()).then_some(findings),
            omitted,
        }
    }

    /// Whether the findings were made from the same texts, and every place in them still exists.
    fn holds(&self, identity: u64, starts: &mut SectionStarts<'_>) -> bool {
        self.identity == identity
            && self
                .findings
                .as_ref()
                .is_none_or(|findings| findings.iter().all(|anchored| anchored.exists(starts)))
    }
}

fn same_files(before: &Graph, after: &Graph) -> bool {
    before.files.len() == after.files.len()
        && before.layers == after.layers
        && before.fragments.len() == after.fragments.len()
        && before
            .files
            .iter()
            .zip(&after.files)
            .all(|(before, after)| before.path == after.path)
}

/// Keeps the findings of `earlier` that `here` has at the same place with the same code.
fn keep_common(earlier: &mut Vec<Diagnostic>, here: &[Diagnostic]) {
    let held: HashSet<_> = here
        .iter()
        .map(|finding| (finding.code, finding.place))
        .collect();
    earlier.retain(|finding| held.contains(&(finding.code, finding.place)));
}

fn sort(found: &mut Vec<Diagnostic>) {
    let key = |finding: &Diagnostic| {
        let Place { file, span } = finding.place;
        (file, span.start, span.end, finding.severity, finding.code)
    };
    found.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message)));
    found.dedup_by(|a, b| key(a) == key(b) && a.message == b.message);
}

fn file_id(index: usize) -> FileId {
    FileId(u32::try_from(index).unwrap_or(u32::MAX))
}
