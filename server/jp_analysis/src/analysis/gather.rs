//! The findings of each file, out of everything that was found in it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use jp_config::graph::{FileId, Graph};

use super::{file::FileFindings, view::ViewFindings};
use crate::{
    allow,
    anchor::SectionStarts,
    diagnostic::{Diagnostic, Place},
    limit::{self, Found, MAXIMUM_FINDINGS},
    options::Options,
    rules,
};

/// How many findings of a file on how it names others offer a fix.
const PROBLEMS_WITH_FIXES: usize = 100;

/// All findings of the files that are asked for, or of all files, sorted by place.
pub(super) fn gather(
    graph: &Graph,
    files: &[Arc<FileFindings>],
    views: &[Arc<ViewFindings>],
    starts: &mut SectionStarts<'_>,
    which: Option<&BTreeSet<FileId>>,
    options: Options,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let mut found: BTreeMap<FileId, Found> = (0..)
        .map(FileId)
        .zip(files)
        .filter(|(id, _)| which.is_none_or(|which| which.contains(id)))
        .map(|(id, file)| (id, file.local()))
        .collect();
    for (file, effective) in effective(views, starts, which) {
        if let Some(slot) = found.get_mut(&file) {
            slot.findings.extend(effective.findings);
            slot.omitted.add(effective.omitted);
        }
    }
    let mut problems: HashMap<FileId, usize> = HashMap::new();
    for problem in graph.problems.iter() {
        let Some(slot) = found.get_mut(&problem.file) else {
            continue;
        };
        let before = problems.entry(problem.file).or_default();
        *before += 1;
        let finding = rules::graph_problem(graph, problem, *before <= PROBLEMS_WITH_FIXES);
        // Their own room: the findings of other rules must not hide that the file lacks its neighbours.
        match *before <= MAXIMUM_FINDINGS {
            true => slot.findings.push(finding),
            false => slot.omitted.note(finding.severity, finding.code),
        }
    }
    for finding in rules::left_unset(graph) {
        if let Some(slot) = found.get_mut(&finding.place.file) {
            slot.findings.push(finding);
        }
    }
    found
        .into_iter()
        .map(|(file, mut found)| {
            let allows = files.get(file.index()).map_or(&[][..], |it| it.allows());
            let content = graph.content(file);
            if let Some(document) = content.and_then(|content| content.document())
                && !allows.is_empty()
            {
                allow::apply(file, document, allows, options, &mut found);
            }
            sort(&mut found.findings);
            limit::thin(&mut found.findings);
            limit::close(&mut found.findings, found.omitted);
            (file, found.findings)
        })
        .collect()
}

/// Findings that hold in every view which has their file as part of its fragment.
///
/// Fragments are alternatives: what one of them lacks, another may bring, so only what is wrong in all of them is wrong.
fn effective(
    views: &[Arc<ViewFindings>],
    starts: &mut SectionStarts<'_>,
    which: Option<&BTreeSet<FileId>>,
) -> BTreeMap<FileId, Found> {
    let mut found: BTreeMap<FileId, Found> = BTreeMap::new();
    let mut judged: HashSet<FileId> = HashSet::new();
    for view in views {
        let own: Vec<FileId> = match which {
            None => view.own().to_vec(),
            Some(which) => which
                .iter()
                .copied()
                .filter(|file| view.owns(*file))
                .collect(),
        };
        if own.is_empty() {
            continue;
        }
        let mut here = view.findings(starts, |file| own.binary_search(&file).is_ok());
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
