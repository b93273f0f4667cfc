//! What is found in one view: the workspace's own, or that of a fragment.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use jp_config::{
    graph::{FileId, Graph, Layer},
    view::View,
};

use super::Effort;
use crate::{
    anchor::{Anchored, SectionStarts},
    diagnostic::Diagnostic,
    identity::{FileIdentity, ViewChange, ViewIdentity, combine},
    limit::{Found, MAXIMUM_FINDINGS, Omitted},
    options::Options,
    rules::{self, ConfigPlaces, RunFiles, Runs},
    tool::ToolContext,
};

/// What is found in one view.
#[derive(Debug)]
pub(super) struct ViewFindings {
    /// The files whose findings count here, sorted: fragments are alternatives on top of the same layers, so that each answers for
    /// its own files alone.
    own: Arc<[FileId]>,
    /// In the order of the view's tools.
    tools: Vec<Arc<Kept>>,
    /// What is found outside the tools; absent where no file of a fragment says anything there, since a finding stands where
    /// something is said.
    others: Option<Arc<Kept>>,
    /// The files that the findings mention, sorted.
    mentions: Box<[FileId]>,
}

/// Findings, and the identity of everything they were found in.
#[derive(Debug)]
struct Kept {
    /// The tool; empty for what is outside of tools.
    name: Arc<str>,
    identity: u64,
    findings: Box<[Anchored]>,
    /// What is counted besides, by file.
    omitted: BTreeMap<FileId, Omitted>,
    /// The files that the findings mention, sorted.
    mentions: Box<[FileId]>,
}

/// What all views are judged by.
pub(super) struct ViewInput<'a> {
    pub(super) graph: &'a Arc<Graph>,
    pub(super) options: Options,
    pub(super) places: &'a ConfigPlaces,
    pub(super) runs: &'a RunFiles,
    /// Whether what runs is what ran before.
    pub(super) runs_the_same: bool,
    pub(super) base: &'a Arc<ViewIdentity>,
    pub(super) files: &'a [&'a FileIdentity],
    /// What is different from the views before; nothing where there are none.
    pub(super) change: Option<&'a ViewChange>,
}

impl ViewInput<'_> {
    /// The findings of all views; `touched` gains the files whose findings may have changed or moved.
    pub(super) fn views(
        &self,
        previous: Option<&[Arc<ViewFindings>]>,
        starts: &mut SectionStarts<'_>,
        touched: &mut BTreeSet<FileId>,
        effort: &mut Effort,
    ) -> Vec<Arc<ViewFindings>> {
        let mut judge = Judge {
            input: self,
            starts,
            touched,
            effort,
        };
        let before = |index: usize| previous.and_then(|previous| previous.get(index));
        let mut views = Vec::with_capacity(self.graph.fragments.len() + 1);
        let mut base: Option<HashSet<FileId>> = None;
        views.push(match before(0).filter(|before| self.keeps(before)) {
            Some(before) => Arc::clone(before),
            None => judge.base(before(0)),
        });
        for (index, fragment) in self.graph.fragments.iter().enumerate() {
            let before = before(index + 1);
            views.push(match before.filter(|before| self.keeps(before)) {
                Some(before) => Arc::clone(before),
                None => {
                    let base = base.get_or_insert_with(|| files_of(&self.graph.layers).collect());
                    judge.fragment(index, &fragment.layers, base, before)
                }
            });
        }
        views
    }

    /// Whether nothing that the findings of a view depend on, or point at, is different.
    fn keeps(&self, before: &ViewFindings) -> bool {
        self.change.is_some_and(|change| {
            let is_changed = |files: &[FileId]| {
                let mut changed = change.files.iter();
                changed.any(|file| files.binary_search(file).is_ok())
            };
            let has_tool = |name: &Arc<str>| before.tools.iter().any(|kept| kept.name == *name);
            let is_concerned = change.context
                || !self.runs_the_same
                || (change.everything && before.others.is_some())
                || is_changed(&before.own)
                || is_changed(&before.mentions)
                || change.tools.iter().any(has_tool);
            !is_concerned
        })
    }
}

fn files_of(layers: &[Layer]) -> impl Iterator<Item = FileId> {
    layers.iter().map(|layer| layer.file)
}

/// One pass over the views.
struct Judge<'a, 's> {
    input: &'a ViewInput<'a>,
    starts: &'a mut SectionStarts<'s>,
    touched: &'a mut BTreeSet<FileId>,
    effort: &'a mut Effort,
}

impl Judge<'_, '_> {
    fn base(&mut self, previous: Option<&Arc<ViewFindings>>) -> Arc<ViewFindings> {
        let own = match previous {
            Some(previous) => Arc::clone(&previous.own),
            None => {
                let own: BTreeSet<FileId> = files_of(&self.input.graph.layers).collect();
                own.into_iter().collect()
            }
        };
        let view = View::new(Arc::clone(self.input.graph));
        self.view(&view, own, self.input.base, true, previous)
    }

    fn fragment(
        &mut self,
        index: usize,
        layers: &[Layer],
        base: &HashSet<FileId>,
        previous: Option<&Arc<ViewFindings>>,
    ) -> Arc<ViewFindings> {
        // A file that the fragment reaches in several ways is one file, judged once.
        let own: BTreeSet<FileId> = files_of(layers)
            .filter(|file| !base.contains(file))
            .collect();
        let files = self.input.files;
        let says_more = own
            .iter()
            .filter_map(|file| files.get(file.index()))
            .any(|file| file.says_more());
        let identity = self.input.base.with(layers, files);
        let view = View::with_fragment(Arc::clone(self.input.graph), index);
        self.view(
            &view,
            own.into_iter().collect(),
            &identity,
            says_more,
            previous,
        )
    }

    fn view(
        &mut self,
        view: &View,
        own: Arc<[FileId]>,
        identity: &ViewIdentity,
        says_more: bool,
        previous: Option<&Arc<ViewFindings>>,
    ) -> Arc<ViewFindings> {
        let mut known = Known::new(previous.map_or(&[][..], |previous| &previous.tools));
        let mut tools = Vec::with_capacity(identity.tools.len());
        let runs = match view.fragment() {
            None => Runs::of_workspace(self.input.runs),
            Some(_) => {
                let names = identity.tools.keys().map(AsRef::as_ref);
                Runs::of_fragment(self.input.runs, view, names)
            }
        };
        for (name, tool) in identity.tools.iter() {
            let identity = combine(combine(*tool, identity.context), runs.identity());
            let before = known.find(name);
            tools.push(self.kept(name, identity, &own, before, |judge, found| {
                judge.effort.tools += 1;
                if let Some(context) = ToolContext::of(view, name, judge.input.options) {
                    rules::check_tool(&context, judge.input.places, &runs, found);
                }
            }));
        }
        for gone in known.gone(&tools) {
            self.touched.extend(gone.mentions.iter().copied());
        }
        let before = previous.and_then(|previous| previous.others.as_ref());
        let nothing: Arc<str> = "".into();
        let others = says_more.then(|| {
            self.kept(
                &nothing,
                identity.everything,
                &own,
                before,
                |judge, found| {
                    judge.effort.views += 1;
                    rules::check_view(view, judge.input.options, found);
                },
            )
        });
        if let (Some(before), None) = (before, &others) {
            self.touched.extend(before.mentions.iter().copied());
        }
        let all = tools.iter().chain(&others);
        let mut mentions: Vec<FileId> =
            all.flat_map(|kept| kept.mentions.iter().copied()).collect();
        mentions.sort_unstable();
        mentions.dedup();
        Arc::new(ViewFindings {
            own,
            tools,
            others,
            mentions: mentions.into(),
        })
    }

    /// What was found before, where it still holds; else what is found.
    fn kept(
        &mut self,
        name: &Arc<str>,
        identity: u64,
        own: &[FileId],
        before: Option<&Arc<Kept>>,
        find: impl FnOnce(&mut Self, &mut Vec<Diagnostic>),
    ) -> Arc<Kept> {
        if let Some(before) = before {
            let changed = self.input.change.map_or(&[][..], |change| &change.files);
            let is_moved = changed
                .iter()
                .any(|file| before.mentions.binary_search(file).is_ok());
            if is_moved || before.identity != identity {
                self.touched.extend(before.mentions.iter().copied());
            }
            // Sections that did not change are where they were, unless the whole text is another one.
            let exists = !is_moved || before.exists(self.starts);
            if before.identity == identity && exists {
                return Arc::clone(before);
            }
        }
        let mut found = Vec::new();
        find(self, &mut found);
        found.retain(|finding| own.binary_search(&finding.place.file).is_ok());
        let kept = Kept::new(name, identity, found, self.starts);
        self.touched.extend(kept.mentions.iter().copied());
        Arc::new(kept)
    }
}

/// Finds the tools of the view before; tools keep their order, so a forward search suffices but for moved ones.
struct Known<'a> {
    before: &'a [Arc<Kept>],
    next: usize,
    index: Option<HashMap<&'a str, usize>>,
}

impl<'a> Known<'a> {
    fn new(before: &'a [Arc<Kept>]) -> Self {
        Self {
            before,
            next: 0,
            index: None,
        }
    }

    fn find(&mut self, name: &Arc<str>) -> Option<&'a Arc<Kept>> {
        let is_named = |kept: &&Arc<Kept>| Arc::ptr_eq(&kept.name, name) || kept.name == *name;
        if let Some(kept) = self.before.get(self.next).filter(is_named) {
            self.next += 1;
            return Some(kept);
        }
        let before = self.before;
        let index = self.index.get_or_insert_with(|| {
            let names = before.iter().enumerate();
            names.map(|(place, kept)| (&*kept.name, place)).collect()
        });
        let place = *index.get(&**name)?;
        self.next = place + 1;
        self.before.get(place)
    }

    /// The tools that are no more, once all others were asked for.
    fn gone(&self, tools: &[Arc<Kept>]) -> Vec<&'a Arc<Kept>> {
        if self.index.is_none() && self.before.len() == tools.len() {
            return Vec::new();
        }
        let present: HashSet<&str> = tools.iter().map(|kept| &*kept.name).collect();
        let before = self.before.iter();
        before
            .filter(|kept| !present.contains(&*kept.name))
            .collect()
    }
}

impl ViewFindings {
    /// Whether the findings in a file count here.
    pub(super) fn owns(&self, file: FileId) -> bool {
        self.own.binary_search(&file).is_ok()
    }

    /// The files whose findings count here.
    pub(super) fn own(&self) -> &[FileId] {
        &self.own
    }

    /// The findings in files of a kind, by file.
    pub(super) fn findings(
        &self,
        starts: &mut SectionStarts<'_>,
        is_wanted: impl Fn(FileId) -> bool,
    ) -> BTreeMap<FileId, Found> {
        let mut found: BTreeMap<FileId, Found> = BTreeMap::new();
        for kept in self.tools.iter().chain(&self.others) {
            let wanted = kept.findings.iter().filter(|kept| is_wanted(kept.file()));
            for anchored in wanted {
                if let Some(finding) = anchored.resolve(starts) {
                    let found = found.entry(anchored.file()).or_default();
                    found.findings.push(finding);
                }
            }
            let omitted = kept.omitted.iter().filter(|(file, _)| is_wanted(**file));
            for (file, omitted) in omitted {
                found.entry(*file).or_default().omitted.add(*omitted);
            }
        }
        found
    }
}

impl Kept {
    fn new(
        name: &Arc<str>,
        identity: u64,
        findings: Vec<Diagnostic>,
        starts: &mut SectionStarts<'_>,
    ) -> Self {
        let mut omitted: BTreeMap<FileId, Omitted> = BTreeMap::new();
        let mut told: HashMap<FileId, usize> = HashMap::new();
        let findings: Box<[Anchored]> = findings
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
        let mentions: BTreeSet<FileId> = findings.iter().flat_map(Anchored::files).collect();
        Self {
            name: Arc::clone(name),
            identity,
            findings,
            omitted,
            mentions: mentions.into_iter().collect(),
        }
    }

    /// Whether every place in the findings still exists.
    fn exists(&self, starts: &mut SectionStarts<'_>) -> bool {
        self.findings.iter().all(|anchored| anchored.exists(starts))
    }
}
