//! The values of a call that name files.
//!
//! ```json
//! {"path": "src/lib.rs", "patterns": [{"old": "a", "paths": ["src/a.rs", ".env"]}]}   // three, the last at `/patterns/0/paths/1`
//! ```

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::{
    parameter::{Parameter, ParameterType},
    pointer::encoded,
};

/// The parameters of an object, by name.
type Properties = IndexMap<String, Parameter>;

/// Whether a value of `parameter` names a file.
pub(crate) fn is_path(value: &Value, parameter: Option<&Parameter>) -> bool {
    value.is_string() && parameter.is_some_and(|it| it.may_be(ParameterType::Path))
}

/// Calls back with each path in the arguments, in the order in which [`rewritten`] comes by them.
pub(crate) fn visit_paths<'a>(
    arguments: &'a Value,
    properties: &Properties,
    visit: &mut dyn FnMut(&'a str),
) {
    if let Value::Object(object) = arguments {
        visit_object(object, properties, visit);
    }
}

fn visit_object<'a>(
    object: &'a Map<String, Value>,
    properties: &Properties,
    visit: &mut dyn FnMut(&'a str),
) {
    for (name, value) in object {
        if let Some(parameter) = properties.get(name) {
            visit_value(value, parameter, visit);
        }
    }
}

fn visit_value<'a>(value: &'a Value, parameter: &Parameter, visit: &mut dyn FnMut(&'a str)) {
    match value {
        Value::String(path) if is_path(value, Some(parameter)) => visit(path),
        Value::Array(elements) => {
            if let Some(items) = parameter.items.as_deref() {
                for element in elements {
                    visit_value(element, items, visit);
                }
            }
        }
        Value::Object(object) => visit_object(object, &parameter.properties, visit),
        _ => {}
    }
}

/// The pointer of each path in the arguments, in the order in which [`rewritten`] comes by them.
pub(crate) fn pointers(arguments: &Value, properties: &Properties) -> Vec<String> {
    let mut found = Vec::new();
    rewritten(arguments, properties, &mut |pointer, _| {
        found.push(pointer.to_owned());
        None
    });
    found
}

/// The arguments with each path replaced by what `rewrite` makes of its pointer and its value; `None` leaves it out.
pub(crate) fn rewritten(
    arguments: &Value,
    properties: &Properties,
    rewrite: &mut dyn FnMut(&str, &str) -> Option<Value>,
) -> Value {
    let mut walk = Walk {
        pointer: String::new(),
        rewrite,
    };
    match arguments {
        Value::Object(object) => Value::Object(walk.object(object, properties)),
        other => other.clone(),
    }
}

/// A value of `parameter` without its paths but the one that is number `kept` among them.
///
/// A path itself is nothing without itself.
pub(crate) fn with_one_path(
    value: &Value,
    parameter: Option<&Parameter>,
    kept: Option<usize>,
) -> Option<Value> {
    let mut number = 0;
    let mut rewrite = |_: &str, path: &str| keep(&mut number, kept, path);
    let mut walk = Walk {
        pointer: String::new(),
        rewrite: &mut rewrite,
    };
    walk.value(value, parameter)
}

/// The arguments without their paths but the one that is number `kept` among them.
pub(crate) fn arguments_with_one_path(
    arguments: &Value,
    properties: &Properties,
    kept: usize,
) -> Value {
    let mut number = 0;
    rewritten(arguments, properties, &mut |_, path| {
        keep(&mut number, Some(kept), path)
    })
}

fn keep(number: &mut usize, kept: Option<usize>, path: &str) -> Option<Value> {
    let is_kept = kept == Some(*number);
    *number = number.saturating_add(1);
    is_kept.then(|| Value::from(path))
}

/// A walk along arguments and parameters.
struct Walk<'a> {
    /// Where the walk is, as a JSON Pointer with the numbers of elements.
    pointer: String,
    rewrite: &'a mut dyn FnMut(&str, &str) -> Option<Value>,
}

impl Walk<'_> {
    fn object(
        &mut self,
        object: &Map<String, Value>,
        properties: &Properties,
    ) -> Map<String, Value> {
        object
            .iter()
            .filter_map(|(name, value)| {
                let value = match properties.get(name) {
                    Some(parameter) => {
                        self.at(&encoded(name), |walk| walk.value(value, Some(parameter)))?
                    }
                    None => value.clone(),
                };
                Some((name.clone(), value))
            })
            .collect()
    }

    fn value(&mut self, value: &Value, parameter: Option<&Parameter>) -> Option<Value> {
        let Some(parameter) = parameter else {
            return Some(value.clone());
        };
        Some(match value {
            Value::String(path) if is_path(value, Some(parameter)) => {
                return (self.rewrite)(&self.pointer, path);
            }
            Value::Array(elements) => match parameter.items.as_deref() {
                Some(items) => elements
                    .iter()
                    .enumerate()
                    .filter_map(|(index, element)| {
                        self.at(&index.to_string(), |walk| walk.value(element, Some(items)))
                    })
                    .collect(),
                None => value.clone(),
            },
            Value::Object(object) => Value::Object(self.object(object, &parameter.properties)),
            _ => value.clone(),
        })
    }

    /// Goes one segment down and comes back.
    fn at<T>(&mut self, segment: &str, walk: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(segment);
        let found = walk(self);
        self.pointer.truncate(length);
        found
    }
}
