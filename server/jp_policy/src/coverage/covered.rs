//! Which earlier rules cover a rule.
//!
//! ```toml
//! { arg = "/dry_run", const = true, mode = "unattended" }
//! { arg = "/dry_run", const = false, mode = "ask" }
//! { arg = "/dry_run", enum = [true, false], mode = "edit" } # covered by both together
//! ```

use super::{
    finding::CoverageFinding,
    subject::{Subject, number},
};
use crate::{
    cells::Cells,
    cover::smallest_cover,
    group::Group,
    index::NONE,
    matcher::{Atom, Matcher},
    mode::Mode,
    policy::Policy,
};

/// How many rules are considered for one value.
const CANDIDATES: usize = 64;

/// The rules that cover another one.
pub(super) struct Cover<M> {
    pub(super) by: Vec<usize>,
    pub(super) rfd_table: bool,
    /// The modes that are decided instead.
    pub(super) decides: Vec<M>,
}

impl<M: Mode> Cover<M> {
    pub(super) fn finding(self, policy: &Policy<M>, rule: usize) -> CoverageFinding<M> {
        let would = policy.mode_of(Some(rule));
        let Self {
            by: covered_by,
            rfd_table,
            decides,
        } = self;
        if decides.iter().all(|mode| *mode == would) {
            CoverageFinding::Redundant {
                rule,
                covered_by,
                rfd_table,
                would,
            }
        } else {
            CoverageFinding::Shadowed {
                rule,
                covered_by,
                rfd_table,
                would,
                decides,
            }
        }
    }
}

/// The weakest bound of each side among the rules seen so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Weakest<'a> {
    lower: Option<(usize, &'a Matcher)>,
    upper: Option<(usize, &'a Matcher)>,
}

impl<'a> Weakest<'a> {
    pub(super) fn see(&mut self, rule: usize, matcher: &'a Matcher) {
        match (matcher, self.lower, self.upper) {
            (Matcher::Lower(bound), Some((_, Matcher::Lower(known))), _)
                if (known.at, known.exclusive) <= (bound.at, bound.exclusive) => {}
            (Matcher::Lower(_), _, _) => self.lower = Some((rule, matcher)),
            (Matcher::Upper(bound), _, Some((_, Matcher::Upper(known))))
                if (bound.at, known.exclusive) <= (known.at, bound.exclusive) => {}
            (Matcher::Upper(_), _, _) => self.upper = Some((rule, matcher)),
            _ => {}
        }
    }
}

/// The rules that cover `subject`, which decides no cell of its argument; `None` when that is not known for sure.
pub(super) fn covered<M: Mode>(
    policy: &Policy<M>,
    subject: &Subject<'_>,
    weakest: &Weakest<'_>,
) -> Option<Cover<M>> {
    if !subject.cells.is_declared {
        match subject.matcher {
            Matcher::Pattern(_) => return covered_pattern(policy, subject),
            Matcher::Lower(_) => {
                return covered_bound(policy, subject, weakest.lower, weakest.upper);
            }
            Matcher::Upper(_) => {
                return covered_bound(policy, subject, weakest.upper, weakest.lower);
            }
            Matcher::Const(_) | Matcher::Enum { .. } | Matcher::Prefix(_) => {}
        }
    }
    let form = subject.group.argument.form;
    let cells = subject.cells.of_matcher(subject.matcher, form);
    let lists = candidates(subject, &cells)?;
    let listed = lists
        .first()
        .into_iter()
        .flatten()
        .filter_map(|rule| usize::try_from(*rule).ok())
        .find(|earlier| {
            policy
                .condition(*earlier)
                .is_some_and(|(_, earlier)| is_listed(earlier, subject.matcher))
        });
    Some(Cover {
        by: match listed {
            Some(earlier) => vec![earlier],
            None => widen(&smallest_cover(&lists)),
        },
        rfd_table: listed.is_some(),
        decides: modes_instead(policy, subject),
    })
}

/// The earlier rules that match each cell; `None` when a cell has none.
fn candidates(subject: &Subject<'_>, cells: &[usize]) -> Option<Vec<Vec<u32>>> {
    let ceiling = number(subject.index);
    let mut lists = Vec::with_capacity(cells.len());
    for index in cells {
        let cell = subject.cells.cells.get(*index)?;
        let index = &subject.group.index;
        let rules = index.matching(&cell.atom, cell.is_open, ceiling, CANDIDATES);
        if rules.is_empty() {
            return None;
        }
        lists.push(rules);
    }
    (!lists.is_empty()).then_some(lists)
}

/// Whether the pair stands in the table of RFD D25, "Unreachable rule detection".
fn is_listed(earlier: &Matcher, later: &Matcher) -> bool {
    match (earlier, later) {
        (Matcher::Prefix(earlier), Matcher::Prefix(later)) => later.starts_with(earlier.as_str()),
        (Matcher::Prefix(earlier), Matcher::Const(Some(Atom::Text(later)))) => {
            later.starts_with(earlier.as_str())
        }
        (Matcher::Enum { members, .. }, Matcher::Const(Some(later))) => {
            members.binary_search(later).is_ok()
        }
        (Matcher::Enum { members, .. }, Matcher::Enum { members: later, .. }) => later
            .iter()
            .all(|member| members.binary_search(member).is_ok()),
        _ => false,
    }
}

/// A pattern is covered by the same pattern, and by a prefix that all texts have.
fn covered_pattern<M: Mode>(policy: &Policy<M>, subject: &Subject<'_>) -> Option<Cover<M>> {
    let Matcher::Pattern(pattern) = subject.matcher else {
        return None;
    };
    let everything = subject
        .cells
        .any_text()
        .and_then(|cell| subject.cells.cells.get(cell))
        .map(|cell| cell.first)
        .filter(|first| *first < number(subject.index));
    let first = everything.or_else(|| {
        subject
            .group
            .index
            .first_with_pattern(pattern)
            .filter(|first| *first < number(subject.index))
    })?;
    let first = usize::try_from(first).ok()?;
    Some(Cover {
        by: vec![first],
        rfd_table: false,
        decides: vec![policy.mode_of(Some(first))],
    })
}

/// A bound is covered by a weaker one of its side, or by the weakest of each side and what fills the gap between them.
fn covered_bound<M: Mode>(
    policy: &Policy<M>,
    subject: &Subject<'_>,
    same: Option<(usize, &Matcher)>,
    opposite: Option<(usize, &Matcher)>,
) -> Option<Cover<M>> {
    let cells = subject.cells;
    let own = cells.bounded(subject.matcher);
    let left_by = |matchers: &[&Matcher]| -> Vec<usize> {
        own.iter()
            .filter(|(number, _)| {
                let atom = Atom::Number(*number);
                let form = subject.group.argument.form;
                !matchers.iter().any(|matcher| matcher.matches(&atom, form))
            })
            .map(|(_, cell)| *cell)
            .collect()
    };
    let cover = |by: Vec<usize>| {
        Some(Cover {
            by,
            rfd_table: false,
            decides: modes_instead(policy, subject),
        })
    };
    let fill = |bounds: &[(usize, &Matcher)]| -> Option<Vec<usize>> {
        let matchers: Vec<&Matcher> = bounds.iter().map(|(_, matcher)| *matcher).collect();
        let left = left_by(&matchers);
        let mut by = if left.is_empty() {
            Vec::new()
        } else {
            widen(&smallest_cover(&candidates(subject, &left)?))
        };
        by.extend(bounds.iter().map(|(rule, _)| *rule));
        by.sort_unstable();
        by.dedup();
        Some(by)
    };
    let same = same?;
    if cells.bounded(same.1).len() >= own.len() {
        return cover(vec![same.0]);
    }
    let both = opposite.and_then(|opposite| fill(&[same, opposite]));
    match both {
        Some(both) if both.len() == 2 => cover(both),
        both => {
            let alone = fill(&[same]);
            let smaller = both.into_iter().chain(alone).min_by_key(Vec::len)?;
            cover(smaller)
        }
    }
}

/// The rules before `rule` by which every value of `group` is decided.
pub(super) fn exhausting_rules<M: Mode>(
    policy: &Policy<M>,
    group: &Group,
    cells: &Cells,
    rule: usize,
) -> Cover<M> {
    let ceiling = number(rule);
    let lists: Vec<Vec<u32>> = cells
        .cells
        .iter()
        .map(|cell| {
            group
                .index
                .matching(&cell.atom, cell.is_open, ceiling, CANDIDATES)
        })
        .collect();
    Cover {
        by: widen(&smallest_cover(&lists)),
        rfd_table: false,
        decides: deciding_modes(policy, cells, 0..cells.cells.len()),
    }
}

/// A conditional rule after a catch-all; the rules before the catch-all may decide some of its values.
pub(super) fn after_catch_all<M: Mode>(
    policy: &Policy<M>,
    subject: &Subject<'_>,
    catch_all: usize,
) -> Cover<M> {
    // What a pattern matches cannot be listed, so the catch-all speaks for it.
    let is_unlisted = matches!(subject.matcher, Matcher::Pattern(_)) && !subject.cells.is_declared;
    let decides = if is_unlisted {
        vec![policy.mode_of(Some(catch_all))]
    } else {
        modes_instead(policy, subject)
    };
    Cover {
        by: vec![catch_all],
        rfd_table: true,
        decides,
    }
}

/// The modes that are decided on the values that a rule matches.
fn modes_instead<M: Mode>(policy: &Policy<M>, subject: &Subject<'_>) -> Vec<M> {
    let cells = subject.cells;
    match subject.matcher {
        Matcher::Prefix(prefix) if !cells.is_declared => {
            deciding_modes(policy, cells, cells.below(prefix))
        }
        matcher => {
            let own = cells.of_matcher(matcher, subject.group.argument.form);
            deciding_modes(policy, cells, own.into_iter())
        }
    }
}

/// The modes of the rules that decide `which` cells, in the order of the rules.
fn deciding_modes<M: Mode>(
    policy: &Policy<M>,
    cells: &Cells,
    which: impl Iterator<Item = usize>,
) -> Vec<M> {
    let mut found: Vec<(u32, M)> = Vec::new();
    let mut before = NONE;
    let catch_all = policy.catch_all.map_or(NONE, number);
    for cell in which.filter_map(|cell| cells.cells.get(cell)) {
        let decided_by = cell.first.min(catch_all);
        if decided_by == before || decided_by == NONE {
            continue;
        }
        before = decided_by;
        let mode = policy.mode_of(usize::try_from(decided_by).ok());
        match found.iter_mut().find(|(_, known)| *known == mode) {
            Some((first, _)) => *first = (*first).min(decided_by),
            None => found.push((decided_by, mode)),
        }
    }
    found.sort_unstable_by_key(|(first, _)| *first);
    found.into_iter().map(|(_, mode)| mode).collect()
}

fn widen(rules: &[u32]) -> Vec<usize> {
    rules
        .iter()
        .filter_map(|rule| usize::try_from(*rule).ok())
        .collect()
}
