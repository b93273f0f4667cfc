//! `missing-required`: what some layer must set once everything is merged.
//!
//! ```toml
//! [conversation.tools.grep]   # no layer says `source`
//! enable = true
//!
//! [conversation.title.generate.model.parameters]   # no layer says `id` of this model
//! temperature = 0
//!
//! [providers.mcp.docs]                     # no layer says `url`
//! type = "http"
//! ```

use std::collections::HashSet;

use jp_config::{
    builtin::BUILTIN_TOOLS,
    content::Content,
    document::{Entry, Node, Span},
    graph::SourceKind,
    merge::Located,
    schema::schema,
    validate::{At, missing_companions, missing_required},
    view::{LayerValue, View, value_at},
    words::suggest,
};

use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::{Edit, Fix},
    options::{Dialect, Options},
    rules::{
        incomplete::{is_graph_incomplete, is_incomplete},
        models::REFERRING,
    },
    text::toml_text,
    tool::{DEFAULTS, TOOLS, ToolContext},
};

/// What a workspace needs to load, where one of several paths suffices, and how to write it.
const GLOBAL: [(&[&[&str]], &str); 2] = [
    (
        &[&["assistant", "model", "id"]],
        "a model, such as `id = \"anthropic/claude-sonnet-5\"` under `[assistant.model]`",
    ),
    (
        &[
            &["conversation", "tools", DEFAULTS, "run"],
            &["conversation", "tools", DEFAULTS, "policy", "run"],
        ],
        "a mode, such as `run = \"ask\"` under `[conversation.tools.'*']`",
    ),
];

/// Where MCP servers are declared.
const SERVERS: [&str; 2] = ["providers", "mcp"];

pub(super) fn check_tool(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    let schema = schema();
    let path = ["conversation", "tools", context.name];
    let Ok(lookup) = schema.lookup(path) else {
        return;
    };
    let dotted = format!("conversation.tools.{}", context.name);
    for violation in missing_required(schema, lookup.node, &context.tool, &dotted) {
        let At::Value(table) = violation.at else {
            continue;
        };
        // The assistant that answers a question may be given in part.
        if violation.path.starts_with(&format!("{dotted}.questions.")) {
            continue;
        }
        let is_source = violation.path == format!("{dotted}.source");
        if is_source {
            found.extend(source(context, &violation.message));
        } else if let Some(place) = context.key_place(table) {
            found.push(judged(
                context,
                Code::MissingRequired,
                place,
                violation.message,
            ));
        }
    }
}

fn judged(context: &ToolContext<'_>, code: Code, place: Place, message: String) -> Diagnostic {
    let finding = Diagnostic::new(code, place, message);
    if is_incomplete(context) {
        finding.with_severity(Severity::Hint)
    } else {
        finding
    }
}

fn source(context: &ToolContext<'_>, message: &str) -> Option<Diagnostic> {
    if context.is_defaults() {
        return None;
    }
    let place = tool_key(context)?;
    if BUILTIN_TOOLS.contains(&context.name) {
        return builtin_source(context, message, place);
    }
    // A fragment on its own: the file that declares the tool may be picked along with it.
    if has_source_elsewhere(context) {
        return None;
    }
    let sourced = sourced_tools(context.view);
    let near = suggest(context.name, sourced.iter().copied());
    let message = match near {
        Some(near) => format!("{message}; did you mean the tool `{near}`?"),
        None => format!("{message}; write `source = \"local\"`, or where else the tool comes from"),
    };
    let rename = near.map(|near| renamed(context, near));
    let finding = judged(context, Code::MissingRequired, place, message).with_fixes(rename);
    Some(match (context.view.fragment(), near) {
        (Some(_), Some(_)) if finding.severity == Severity::Error => {
            finding.with_severity(Severity::Warning)
        }
        (Some(_), None) => finding.with_severity(Severity::Hint),
        _ => finding,
    })
}

/// What the released `jp` says of a table of a tool that comes along.
fn builtin_source(context: &ToolContext<'_>, message: &str, place: Place) -> Option<Diagnostic> {
    if context.options.dialect != Dialect::Released || has_source_elsewhere(context) {
        return None;
    }
    let message = format!(
        "{message}, and the released `jp` refuses the whole config without it; write `source = \"builtin\"`"
    );
    Some(judged(context, Code::MissingRequired, place, message))
}

/// The tool under another name, wherever the view says something of it.
fn renamed(context: &ToolContext<'_>, near: &str) -> Fix {
    let mut edits: Vec<Edit> = Vec::new();
    for (layer, content) in context.view.contents() {
        let (Some(file), Some(LayerValue::Node(Node::Table(tools)))) =
            (context.view.file(layer), value_at(content, &TOOLS))
        else {
            continue;
        };
        let keys = tools.get(context.name).map(Entry::key_spans);
        for span in keys.unwrap_or_default() {
            let edit = Edit {
                place: Place { file, span },
                text: toml_text::key(near),
            };
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
    }
    Fix::new(format!("Write `{near}`"), edits).one_of_several()
}

/// The name of the tool, in the file that has the last word on it.
fn tool_key(context: &ToolContext<'_>) -> Option<Place> {
    let place = context.place(&context.tool)?;
    let content = context.view.graph().content(place.file)?;
    let Some(LayerValue::Node(Node::Table(tools))) = value_at(content, &TOOLS) else {
        return Some(place);
    };
    Some(Place {
        span: tools.get(context.name)?.key_span(),
        ..place
    })
}

/// Whether any file of the graph gives the tool a source.
fn has_source_elsewhere(context: &ToolContext<'_>) -> bool {
    let path = ["conversation", "tools", context.name, "source"];
    contents(context.view).any(|content| value_at(content, &path).is_some())
}

/// The tools that some file of the graph gives a source; none where there are too many to compare names with.
fn sourced_tools(view: &View) -> Vec<&str> {
    const MOST: usize = 500;
    let sections: usize = contents(view)
        .filter_map(Content::document)
        .map(|document| document.sections().len())
        .sum();
    if sections > MOST * 2 {
        return Vec::new();
    }
    let mut names = Vec::new();
    for content in contents(view) {
        let Some(LayerValue::Node(Node::Table(tools))) = value_at(content, &TOOLS) else {
            continue;
        };
        for entry in tools.entries() {
            let tool = entry.value().as_table();
            if entry.key() != DEFAULTS && tool.is_some_and(|tool| tool.get("source").is_some()) {
                names.push(entry.key());
            }
        }
        if names.len() > MOST {
            return Vec::new();
        }
    }
    names
}

fn contents(view: &View) -> impl Iterator<Item = &Content> {
    let files = view.graph().files.iter();
    files.filter_map(|file| file.content.as_deref())
}

pub(super) fn check_view(view: &View, _: Options, found: &mut Vec<Diagnostic>) {
    for path in REFERRING {
        models(view, path, found);
    }
    servers(view, found);
    everywhere(view, found);
}

/// The MCP servers that cannot be reached, because nothing says where they are.
///
/// `jp` loads them all the same, and another file may say it, so this is never an error.
fn servers(view: &View, found: &mut Vec<Diagnostic>) {
    let schema = schema();
    let (Some(located), Ok(lookup)) = (view.effective(&SERVERS), schema.lookup(SERVERS)) else {
        return;
    };
    for violation in missing_companions(schema, lookup.node, &located, &SERVERS.join(".")) {
        let At::Value(table) = violation.at else {
            continue;
        };
        let Some(place) = key_place(view, table) else {
            continue;
        };
        let instead = match violation.path.rsplit('.').next() {
            Some("url") => {
                "the server is not reached without it; write its address, such as `url = \"https://docs.example/mcp\"`"
            }
            _ => {
                "the server is not started without it; write its program, such as `command = \"npx\"`"
            }
        };
        let is_hint = view.fragment().is_some() || is_graph_incomplete(view);
        found.push(
            Diagnostic::new(
                Code::MissingRequired,
                place,
                format!("{}: {instead}", violation.message),
            )
            .with_severity(if is_hint {
                Severity::Hint
            } else {
                Severity::Warning
            }),
        );
    }
}

/// The models below a path that say something, but not which model they are.
///
/// Another file may say it, so this is never an error.
fn models(view: &View, path: &[&str], found: &mut Vec<Diagnostic>) {
    let schema = schema();
    let (Some(located), Ok(lookup)) = (view.effective(path), schema.lookup(path.iter().copied()))
    else {
        return;
    };
    let mut reported = HashSet::new();
    for violation in missing_required(schema, lookup.node, &located, &path.join(".")) {
        let At::Value(table) = violation.at else {
            continue;
        };
        // The user's own config, or an option of the command line, usually says it.
        if violation.path == "assistant.model.id" {
            continue;
        }
        let Some(place) = key_place(view, table).filter(|place| reported.insert(*place)) else {
            continue;
        };
        let severity = if view.fragment().is_some()
            || is_graph_incomplete(view)
            || violation.path.starts_with("assistant.")
        {
            Severity::Hint
        } else {
            Severity::Warning
        };
        let example = match violation.path.rsplit('.').next() {
            Some("provider") => "`provider = \"anthropic\"`",
            Some("name") => "`name = \"claude-sonnet-5\"`",
            _ => "`id = \"anthropic/claude-sonnet-5\"`",
        };
        found.push(
            Diagnostic::new(
                Code::MissingRequired,
                place,
                format!(
                    "{}, and `jp` refuses the whole config without it; write {example}, or the like",
                    violation.message
                ),
            )
            .with_severity(severity)
            .with_help("nothing is taken over from `assistant.model`: a model says which one it is, or is left out whole"),
        );
    }
}

/// The key that names a value; the value itself where it has none.
fn key_place(view: &View, located: &Located) -> Option<Place> {
    let origin = located.origin()?;
    Some(Place {
        file: view.file(origin.layer)?,
        span: origin.key.unwrap_or(origin.span),
    })
}

/// What the workspace lacks altogether.
///
/// Only where the user's own config is known: it is where these usually stand.
fn everywhere(view: &View, found: &mut Vec<Diagnostic>) {
    let knows_user = view
        .layers()
        .iter()
        .any(|layer| layer.source == SourceKind::UserGlobal);
    let root = view
        .layers()
        .iter()
        .rfind(|layer| layer.source == SourceKind::Workspace);
    let (true, None, Some(root)) = (knows_user, view.fragment(), root) else {
        return;
    };
    for (paths, example) in GLOBAL {
        if paths.iter().any(|path| view.values(path).next().is_some()) {
            continue;
        }
        let Some(path) = paths.first() else {
            continue;
        };
        let place = Place {
            file: root.file,
            span: Span { start: 0, end: 0 },
        };
        found.push(
            Diagnostic::new(
                Code::MissingRequired,
                place,
                format!(
                    "missing required value for `{}`; write {example}",
                    path.join(".")
                ),
            )
            .with_severity(Severity::Hint)
            .with_help("an environment variable or an option of the command line may set it"),
        );
    }
}

#[cfg(test)]
#[path = "missing_required_tests.rs"]
mod tests;
