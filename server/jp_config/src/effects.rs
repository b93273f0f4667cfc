//! What the config of a workspace sets off outside of the config: the processes it starts, the places it sends to.
//!
//! ```toml
//! [providers.mcp.search]                    # Effect::Process: `search-server --fast`
//! type = "stdio"
//! command = "search-server"
//! arguments = ["--fast"]
//!
//! [providers.llm.openai]
//! base_url = "https://gateway.example"      # Effect::Address
//! ```
//!
//! The schema says which values these are.
//! What the person's own files say is left out: only what came with the workspace needs somebody's trust.

use indexmap::IndexMap;
use serde_json::Value;

use crate::{
    document::Span,
    graph::{FileId, SourceKind},
    merge::{LayerId, Located, LocatedValue, Origin},
    schema::{Effect, NodeId, Schema, schema},
    view::View,
};

/// One value that sets something off.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The config path, keys with dots in quotes.
    pub path: String,
    /// What it sets off.
    pub effect: Effect,
    /// The value, all layers merged.
    pub value: Value,
    /// The file of the workspace that has the last word in it.
    pub file: Option<FileId>,
    /// The line in that file, from 1; none for a JSON or YAML file.
    pub line: Option<usize>,
}

/// Everything that the files of a workspace set off, in the order of the merged config.
///
/// A value counts as the workspace's as soon as any part of it was decided by a file that is not the person's own.
#[must_use]
pub fn effects(view: &View) -> Vec<Setting> {
    let mut search = Search {
        view,
        schema: schema(),
        formats_options: view
            .effective(&["conversation", "tools", "*", "style", "parameters"])
            .is_some_and(|formatter| takes_options(&formatter.to_json())),
        found: Vec::new(),
    };
    if let Some(config) = view.effective(&[]) {
        search.look(search.schema.root(), &config, "");
    }
    search.found
}

/// Whether a file of this kind is the person's own and did not come with the workspace.
#[must_use]
pub const fn is_personal(source: SourceKind) -> bool {
    matches!(source, SourceKind::UserGlobal | SourceKind::UserWorkspace)
}

/// The place of a value without a place.
const NOWHERE: Origin = Origin {
    layer: LayerId(u32::MAX),
    key: None,
    span: Span { start: 0, end: 0 },
};

struct Search<'a> {
    view: &'a View,
    schema: &'static Schema,
    /// Whether the formatter of all tools has a place for their options.
    formats_options: bool,
    found: Vec<Setting>,
}

impl Search<'_> {
    fn look(&mut self, node: NodeId, located: &Located, path: &str) {
        if let Some(effect) = self.schema.node(node).effect {
            self.note(node, effect, located, path);
            return;
        }
        let LocatedValue::Table(table) = &located.value else {
            return;
        };
        for (key, value) in table {
            let Some(child) = self.schema.child(node, key) else {
                continue;
            };
            let is_input = self.schema.node(child).effect == Some(Effect::Input);
            if !is_input || self.formats_options || has_place_for_options(table) {
                self.look(child, value, &joined(path, key));
            }
        }
    }

    fn note(&mut self, node: NodeId, effect: Effect, located: &Located, path: &str) {
        let Some(origin) = self.deciding(located) else {
            return;
        };
        let is_word = |text: &str| {
            let variants = self.schema.variants(node);
            variants.iter().any(|variant| variant.value == text)
        };
        // `style.parameters = "json"` is a style, any other text a command.
        if located.value.as_str().is_some_and(is_word) {
            return;
        }
        let file = self.view.file(origin.layer);
        self.found.push(Setting {
            path: path.to_owned(),
            effect,
            value: located.to_json(),
            line: file.and_then(|file| self.line(file, origin)),
            file,
        });
    }

    /// The place in a file of the workspace that decided a value or, last of all, a part of it.
    fn deciding(&self, located: &Located) -> Option<Origin> {
        let own = || {
            let origin = located.origin().unwrap_or(NOWHERE);
            let layer = self.view.layers().get(origin.layer.index());
            // What nobody is known to have said counts as the workspace's.
            (!layer.is_some_and(|layer| is_personal(layer.source))).then_some(origin)
        };
        match &located.value {
            LocatedValue::Table(table) if !table.is_empty() => {
                let parts = table.values().filter_map(|part| self.deciding(part));
                let last = parts.max_by_key(|origin| origin.layer);
                // A table header is where a person looks for it.
                last.map(|last| own().filter(|own| own.layer == last.layer).unwrap_or(last))
            }
            LocatedValue::List(items) if !items.is_empty() => {
                let parts = items.iter().filter_map(|item| self.deciding(item));
                parts.max_by_key(|origin| origin.layer)
            }
            _ => own(),
        }
    }

    fn line(&self, file: FileId, origin: Origin) -> Option<usize> {
        let document = self.view.graph().content(file)?.document()?;
        let before = document.text().get(..origin.span.start as usize)?;
        Some(before.matches('\n').count() + 1)
    }
}

/// Whether the options of a tool become a part of its command line or of its formatter's.
fn has_place_for_options(tool: &IndexMap<String, Located>) -> bool {
    let formatter = match tool.get("style").map(|style| &style.value) {
        Some(LocatedValue::Table(style)) => style.get("parameters"),
        _ => None,
    };
    let mut commands = [tool.get("command"), formatter].into_iter().flatten();
    commands.any(|command| takes_options(&command.to_json()))
}

/// Whether some text of a command may hold the options of its tool once it is rendered.
///
/// `{{tool}}` holds them as well, so that everything counts which names `tool` and not certainly another part of it.
fn takes_options(command: &Value) -> bool {
    match command {
        Value::String(text) => {
            let other = ["tool.arguments", "tool.answers", "tool.name"];
            let rest = other
                .iter()
                .fold(text.clone(), |text, name| text.replace(name, ""));
            (text.contains("{{") || text.contains("{%")) && rest.contains("tool")
        }
        Value::Array(parts) => parts.iter().any(takes_options),
        Value::Object(parts) => parts.values().any(takes_options),
        _ => false,
    }
}

fn joined(path: &str, key: &str) -> String {
    let is_bare = !key.is_empty()
        && key
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "_-*".contains(character));
    let key = match is_bare {
        true => key.to_owned(),
        false => Value::from(key).to_string(),
    };
    match path {
        "" => key,
        path => format!("{path}.{key}"),
    }
}

#[cfg(test)]
#[path = "effects_tests.rs"]
mod tests;
