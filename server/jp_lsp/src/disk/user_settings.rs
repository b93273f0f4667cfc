//! What a person has set for all of their workspaces, beside their own config.
//!
//! ```toml
//! # ~/.config/jp/lsp.toml
//! [sandbox]
//! private_tmp = true
//!
//! [sandbox.mcp.github]
//! read = ["docs"]
//! net = ["api.github.com"]
//! ```

use std::{collections::BTreeMap, sync::OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{Sandbox, ServerGrants};
use jp_analysis::Mistake;
use jp_config::{
    document::{Document, Entry, Node, Table},
    merge::{LayerId, Located},
};
use serde_json::{Value, json};

use super::{
    settings_file::{self, SettingsFileError},
    workspace,
};

/// The name of the file in the folder of the person's own config.
pub(crate) const FILE: &str = "lsp.toml";
/// The tables of the settings: what is held, and of whom.
const SANDBOX: &str = "sandbox";
const MCP: &str = "mcp";
/// The switch for a `/tmp` of their own.
const PRIVATE_TMP: &str = "private_tmp";

/// What a person has set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct UserSettings {
    /// What MCP servers may do, by their names.
    pub(crate) servers: BTreeMap<String, ServerGrants>,
    /// Whether what is held gets a `/tmp` of its own.
    pub(crate) private_tmp: bool,
}

impl UserSettings {
    /// The same sandbox, with what the person has set for it.
    pub(crate) fn added_to(self, sandbox: Sandbox) -> Sandbox {
        Sandbox {
            servers: self.servers,
            private_tmp: self.private_tmp,
            ..sandbox
        }
    }
}

/// Why the settings of a person cannot be heeded.
#[derive(Debug, thiserror::Error)]
pub enum UserSettingsError {
    /// The file cannot be read, or something in it is wrong.
    #[error(transparent)]
    File(#[from] SettingsFileError),
    /// A workspace would decide what holds what it starts.
    #[error(
        "`{path}` lies in the workspace, which must not say what its servers may do: move it out"
    )]
    InWorkspace {
        /// The file.
        path: Utf8PathBuf,
    },
}

/// Where the settings stand, or would; none where the person has no folder for config.
pub(crate) fn path() -> Option<Utf8PathBuf> {
    Some(workspace::user_global()?.join(FILE))
}

/// What a person has set, as it counts in a workspace.
///
/// # Errors
///
/// [`UserSettingsError`], about the first thing that is wrong.
pub(crate) fn of(workspace: &Utf8Path) -> Result<UserSettings, UserSettingsError> {
    let Some(path) = path().filter(|path| std::fs::symlink_metadata(path).is_ok()) else {
        return Ok(UserSettings::default());
    };
    if lies_in(&path, workspace) {
        return Err(UserSettingsError::InWorkspace { path });
    }
    Ok(settings_file::read(path, parse)?)
}

/// Whether the settings at `path` lie in a workspace, which must not say what its servers may do.
pub(crate) fn lies_in(path: &Utf8Path, workspace: &Utf8Path) -> bool {
    let resolved = |path: &Utf8Path| path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    resolved(path).starts_with(resolved(workspace))
}

/// What a text sets, and all mistakes in it, by position.
pub(crate) fn parse(text: &str) -> (UserSettings, Vec<Mistake>) {
    let document = Document::parse(text);
    let mut mistakes = Mistake::of_syntax(&document);
    let mut settings = UserSettings::default();
    let sandbox = only(document.root(), SANDBOX, None, &mut mistakes);
    let private_tmp = sandbox.and_then(|sandbox| sandbox.get(PRIVATE_TMP));
    if let Some(entry) = private_tmp.filter(|entry| !entry.value().is_missing()) {
        match Located::from_node(entry.value(), LayerId(0)).to_json() {
            Value::Bool(is_private) => settings.private_tmp = is_private,
            _ => mistakes.push(Mistake {
                span: entry.value().span(),
                message: format!("`{PRIVATE_TMP}` is a switch, write `true` or `false`"),
            }),
        }
    }
    let named = sandbox.and_then(|sandbox| only(sandbox, MCP, Some(PRIVATE_TMP), &mut mistakes));
    for entry in named.into_iter().flat_map(Table::entries) {
        let table = Located::from_node(entry.value(), LayerId(0)).to_json();
        match ServerGrants::from_json(&table) {
            Ok(grants) => {
                settings.servers.insert(entry.key().to_owned(), grants);
            }
            // Of a value that is missing the syntax error says so already.
            Err(_) if entry.value().is_missing() => {}
            Err(error) => {
                let key = match (&error.key, entry.value()) {
                    (Some(key), Node::Table(table)) => {
                        table.entries().find(|inner| inner.key() == key)
                    }
                    _ => None,
                };
                mistakes.push(Mistake {
                    span: key.map_or_else(|| entry.key_span(), Entry::key_span),
                    message: error.problem,
                });
            }
        }
    }
    mistakes.sort();
    mistakes.dedup();
    (settings, mistakes)
}

/// The one table that may stand in another one, beside a switch.
fn only<'a>(
    table: Table<'a>,
    name: &str,
    switch: Option<&str>,
    mistakes: &mut Vec<Mistake>,
) -> Option<Table<'a>> {
    let mut found = None;
    for entry in table.entries() {
        match entry.value() {
            Node::Table(inner) if entry.key() == name => found = Some(inner),
            _ if switch == Some(entry.key()) => {}
            _ => mistakes.push(Mistake {
                span: entry.key_span(),
                message: format!(
                    "unknown key `{}`, write `{PRIVATE_TMP}` in `[{SANDBOX}]`, or a table `[{SANDBOX}.{MCP}.NAME]` for each server",
                    entry.key()
                ),
            }),
        }
    }
    found
}

/// The JSON Schema of the settings.
pub(crate) fn json_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let table = |key: &str, description: &str, below: &Value| {
            json!({
                "description": description,
                "type": "object",
                "additionalProperties": false,
                "properties": { key: below },
            })
        };
        let servers = json!({
            "description": "What MCP servers may do, by their names below `providers.mcp`.",
            "type": "object",
            "additionalProperties": ServerGrants::json_schema(),
        });
        let mut sandbox = table(MCP, "What the kernel holds processes to.", &servers);
        if let Some(Value::Object(properties)) = sandbox.get_mut("properties") {
            let switch = json!({
                "description": "Whether tools and servers that are held get a `/tmp` of their own.",
                "type": "boolean",
                "default": false,
            });
            properties.insert(PRIVATE_TMP.to_owned(), switch);
        }
        let description = "What a person lets servers do, in all of their workspaces: lsp.toml in the folder of their own config.";
        let mut schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "A person's own settings",
        });
        let whole = table(SANDBOX, description, &sandbox);
        if let (Value::Object(schema), Value::Object(whole)) = (&mut schema, whole) {
            schema.extend(whole);
        }
        schema
    })
}

#[cfg(test)]
#[path = "user_settings_tests.rs"]
mod tests;
