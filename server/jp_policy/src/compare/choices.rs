//! What a call can have at each place, as far as either policy tells values apart.
//!
//! ```json
//! {"path": "src/x"} // one choice at `/path`; others are `x`, `.env`, nothing
//! ```

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    assemble::{Part, assemble},
    lexical::lexical_path,
};
use crate::{
    argument::{Argument, Step, resolve},
    cells::Cells,
    index::NONE,
    matcher::{Atom, Matcher, TextForm},
    mode::Mode,
    parameter::{Parameter, ParameterType, Parameters},
    path_evaluation::CanonicalPath,
    path_values::with_one_path,
    pattern::Pattern,
    pointer::encoded,
    policy::{Policy, RawRule, UnresolvedArg, compile_with},
    witness::sample::sample,
};

/// Ends of texts that a pattern may treat unlike the representative of a cell.
const ENDS: [&str; 8] = ["a", "0", "README.md", "-", " ", "é", "zz9", "/a"];

/// What a choice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// One value, on which every rule is known.
    Single,
    /// Many texts, on which every rule but those with patterns is known.
    Open,
    /// The texts that a pattern is found in.
    Pattern,
    /// Nothing: the default of the parameter stands in, if it has one.
    Absent,
}

/// One thing that a call can have at a place.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) slot: usize,
    pub(super) kind: Kind,
    /// Values that stand for it; the first one that shows what is looked for is taken.
    pub(super) values: Vec<Value>,
    /// What stands before all that it holds, for an open choice.
    pub(super) prefix: String,
    /// The lowest rule that it meets, before and after; the catch-all at the latest, or [`NONE`].
    pub(super) before: u32,
    pub(super) after: u32,
    pub(super) is_path: bool,
    /// Whether it is there before, and after: a default may stand in on one side only.
    pub(super) is_there: (bool, bool),
    /// Whether it is a path out of the workspace, before and after, which is never decided as `unattended`.
    pub(super) is_outside: (bool, bool),
}

/// A place in a call.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) steps: Vec<Step>,
    /// Whether one call can have several choices here.
    pub(super) is_repeated: bool,
    /// With an object at the first this many steps, a call has a choice here; more than there are steps: never.
    pub(super) required_from: usize,
    pub(super) is_path: bool,
    pub(super) has_patterns: bool,
    pub(super) form: TextForm,
    /// Whether it stands for a whole parameter with a default, beside the places in it that rules look at.
    pub(super) is_whole: bool,
    /// Whether a call can have something here that is none of the choices.
    pub(super) is_open: bool,
    pub(super) choices: Vec<usize>,
}

impl Slot {
    /// Whether one of the two is a whole parameter and the other a place in it: what is given there is given by the latter.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        let is_below = |part: &Self, whole: &Self| {
            whole.is_whole
                && part.steps.len() > 1
                && part.steps.first().map(|step| &step.name)
                    == whole.steps.first().map(|step| &step.name)
        };
        is_below(self, other) || is_below(other, self)
    }

    /// Whether a call that has something at `others` must have a choice here.
    pub(super) fn is_required_beside<'a>(
        &self,
        mut others: impl Iterator<Item = &'a [Step]>,
    ) -> bool {
        if self.required_from >= self.steps.len() {
            return false;
        }
        let container = self.steps.get(..self.required_from).unwrap_or_default();
        let is_below = |other: &[Step]| {
            container.len() < other.len()
                && container
                    .iter()
                    .zip(other)
                    .all(|(own, other)| own.name == other.name)
        };
        self.required_from == 0 || others.any(is_below)
    }
}

/// All places of a call, and what can be there.
#[derive(Debug, Default)]
pub(super) struct Choices {
    pub(super) slots: Vec<Slot>,
    pub(super) choices: Vec<Choice>,
    /// What a call that is valid on both sides looks like.
    pub(super) parameters: Parameters,
}

/// Both policies, and where paths lead.
struct Sides<'a, M> {
    before: &'a Policy<M>,
    after: &'a Policy<M>,
    root: Option<&'a str>,
}

impl Choices {
    /// Cuts what a call of the parameters before can have at the places that rules of either policy look at, and at paths.
    pub(super) fn new<M: Mode>(before: &Policy<M>, after: &Policy<M>, root: Option<&str>) -> Self {
        let sides = Sides {
            before,
            after,
            root,
        };
        let rules: Vec<RawRule<M>> = [before, after]
            .iter()
            .flat_map(|policy| policy.rules.iter().map(|rule| rule.raw.clone()))
            .chain(root_rules(before, after, root))
            .collect();
        let shared = shared(&before.parameters, &after.parameters);
        let (joint, _) = compile_with(&rules, &shared, UnresolvedArg::Skip);
        let mut choices = Self::default();
        let pointers: Vec<&str> = joint
            .groups
            .iter()
            .map(|group| group.argument.pointer.as_str())
            .collect();
        for group in &joint.groups {
            let slot = choices.add_slot(&group.argument);
            let cells = Cells::new(&joint, group);
            choices.add_cells(&sides, slot, &group.argument, &cells);
            if !cells.is_declared && cells.any_text().is_some() {
                let patterns = group.rules.iter().filter_map(|rule| {
                    match joint.condition(usize::try_from(*rule).ok()?)?.1 {
                        Matcher::Pattern(pattern) => Some(pattern),
                        _ => None,
                    }
                });
                choices.add_patterns(&sides, slot, &group.argument, patterns);
            }
        }
        for pointer in shared.path_pointers() {
            if pointers.contains(&pointer.as_str()) {
                continue;
            }
            if let Ok(argument) = resolve(&pointer, &shared) {
                choices.add_ruleless_path(&sides, &argument);
            }
        }
        choices.parameters = shared;
        choices.add_defaults(&sides);
        choices
    }

    fn add_slot(&mut self, argument: &Argument) -> usize {
        self.slots.push(Slot {
            steps: argument.steps.clone(),
            is_repeated: argument.is_repeated(),
            required_from: argument.required_from,
            is_path: argument.form == TextForm::Path,
            has_patterns: false,
            form: argument.form,
            is_whole: false,
            is_open: false,
            choices: Vec::new(),
        });
        self.slots.len().saturating_sub(1)
    }

    fn add(&mut self, choice: Choice) {
        let index = self.choices.len();
        if let Some(slot) = self.slots.get_mut(choice.slot) {
            slot.choices.push(index);
            slot.has_patterns |= choice.kind == Kind::Pattern;
        }
        self.choices.push(choice);
    }

    fn add_cells<M: Mode>(
        &mut self,
        sides: &Sides<'_, M>,
        slot: usize,
        argument: &Argument,
        cells: &Cells,
    ) {
        let prefixes: BTreeMap<usize, &str> = cells.prefixes().into_iter().collect();
        for (index, cell) in cells.cells.iter().enumerate() {
            let prefix = prefixes.get(&index).copied().unwrap_or_default();
            let is_path = argument.form == TextForm::Path && cell.value.is_string();
            let kind = if cell.is_open {
                Kind::Open
            } else {
                Kind::Single
            };
            let mut values = vec![cell.value.clone()];
            if cell.is_open {
                values.extend(
                    ENDS.iter()
                        .map(|end| normal(argument.form, &format!("{prefix}{end}"))),
                );
            }
            self.add(Choice {
                slot,
                kind,
                is_outside: on_both(is_path && sides.is_outside(&cell.value)),
                values,
                prefix: prefix.to_owned(),
                before: first(sides.before, &argument.pointer, &cell.value, cell.is_open),
                after: first(sides.after, &argument.pointer, &cell.value, cell.is_open),
                is_path,
                is_there: (true, true),
            });
        }
    }

    fn add_patterns<'p, M: Mode>(
        &mut self,
        sides: &Sides<'_, M>,
        slot: usize,
        argument: &Argument,
        patterns: impl Iterator<Item = &'p Pattern>,
    ) {
        let mut seen: Vec<&str> = Vec::new();
        for pattern in patterns {
            if seen.contains(&pattern.rust_source()) {
                continue;
            }
            seen.push(pattern.rust_source());
            let with_pattern = |policy: &Policy<M>| {
                let groups = policy.groups.iter();
                let group = groups
                    .into_iter()
                    .find(|group| group.argument.pointer == argument.pointer);
                let rule = group.and_then(|group| group.index.first_with_pattern(pattern));
                clip(policy, rule.unwrap_or(NONE))
            };
            self.add(Choice {
                slot,
                kind: Kind::Pattern,
                values: sample(pattern)
                    .iter()
                    .map(|text| normal(argument.form, text))
                    .collect(),
                prefix: String::new(),
                before: with_pattern(sides.before),
                after: with_pattern(sides.after),
                is_path: argument.form == TextForm::Path,
                is_there: (true, true),
                is_outside: on_both(false),
            });
        }
    }

    /// A path that no rule looks at is decided on its own all the same.
    fn add_ruleless_path<M: Mode>(&mut self, sides: &Sides<'_, M>, argument: &Argument) {
        let slot = self.add_slot(argument);
        let values = argument.members.clone();
        for value in values.unwrap_or_else(|| vec![Value::from("x")]) {
            self.add(Choice {
                slot,
                kind: Kind::Single,
                is_path: value.is_string(),
                is_there: (true, true),
                is_outside: on_both(value.is_string() && sides.is_outside(&value)),
                values: vec![value],
                prefix: String::new(),
                before: clip(sides.before, NONE),
                after: clip(sides.after, NONE),
            });
        }
    }

    /// What stands in for an absent parameter, which may differ between the sides.
    fn add_defaults<M: Mode>(&mut self, sides: &Sides<'_, M>) {
        let (before, after) = (&sides.before.parameters, &sides.after.parameters);
        for name in before.names_with(after) {
            let default = |parameters: &Parameters| {
                let default = parameters.properties.get(name)?.default.clone()?;
                (!default.is_null()).then_some(default)
            };
            let defaults = (default(before), default(after));
            let shared = self.parameters.properties.get(name);
            if defaults == (None, None) || shared.is_some_and(|shared| shared.required) {
                continue;
            }
            let slot = self.slot_of(name);
            let names_file = |parameters: &Parameters, default: &Option<Value>| {
                let parameter = parameters.properties.get(name);
                let without = default
                    .as_ref()
                    .map(|default| with_one_path(default, parameter, None));
                without.is_some_and(|without| without != *default)
            };
            let is_path = names_file(before, &defaults.0) || names_file(after, &defaults.1);
            let outside = |default: &Option<Value>| {
                is_path
                    && default
                        .as_ref()
                        .is_some_and(|default| sides.is_outside(default))
            };
            self.add(Choice {
                slot,
                kind: Kind::Absent,
                values: Vec::new(),
                prefix: String::new(),
                before: first_of_default(sides.before, name, defaults.0.as_ref()),
                after: first_of_default(sides.after, name, defaults.1.as_ref()),
                is_path,
                is_there: (defaults.0.is_some(), defaults.1.is_some()),
                is_outside: (outside(&defaults.0), outside(&defaults.1)),
            });
            let is_array = |parameter: &Parameter| parameter.may_be(ParameterType::Array);
            let shared = self.parameters.properties.get(name).cloned();
            // In an array there may be nothing; anything else is absent or given.
            if let Some(shared) = shared
                && !is_array(&shared)
            {
                self.add_given(sides, slot, name, &shared);
            }
        }
    }

    /// The place of a whole property.
    fn slot_of(&mut self, name: &str) -> usize {
        let is_whole = |slot: &Slot| matches!(slot.steps.as_slice(), [step] if step.name == *name);
        self.slots.iter().position(is_whole).unwrap_or_else(|| {
            self.slots.push(Slot {
                steps: vec![Step {
                    name: name.to_owned(),
                    arrays: 0,
                }],
                is_repeated: false,
                required_from: 1,
                is_path: false,
                has_patterns: false,
                form: TextForm::Plain,
                is_whole: true,
                is_open: false,
                choices: Vec::new(),
            });
            self.slots.len().saturating_sub(1)
        })
    }

    /// What can be given for a parameter that is not absent; and that it is one or the other.
    fn add_given<M: Mode>(
        &mut self,
        sides: &Sides<'_, M>,
        slot: usize,
        name: &str,
        parameter: &Parameter,
    ) {
        let is_new = self
            .slots
            .get(slot)
            .is_some_and(|slot| slot.choices.len() == 1);
        if is_new {
            let below: Vec<(Vec<Step>, Value)> = self
                .choices
                .iter()
                .filter_map(|choice| {
                    let slot = self.slots.get(choice.slot)?;
                    let is_below = slot.steps.len() > 1
                        && slot.steps.first().is_some_and(|step| step.name == name);
                    let value = choice.values.first().filter(|_| is_below)?;
                    Some((slot.steps.clone(), value.clone()))
                })
                .collect();
            let only = Parameters::new([(name, parameter.clone().required())]);
            let mut given = vec![assemble(&only, &[], &[])];
            given.extend(below.into_iter().map(|(steps, value)| {
                let steps = steps.as_slice();
                assemble(&only, &[Part { steps, value }], &[])
            }));
            for value in given.iter().filter_map(|given| given.get(name)) {
                self.add(Choice {
                    slot,
                    kind: Kind::Single,
                    values: vec![value.clone()],
                    prefix: String::new(),
                    before: first_of_default(sides.before, name, Some(value)),
                    after: first_of_default(sides.after, name, Some(value)),
                    is_path: false,
                    is_there: (true, true),
                    is_outside: on_both(false),
                });
            }
        }
        // Of several places that it must have, the choices above vary one at a time.
        let parts = self.slots.iter().filter(|slot| {
            let is_below = slot.steps.first().is_some_and(|step| step.name == name);
            is_below && slot.required_from < slot.steps.len()
        });
        let is_open = is_new && parts.count() > 1;
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.required_from = 0;
            slot.is_open = is_open;
        }
    }
}

/// What is said of a choice that is the same before and after.
const fn on_both(is_so: bool) -> (bool, bool) {
    (is_so, is_so)
}

impl<M: Mode> Sides<'_, M> {
    fn is_outside(&self, path: &Value) -> bool {
        let path = path.as_str().unwrap_or_default();
        lexical_path(path, self.root) == CanonicalPath::Outside
    }
}

/// A text in the form in which rules compare it.
pub(super) fn normal(form: TextForm, text: &str) -> Value {
    Value::from(form.text(&form.key(text)))
}

/// A rule, or the catch-all before it.
pub(super) fn clip<M: Mode>(policy: &Policy<M>, rule: u32) -> u32 {
    let catch_all = policy.catch_all.and_then(|rule| u32::try_from(rule).ok());
    catch_all.map_or(rule, |catch_all| rule.min(catch_all))
}

/// The lowest rule of a policy that a value at a pointer meets.
fn first<M: Mode>(policy: &Policy<M>, pointer: &str, value: &Value, is_open: bool) -> u32 {
    let mut groups = policy.groups.iter();
    let group = groups.find(|group| group.argument.pointer == pointer);
    let rule = group.map_or(NONE, |group| {
        let atom = Atom::of_value(value, group.argument.form);
        group.index.first_atom(&atom, is_open)
    });
    clip(policy, rule)
}

/// The lowest rule of a policy that the default of a parameter meets.
fn first_of_default<M: Mode>(policy: &Policy<M>, name: &str, default: Option<&Value>) -> u32 {
    let rule = default.map_or(NONE, |default| {
        let mut arguments = Map::new();
        arguments.insert(name.to_owned(), default.clone());
        policy
            .tree
            .first(&policy.groups, &Value::Object(arguments), NONE)
    });
    clip(policy, rule)
}

/// Rules that cut what lies in the workspace out of what absolute paths name.
fn root_rules<M: Mode>(
    before: &Policy<M>,
    after: &Policy<M>,
    root: Option<&str>,
) -> Vec<RawRule<M>> {
    let Some(root) = root else { return Vec::new() };
    let is_absolute = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('/'));
    let mut pointers: Vec<String> = Vec::new();
    for rule in before.rules.iter().chain(&after.rules) {
        for (_, value) in &rule.raw.matchers {
            let names_root = is_absolute(value);
            if let Some(arg) = rule.raw.arg.as_ref().filter(|_| names_root)
                && !pointers.contains(arg)
            {
                pointers.push(arg.clone());
            }
        }
    }
    let prefix = crate::matcher::MatcherKind::Prefix;
    let rule = |arg: &String| RawRule::condition(arg.as_str(), prefix, root, M::ASK);
    pointers.iter().map(rule).collect()
}

/// The parameters of calls that are valid on both sides; the shape of each is that before.
fn shared(before: &Parameters, after: &Parameters) -> Parameters {
    let must_be_given = |parameters: &Parameters, name: &str| {
        let parameter = parameters.properties.get(name);
        parameter.is_some_and(|parameter| parameter.required && parameter.default.is_none())
    };
    let mut properties = before.properties.clone();
    properties.retain(|name, _| after.open || after.properties.contains_key(name));
    if before.open {
        for (name, parameter) in &after.properties {
            let own = || parameter.clone();
            properties.entry(name.clone()).or_insert_with(own);
        }
    }
    for (name, parameter) in &mut properties {
        parameter.required = must_be_given(before, name) || must_be_given(after, name);
        parameter.default = None;
        let other = after.properties.get(name);
        let declared = other.and_then(|other| other.enumeration.as_ref());
        match (&mut parameter.enumeration, declared) {
            (Some(own), Some(other)) => own.retain(|value| other.contains(value)),
            (own @ None, Some(other)) => *own = Some(other.clone()),
            (_, None) => {}
        }
    }
    Parameters {
        properties,
        open: before.open && after.open,
    }
}

/// Whether a value at some place that matters is read in another way on one of the sides.
pub(super) fn is_inexact<M: Mode>(before: &Policy<M>, after: &Policy<M>) -> bool {
    let (left, right) = (&before.parameters, &after.parameters);
    if left == right {
        return paths_stand_in(left, right);
    }
    let differs_in_reading = before.groups.iter().any(|group| {
        let pointer = &group.argument.pointer;
        let other = after
            .groups
            .iter()
            .find(|other| other.argument.pointer == *pointer);
        other.is_some_and(|other| {
            other.argument.form != group.argument.form
                || other.argument.steps != group.argument.steps
        })
    });
    let shape = |parameter: &Parameter| Parameter {
        enumeration: None,
        required: false,
        default: None,
        ..parameter.clone()
    };
    let is_looked_at = |name: &str| {
        let groups = before.groups.iter().chain(&after.groups);
        groups
            .map(|group| &group.argument.steps)
            .any(|steps| steps.first().is_some_and(|step| step.name == *name))
    };
    let differs_in_shape = left.properties.iter().any(|(name, parameter)| {
        right.properties.get(name).is_some_and(|other| {
            let paths = |parameter: &Parameter| {
                Parameters::new([(name.as_str(), parameter.clone())]).path_pointers()
            };
            shape(parameter) != shape(other)
                && (is_looked_at(name) || paths(parameter) != paths(other))
        })
    });
    differs_in_reading || differs_in_shape || paths_stand_in(left, right)
}

/// Whether a call has other paths before than after, because another default stands in for an absent one of several; or several, because
/// a default holds as many.
fn paths_stand_in(before: &Parameters, after: &Parameters) -> bool {
    let defaults = |parameters: &Parameters| {
        let paths = parameters.path_pointers();
        let holds_path = |name: &String| {
            let pointer = format!("/{}", encoded(name));
            paths.iter().any(|path| path.starts_with(&pointer))
        };
        let properties = parameters.properties.iter();
        let with_default = properties.filter(|(name, _)| holds_path(name));
        let defaults: BTreeMap<String, Value> = with_default
            .filter_map(|(name, parameter)| Some((name.clone(), parameter.default.clone()?)))
            .collect();
        (paths.len(), defaults)
    };
    let (before, after) = (defaults(before), defaults(after));
    // What stands for an absent parameter here is one path at most.
    let are_several = |default: &Value| default.as_array().is_some_and(|list| list.len() > 1);
    before.0.max(after.0) > 1 && before.1 != after.1
        || before.1.values().chain(after.1.values()).any(are_several)
}
