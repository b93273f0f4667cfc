//! `tool-choice-unknown`: the forced tool exists, and can be sent to the assistant.
//!
//! ```toml
//! [assistant]
//! tool_choice = "fs_raed_file"   # did you mean `fs_read_file`?
//! ```

use indexmap::IndexSet;
use jp_config::{
    builtin::BUILTIN_TOOLS,
    document::Node,
    merge::Located,
    view::{LayerValue, View, value_at},
    words::suggest,
};

use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::Fix,
    options::Options,
    rules::incomplete::is_graph_incomplete,
    text::toml_text,
    tool::{DEFAULTS, TOOLS},
};

/// Where a tool can be forced.
const CHOICES: [&[&str]; 2] = [
    &["assistant", "tool_choice"],
    &["conversation", "inquiry", "assistant", "tool_choice"],
];

/// The choices that name no tool.
const WORDS: [&str; 3] = ["auto", "none", "required"];

pub(super) fn check_view(view: &View, _: Options, found: &mut Vec<Diagnostic>) {
    for path in CHOICES {
        let Some(choice) = view.effective(path) else {
            continue;
        };
        let Some(name) = choice.value.as_str() else {
            continue;
        };
        if WORDS.contains(&name) {
            continue;
        }
        let Some(place) = place(view, &choice) else {
            continue;
        };
        let path = path.join(".");
        if view.keys(&TOOLS).contains(name) {
            found.extend(locked_off(view, &path, name, place));
        } else {
            found.extend(unknown(view, &path, name, place));
        }
    }
}

fn unknown(view: &View, path: &str, name: &str, place: Place) -> Option<Diagnostic> {
    let declared = declared(view);
    if declared.contains(name) || BUILTIN_TOOLS.contains(&name) {
        return None;
    }
    let candidates = WORDS.into_iter().chain(
        declared
            .iter()
            .map(String::as_str)
            .filter(|name| *name != DEFAULTS),
    );
    Some(match suggest(name, candidates) {
        Some(near) => Diagnostic::new(
            Code::ToolChoiceUnknown,
            place,
            format!(
                "`{path}` forces the tool `{name}`, which is not configured; did you mean `{near}`?"
            ),
        )
        .with_fix(Fix::replace(
            format!("Write `{near}`"),
            place,
            toml_text::string(near),
        )),
        None => {
            let finding = Diagnostic::new(
                Code::ToolChoiceUnknown,
                place,
                format!(
                    "`{path}` forces the tool `{name}`, which is not configured; name a tool of this workspace, or write `auto`, `none` or `required`"
                ),
            );
            if is_graph_incomplete(view) {
                finding.with_severity(Severity::Hint)
            } else {
                finding
            }
        }
    })
}

/// Every tool that some file of the graph speaks of: another fragment may be picked along with this one.
fn declared(view: &View) -> IndexSet<String> {
    let mut names = IndexSet::new();
    let files = &view.graph().files;
    for content in files.iter().filter_map(|file| file.content.as_ref()) {
        match value_at(content, &TOOLS) {
            Some(LayerValue::Node(Node::Table(tools))) => {
                names.extend(tools.entries().map(|entry| entry.key().to_owned()));
            }
            Some(LayerValue::Data(tools)) => {
                names.extend(
                    tools
                        .as_object()
                        .into_iter()
                        .flatten()
                        .map(|(name, _)| name.clone()),
                );
            }
            _ => {}
        }
    }
    names
}

fn locked_off(view: &View, path: &str, name: &str, place: Place) -> Option<Diagnostic> {
    let enable = view.effective(&["conversation", "tools", name, "enable"]);
    let defaults = view.effective(&["conversation", "tools", DEFAULTS, "enable"]);
    let field = |key: &str| {
        let of =
            |enable: &Option<Located>| enable.as_ref().and_then(|enable| enable.get(key).cloned());
        of(&enable).or_else(|| of(&defaults))
    };
    let state = field("state")?;
    let toggle = field("allow_toggle")?;
    if state.value.as_bool() != Some(false) || toggle.value.as_str() != Some("never") {
        return None;
    }
    let finding = Diagnostic::new(
        Code::ToolChoiceUnknown,
        place,
        format!(
            "{path} forces `{name}`, but conversation.tools.{name}.enable is locked off (state = false, allow_toggle = never); a locked-off tool is never sent to the assistant"
        ),
    )
    .with_severity(Severity::Error);
    Some(match self::place(view, &state) {
        Some(locked) => finding.with_related(locked, "the tool is switched off here"),
        None => finding,
    })
}

fn place(view: &View, located: &Located) -> Option<Place> {
    let origin = located.origin()?;
    Some(Place {
        file: view.file(origin.layer)?,
        span: origin.span,
    })
}

#[cfg(test)]
#[path = "tool_choice_unknown_tests.rs"]
mod tests;
