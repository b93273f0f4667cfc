//! `parameter-default-type` and `parameter-items-type`: a parameter whose parts do not fit its type.
//!
//! ```toml
//! [conversation.tools.fs_read_file.parameters.start_line]
//! type = "integer"
//! default = "1"     # error[parameter-default-type]: write `1`
//! ```
//!
//! codes: parameter-default-type, parameter-items-type

use jp_config::merge::{Located, LocatedValue};
use jp_policy::{Parameter, ParameterType};
use serde_json::Value;

use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    rules::words::{enumerate, shown},
    text::{
        text_edit::{entry_at, remove_key},
        toml_text,
    },
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    let parameters = context.tool.get("parameters");
    table(context, parameters, "", found);
}

fn table(
    context: &ToolContext<'_>,
    parameters: Option<&Located>,
    path: &str,
    found: &mut Vec<Diagnostic>,
) {
    let Some(parameters) = parameters.and_then(|parameters| parameters.value.as_table()) else {
        return;
    };
    for (name, parameter) in parameters {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        check_parameter(context, parameter, &path, found);
    }
}

fn check_parameter(
    context: &ToolContext<'_>,
    located: &Located,
    path: &str,
    found: &mut Vec<Diagnostic>,
) {
    let parameter = Parameter::from_config(&located.to_json());
    // Without a type that exists, anything fits.
    if !parameter.types.is_empty() && located.get("type").is_some() {
        default(context, located, &parameter, path, found);
        members(context, located, &parameter, path, found);
        for (key, kind) in [
            ("items", ParameterType::Array),
            ("properties", ParameterType::Object),
        ] {
            found.extend(misplaced(context, located, &parameter, (key, kind), path));
        }
    }
    if let Some(items) = located.get("items") {
        check_parameter(context, items, &format!("{path}.items"), found);
    }
    table(context, located.get("properties"), path, found);
}

fn default(
    context: &ToolContext<'_>,
    located: &Located,
    parameter: &Parameter,
    path: &str,
    found: &mut Vec<Diagnostic>,
) {
    let Some(default) = located.get("default") else {
        return;
    };
    if is_opaque(default) || nullable(located, default) {
        return;
    }
    let value = default.to_json();
    if let Some(misfit) = misfit(parameter, default, path) {
        found.extend(misfit.finding(context, &format!("the default of `{path}`"), path));
        return;
    }
    let Some(values) = &parameter.enumeration else {
        return;
    };
    let Some(place) = context.place(default) else {
        return;
    };
    if !values.contains(&value) && !value.is_array() && !value.is_object() {
        found.push(Diagnostic::new(
            Code::ParameterDefaultType,
            place,
            format!(
                "the default of `{path}` is `{}`, which its `enum` does not list; write one of {}",
                shown(&value),
                enumerate(values)
            ),
        ));
    }
}

fn members(
    context: &ToolContext<'_>,
    located: &Located,
    parameter: &Parameter,
    path: &str,
    found: &mut Vec<Diagnostic>,
) {
    let members = located.get("enum").and_then(|list| list.value.as_list());
    for member in members.into_iter().flatten() {
        if is_opaque(member) || nullable(located, member) {
            continue;
        }
        if let Some(misfit) = misfit(parameter, member, path) {
            found.extend(misfit.finding(
                context,
                &format!("a member of the `enum` of `{path}`"),
                path,
            ));
        }
    }
}

fn misplaced(
    context: &ToolContext<'_>,
    located: &Located,
    parameter: &Parameter,
    (key, kind): (&str, ParameterType),
    path: &str,
) -> Option<Diagnostic> {
    let part = located.get(key)?;
    if parameter.types.contains(&kind) {
        return None;
    }
    let declared = located.get("type")?;
    let place = context.place(declared)?;
    let fits = located
        .get("default")
        .is_none_or(|default| kind.admits(&default.to_json()));
    let retype = Fix::replace(
        format!("Write `type = \"{kind}\"`"),
        place,
        toml_text::string(kind.keyword()),
    );
    let remove = removal(context, part, key);
    Some(
        Diagnostic::new(
            Code::ParameterItemsType,
            context.key_place(part)?,
            format!(
                "`{path}` has `{key}`, which only type `{kind}` uses, but its type is {}; write `type = \"{kind}\"`, or remove `{key}`",
                types(parameter)
            ),
        )
        .with_related(place, "the type stands here")
        .with_fixes(fits.then_some(retype.one_of_several()))
        .with_fixes(remove.map(Fix::one_of_several)),
    )
}

/// Takes a part out of the file that decides it, with its own headers.
fn removal(context: &ToolContext<'_>, part: &Located, key: &str) -> Option<Fix> {
    let place = context.key_place(part)?;
    let document = context.view.graph().content(place.file)?.document()?;
    let entry = entry_at(document, place.span.start)?;
    let edits = remove_key(document, place.file, entry)?;
    Some(Fix::new(format!("Remove `{key}`"), edits))
}

/// Whether a value is not known in full, or has no JSON form that could be judged.
fn is_opaque(value: &Located) -> bool {
    match &value.value {
        LocatedValue::Missing | LocatedValue::Datetime(_) => true,
        LocatedValue::List(items) => items.iter().any(is_opaque),
        LocatedValue::Table(table) => table.values().any(is_opaque),
        _ => false,
    }
}

/// Whether the value is the `null` that the type allows.
fn nullable(parameter: &Located, value: &Located) -> bool {
    matches!(value.value, LocatedValue::Null)
        && parameter
            .get("type")
            .and_then(|kind| kind.value.as_list())
            .into_iter()
            .flatten()
            .any(|kind| kind.value.as_str() == Some("null"))
}

/// The part of a value that has the wrong type.
struct Misfit<'a> {
    value: &'a Located,
    parameter: &'a Parameter,
    path: String,
}

/// The first part of a value that is of none of its types.
fn misfit<'a>(parameter: &'a Parameter, value: &'a Located, path: &str) -> Option<Misfit<'a>> {
    if parameter.types.is_empty() {
        return None;
    }
    let json = value.to_json();
    if !parameter.types.iter().any(|kind| kind.admits(&json)) {
        return Some(Misfit {
            value,
            parameter,
            path: path.to_owned(),
        });
    }
    match &value.value {
        LocatedValue::List(elements) => {
            let items = parameter.items.as_ref()?;
            let path = format!("{path}.items");
            elements
                .iter()
                .find_map(|element| misfit(items, element, &path))
        }
        LocatedValue::Table(members) => members.iter().find_map(|(name, member)| {
            let property = parameter.properties.get(name)?;
            misfit(property, member, &format!("{path}.{name}"))
        }),
        _ => None,
    }
}

impl Misfit<'_> {
    /// The finding; `whole` is what the value is a part of.
    fn finding(&self, context: &ToolContext<'_>, whole: &str, path: &str) -> Option<Diagnostic> {
        let place = context.place(self.value)?;
        let value = self.value.to_json();
        let described = described(&value);
        let types = types(self.parameter);
        let message = if self.path == path {
            format!("{whole} is {described}, but its type is {types}")
        } else {
            format!(
                "{whole} holds {described}, but the type of `{}` is {types}",
                self.path
            )
        };
        let finding = Diagnostic::new(Code::ParameterDefaultType, place, message);
        Some(match rewritten(self.parameter, &value) {
            Some(text) => finding.with_fix(Fix::replace(format!("Write `{text}`"), place, text)),
            None => finding,
        })
    }
}

fn types(parameter: &Parameter) -> String {
    let words: Vec<String> = parameter
        .types
        .iter()
        .map(|kind| format!("`{kind}`"))
        .collect();
    words.join(" or ")
}

fn described(value: &Value) -> String {
    match value {
        Value::Null => "`null`".to_owned(),
        Value::Bool(value) => format!("the boolean `{value}`"),
        Value::Number(value) => format!("the number `{value}`"),
        Value::String(_) => format!("the string `{}`", shown(value)),
        Value::Array(_) => format!("the list `{}`", shown(value)),
        Value::Object(_) => format!("the table `{}`", shown(value)),
    }
}

/// The same value in the parameter's own type, as TOML text.
fn rewritten(parameter: &Parameter, value: &Value) -> Option<String> {
    let admitted = |value: &Value| parameter.types.iter().any(|kind| kind.admits(value));
    match value {
        Value::String(text) => {
            let value: Value = serde_json::from_str(text).ok()?;
            let scalar = matches!(value, Value::Bool(_) | Value::Number(_));
            (scalar && admitted(&value)).then(|| value.to_string())
        }
        Value::Bool(_) | Value::Number(_) => {
            let text = Value::String(value.to_string());
            admitted(&text).then(|| toml_text::string(&value.to_string()))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "parameter_schema_tests.rs"]
mod tests;
