//! The values of one argument, cut into cells that no rule tells apart.
//!
//! ```toml
//! run = [
//!     { arg = "/line", minimum = 10, mode = "ask" },
//!     { arg = "/line", const = 3, mode = "edit" },
//! ] # cells: below 3, 3, between 3 and 10, 10, above 10
//! ```
//!
//! Each cell is represented by one value.
//! A rule is reachable if and only if it is the first to match the representative of some cell:
//! constants and bounds cut the values exactly, and what lies below a prefix cannot be used up by finitely many longer texts, so that
//! one text that goes on differently from all of them stands for the rest.
//! Patterns cut nothing; they are tried on the cells that hold a single value.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::{
    argument::Argument,
    exact_number::ExactNumber,
    group::Group,
    index::{ArgumentIndex, NONE},
    matcher::{Atom, Matcher, TextForm},
    mode::Mode,
    parameter::ParameterType,
    policy::Policy,
};

/// One cell.
#[derive(Debug)]
pub(crate) struct Cell {
    /// The representative.
    pub(crate) value: Value,
    pub(crate) atom: Atom,
    /// Whether the cell holds many texts, so that what a pattern says about the representative says nothing about the others.
    pub(crate) is_open: bool,
    /// The lowest rule that matches the cell, or [`NONE`].
    pub(crate) first: u32,
}

/// All cells of one argument.
#[derive(Debug)]
pub(crate) struct Cells {
    pub(crate) cells: Vec<Cell>,
    /// Whether the cells are single values that were declared.
    pub(crate) is_declared: bool,
    by_atom: HashMap<Atom, usize>,
    /// The cell that stands for what lies below a prefix.
    by_prefix: HashMap<String, usize>,
    /// The cells of texts, sorted by key.
    texts: Vec<(String, usize)>,
    /// The cells of numbers, ascending.
    pub(crate) numbers: Vec<(ExactNumber, usize)>,
}

impl Cells {
    /// Cuts the values that `group` can see.
    pub(crate) fn new<M: Mode>(policy: &Policy<M>, group: &Group) -> Self {
        let mut cells = Self {
            cells: Vec::new(),
            is_declared: false,
            by_atom: HashMap::new(),
            by_prefix: HashMap::new(),
            texts: Vec::new(),
            numbers: Vec::new(),
        };
        if let Some(members) = &group.argument.members {
            cells.is_declared = true;
            for member in members {
                let atom = Atom::of_value(member, group.argument.form);
                cells.add(group, member.clone(), atom, false);
            }
            return cells;
        }
        let matchers = || {
            group
                .rules
                .iter()
                .filter_map(|rule| policy.condition(usize::try_from(*rule).ok()?))
                .map(|(_, matcher)| matcher)
        };
        let argument = &group.argument;
        let may_be = |kinds: &[ParameterType]| {
            argument.types.is_empty() || argument.types.iter().any(|kind| kinds.contains(kind))
        };
        if may_be(&[ParameterType::String, ParameterType::Path]) {
            cells.add_texts(group, matchers());
        }
        if may_be(&[ParameterType::Number, ParameterType::Integer]) {
            cells.add_numbers(group, matchers());
        }
        if may_be(&[ParameterType::Boolean]) {
            for boolean in [true, false] {
                cells.add(group, Value::from(boolean), Atom::Boolean(boolean), false);
            }
        }
        if may_be(&[ParameterType::Object]) {
            cells.add_others(policy, group);
        }
        cells
    }

    /// The cell that stands for every text, if the argument can be any text.
    pub(crate) fn any_text(&self) -> Option<usize> {
        self.by_prefix.get("").copied()
    }

    /// The cells that stand for what lies below a prefix, with the prefix's key; ascending.
    pub(crate) fn prefixes(&self) -> Vec<(usize, &str)> {
        let mut found: Vec<(usize, &str)> = self
            .by_prefix
            .iter()
            .map(|(prefix, cell)| (*cell, prefix.as_str()))
            .collect();
        found.sort_unstable();
        found
    }

    /// The cells that `matcher` covers, ascending; for a pattern only those of single values.
    ///
    /// A prefix is named by the one cell that no shorter list of prefixes can cover.
    pub(crate) fn of_matcher(&self, matcher: &Matcher, form: TextForm) -> Vec<usize> {
        match matcher {
            Matcher::Const(atom) => atom
                .iter()
                .filter_map(|atom| self.by_atom.get(atom))
                .copied()
                .collect(),
            Matcher::Enum { members, .. } => {
                let mut cells: Vec<usize> = members
                    .iter()
                    .filter_map(|atom| self.by_atom.get(atom))
                    .copied()
                    .collect();
                cells.sort_unstable();
                cells
            }
            Matcher::Prefix(prefix) if !self.is_declared => {
                self.by_prefix.get(prefix).copied().into_iter().collect()
            }
            Matcher::Lower(_) | Matcher::Upper(_) if !self.is_declared => self
                .bounded(matcher)
                .iter()
                .map(|(_, cell)| *cell)
                .collect(),
            _ => (0..)
                .zip(&self.cells)
                .filter(|(_, cell)| !cell.is_open && matcher.matches(&cell.atom, form))
                .map(|(index, _)| index)
                .collect(),
        }
    }

    /// The number cells that a bound covers.
    pub(crate) fn bounded(&self, matcher: &Matcher) -> &[(ExactNumber, usize)] {
        let range = match matcher {
            Matcher::Lower(bound) => {
                let start = self
                    .numbers
                    .partition_point(|(number, _)| !bound.admits_from_below(*number));
                self.numbers.get(start..)
            }
            Matcher::Upper(bound) => {
                let end = self
                    .numbers
                    .partition_point(|(number, _)| bound.admits_from_above(*number));
                self.numbers.get(..end)
            }
            _ => None,
        };
        range.unwrap_or_default()
    }

    /// The cells of texts below `prefix`.
    pub(crate) fn below(&self, prefix: &str) -> impl Iterator<Item = usize> {
        let start = self.texts.partition_point(|(key, _)| key.as_str() < prefix);
        self.texts
            .iter()
            .skip(start)
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(_, cell)| *cell)
    }

    /// The lowest rule by which every value of the argument is decided at the latest; `None` when some value is left over.
    pub(crate) fn exhausted_by(&self) -> Option<u32> {
        let last = self.cells.iter().map(|cell| cell.first).max()?;
        (last != NONE).then_some(last)
    }

    fn add(&mut self, group: &Group, value: Value, atom: Atom, is_open: bool) -> usize {
        if let Some(index) = self.by_atom.get(&atom) {
            return *index;
        }
        let index = self.cells.len();
        let first = group.index.first_atom(&atom, is_open);
        self.by_atom.insert(atom.clone(), index);
        self.cells.push(Cell {
            value,
            atom,
            is_open,
            first,
        });
        index
    }

    fn add_texts<'a>(&mut self, group: &Group, matchers: impl Iterator<Item = &'a Matcher>) {
        let form = group.argument.form;
        let mut prefixes: Vec<&str> = vec![""];
        for matcher in matchers {
            match matcher {
                Matcher::Prefix(prefix) => prefixes.push(prefix),
                Matcher::Const(Some(atom @ Atom::Text(key))) => {
                    self.add(group, Value::from(form.text(key)), atom.clone(), false);
                }
                Matcher::Enum { members, .. } => {
                    for member in members {
                        if let Atom::Text(key) = member {
                            self.add(group, Value::from(form.text(key)), member.clone(), false);
                        }
                    }
                }
                _ => {}
            }
        }
        for prefix in prefixes {
            if !self.by_prefix.contains_key(prefix) {
                let key = fresh_text(&group.index, prefix, form);
                let value = Value::from(form.text(&key));
                let cell = self.add(group, value, Atom::Text(key), true);
                self.by_prefix.insert(prefix.to_owned(), cell);
            }
        }
        for (index, cell) in self.cells.iter().enumerate() {
            if let Atom::Text(key) = &cell.atom {
                self.texts.push((key.clone(), index));
            }
        }
        self.texts.sort_unstable();
    }

    fn add_numbers<'a>(&mut self, group: &Group, matchers: impl Iterator<Item = &'a Matcher>) {
        let whole = is_whole(&group.argument);
        let mut cuts: Vec<ExactNumber> = Vec::new();
        for matcher in matchers {
            match matcher {
                Matcher::Const(Some(Atom::Number(number))) => cuts.push(*number),
                Matcher::Enum { members, .. } => {
                    cuts.extend(members.iter().filter_map(|member| match member {
                        Atom::Number(number) => Some(*number),
                        _ => None,
                    }));
                }
                Matcher::Lower(bound) | Matcher::Upper(bound) => cuts.push(bound.at),
                _ => {}
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut before: Option<ExactNumber> = None;
        for cut in cuts {
            self.add_number(group, ExactNumber::between(before, Some(cut), whole));
            self.add_number(group, Some(cut).filter(|cut| !whole || cut.is_integer()));
            before = Some(cut);
        }
        self.add_number(group, ExactNumber::between(before, None, whole));
    }

    fn add_number(&mut self, group: &Group, number: Option<ExactNumber>) {
        if let Some(number) = number
            && let Some(value) = number.to_value()
        {
            let cell = self.add(group, value, Atom::Number(number), false);
            self.numbers.push((number, cell));
        }
    }

    fn add_others<M: Mode>(&mut self, policy: &Policy<M>, group: &Group) {
        for rule in &group.rules {
            let raw = usize::try_from(*rule)
                .ok()
                .and_then(|rule| policy.rule(rule));
            for (_, value) in raw.into_iter().flat_map(|raw| &raw.matchers) {
                self.add_other(group, value);
                for member in value.as_array().into_iter().flatten() {
                    self.add_other(group, member);
                }
            }
        }
        let fresh = (0_u32..)
            .map(|count| json!({ fresh_name(count): count }))
            .find(|value| {
                !self
                    .by_atom
                    .contains_key(&Atom::of_value(value, TextForm::Plain))
            });
        if let Some(fresh) = fresh {
            self.add_other(group, &fresh);
        }
    }

    fn add_other(&mut self, group: &Group, value: &Value) {
        let atom = Atom::of_value(value, group.argument.form);
        let types = &group.argument.types;
        let possible = types.is_empty() || types.iter().any(|kind| kind.admits(value));
        if possible && matches!(atom, Atom::Other(_)) {
            self.add(group, value.clone(), atom, false);
        }
    }
}

fn is_whole(argument: &Argument) -> bool {
    argument.types.contains(&ParameterType::Integer)
        && !argument.types.contains(&ParameterType::Number)
}

/// A key below `prefix` that no constant equals and no longer prefix contains.
fn fresh_text(index: &ArgumentIndex, prefix: &str, form: TextForm) -> String {
    let mut key = prefix.to_owned();
    let is_free = |key: &str| !index.has_text_below(key);
    match form {
        TextForm::Path => {
            for count in 0_u32.. {
                key.push_str(&fresh_name(count));
                key.push('/');
                if is_free(&key) {
                    break;
                }
                key.truncate(prefix.len());
            }
        }
        TextForm::Plain => {
            let characters = ('x'..='z')
                .chain('a'..='w')
                .chain('0'..='9')
                .chain('\u{a1}'..=char::MAX);
            for character in characters {
                key.push(character);
                if is_free(&key) {
                    break;
                }
                key.truncate(prefix.len());
            }
        }
    }
    key
}

/// `x`, `x1`, `x2`, ...
fn fresh_name(count: u32) -> String {
    if count == 0 {
        "x".to_owned()
    } else {
        format!("x{count}")
    }
}
