//! A call that has given values at given places.
//!
//! ```json
//! {"path": "src/x", "patterns": [{"old": "x", "paths": [".env"]}]}
//! ```

use serde_json::{Map, Value};

use crate::{
    argument::{Step, declared_values},
    parameter::{Parameter, ParameterType, Parameters},
};

/// A value and the steps that lead to it.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pub(super) steps: &'a [Step],
    pub(super) value: Value,
}

/// Arguments with these parts, and otherwise what is required; something of no meaning for each of `given` that has no part.
pub(super) fn assemble(parameters: &Parameters, parts: &[Part<'_>], given: &[&str]) -> Value {
    let mut arguments = object(parameters.properties.iter(), parts);
    for name in given {
        if let Some(parameter) = parameters.properties.get(*name)
            && !arguments.contains_key(*name)
        {
            arguments.insert((*name).to_owned(), filler(parameter));
        }
    }
    for part in parts {
        if let Some((step, rest)) = part.steps.split_first()
            && !arguments.contains_key(&step.name)
        {
            let value = rest.iter().rev().fold(part.value.clone(), |value, step| {
                Value::Object(Map::from_iter([(step.name.clone(), value)]))
            });
            arguments.insert(step.name.clone(), value);
        }
    }
    Value::Object(arguments)
}

fn object<'p>(
    properties: impl Iterator<Item = (&'p String, &'p Parameter)>,
    parts: &[Part<'_>],
) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, parameter) in properties {
        let below: Vec<Part<'_>> = parts
            .iter()
            .filter_map(|part| {
                let (step, steps) = part.steps.split_first()?;
                let value = part.value.clone();
                (step.name == *name).then_some(Part { steps, value })
            })
            .collect();
        if !below.is_empty() {
            object.insert(name.clone(), holding(parameter, &below));
        } else if parameter.required && parameter.default.is_none() {
            object.insert(name.clone(), filler(parameter));
        }
    }
    object
}

/// A value of `parameter` with these parts.
fn holding(parameter: &Parameter, parts: &[Part<'_>]) -> Value {
    let whole = |parts: &[Part<'_>]| match parts {
        [Part { steps: [], value }] => Some(value.clone()),
        _ => None,
    };
    let is_array = parameter.may_be(ParameterType::Array);
    let fits = |value: &Value| {
        let mut types = parameter.types.iter();
        let is_any = parameter.types.is_empty();
        is_any || types.any(|kind| *kind != ParameterType::Array && kind.admits(value))
    };
    if let Some(value) = whole(parts).filter(|value| !is_array || fits(value)) {
        return value;
    }
    if !is_array {
        return Value::Object(object(parameter.properties.iter(), parts));
    }
    let Some(items) = parameter.items.as_deref() else {
        return parts
            .iter()
            .filter_map(|part| whole(std::slice::from_ref(part)))
            .collect();
    };
    let mut elements: Vec<Vec<Part<'_>>> = Vec::new();
    for part in parts {
        // One element holds what stands at different names; whatever would be there twice gets another element.
        let fitting = elements.iter_mut().find(|element| {
            element.iter().all(|other| {
                !part.steps.is_empty()
                    && !other.steps.is_empty()
                    && (other.steps != part.steps || items.may_be(ParameterType::Array))
            })
        });
        match fitting {
            Some(element) => element.push(part.clone()),
            None => elements.push(vec![part.clone()]),
        }
    }
    elements
        .iter()
        .map(|element| holding(items, element))
        .collect()
}

/// A valid value of `parameter` that no rule looks at.
fn filler(parameter: &Parameter) -> Value {
    if parameter.may_be(ParameterType::Array) {
        return Value::Array(Vec::new());
    }
    let declared = declared_values(parameter, &parameter.types);
    if let Some(value) = declared.and_then(|declared| declared.into_iter().next()) {
        return value;
    }
    match parameter.types.first() {
        Some(ParameterType::Object) => Value::Object(object(parameter.properties.iter(), &[])),
        Some(ParameterType::Number | ParameterType::Integer) => Value::from(0),
        Some(ParameterType::Boolean) => Value::from(false),
        Some(ParameterType::Array) => Value::Array(Vec::new()),
        Some(ParameterType::String | ParameterType::Path) | None => Value::from("x"),
    }
}
