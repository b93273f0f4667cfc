//! The names that the config declares: tools, servers, variables.
//!
//! ```toml
//! [providers.mcp.github]
//! variables = ["GITHUB_TOKEN"]   # a server, and a variable
//! ```

use jp_config::{
    merge::Located,
    schema::{Shape, StringFormat, schema},
    view::{LayerValue, View},
};
use serde_json::Value;

use super::{
    context::{Site, ValueSlot},
    item::{ItemKind, Items},
};
use crate::{text::markup::shortened, tool::tool_names};

/// The keys that any layer declares in the map at a path.
pub(super) fn declared_keys(view: &View, path: &[String]) -> Vec<String> {
    if path.iter().any(|key| key == "[]") {
        return Vec::new();
    }
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let keys = view.keys(&path);
    keys.into_iter()
        .filter(|key| !key.is_empty() && !key.contains(['\n', '\r']))
        .collect()
}

/// The servers that a tool can come from.
pub(super) fn servers(view: &View) -> Vec<String> {
    view.keys(&["providers", "mcp"]).into_iter().collect()
}

/// The forms of a tool's source, with what each is.
pub(super) fn sources(view: &View) -> Vec<(String, &'static str)> {
    let mut sources = vec![
        ("local".to_owned(), "a command on this machine"),
        ("builtin".to_owned(), "a tool inside `jp`"),
    ];
    for server in servers(view) {
        sources.push((format!("mcp.{server}"), "a tool of this MCP server"));
    }
    sources
}

/// Offers the forms of a tool's source.
pub(super) fn offer_sources(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    for (source, detail) in sources(site.view) {
        items.push(slot.string(&source, ItemKind::Value).with_detail(detail));
    }
}

/// Offers the tools of the view, without the defaults.
pub(super) fn offer_tools(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let names = tool_names(site.view);
    for name in items.narrowed(names, &slot.typed) {
        let path = ["conversation", "tools", &name, "summary"];
        let summary = match site.view.values(&path).last() {
            Some((_, LayerValue::Node(node))) => node.as_str().map(|text| first_line(&text)),
            Some((_, LayerValue::Data(data))) => data.as_str().map(first_line),
            None => None,
        };
        let detail = summary.unwrap_or_else(|| "tool".to_owned());
        items.push(slot.string(&name, ItemKind::Name).with_detail(detail));
    }
}

/// Offers the variables that the config names anywhere, and those that its providers read by default.
pub(super) fn offer_variables(
    site: &Site<'_>,
    slot: &ValueSlot<'_>,
    with_prefixes: bool,
    items: &mut Items,
) {
    let names = variables(site.view);
    for name in &names {
        let item = slot.string(name, ItemKind::Value);
        items.push(item.with_detail("environment variable"));
    }
    if !with_prefixes {
        return;
    }
    let stems = names.iter().filter_map(|name| name.split_once('_'));
    let mut stems: Vec<&str> = stems.map(|(stem, _)| stem).collect();
    stems.dedup();
    for stem in stems {
        let item = slot.string(&format!("{stem}_*"), ItemKind::Value);
        items.push(item.with_detail(format!("every variable that starts with {stem}_")));
    }
}

/// The variables that the config names, each once and in the order of the alphabet.
fn variables(view: &View) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (_, node) in schema().nodes() {
        let is_name = matches!(node.shape, Shape::String(StringFormat::EnvName));
        if let (true, Some(Value::String(name))) = (is_name, &node.default) {
            names.push(name.clone());
        }
    }
    if let Some(servers) = view.effective(&["providers", "mcp"]) {
        for (_, server) in servers.value.as_table().into_iter().flatten() {
            let variables = server.at(&["variables"]).map(Located::to_json);
            let variables = variables.as_ref().and_then(Value::as_array);
            let variables = variables.into_iter().flatten().filter_map(Value::as_str);
            names.extend(variables.map(ToOwned::to_owned));
        }
    }
    names.extend(["HOME", "PATH", "USER"].map(ToOwned::to_owned));
    names.sort();
    names.dedup();
    names
}

/// The first line of a text, short enough to stand beside a label.
pub(super) fn first_line(text: &str) -> String {
    const LONGEST: usize = 80;
    let line = text.trim().lines().next().unwrap_or_default();
    let visible: String = line.chars().filter(|other| !other.is_control()).collect();
    shortened(&visible, LONGEST)
}
