//! Arguments between the model and everything that decides about them.
//!
//! ```json
//! {"path": "src/lib.rs", "patterns": "[{\"old\": \"a\", \"new\": \"b\"}]"}
//! ```
//!
//! Coerced, completed and checked before any policy looks at them, so that a rule never sees a value of another type
//! than the tool gets.

use indexmap::IndexMap;
use jp_config::validate::suggest;
use jp_policy::{Parameter, ParameterType, Parameters};
use serde_json::{Map, Value};

use crate::config::{ToolConfig, TurnConfig};

/// Prepares the arguments of a call.
///
/// A string that holds JSON is coerced where no string is declared, defaults are filled in, a `null` for an optional
/// parameter is dropped.
///
/// # Errors
///
/// The text that the model is told when something is unknown, missing, or of another type or value than declared.
pub fn prepare(
    tool: &ToolConfig,
    config: &TurnConfig,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let mut arguments = arguments;
    let mut problems = Vec::new();
    let Parameters { properties, open } = &tool.schema;
    object(&mut arguments, properties, *open, "", &mut problems);
    if problems.is_empty() {
        return Ok(arguments);
    }
    Err(invalid_arguments(tool, config, &problems.join("; ")))
}

/// The text for arguments that do not fit, with the way to better ones.
#[must_use]
pub(crate) fn invalid_arguments(tool: &ToolConfig, config: &TurnConfig, problem: &str) -> String {
    let name = &tool.name;
    let can_describe = config
        .tools
        .get("describe_tools")
        .is_some_and(|tool| tool.is_enabled);
    if can_describe && name != "describe_tools" {
        format!(
            "Invalid arguments: {problem}. Call `describe_tools(tools: [\"{name}\"])` to learn what the tool accepts."
        )
    } else {
        format!("Invalid arguments: {problem}.")
    }
}

fn object(
    arguments: &mut Map<String, Value>,
    properties: &IndexMap<String, Parameter>,
    open: bool,
    path: &str,
    problems: &mut Vec<String>,
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
        for name in arguments
            .keys()
            .filter(|name| !properties.contains_key(*name))
        {
            let near = suggest(name, properties.keys().map(String::as_str));
            problems.push(match near {
                Some(near) => format!("unknown argument `{}`, did you mean `{near}`", place(name)),
                None => format!("unknown argument `{}`", place(name)),
            });
        }
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
                    problems.push(format!("missing argument `{}`", place(name)));
                }
                None => {}
            },
        }
    }
}

fn value(value: &mut Value, parameter: &Parameter, path: &str, problems: &mut Vec<String>) {
    coerce(value, parameter);
    let fits = |value: &Value| parameter.types.iter().any(|kind| kind.admits(value));
    if !parameter.types.is_empty() && !fits(value) {
        let types: Vec<&str> = parameter
            .types
            .iter()
            .map(|kind| match kind {
                ParameterType::Path => "string",
                other => other.keyword(),
            })
            .collect();
        problems.push(format!(
            "`{path}` must be {}, not {}",
            types.join(" or "),
            kind_of(value)
        ));
        return;
    }
    if let Some(allowed) = &parameter.enumeration
        && !allowed.iter().any(|allowed| is_same(allowed, value))
    {
        let allowed: Vec<String> = allowed.iter().map(|value| format!("`{value}`")).collect();
        problems.push(format!("`{path}` must be one of {}", allowed.join(", ")));
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
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.as_f64() == b.as_f64() && (a.is_f64() != b.is_f64()))
        }
        _ => left == right,
    }
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
#[path = "arguments_tests.rs"]
mod tests;
