//! How what the schema describes is usually written, and what it is called.

use jp_config::{
    document::Table,
    schema::{Field, KeyKind, NodeId, Requirement, Shape, Shared, schema},
    source::ToolSource,
    view::View,
};

use jp_tool::ConfigPath;

use crate::options::{Dialect, Options};

/// The schemes of network rules.
pub(super) const SCHEMES: [&str; 2] = ["https", "http"];

/// How a header is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableForm {
    /// `[a.b]`
    Table,
    /// `[[a.b]]`
    Element,
}

/// The header form of a value, if it has one.
pub(super) fn table_form(node: NodeId) -> Option<TableForm> {
    let branches = schema().branches(node);
    let shapes = || branches.iter().map(|branch| &schema().node(*branch).shape);
    if shapes().any(|shape| matches!(shape, Shape::Struct(_) | Shape::Map(_))) {
        return Some(TableForm::Table);
    }
    let item = shapes().find_map(|shape| match shape {
        Shape::List { item } => Some(*item),
        _ => None,
    })?;
    let is_struct = schema()
        .branches(item)
        .iter()
        .any(|branch| matches!(schema().node(*branch).shape, Shape::Struct(_)));
    is_struct.then_some(TableForm::Element)
}

/// Whether the value is a table or a list of tables.
pub(super) fn is_table(node: NodeId) -> bool {
    table_form(node).is_some()
}

/// Whether a value on one line is usual: a scalar, or a list of some.
pub(super) fn is_plain(node: NodeId) -> bool {
    let branches = schema().branches(node);
    branches
        .iter()
        .any(|branch| match schema().node(*branch).shape {
            Shape::Boolean
            | Shape::Integer { .. }
            | Shape::Float
            | Shape::String(_)
            | Shape::Enum(_) => true,
            Shape::List { item } => is_plain(item),
            Shape::Struct(_) | Shape::Map(_) | Shape::Any | Shape::Union(_) => false,
        })
}

/// Whether a table describes a parameter of a tool, or a part of one.
pub(super) fn is_parameter(node: NodeId) -> bool {
    schema().node(node).name == Some(Shared::Parameter)
}

/// The fields that must stand in a table and do not.
pub(super) fn required_fields(node: NodeId, table: Option<Table<'_>>) -> Vec<&'static Field> {
    let fields = schema().fields(node).iter();
    fields
        .filter(|field| field.requirement == Requirement::Local)
        .filter(|field| table.is_none_or(|table| table.get(field.name).is_none()))
        .collect()
}

/// Whether the dialect and the tool's source allow a key in the table at a path.
pub(super) fn may_hold(view: &View, options: Options, path: &[String], field: &Field) -> bool {
    if options.dialect == Dialect::Released && !schema().node(field.node).released {
        return false;
    }
    let ([conversation, tools, tool], "access") = (path, field.name) else {
        return true;
    };
    let source = [conversation.as_str(), tools, tool, "source"];
    let source = view.effective(&source);
    let source = source.and_then(|source| ToolSource::parse(source.value.as_str()?).ok());
    source.is_none_or(|source| source.is_local())
}

/// Whether a key named by a label can stand before another segment.
pub(super) fn leads(parent: NodeId, label: &str, next: &str) -> bool {
    let name = label.trim_matches(['"', '\'']);
    let Some(child) = schema().child(parent, name) else {
        return false;
    };
    let of_element = || schema().child(schema().item(child)?, next);
    schema().child(child, next).or_else(of_element).is_some()
}

/// Whether a path is that of a policy rule.
pub(super) fn is_rule(path: &[String]) -> bool {
    matches!(path, [list @ .., element] if element == "[]" && is_rule_list(list))
}

/// Whether a path is that of the rules of a policy.
pub(super) fn is_rule_list(path: &[String]) -> bool {
    let path = match path {
        [rest @ .., value] if value == "value" => rest,
        path => path,
    };
    matches!(path, [.., policy, key] if policy == "policy" && (key == "run" || key == "result"))
}

/// What a key of a map names, in words.
pub(super) fn noun(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Tool => "tool",
        KeyKind::Parameter => "parameter",
        KeyKind::Question => "question",
        KeyKind::Option => "option",
        KeyKind::Label => "label",
        KeyKind::Alias => "alias",
        KeyKind::Server => "server",
        KeyKind::Plugin => "plugin",
        KeyKind::Variable => "variable",
        KeyKind::Query => "query parameter",
    }
}

/// A name to write over.
pub(super) fn placeholder(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Query => "parameter",
        other => noun(other),
    }
}

/// The config path of a config rule; nothing for any other table, and without a path.
pub(super) fn granted_path(rule: &[String], table: Table<'_>) -> Option<ConfigPath> {
    let list = match rule {
        [list @ .., value, element] if value == "value" && element == "[]" => list,
        [list @ .., element] if element == "[]" => list,
        _ => return None,
    };
    let is_config =
        matches!(list, [.., access, config] if access == "access" && config == "config");
    let path = table.get("path").filter(|_| is_config)?;
    ConfigPath::parse(&path.value().as_str()?).ok()
}
