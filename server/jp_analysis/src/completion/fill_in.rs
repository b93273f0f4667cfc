//! The value that comes with a key, for a person to fill in; right TOML as it is.
//!
//! ```toml
//! source = "local"   # accepted as `source`, with the sources to choose from
//! ```

use jp_config::{
    document::{Array, Entry, Node, Table},
    schema::{NodeId, PathKind, Shape, StringFormat, schema},
};
use jp_tool::overlaps_sensitive;
use serde_json::Value;

use super::{
    arguments::Argument,
    context::{Site, TableSlot},
    names::sources,
    rules,
    shape::{SCHEMES, granted_path, is_parameter, is_plain, is_rule, is_table, required_fields},
    template::Template,
};
use crate::text::toml_text;

/// Writes the value of a key of a table; in a policy rule, `argument` is what the rule is about.
pub(super) fn write_value(
    site: &Site<'_>,
    owner: &TableSlot<'_>,
    argument: Option<&Argument>,
    (name, node): (&str, NodeId),
    template: &mut Template,
) {
    if is_rule(&owner.path) && rules::write_value(site, owner, argument, name, template) {
        return;
    }
    if name == "default" && is_parameter(owner.node) {
        return write_default(owner.table, template);
    }
    let written = owner.table.filter(|_| name == "write");
    if let Some(path) = written.and_then(|table| granted_path(&owner.path, table)) {
        return template.choice(if overlaps_sensitive(&path) {
            &["false", "\"insecure_allow\""]
        } else {
            &["true", "false"]
        });
    }
    if schema().formats(node).contains(&StringFormat::ToolSource) {
        let sources = sources(site.view).into_iter().map(|(source, _)| source);
        let is_plain = |source: &String| !source.contains(['"', '\\', '\n']);
        let plain: Vec<String> = sources.filter(is_plain).collect();
        return template.one_of_strings(&plain);
    }
    write_node(node, template);
}

/// Writes a value that a description allows.
pub(super) fn write_node(node: NodeId, template: &mut Template) {
    let branches = schema().branches(node);
    let is_boolean = |id: &NodeId| matches!(schema().node(*id).shape, Shape::Boolean);
    let variants = schema().variants(node).into_iter();
    let variants: Vec<&str> = variants
        .filter(|variant| variant.deprecated.is_none())
        .map(|variant| variant.value)
        .collect();
    let default = schema().node(node).default.as_ref();
    if branches.iter().any(is_boolean) {
        let is_on = default == Some(&Value::Bool(true));
        let order = if is_on { [false, true] } else { [true, false] };
        let mut choices: Vec<String> = order.iter().map(ToString::to_string).collect();
        choices.extend(variants.iter().map(|value| toml_text::string(value)));
        return template.choice(&choices);
    }
    if !variants.is_empty() {
        return template.one_of_strings(&variants);
    }
    for branch in branches {
        if write_branch(branch, default, template) {
            return;
        }
    }
    template.string();
}

/// Writes a value of one branch of a union; false where the branch says nothing of it.
fn write_branch(branch: NodeId, default: Option<&Value>, template: &mut Template) -> bool {
    let number = default.filter(|value| value.is_number());
    match schema().node(branch).shape {
        Shape::String(format) => write_string(format, default, template),
        Shape::Integer { minimum, .. } => {
            let least = || minimum.unwrap_or_default().to_string();
            template.placeholder(&number.map_or_else(least, Value::to_string));
        }
        Shape::Float => {
            template.placeholder(&number.map_or_else(|| "0".to_owned(), Value::to_string));
        }
        Shape::List { item } if is_table(branch) && !is_plain(item) => {
            template.text("[");
            write_struct(item, template);
            template.text("]");
        }
        Shape::List { .. } => template.empty("[", "]"),
        Shape::Struct(_) => write_struct(branch, template),
        Shape::Map(_) => template.empty("{", "}"),
        Shape::Any | Shape::Boolean | Shape::Enum(_) | Shape::Union(_) => return false,
    }
    true
}

fn write_struct(node: NodeId, template: &mut Template) {
    let required = required_fields(node, None);
    if required.is_empty() {
        return template.empty("{", "}");
    }
    for (index, field) in required.iter().enumerate() {
        template.text(if index == 0 { "{ " } else { ", " });
        template.text(&format!("{} = ", field.name));
        write_node(field.node, template);
    }
    template.text(" }");
}

fn write_string(format: StringFormat, default: Option<&Value>, template: &mut Template) {
    let quote = match format {
        StringFormat::Regex => "'",
        _ => "\"",
    };
    let fitting = default
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty() && !text.contains(['"', '\\', '\n', '\r', '\'']));
    template.text(quote);
    match (fitting, format) {
        (Some(text), _) => template.placeholder(text),
        (None, StringFormat::Path(PathKind::Rule)) => template.placeholder("."),
        (None, StringFormat::JsonPointer) => template.placeholder("/"),
        (None, StringFormat::Host) => template.placeholder("example.com"),
        (None, StringFormat::Scheme) => template.choice(&SCHEMES),
        (None, _) => template.stop(),
    }
    template.text(quote);
}

/// Writes a default that the `enum` or `type` of a parameter allows.
fn write_default(parameter: Option<Table<'_>>, template: &mut Template) {
    let entry = |key| parameter?.get(key).map(Entry::value);
    let declared = entry("enum").and_then(Node::as_array);
    let values = declared.into_iter().flat_map(Array::items);
    let values: Vec<String> = values
        .filter_map(|value| match value {
            Node::Str(text) => Some(toml_text::string(&text.value())),
            Node::Integer(scalar) | Node::Float(scalar) | Node::Boolean(scalar) => {
                Some(scalar.text().to_owned())
            }
            _ => None,
        })
        .filter(|text| !text.contains('\n'))
        .collect();
    if !values.is_empty() {
        return template.choice(&values);
    }
    match entry("type").and_then(Node::as_str).as_deref() {
        Some("boolean") => template.choice(&["true", "false"]),
        Some("integer" | "number") => template.placeholder("0"),
        Some("array") => template.empty("[", "]"),
        Some("object") => template.empty("{", "}"),
        _ => template.string(),
    }
}
