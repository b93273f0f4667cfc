//! What a tool that cannot run yet is to be run by: its `source`, and the `command` of a local one.
//!
//! ```toml
//! [conversation.tools.grep]   # add `source = "mcp.search"`, or `source = "local"` and a command
//! enable = true
//!
//! [conversation.tools.find]
//! source = "mcp"              # write `mcp.search`
//! ```
//!
//! The choices are what the view knows: the declared servers, and the commands of its other local tools.
//! A tool whose rules look at arguments that nothing declares is not made a local one.

use std::{borrow::Cow, collections::BTreeMap};

use jp_config::{
    document::{Node, PathSegment, Span, TableKind},
    merge::Located,
    source::ToolSource,
    view::{LayerValue, value_at},
};
use jp_policy::Parameters;

use super::{
    action::{Action, ActionKind},
    site::Site,
};
use crate::{
    Code, Diagnostic, Edit,
    text::{
        node::node_at,
        text_edit::{add_after, entry_at},
        toml_text,
    },
    tool::{DEFAULTS, TOOLS},
};

/// The most servers that are offered.
const MOST: usize = 4;

/// The changes that answer a finding about the source or the command of a tool.
pub(super) fn actions(site: &Site<'_>, index: usize, diagnostic: &Diagnostic) -> Vec<Action> {
    let at = diagnostic.place.span;
    let path = site.document.at(at.start as usize).path;
    let [
        PathSegment::Key("conversation"),
        PathSegment::Key("tools"),
        PathSegment::Key(tool),
        rest @ ..,
    ] = path.as_slice()
    else {
        return Vec::new();
    };
    let changes = match (diagnostic.code, rest) {
        (Code::MissingRequired, []) if *tool != DEFAULTS => missing_source(site, at, tool),
        (Code::SourceInvalid, [PathSegment::Key("source")]) => other_sources(site, at, diagnostic),
        (Code::CommandMissing, [PathSegment::Key("source")]) => missing_command(site, at, tool),
        _ => Vec::new(),
    };
    changes
        .into_iter()
        .map(|(title, edit)| Action {
            title,
            kind: ActionKind::QuickFix,
            preferred: false,
            diagnostic: Some(index),
            edits: vec![edit],
            creates: None,
            disabled: None,
        })
        .collect()
}

fn missing_source(site: &Site<'_>, key: Span, tool: &str) -> Vec<(String, Edit)> {
    let mut choices: Vec<Vec<String>> = servers(site)
        .iter()
        .map(|server| vec![source(&format!("mcp.{server}"))])
        .collect();
    let has_command = site
        .view
        .effective(&["conversation", "tools", tool, "command"])
        .is_some();
    match command(site, tool) {
        _ if has_stray_rules(site, tool) => {}
        _ if has_command => choices.push(vec![source("local")]),
        Some(command) => choices.push(vec![source("local"), command]),
        None => {}
    }
    choices
        .into_iter()
        .filter_map(|entries| {
            let title = format!("Add `{}`", entries.join("` and `"));
            Some((title, add_first(site, key, tool, &entries)?))
        })
        .collect()
}

/// Whether rules of a tool look at arguments, and no layer declares a parameter of it.
///
/// A local tool takes what its config declares, so that none of these rules would look at anything:
/// the tool comes from elsewhere, or the table that declares more of it is lost to a typo.
fn has_stray_rules(site: &Site<'_>, tool: &str) -> bool {
    let Some(tool) = site.view.effective(&["conversation", "tools", tool]) else {
        return false;
    };
    let declared = tool.get("parameters").map(Located::to_json);
    let declared = Parameters::from_config(&declared.unwrap_or_default());
    let looks_at_arguments = |key: &str| {
        let rules = tool.at(&["policy", key]);
        let rules = rules.and_then(|list| list.value.as_list());
        rules.is_some_and(|rules| rules.iter().any(|rule| rule.get("arg").is_some()))
    };
    declared.properties.is_empty() && ["run", "result"].into_iter().any(looks_at_arguments)
}

fn source(text: &str) -> String {
    format!("source = {}", toml_text::string(text))
}

/// Adds entries at the beginning of a tool's table.
fn add_first(site: &Site<'_>, key: Span, tool: &str, entries: &[String]) -> Option<Edit> {
    let entry = entry_at(site.document, key.start)?;
    let Node::Table(table) = entry.value() else {
        return None;
    };
    if table.kind() == TableKind::Inline {
        let separator = if table.is_empty() { " " } else { "," };
        let at = table.span().start + 1;
        let text = format!(" {}{separator}", entries.join(", "));
        return Some(site.edit(Span::new(at, at), text));
    }
    if table.kind() == TableKind::Header {
        let own = table.header_span()?;
        return add_after(site.document, site.file, own, entries);
    }
    let section = site.document.section_at(key.start as usize);
    let header = section.header_span()?;
    // Only tables within the tool's own have headers.
    if section.header().len() <= TOOLS.len() {
        return None;
    }
    let line_break = site.line_break();
    let name = toml_text::key(tool);
    let entries = entries.join(line_break);
    let text = format!("[conversation.tools.{name}]{line_break}{entries}{line_break}{line_break}");
    Some(site.edit(Span::new(header.start, header.start), text))
}

/// Other sources in place of one that cannot be read.
fn other_sources(site: &Site<'_>, at: Span, diagnostic: &Diagnostic) -> Vec<(String, Edit)> {
    if !diagnostic.fixes.is_empty() {
        return Vec::new();
    }
    let Some(written) = entry_at(site.document, at.start) else {
        return Vec::new();
    };
    let value = written.value();
    let text = value.as_str().unwrap_or_default();
    let servers = servers(site);
    let mut sources: Vec<String> = match text.trim_end_matches('.') {
        "mcp" => servers
            .iter()
            .map(|server| format!("mcp.{server}"))
            .collect(),
        name => {
            let server = name.split('.').next().unwrap_or_default();
            let is_declared = servers.iter().any(|declared| declared == server);
            Vec::from_iter(is_declared.then(|| format!("mcp.{name}")))
        }
    };
    sources.retain(|source| ToolSource::parse(source).is_ok());
    sources
        .into_iter()
        .map(|source| {
            let edit = site.edit(value.span(), toml_text::string(&source));
            (format!("Write `{source}`"), edit)
        })
        .collect()
}

fn missing_command(site: &Site<'_>, source: Span, tool: &str) -> Vec<(String, Edit)> {
    let edit = command(site, tool).and_then(|command| {
        let statement = site.document.at(source.start as usize).statement?.span;
        let tool_keys = ["conversation", "tools", tool].map(PathSegment::Key);
        let table = node_at(site.document, &tool_keys)?.as_table()?;
        let keys = table.get("source")?.key_spans();
        let key = keys.into_iter().rfind(|key| key.end <= source.start)?;
        // A dotted key says in front of its last segment where it leads.
        let path = site.text(Span::new(statement.start, key.start))?;
        let entry = format!("{path}{command}");
        let edit = add_after(site.document, site.file, statement, &[entry])?;
        Some((format!("Add `{command}`"), edit))
    });
    Vec::from_iter(edit)
}

/// The declared MCP servers, if they are few.
fn servers(site: &Site<'_>) -> Vec<String> {
    let servers = site.view.keys(&["providers", "mcp"]);
    if servers.len() > MOST {
        return Vec::new();
    }
    servers.into_iter().collect()
}

/// A command for a local tool: the one that most other local tools have, else a program of the tool's name.
///
/// Nothing for a name that is no word.
fn command(site: &Site<'_>, tool: &str) -> Option<String> {
    let is_word = |name: &str| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let text = match site.common_command.get_or_init(|| common_command(site)) {
        Some(command) => command.clone(),
        None if !tool.is_empty() && is_word(tool) => format!("{tool} {{{{tool}}}}"),
        None => return None,
    };
    Some(format!("command = {}", toml_text::string(&text)))
}

fn common_command(site: &Site<'_>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, content) in site.view.contents() {
        let Some(LayerValue::Node(Node::Table(tools))) = value_at(content, &TOOLS) else {
            continue;
        };
        for other in tools.entries() {
            let command = other
                .value()
                .as_table()
                .and_then(|table| table.get("command"))
                .and_then(|command| command.value().as_str().map(Cow::into_owned));
            // What takes apart the arguments is made for one tool.
            if let Some(command) = command.filter(|command| serves_any_tool(command)) {
                *counts.entry(command).or_default() += 1;
            }
        }
    }
    let common = counts.into_iter().max_by_key(|(_, count)| *count);
    common.map(|(command, _)| command)
}

fn serves_any_tool(command: &str) -> bool {
    command.contains("tool") && command.contains("{{") && !command.contains("arguments")
}
