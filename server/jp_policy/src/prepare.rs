//! Arguments between the model and everything that decides about them.
//!
//! ```json
//! {"path": "src/lib.rs", "patterns": "[{\"old\": \"a\", \"new\": \"b\"}]"}
//! ```
//!
//! Coerced, completed and checked before any rule looks at them, so that a rule never sees a value of another type than the tool gets.
//! The runtime and the explanation of a decision prepare a call here, so that they cannot differ.

use std::fmt::{Display, Formatter, Result as FmtResult};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::{
    argument::similar,
    matcher::{Atom, TextForm},
    parameter::{Parameter, ParameterType, Parameters},
};

/// Why the arguments of a call cannot be used: everything that does not fit, in order.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ArgumentsError(pub Vec<ArgumentProblem>);

/// One thing about the arguments of a call that does not fit; places read as `patterns[1].old`.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgumentProblem {
    /// The tool has no such parameter.
    Unknown {
        /// Where the argument stands.
        place: String,
        /// A parameter that was probably meant.
        near: Option<String>,
    },
    /// A required argument is absent.
    Missing {
        /// Where it would stand.
        place: String,
    },
    /// The value has another type than declared.
    Type {
        /// Where the value stands.
        place: String,
        /// The declared types.
        expected: Vec<ParameterType>,
        /// The type of the value.
        found: &'static str,
    },
    /// The value is none of the declared ones.
    Enumeration {
        /// Where the value stands.
        place: String,
        /// The declared values.
        expected: Vec<Value>,
    },
}

impl Display for ArgumentProblem {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        match self {
            Self::Unknown { place, near } => {
                write!(formatter, "unknown argument `{place}`")?;
                match near {
                    Some(near) => write!(formatter, ", did you mean `{near}`"),
                    None => Ok(()),
                }
            }
            Self::Missing { place } => write!(formatter, "missing argument `{place}`"),
            Self::Type {
                place,
                expected,
                found,
            } => {
                // The caller knows JSON types only.
                let expected: Vec<&str> = expected
                    .iter()
                    .map(|kind| match kind {
                        ParameterType::Path => ParameterType::String.keyword(),
                        other => other.keyword(),
                    })
                    .collect();
                write!(
                    formatter,
                    "`{place}` must be {}, not {found}",
                    expected.join(" or ")
                )
            }
            Self::Enumeration { place, expected } => {
                let expected: Vec<String> =
                    expected.iter().map(|value| format!("`{value}`")).collect();
                write!(
                    formatter,
                    "`{place}` must be one of {}",
                    expected.join(", ")
                )
            }
        }
    }
}

/// The arguments of a call as rules and the tool see them.
///
/// A string that holds JSON is coerced where no string is declared, defaults are filled in, a `null` for an optional parameter is
/// dropped.
///
/// # Errors
///
/// Unknown, missing or mistyped arguments, and values that are not among the declared ones; an open set of parameters may have
/// unknown ones.
pub fn prepare(
    arguments: Map<String, Value>,
    parameters: &Parameters,
) -> Result<Map<String, Value>, ArgumentsError> {
    let mut arguments = arguments;
    let mut problems = Vec::new();
    let Parameters { properties, open } = parameters;
    object(&mut arguments, properties, *open, "", &mut problems);
    if problems.is_empty() {
        Ok(arguments)
    } else {
        Err(ArgumentsError(problems))
    }
}

fn object(
    arguments: &mut Map<String, Value>,
    properties: &IndexMap<String, Parameter>,
    open: bool,
    path: &str,
    problems: &mut Vec<ArgumentProblem>,
) {
    let place = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    arguments.retain(|name, value| {
        let optional = properties.get(name).is_some_and(|known| !known.required);
        !(value.is_null() && optional)
    });
    if !open {
        let unknown = arguments
            .keys()
            .filter(|name| !properties.contains_key(*name));
        problems.extend(unknown.map(|name| ArgumentProblem::Unknown {
            place: place(name),
            near: similar(name, properties.keys()).into_iter().next(),
        }));
    }
    for (name, parameter) in properties {
        match arguments.get_mut(name) {
            Some(argument) => value(argument, parameter, &place(name), problems),
            None => match &parameter.default {
                Some(default) => {
                    let mut default = default.clone();
                    value(&mut default, parameter, &place(name), problems);
                    arguments.insert(name.clone(), default);
                }
                None if parameter.required => {
                    problems.push(ArgumentProblem::Missing { place: place(name) });
                }
                None => {}
            },
        }
    }
}

fn value(
    value: &mut Value,
    parameter: &Parameter,
    path: &str,
    problems: &mut Vec<ArgumentProblem>,
) {
    coerce(value, parameter);
    let fits = |value: &Value| parameter.types.iter().any(|kind| kind.admits(value));
    if !parameter.types.is_empty() && !fits(value) {
        problems.push(ArgumentProblem::Type {
            place: path.to_owned(),
            expected: parameter.types.clone(),
            found: kind_of(value),
        });
        return;
    }
    if let Some(allowed) = &parameter.enumeration
        && !allowed.iter().any(|allowed| is_same(allowed, value))
    {
        problems.push(ArgumentProblem::Enumeration {
            place: path.to_owned(),
            expected: allowed.clone(),
        });
        return;
    }
    match value {
        Value::Array(elements) => {
            if let Some(items) = parameter.items.as_deref() {
                for (index, element) in elements.iter_mut().enumerate() {
                    self::value(element, items, &format!("{path}[{index}]"), problems);
                }
            }
        }
        Value::Object(members) if !parameter.properties.is_empty() => {
            object(members, &parameter.properties, false, path, problems);
        }
        _ => {}
    }
}

/// Reads JSON out of a string where no string is declared, as models write it for nested values.
fn coerce(value: &mut Value, parameter: &Parameter) {
    let takes_text = parameter.types.is_empty()
        || parameter
            .types
            .iter()
            .any(|kind| matches!(kind, ParameterType::String | ParameterType::Path));
    let Value::String(text) = &*value else { return };
    if takes_text {
        return;
    }
    if let Ok(parsed) = serde_json::from_str::<Value>(text)
        && parameter.types.iter().any(|kind| kind.admits(&parsed))
    {
        *value = parsed;
    }
}

/// Whether two values are the same, numbers by value.
fn is_same(left: &Value, right: &Value) -> bool {
    Atom::of_value(left, TextForm::Plain) == Atom::of_value(right, TextForm::Plain)
}

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
#[path = "prepare_tests.rs"]
mod tests;
