//! Tools as the model sees them.
//!
//! ```json
//! {"type": "object", "additionalProperties": false, "required": ["path"],
//!  "properties": {"path": {"type": "string", "description": "The file to read."}}}
//! ```

use jp_llm::ToolDefinition;
use serde_json::{Map, Value, json};

use crate::config::ToolConfig;

/// The definition of a tool from the config.
#[must_use]
pub fn definition(tool: &ToolConfig) -> ToolDefinition {
    ToolDefinition {
        name: tool.name.clone(),
        description: tool.summary.clone().or_else(|| tool.description.clone()),
        parameters: object_schema(&tool.parameters),
    }
}

/// The definition of an MCP tool: the server's, with what the config overrides.
///
/// `{{description}}` in an overriding text stands for the server's.
/// An override may require a parameter that the server does not, never the other way round.
#[must_use]
pub fn mcp_definition(
    tool: &ToolConfig,
    description: Option<&str>,
    schema: &Map<String, Value>,
) -> ToolDefinition {
    let with_description = |text: &str, original: Option<&str>| {
        text.replace("{{description}}", original.unwrap_or_default())
    };
    let own = tool.summary.as_deref().or(tool.description.as_deref());
    let mut schema = schema.clone();
    schema.entry("type").or_insert_with(|| "object".into());
    let mut required = string_list(schema.get("required"));
    let properties = schema
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        for (name, parameter) in &tool.parameters {
            let Value::Object(mut node) = parameter_schema(parameter) else {
                continue;
            };
            let declared = properties
                .entry(name.clone())
                .or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(declared) = declared else {
                continue;
            };
            let original = declared.get("description").and_then(Value::as_str);
            if let Some(Value::String(text)) = node.get_mut("description") {
                *text = with_description(text, original);
            }
            declared.extend(node);
            if is_required(parameter) && !required.contains(name) {
                required.push(name.clone());
            }
        }
    }
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    ToolDefinition {
        name: tool.name.clone(),
        description: own
            .map(|text| with_description(text, description))
            .or_else(|| description.map(str::to_owned)),
        parameters: Value::Object(schema),
    }
}

fn string_list(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array);
    let items = items.into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn is_required(parameter: &Value) -> bool {
    parameter.get("required") == Some(&Value::Bool(true))
}

/// The schema of an argument object.
fn object_schema(parameters: &Map<String, Value>) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    properties_schema(parameters, &mut schema);
    schema.insert("additionalProperties".to_owned(), false.into());
    Value::Object(schema)
}

fn properties_schema(parameters: &Map<String, Value>, schema: &mut Map<String, Value>) {
    let properties: Map<String, Value> = parameters
        .iter()
        .map(|(name, parameter)| (name.clone(), parameter_schema(parameter)))
        .collect();
    let required: Vec<Value> = parameters
        .iter()
        .filter(|(_, parameter)| is_required(parameter))
        .map(|(name, _)| Value::String(name.clone()))
        .collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), Value::Array(required));
}

/// The schema of one parameter; `path` is a string to the model (RFD D25).
fn parameter_schema(parameter: &Value) -> Value {
    let mut schema = Map::new();
    let model_type = |kind: &Value| match kind.as_str() {
        Some("path") => json!("string"),
        _ => kind.clone(),
    };
    match parameter.get("type") {
        Some(Value::String(kind)) if kind.is_empty() => {}
        Some(Value::Array(kinds)) if !kinds.is_empty() => {
            let mut types: Vec<Value> = Vec::with_capacity(kinds.len());
            for kind in kinds.iter().map(model_type) {
                if !types.contains(&kind) {
                    types.push(kind);
                }
            }
            schema.insert("type".to_owned(), Value::Array(types));
        }
        Some(kind @ Value::String(_)) => {
            schema.insert("type".to_owned(), model_type(kind));
        }
        _ => {}
    }
    let description = ["summary", "description"]
        .iter()
        .find_map(|key| parameter.get(key).filter(|text| text.is_string()));
    if let Some(description) = description {
        schema.insert("description".to_owned(), description.clone());
    }
    if let Some(default) = parameter.get("default") {
        schema.insert("default".to_owned(), default.clone());
    }
    if let Some(Value::Array(values)) = parameter.get("enum")
        && !values.is_empty()
    {
        schema.insert("enum".to_owned(), Value::Array(values.clone()));
    }
    if let Some(items) = parameter.get("items").filter(|items| items.is_object()) {
        schema.insert("items".to_owned(), parameter_schema(items));
    }
    if let Some(Value::Object(properties)) = parameter.get("properties")
        && !properties.is_empty()
    {
        properties_schema(properties, &mut schema);
    }
    Value::Object(schema)
}

#[cfg(test)]
#[path = "definition_tests.rs"]
mod tests;
