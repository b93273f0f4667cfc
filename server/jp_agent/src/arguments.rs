//! Arguments that do not fit their tool, told to the model.
//!
//! ```json
//! {"pth": "src/lib.rs"}   // "Invalid arguments: unknown argument `pth`, did you mean `path`; missing argument `path`. Call `describe_tools(…)` …"
//! ```

use serde_json::{Map, Value};

use crate::config::{ToolConfig, TurnConfig};

/// Prepares the arguments of a call, as [`jp_policy::prepare`] does.
///
/// # Errors
///
/// The text that the model is told when something is unknown, missing, or of another type or value than declared.
pub fn prepare(
    tool: &ToolConfig,
    config: &TurnConfig,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    jp_policy::prepare(arguments, &tool.schema)
        .map_err(|problem| invalid_arguments(tool, config, &problem.to_string()))
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

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
