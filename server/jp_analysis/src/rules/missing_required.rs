//! `missing-required`: what some layer must set once everything is merged.
//!
//! ```toml
//! [conversation.tools.grep]   # no layer says `source`
//! enable = true
//! ```

use jp_config::{
    document::{Node, Span},
    graph::SourceKind,
    merge::LayerId,
    schema::schema,
    validate::{At, missing_required, suggest},
    view::{LayerValue, View, value_at},
};

use super::policy::is_incomplete;
use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    options::Options,
    tool::{DEFAULTS, TOOLS, ToolContext},
};

/// Tools that `jp` brings along, whose `source` nobody has to write.
const BUILTIN: [&str; 2] = ["describe_tools", "ask_user"];

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
    if BUILTIN.contains(&context.name) || context.is_defaults() {
        return None;
    }
    let place = tool_key(context)?;
    let sourced = sourced_tools(context.view);
    // A fragment on its own: the file that declares the tool may be picked along with it.
    if sourced.iter().any(|name| name == context.name) {
        return None;
    }
    let near = suggest(context.name, sourced.iter().map(String::as_str));
    let message = match near {
        Some(near) => format!("{message}; did you mean the tool `{near}`?"),
        None => format!("{message}; write `source = \"local\"`, or where else the tool comes from"),
    };
    let finding = judged(context, Code::MissingRequired, place, message);
    Some(match (context.view.fragment(), near) {
        (Some(_), Some(_)) if finding.severity == Severity::Error => {
            finding.with_severity(Severity::Warning)
        }
        (Some(_), None) => finding.with_severity(Severity::Hint),
        _ => finding,
    })
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

/// The tools that some file of the graph gives a source.
fn sourced_tools(view: &View) -> Vec<String> {
    let graph = view.graph();
    let mut names = Vec::new();
    for content in graph.files.iter().filter_map(|file| file.content.as_ref()) {
        let Some(tools) = value_at(content, &TOOLS) else {
            continue;
        };
        let tools = tools.located(LayerId(0));
        for (name, tool) in tools.value.as_table().into_iter().flatten() {
            if name != DEFAULTS && tool.get("source").is_some() && !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}

/// What the workspace lacks altogether.
///
/// Only where the user's own config is known: it is where these usually stand.
pub(super) fn check_view(view: &View, _: Options, found: &mut Vec<Diagnostic>) {
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
    if view.effective(&["assistant", "model", "id"]).is_none() {
        let place = Place {
            file: root.file,
            span: Span { start: 0, end: 0 },
        };
        found.push(
            Diagnostic::new(
                Code::MissingRequired,
                place,
                "missing required value for `assistant.model.id`; write a model, such as `id = \"anthropic/claude-sonnet-5\"` under `[assistant.model]`",
            )
            .with_severity(Severity::Hint)
            .with_help("an environment variable or an option of the command line may set it"),
        );
    }
}

#[cfg(test)]
#[path = "missing_required_tests.rs"]
mod tests;
