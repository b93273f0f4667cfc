//! What the template of a command can name.
//!
//! ```toml
//! [conversation.tools.find]
//! command = "find ./{{tool.arguments.path}}"   # {{tool}}, {{context}}, {{tool.arguments.*}}, ...
//! ```

use jp_config::{
    document::Span,
    schema::{StringFormat, schema},
    view::View,
};

use super::{
    context::{Replaced, Site, ValueSlot},
    item::{Item, ItemEdit, ItemKind, Items},
};
use crate::tool::TOOLS;

/// What every call has, and what it is.
const FIXED: [(&str, &str); 10] = [
    ("tool", "the whole call as JSON"),
    ("context", "what the call is made in as JSON"),
    ("tool.name", "the name of the tool"),
    ("tool.arguments", "the arguments as JSON"),
    ("tool.answers", "the answers to questions as JSON"),
    ("tool.options", "the options as JSON"),
    ("context.action", "`run`, or what else is asked of the tool"),
    ("context.root", "the workspace"),
    ("context.workspace_id", "the id of the workspace"),
    ("context.conversation_id", "the id of the conversation"),
];

/// What a tool declares, by its key, and how a template names it.
const DECLARED: [(&str, &str, &str); 3] = [
    ("parameters", "tool.arguments", "argument"),
    ("questions", "tool.answers", "answer"),
    ("options", "tool.options", "option"),
];

/// The variable of a template that is open at the cursor.
struct OpenVariable {
    /// What is replaced.
    span: Span,
    /// The braces that are missing.
    close: &'static str,
}

/// Offers the variables of a template that is open at the cursor; false where none is.
pub(super) fn offer(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) -> bool {
    let Some(OpenVariable { span, close }) = open_variable(site, slot) else {
        return false;
    };
    for (name, detail) in variables(site.view, &slot.path) {
        let edit = ItemEdit {
            span,
            text: format!("{name}{close}"),
            snippet: None,
        };
        items.push(Item::new(name, ItemKind::Name, edit).with_detail(detail));
    }
    true
}

fn open_variable(site: &Site<'_>, slot: &ValueSlot<'_>) -> Option<OpenVariable> {
    let formats = schema().formats(slot.node);
    let is_command = formats.contains(&StringFormat::Command)
        || slot.path.last().is_some_and(|key| key == "program");
    let Replaced::Inside { span, .. } = slot.replaced else {
        return None;
    };
    let (_, open) = slot.typed.rsplit_once("{{").filter(|_| is_command)?;
    let name = open.trim_start();
    let start = (site.offset as usize).checked_sub(name.len())?;
    if !name.chars().all(is_part) || start < span.start as usize {
        return None;
    }
    let after = site.after(site.offset);
    let rest = after.trim_start_matches(is_part);
    let end = start + name.len() + (after.len() - rest.len());
    let is_closed = rest.trim_start().starts_with("}}");
    Some(OpenVariable {
        span: Span::new(u32::try_from(start).ok()?, u32::try_from(end).ok()?),
        close: if is_closed { "" } else { "}}" },
    })
}

/// The variables of the command at a path, each with what it is.
fn variables(view: &View, path: &[String]) -> Vec<(String, String)> {
    let fixed = FIXED.iter();
    let mut variables: Vec<(String, String)> = fixed
        .map(|(name, detail)| ((*name).to_owned(), (*detail).to_owned()))
        .collect();
    let [conversation, tools, tool, ..] = path else {
        return variables;
    };
    if [conversation.as_str(), tools.as_str()] != TOOLS {
        return variables;
    }
    for (key, root, what) in DECLARED {
        let names = view.keys(&[conversation, tools, tool, key]);
        // Other names need brackets and quotes, which no one types from a list.
        let names = names.iter().filter(|name| is_identifier(name));
        variables.extend(names.map(|name| (format!("{root}.{name}"), what.to_owned())));
    }
    variables
}

fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.')
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next();
    first.is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
}
