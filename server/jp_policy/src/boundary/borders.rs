//! The calls that a person would try first: on a border, just beside it, with nothing, with two.
//!
//! ```toml
//! { arg = "/line", minimum = 10, mode = "ask" } # {"line":10}, {"line":9}, {"line":11}, {}
//! ```

use serde_json::{Value, json};

use super::edits::beside;
use crate::{
    group::Group,
    matcher::{MatcherKind, TextForm},
    mode::Mode,
    parameter::ParameterType,
    policy::Policy,
    reach::Reach,
    witness::{call, least_call, reaching},
};

/// How many members of an `enum`, or declared values, are tried one by one.
const MEMBERS: usize = 8;

/// Calls at the borders of each condition, and those with nothing or with two values; some are not valid, and some are the same.
pub(super) fn borders<M: Mode>(policy: &Policy<M>) -> Vec<Value> {
    let reach = Reach::new(policy);
    let mut calls: Vec<Value> = (0..policy.len())
        .filter_map(|rule| reaching(policy, &reach, rule))
        .collect();
    let mut paths: Vec<(Value, Value)> = Vec::new();
    for (argument, group) in policy.groups.iter().enumerate() {
        let with = |values: &[Value]| call(policy, &reach, argument, values);
        let values = values(policy, group);
        calls.extend(values.iter().map(|value| with(std::slice::from_ref(value))));
        if group.argument.is_repeated() {
            calls.push(with(&[]));
        }
        if let [first, others @ ..] = values.as_slice()
            && let Some(last) = others.last()
        {
            if group.argument.is_repeated() {
                calls.push(with(&[first.clone(), last.clone()]));
            }
            if group.argument.form == TextForm::Path {
                let with = |value: &Value| with(std::slice::from_ref(value));
                paths.push((with(first), with(last)));
            }
        }
    }
    for (index, (inside, _)) in paths.iter().enumerate() {
        for (_, outside) in paths.iter().skip(index + 1) {
            calls.push(together(inside, outside));
        }
    }
    calls.push(least_call(policy, &reach));
    calls.push(json!({}));
    calls
}

/// What two calls give, in one.
fn together(one: &Value, other: &Value) -> Value {
    let mut both = one.as_object().cloned().unwrap_or_default();
    both.extend(other.as_object().cloned().unwrap_or_default());
    Value::Object(both)
}

/// The values of an argument at the borders of the rules that look at it: what the first rule takes first, what none takes last.
fn values<M: Mode>(policy: &Policy<M>, group: &Group) -> Vec<Value> {
    let argument = &group.argument;
    if let Some(members) = &argument.members {
        return members.iter().take(MEMBERS).cloned().collect();
    }
    let mut values: Vec<Value> = Vec::new();
    let mut outside: Vec<Value> = Vec::new();
    for rule in &group.rules {
        let rule = usize::try_from(*rule)
            .ok()
            .and_then(|rule| policy.rule(rule));
        for (kind, value) in rule.into_iter().flat_map(|rule| &rule.matchers) {
            match (kind, value) {
                (MatcherKind::Pattern, _) => {}
                (MatcherKind::Enum, Value::Array(members)) => {
                    values.extend(members.iter().take(MEMBERS).cloned());
                }
                (_, Value::Number(number)) => {
                    values.push(value.clone());
                    values.extend(beside(number));
                }
                (MatcherKind::Prefix, Value::String(text)) => {
                    let below = match argument.form {
                        TextForm::Path => format!("{}/x", text.trim_end_matches('/')),
                        TextForm::Plain => format!("{text}x"),
                    };
                    values.extend([value.clone(), below.into()]);
                    outside.push(format!("{}-old", text.trim_end_matches('/')).into());
                }
                (_, Value::String(text)) => {
                    values.push(value.clone());
                    outside.push(format!("{text}x").into());
                }
                (_, Value::Bool(boolean)) => values.extend([value.clone(), (!boolean).into()]),
                (_, value) => values.push(value.clone()),
            }
        }
    }
    values.append(&mut outside);
    let may_be = |kind: ParameterType| argument.types.contains(&kind);
    let is_mixed = argument.types.len() > 1;
    if may_be(ParameterType::String) || may_be(ParameterType::Path) {
        values.push("".into());
    }
    if is_mixed && (may_be(ParameterType::Number) || may_be(ParameterType::Integer)) {
        values.push(0.into());
    }
    if is_mixed && may_be(ParameterType::Boolean) {
        values.push(true.into());
    }
    values
}
