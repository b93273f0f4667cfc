//! The parameters of a tool, as its config declares them.
//!
//! ```toml
//! [conversation.tools.edit.parameters.patterns]
//! type = "array"
//! items.properties.paths = { type = "array", items = { type = "path" } }   # "/patterns/paths": list of path
//! ```

use jp_config::{merge::Located, source::ToolSource};
use jp_policy::{Parameter, Parameters, pointer};
use serde_json::Value;

use super::ToolContext;
use crate::text::{
    markup::{Markup, code, shortened},
    toml_text,
};

/// The declared parameters of a tool; open where its own schema is not in the config.
pub(crate) fn parameters(context: &ToolContext<'_>) -> Parameters {
    let declared = context.tool.get("parameters").map(Located::to_json);
    let mut parameters = Parameters::from_config(declared.as_ref().unwrap_or(&Value::Null));
    parameters.open = match context.source() {
        Some(ToolSource::Local { .. }) => false,
        Some(ToolSource::Builtin { .. }) => parameters.properties.is_empty(),
        Some(ToolSource::Mcp { .. }) | None => true,
    };
    parameters
}

/// The parameter that a pointer leads to, through arrays.
pub(crate) fn parameter_of<'a>(
    parameters: &'a Parameters,
    argument: &str,
) -> Option<&'a Parameter> {
    let mut segments = pointer::segments(argument)?.into_iter();
    let mut parameter = parameters.properties.get(&segments.next()?)?;
    for segment in segments {
        while let Some(items) = &parameter.items {
            parameter = items;
        }
        parameter = parameter.properties.get(&segment)?;
    }
    Some(parameter)
}

/// The table that declares the parameter which a pointer leads to.
pub(crate) fn declaration_of<'a>(
    context: &'a ToolContext<'_>,
    argument: &str,
) -> Option<&'a Located> {
    let mut table = context.tool.get("parameters")?;
    for (index, segment) in pointer::segments(argument)?.iter().enumerate() {
        if index > 0 {
            while let Some(items) = table.get("items") {
                table = items;
            }
            table = table.get("properties")?;
        }
        table = table.get(segment)?;
    }
    Some(table)
}

/// The type of a parameter: `list of path`.
pub(crate) fn type_words(parameter: &Parameter) -> String {
    if parameter.types.is_empty() {
        return "any value".to_owned();
    }
    let words: Vec<String> = parameter
        .types
        .iter()
        .map(|kind| match (&parameter.items, kind.keyword()) {
            (Some(items), "array") => format!("list of {}", type_words(items)),
            (_, word) => word.to_owned(),
        })
        .collect();
    words.join(" or ")
}

/// The type, the values and the summary of the parameter that a pointer leads to.
pub(crate) fn describe_argument(context: &ToolContext<'_>, argument: &str, markup: &mut Markup) {
    let parameters = parameters(context);
    let Some(parameter) = parameter_of(&parameters, argument) else {
        return;
    };
    let mut words = type_words(parameter);
    if parameter.required {
        words.push_str(", required");
    }
    markup.paragraph(&format!("{}: {words}.", code(argument)));
    if let Some(values) = &parameter.enumeration {
        let values: Vec<String> = values
            .iter()
            .take(12)
            .map(|value| code(&toml_text::value(value)))
            .collect();
        markup.item(&format!("One of {}", values.join(", ")));
    }
    let declared = declaration_of(context, argument);
    let doc = declared.and_then(|declared| {
        ["summary", "description"]
            .iter()
            .find_map(|key| declared.get(key)?.value.as_str())
    });
    if let Some(doc) = doc {
        markup.block("text", &shortened(doc, 300));
    }
}
