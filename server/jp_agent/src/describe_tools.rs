//! The builtin that hands out the long documentation of tools.
//!
//! ```json
//! {"tools": ["fs_modify_file"]}
//! ```
//!
//! A model gets one line for each tool; what it needs only now and then, it asks for.

use std::fmt::Write as _;

use jp_config::builtin::{DESCRIBE_TOOLS, defaults};
use jp_tool::Outcome;
use serde_json::{Map, Value};

use crate::builtin::{Builtin, BuiltinCall};
use crate::config::ToolConfig;

/// `describe_tools`.
#[derive(Debug, Clone, Copy, Default)]
pub struct DescribeTools;

impl Builtin for DescribeTools {
    fn defaults(&self) -> Value {
        defaults(DESCRIBE_TOOLS).unwrap_or_default()
    }

    fn execute(&self, call: &BuiltinCall<'_>) -> Outcome {
        let names = call.arguments.get("tools").and_then(Value::as_array);
        let mut text = String::new();
        let mut unknown = Vec::new();
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            match call.config.tools.get(name).filter(|tool| tool.is_enabled) {
                Some(tool) => describe(tool, &mut text),
                None => unknown.push(format!("`{name}`")),
            }
        }
        if unknown.is_empty() {
            return Outcome::success(text.trim_end());
        }
        let unknown = unknown.join(", ");
        if text.is_empty() {
            return Outcome::error(format!("There is no documentation for {unknown}."));
        }
        let _ = write!(text, "There is no documentation for {unknown}.");
        Outcome::success(text)
    }
}

fn describe(tool: &ToolConfig, text: &mut String) {
    let _ = writeln!(text, "# {}\n", tool.name);
    for paragraph in [&tool.summary, &tool.description].into_iter().flatten() {
        let _ = writeln!(text, "{}\n", paragraph.trim());
    }
    if !tool.parameters.is_empty() {
        text.push_str("## Parameters\n\n");
        describe_parameters(&tool.parameters, 0, text);
        text.push('\n');
    }
    if let Some(examples) = &tool.examples {
        let _ = writeln!(text, "## Examples\n\n{}\n", examples.trim());
    }
}

fn describe_parameters(parameters: &Map<String, Value>, depth: usize, text: &mut String) {
    for (name, parameter) in parameters {
        let indent = "  ".repeat(depth);
        let _ = write!(text, "{indent}- `{name}`");
        describe_shape(parameter, text);
        for key in ["summary", "description", "examples"] {
            if let Some(words) = parameter.get(key).and_then(Value::as_str) {
                let words = words.trim().replace('\n', &format!("\n{indent}  "));
                let _ = write!(text, "\n{indent}  {words}");
            }
        }
        text.push('\n');
        let mut inner = parameter;
        while let Some(items) = inner.get("items") {
            inner = items;
        }
        if let Some(Value::Object(properties)) = inner.get("properties") {
            describe_parameters(properties, depth + 1, text);
        }
    }
}

fn describe_shape(parameter: &Value, text: &mut String) {
    let word = |kind: &Value| kind.as_str().unwrap_or_default().to_owned();
    let mut facts = Vec::new();
    match parameter.get("type") {
        Some(Value::Array(kinds)) => {
            facts.push(kinds.iter().map(word).collect::<Vec<_>>().join(" or "));
        }
        Some(kind) => facts.push(word(kind)),
        None => {}
    }
    if parameter.get("required") == Some(&Value::Bool(true)) {
        facts.push("required".to_owned());
    }
    if let Some(default) = parameter.get("default") {
        facts.push(format!("default `{default}`"));
    }
    if let Some(Value::Array(values)) = parameter.get("enum") {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        facts.push(format!("one of {}", values.join(", ")));
    }
    facts.retain(|fact| !fact.is_empty());
    if !facts.is_empty() {
        let _ = write!(text, " ({})", facts.join(", "));
    }
}

#[cfg(test)]
#[path = "describe_tools_tests.rs"]
mod tests;
