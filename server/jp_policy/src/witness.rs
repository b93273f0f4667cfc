//! Calls that reach a rule.
//!
//! ```json
//! { "path": "src/x" }
//! ```

pub(crate) mod sample;

use serde_json::{Map, Value};

use self::sample::sample;
use crate::{
    argument::{Step, declared_values},
    matcher::{Atom, Matcher},
    mode::Mode,
    parameter::{Parameter, ParameterType},
    policy::{Condition, Policy},
    reach::Reach,
};

/// Arguments that `rule` decides; `None` when there are none, or none was found for a `pattern`.
///
/// The arguments are valid for the tool, and as few as possible.
#[must_use]
pub fn witness<M: Mode>(policy: &Policy<M>, rule: usize) -> Option<Value> {
    reaching(policy, &Reach::new(policy), rule)
}

/// A [`witness`] for each rule, in order; for less work than one after the other.
#[must_use]
pub fn witnesses<M: Mode>(policy: &Policy<M>) -> Vec<Option<Value>> {
    let reach = Reach::new(policy);
    (0..policy.len())
        .map(|rule| reaching(policy, &reach, rule))
        .collect()
}

/// A [`witness`], with what is known of the policy.
pub(crate) fn reaching<M: Mode>(policy: &Policy<M>, reach: &Reach, rule: usize) -> Option<Value> {
    let arguments = match policy.rules.get(rule)?.condition {
        Condition::Inert(_) => return None,
        Condition::CatchAll => Builder::new(policy, reach).build(None),
        Condition::Matches { argument, .. } => {
            let value = value_for(policy, reach, rule)?;
            call(policy, reach, argument, &[value])
        }
    };
    (policy.decide(&arguments).1 == Some(rule)).then_some(arguments)
}

/// A value of the rule's argument that the rule is the first to match.
pub(crate) fn value_for<M: Mode>(policy: &Policy<M>, reach: &Reach, rule: usize) -> Option<Value> {
    let (argument, matcher) = policy.condition(rule)?;
    let group = policy.groups.get(argument)?;
    let form = group.argument.form;
    let is_first = |value: &Value| {
        let first = group.index.first_atom(&Atom::of_value(value, form), false);
        usize::try_from(first).ok() == Some(rule)
    };
    let cell = reach
        .cell_of
        .get(rule)
        .copied()
        .flatten()
        .and_then(|cell| reach.cells.get(argument)?.cells.get(cell))
        .map(|cell| cell.value.clone());
    if let Some(value) = cell.filter(|value| is_first(value)) {
        return Some(value);
    }
    let candidates: Vec<String> = match matcher {
        _ if group.argument.members.is_some() => Vec::new(),
        Matcher::Pattern(pattern) => sample(pattern),
        // An earlier pattern took the representative; others may escape it.
        Matcher::Prefix(prefix) => ["", "a", "0", "README.md", "-", " ", "é", "zz9"]
            .iter()
            .map(|end| format!("{prefix}{end}"))
            .collect(),
        _ => Vec::new(),
    };
    candidates
        .into_iter()
        .map(|text| Value::from(form.text(&form.key(&text))))
        .find(is_first)
}

/// Arguments with `values` at the pointer of an argument, and otherwise what a call must have, decided as late as possible.
pub(crate) fn call<M: Mode>(
    policy: &Policy<M>,
    reach: &Reach,
    argument: usize,
    values: &[Value],
) -> Value {
    let steps = policy
        .groups
        .get(argument)
        .map_or(&[][..], |group| group.argument.steps.as_slice());
    Builder::new(policy, reach).build(Some(Target { steps, values }))
}

/// What a call must have, decided as late as possible.
pub(crate) fn least_call<M: Mode>(policy: &Policy<M>, reach: &Reach) -> Value {
    Builder::new(policy, reach).build(None)
}

/// What must be somewhere below.
#[derive(Clone, Copy)]
struct Target<'a> {
    steps: &'a [Step],
    values: &'a [Value],
}

struct Builder<'a, M> {
    policy: &'a Policy<M>,
    reach: &'a Reach,
}

impl<'a, M: Mode> Builder<'a, M> {
    fn new(policy: &'a Policy<M>, reach: &'a Reach) -> Self {
        Self { policy, reach }
    }

    fn build(&self, target: Option<Target<'_>>) -> Value {
        let properties = self.policy.parameters.properties.iter();
        Value::Object(self.object(properties, &mut Vec::new(), target))
    }

    fn object<'p>(
        &self,
        properties: impl Iterator<Item = (&'p String, &'p Parameter)>,
        path: &mut Vec<String>,
        target: Option<Target<'_>>,
    ) -> Map<String, Value> {
        let step = target.and_then(|target| target.steps.split_first());
        let mut object = Map::new();
        for (name, parameter) in properties {
            let below = match (step, target) {
                (Some((step, steps)), Some(target)) if step.name == *name => Some(Target {
                    steps,
                    values: target.values,
                }),
                _ => None,
            };
            if below.is_none() && !parameter.required {
                continue;
            }
            path.push(name.clone());
            let value = match (below, step) {
                (Some(below), Some((step, _))) => {
                    self.on_the_way(Some(parameter), step.arrays, path, below)
                }
                _ => self.filler(parameter, path),
            };
            path.pop();
            object.insert(name.clone(), value);
        }
        if let (Some((step, steps)), Some(target)) = (step, target)
            && !object.contains_key(&step.name)
        {
            let values = target.values;
            let below = Target { steps, values };
            let value = self.on_the_way(None, 0, path, below);
            object.insert(step.name.clone(), value);
        }
        object
    }

    /// A value of `parameter` that contains the target, inside of at most `arrays` arrays.
    fn on_the_way(
        &self,
        parameter: Option<&Parameter>,
        arrays: u32,
        path: &mut Vec<String>,
        target: Target<'_>,
    ) -> Value {
        let is_array = parameter.is_some_and(|parameter| parameter.may_be(ParameterType::Array));
        let fits_here = match (target.steps.first(), parameter) {
            (None, Some(parameter)) => {
                let types: Vec<ParameterType> = parameter
                    .types
                    .iter()
                    .copied()
                    .filter(|kind| *kind != ParameterType::Array)
                    .collect();
                matches!(target.values, [value] if types.iter().any(|kind| kind.admits(value)))
            }
            (Some(step), Some(parameter)) => parameter.properties.contains_key(&step.name),
            (_, None) => target.values.len() < 2,
        };
        if arrays > 0 && is_array && !fits_here {
            let items = parameter.and_then(|parameter| parameter.items.as_deref());
            let inner = arrays.saturating_sub(1);
            let later = inner > 0 || target.steps.iter().any(|step| step.arrays > 0);
            let groups: Vec<&[Value]> = if later {
                vec![target.values]
            } else {
                target.values.chunks(1).collect()
            };
            return groups
                .into_iter()
                .map(|values| {
                    let steps = target.steps;
                    self.on_the_way(items, inner, path, Target { steps, values })
                })
                .collect();
        }
        if target.steps.is_empty() {
            return match target.values {
                [value] => value.clone(),
                values => Value::from(values.to_vec()),
            };
        }
        let properties = parameter
            .into_iter()
            .flat_map(|parameter| &parameter.properties);
        Value::Object(self.object(properties, path, Some(target)))
    }

    /// A valid value of `parameter` that is decided as late as possible.
    fn filler(&self, parameter: &Parameter, path: &mut Vec<String>) -> Value {
        if parameter.may_be(ParameterType::Array) {
            return Value::Array(Vec::new());
        }
        let group = self.policy.groups.iter().position(|group| {
            let names = group.argument.steps.iter().map(|step| &step.name);
            names.eq(path.iter())
        });
        let latest = group.and_then(|group| self.reach.latest(self.policy, group));
        if let Some(value) = latest.filter(|value| !value.is_object()) {
            return value.clone();
        }
        if let Some(value) = declared_values(parameter, &parameter.types)
            .and_then(|declared| declared.into_iter().next())
        {
            return value;
        }
        match parameter.types.first() {
            Some(ParameterType::Object) => {
                Value::Object(self.object(parameter.properties.iter(), path, None))
            }
            Some(ParameterType::Number | ParameterType::Integer) => Value::from(0),
            Some(ParameterType::Boolean) => Value::from(false),
            Some(ParameterType::Array) => Value::Array(Vec::new()),
            Some(ParameterType::String | ParameterType::Path) | None => Value::from("x"),
        }
    }
}

#[cfg(test)]
#[path = "witness_tests.rs"]
mod tests;
