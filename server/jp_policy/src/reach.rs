//! Which values of an argument each rule decides, before other arguments have a say.

use std::{cell::OnceCell, collections::HashMap};

use serde_json::Value;

use crate::{
    cells::{Cell, Cells},
    group::Group,
    matcher::Matcher,
    mode::Mode,
    policy::Policy,
};

/// Which cell each rule is the first to match.
pub(crate) struct Reach {
    /// The cells of each group.
    pub(crate) cells: Vec<Cells>,
    /// For each rule the cell of its group that it decides, as far as its own argument is concerned.
    pub(crate) cell_of: Vec<Option<usize>>,
    /// For the steps to an object: the group that always decides calls with that object, and its last rule that is needed for it.
    forced: HashMap<Vec<String>, (u32, usize)>,
    /// For each group the cell that is decided last.
    latest: Vec<OnceCell<Option<usize>>>,
    /// For each rule the next rule on the same argument that decides something and asks somebody.
    next_stricter: Vec<Option<usize>>,
}

impl Reach {
    pub(crate) fn new<M: Mode>(policy: &Policy<M>) -> Self {
        let cells: Vec<Cells> = policy
            .groups
            .iter()
            .map(|group| Cells::new(policy, group))
            .collect();
        let mut cell_of: Vec<Option<usize>> = vec![None; policy.rules.len()];
        let mut forced: HashMap<Vec<String>, (u32, usize)> = HashMap::new();
        for (number, (group, cells)) in policy.groups.iter().zip(&cells).enumerate() {
            for (index, cell) in cells.cells.iter().enumerate() {
                let rule = usize::try_from(cell.first).ok();
                if let Some(slot @ None) = rule.and_then(|rule| cell_of.get_mut(rule)) {
                    *slot = Some(index);
                }
            }
            let argument = &group.argument;
            if let Some(last) = cells.exhausted_by()
                && argument.forced_from < argument.steps.len()
            {
                let steps = argument.steps.iter().take(argument.forced_from);
                let key = steps.map(|step| step.name.clone()).collect();
                let entry = forced.entry(key).or_insert((last, number));
                *entry = (*entry).min((last, number));
            }
        }
        let next_stricter = next_stricter(policy, &cell_of);
        Self {
            latest: vec![OnceCell::new(); cells.len()],
            cells,
            cell_of,
            forced,
            next_stricter,
        }
    }

    /// A value of the group's argument that is decided as late as any, patterns included.
    pub(crate) fn latest<M: Mode>(&self, policy: &Policy<M>, group: usize) -> Option<&Value> {
        let cells = &self.cells.get(group)?.cells;
        let index = &policy.groups.get(group)?.index;
        let first = |cell: &Cell| {
            if cell.is_open {
                index.first_atom(&cell.atom, false)
            } else {
                cell.first
            }
        };
        let latest = self.latest.get(group)?.get_or_init(|| {
            (0..cells.len())
                .zip(cells)
                .max_by_key(|(_, cell)| first(cell))
                .map(|(cell, _)| cell)
        });
        cells.get((*latest)?).map(|cell| &cell.value)
    }

    /// The last rule that can decide a call with a value in `group`, or any call, because a value that must be there is decided by then.
    pub(crate) fn ceiling(&self, group: Option<&Group>) -> Option<(u32, usize)> {
        if self.forced.is_empty() {
            return None;
        }
        let mut key: Vec<String> = Vec::new();
        let mut best = self.forced.get(&key).copied();
        let steps = group.map_or(&[][..], |group| group.argument.steps.as_slice());
        if let [containers @ .., _] = steps {
            for step in containers {
                key.push(step.name.clone());
                let here = self.forced.get(&key).copied();
                best = best.into_iter().chain(here).min();
            }
        }
        best
    }

    /// The next rule on the same argument that decides something and asks somebody.
    pub(crate) fn next_stricter(&self, rule: usize) -> Option<usize> {
        self.next_stricter.get(rule).copied().flatten()
    }
}

fn next_stricter<M: Mode>(policy: &Policy<M>, cell_of: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut next: Vec<Option<usize>> = vec![None; policy.rules.len()];
    for group in &policy.groups {
        let mut upcoming: Option<usize> = None;
        for rule in group.rules.iter().rev() {
            let Ok(rule) = usize::try_from(*rule) else {
                continue;
            };
            if let Some(slot) = next.get_mut(rule) {
                *slot = upcoming;
            }
            let decides = cell_of.get(rule).is_some_and(Option::is_some)
                || matches!(policy.condition(rule), Some((_, Matcher::Pattern(_))));
            if decides && policy.mode_of(Some(rule)).is_stricter_than(M::UNATTENDED) {
                upcoming = Some(rule);
            }
        }
    }
    next
}
