//! `enable = true` as a table, where state and toggle can be set on their own (RFD 081).

use jp_config::{document::Node, enable::Enable};
use serde_json::Value;

use super::{action::Action, site::Site};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let keys = site.keys()?;
    let ["conversation", "tools", .., "enable"] = keys.as_slice() else {
        return None;
    };
    let value = site.entry()?.value();
    let enable = match value {
        Node::Boolean(_) => Enable::from_bool(value.as_bool()?),
        Node::Str(text) => Enable::from_shorthand(&text.value())?,
        _ => return None,
    };
    let table = enable.to_value();
    let entries: Vec<String> = table
        .as_object()?
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key} = \"{text}\""),
            other => format!("{key} = {other}"),
        })
        .collect();
    let text = format!("{{ {} }}", entries.join(", "));
    let edit = site.edit(value.span(), text);
    Some(site.rewrite("Write `enable` as a table", vec![edit]))
}
