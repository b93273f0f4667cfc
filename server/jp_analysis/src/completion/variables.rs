//! What the template of a command can name.
//!
//! ```toml
//! [conversation.tools.find]
//! command = "find ./{{tool.arguments.path}}"   # {{tool}}, {{context}}, {{tool.arguments.*}}, ...
//! ```

use jp_config::{document::Span, schema::StringFormat};

use super::{
    Item, ItemEdit, ItemKind, Request,
    values::{Replaced, ValueSlot},
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

impl Request<'_> {
    /// The variables of a template that is open at the cursor; false where none is.
    pub(super) fn template_variables(&mut self, slot: &ValueSlot) -> bool {
        let formats = self.schema.formats(slot.node);
        let is_command = formats.contains(&StringFormat::Command)
            || slot.path.last().is_some_and(|key| key == "program");
        let Replaced::Inside { span, .. } = slot.replaced else {
            return false;
        };
        let Some((_, open)) = slot.typed.rsplit_once("{{").filter(|_| is_command) else {
            return false;
        };
        let name = open.trim_start();
        let Some(start) = (self.offset as usize).checked_sub(name.len()) else {
            return false;
        };
        if !name.chars().all(is_part) || start < span.start as usize {
            return false;
        }
        let after = self.after(self.offset);
        let rest = after.trim_start_matches(is_part);
        let end = start + name.len() + (after.len() - rest.len());
        let close = if rest.trim_start().starts_with("}}") {
            ""
        } else {
            "}}"
        };
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
            return false;
        };
        for (name, detail) in self.variables(&slot.path) {
            self.push(Item {
                filter: name.clone(),
                edit: ItemEdit {
                    span: Span::new(start, end),
                    text: format!("{name}{close}"),
                    snippet: None,
                },
                label: name,
                kind: ItemKind::Name,
                detail: Some(detail),
                doc: None,
                sort: String::new(),
                continues: false,
            });
        }
        true
    }

    fn variables(&self, path: &[String]) -> Vec<(String, String)> {
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
            let names = self.view.keys(&[conversation, tools, tool, key]);
            // Other names need brackets and quotes, which no one types from a list.
            let names = names.iter().filter(|name| is_identifier(name));
            variables.extend(names.map(|name| (format!("{root}.{name}"), what.to_owned())));
        }
        variables
    }
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
