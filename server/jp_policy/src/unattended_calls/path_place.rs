//! The places of a call that can name a file.
//!
//! ```json
//! {"path": "a", "patterns": [{"paths": ["b"]}]}   // two: `path`, and an element of `paths` of an element of `patterns`
//! ```

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::{
    parameter::{Parameter, ParameterType, Parameters},
    path_form::normalize_path,
};

/// How deep parameters are followed: deeper ones are data.
const DEEPEST: usize = 16;

/// A place, with the parameters on the way to it.
#[derive(Debug, Clone)]
pub(super) struct PathPlace<'a> {
    steps: Vec<Step<'a>>,
    parameter: &'a Parameter,
}

/// One step on the way to a place.
#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    /// Into a property of an object with these properties.
    Property(&'a IndexMap<String, Parameter>, &'a str),
    /// Into an element of an array.
    Element,
}

/// Every place of a tool's parameters that can name a file.
pub(super) fn path_places(parameters: &Parameters) -> Vec<PathPlace<'_>> {
    let mut found = Vec::new();
    properties(&parameters.properties, &mut Vec::new(), &mut found);
    found
}

fn properties<'a>(
    all: &'a IndexMap<String, Parameter>,
    steps: &mut Vec<Step<'a>>,
    found: &mut Vec<PathPlace<'a>>,
) {
    for (name, parameter) in all {
        steps.push(Step::Property(all, name));
        values(parameter, steps, found);
        steps.pop();
    }
}

fn values<'a>(parameter: &'a Parameter, steps: &mut Vec<Step<'a>>, found: &mut Vec<PathPlace<'a>>) {
    if parameter.may_be(ParameterType::Path) {
        found.push(PathPlace {
            steps: steps.clone(),
            parameter,
        });
    }
    if steps.len() >= DEEPEST {
        return;
    }
    properties(&parameter.properties, steps, found);
    if let Some(items) = parameter.items.as_deref() {
        steps.push(Step::Element);
        values(items, steps, found);
        steps.pop();
    }
}

impl PathPlace<'_> {
    /// Whether the parameter can have a path, in normal form, as its value.
    pub(super) fn admits(&self, path: &str) -> bool {
        let declared = self.parameter.enumeration.as_ref();
        declared
            .filter(|values| !values.is_empty())
            .is_none_or(|values| {
                let mut texts = values.iter().filter_map(Value::as_str);
                texts.any(|text| normalize_path(text) == path)
            })
    }

    /// Puts a path at the place, with what a call must have on the way to it.
    pub(super) fn put(&self, arguments: &mut Value, path: &str) {
        let mut slot = arguments;
        for step in &self.steps {
            slot = match step {
                Step::Property(properties, name) => {
                    if !slot.is_object() {
                        *slot = Value::Object(required(properties));
                    }
                    let Value::Object(object) = slot else {
                        return;
                    };
                    object.entry(*name).or_insert(Value::Null)
                }
                Step::Element => {
                    if !slot.is_array() {
                        *slot = Value::Array(Vec::new());
                    }
                    let Value::Array(elements) = slot else {
                        return;
                    };
                    elements.push(Value::Null);
                    let Some(last) = elements.last_mut() else {
                        return;
                    };
                    last
                }
            };
        }
        *slot = Value::from(path);
    }
}

fn required(properties: &IndexMap<String, Parameter>) -> Map<String, Value> {
    let properties = properties.iter();
    properties
        .filter(|(_, parameter)| parameter.required)
        .map(|(name, parameter)| (name.clone(), blank(parameter)))
        .collect()
}

/// Some value of a parameter.
fn blank(parameter: &Parameter) -> Value {
    let declared = parameter.enumeration.as_ref();
    if let Some(first) = declared.and_then(|values| values.first()) {
        return first.clone();
    }
    match parameter.types.first() {
        Some(ParameterType::Array) => Value::Array(Vec::new()),
        Some(ParameterType::Object) => Value::Object(required(&parameter.properties)),
        Some(ParameterType::Boolean) => Value::from(false),
        Some(ParameterType::Number | ParameterType::Integer) => Value::from(0),
        Some(ParameterType::String | ParameterType::Path) | None => Value::from("x"),
    }
}
