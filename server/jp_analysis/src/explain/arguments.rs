//! The arguments of a call as rules see them: checked against the tool's parameters, with defaults filled in.
//!
//! ```json
//! {"path": "src/lib.rs", "start_line": "12"}   // read as {"path": "src/lib.rs", "start_line": 12}
//! ```

use indexmap::IndexMap;
use jp_policy::{Parameter, ParameterType, Parameters};
use serde_json::{Map, Value};

/// What is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ArgumentsError {
    /// The arguments are no JSON object.
    #[error("the arguments of a call are one JSON object, such as `{{\"path\":\"src\"}}`")]
    NotAnObject,
    /// The tool has no such parameter.
    #[error("the tool has no parameter `{0}`")]
    Unknown(String),
    /// A required parameter is absent.
    #[error("the required parameter `{0}` is missing")]
    Missing(String),
    /// The value has another type than declared.
    #[error("`{pointer}` must be {expected}, not `{found}`")]
    Type {
        /// Where the value stands.
        pointer: String,
        /// The declared types.
        expected: String,
        /// The value.
        found: String,
    },
    /// The value is none of the declared ones.
    #[error("`{pointer}` must be one of {expected}, not `{found}`")]
    Enumeration {
        /// Where the value stands.
        pointer: String,
        /// The declared values.
        expected: String,
        /// The value.
        found: String,
    },
}

/// The arguments as rules see them.
///
/// Texts that hold JSON are read where no text is declared, and absent parameters get their defaults.
///
/// # Errors
///
/// Unknown, missing or mistyped arguments; an open set of parameters may have unknown ones.
pub fn prepare(arguments: &Value, parameters: &Parameters) -> Result<Value, ArgumentsError> {
    let Value::Object(arguments) = arguments else {
        return Err(ArgumentsError::NotAnObject);
    };
    let object = prepare_object(arguments, &parameters.properties, parameters.open, "")?;
    Ok(Value::Object(object))
}

fn prepare_object(
    object: &Map<String, Value>,
    properties: &IndexMap<String, Parameter>,
    open: bool,
    pointer: &str,
) -> Result<Map<String, Value>, ArgumentsError> {
    let mut prepared = Map::new();
    for (name, value) in object {
        let at = format!("{pointer}/{}", escape(name));
        let value = match properties.get(name) {
            Some(parameter) => prepare_value(value, parameter, &at)?,
            None if open => value.clone(),
            None => return Err(ArgumentsError::Unknown(at)),
        };
        prepared.insert(name.clone(), value);
    }
    for (name, parameter) in properties {
        if prepared.contains_key(name) {
            continue;
        }
        match &parameter.default {
            Some(default) => {
                prepared.insert(name.clone(), default.clone());
            }
            None if parameter.required => {
                return Err(ArgumentsError::Missing(format!(
                    "{pointer}/{}",
                    escape(name)
                )));
            }
            None => {}
        }
    }
    Ok(prepared)
}

fn prepare_value(
    value: &Value,
    parameter: &Parameter,
    pointer: &str,
) -> Result<Value, ArgumentsError> {
    let value = coerced(value, parameter);
    let admitted = parameter.types.is_empty()
        || parameter.types.iter().any(|kind| kind.admits(&value))
        || (value.is_null() && !parameter.required);
    if !admitted {
        let words: Vec<&str> = parameter.types.iter().map(|kind| kind.keyword()).collect();
        return Err(ArgumentsError::Type {
            pointer: pointer.to_owned(),
            expected: words.join(" or "),
            found: value.to_string(),
        });
    }
    if let Some(declared) = &parameter.enumeration
        && !value.is_null()
        && !declared.contains(&value)
    {
        let members: Vec<String> = declared.iter().map(|value| format!("`{value}`")).collect();
        return Err(ArgumentsError::Enumeration {
            pointer: pointer.to_owned(),
            expected: members.join(", "),
            found: value.to_string(),
        });
    }
    match value {
        Value::Array(elements) => match &parameter.items {
            Some(items) => elements
                .iter()
                .enumerate()
                .map(|(index, element)| {
                    prepare_value(element, items, &format!("{pointer}/{index}"))
                })
                .collect(),
            None => Ok(Value::Array(elements)),
        },
        Value::Object(object) if !parameter.properties.is_empty() => {
            prepare_object(&object, &parameter.properties, false, pointer).map(Value::Object)
        }
        value => Ok(value),
    }
}

/// The JSON in a text, where the parameter takes no text.
fn coerced(value: &Value, parameter: &Parameter) -> Value {
    let takes_text = parameter.types.is_empty()
        || parameter
            .types
            .iter()
            .any(|kind| matches!(kind, ParameterType::String | ParameterType::Path));
    match value {
        Value::String(text) if !takes_text => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        value => value.clone(),
    }
}

/// A key as a segment of a JSON Pointer.
fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
