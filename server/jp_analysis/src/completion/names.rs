//! The names that the config declares: tools, aliases, servers, variables.
//!
//! ```toml
//! [providers.llm.aliases]
//! haiku = "anthropic/claude-haiku-4-5"   # offered wherever a model is named
//! ```

use indexmap::IndexMap;
use jp_config::merge::Located;
use jp_config::model_id::{ModelId, PROVIDERS};
use jp_config::view::LayerValue;
use serde_json::Value;

use super::{ItemKind, Request, values::ValueSlot};
use crate::tool::{DEFAULTS, TOOLS};

impl Request<'_> {
    /// The keys that any layer declares in the map at a path.
    pub(super) fn declared_keys(&self, path: &[String]) -> Vec<String> {
        if path.iter().any(|key| key == "[]") {
            return Vec::new();
        }
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let keys = self.view.keys(&path);
        keys.into_iter()
            .filter(|key| !key.is_empty() && !key.contains(['\n', '\r']))
            .collect()
    }

    /// The tools of the view, without the defaults.
    pub(super) fn tool_names(&self) -> Vec<String> {
        let keys = self.view.keys(&TOOLS);
        keys.into_iter().filter(|key| key != DEFAULTS).collect()
    }

    /// The servers that a tool can come from.
    pub(super) fn servers(&self) -> Vec<String> {
        self.view.keys(&["providers", "mcp"]).into_iter().collect()
    }

    /// The forms of a tool's source.
    pub(super) fn sources(&self) -> Vec<(String, &'static str)> {
        let mut sources = vec![
            ("local".to_owned(), "a command on this machine"),
            ("builtin".to_owned(), "a tool inside `jp`"),
        ];
        for server in self.servers() {
            sources.push((format!("mcp.{server}"), "a tool of this MCP server"));
        }
        sources
    }

    pub(super) fn offer_sources(&mut self, slot: &ValueSlot) {
        for (source, detail) in self.sources() {
            self.string(
                slot,
                &source,
                ItemKind::Value,
                Some(detail.to_owned()),
                None,
            );
        }
    }

    pub(super) fn offer_tools(&mut self, slot: &ValueSlot) {
        let names = self.tool_names();
        for name in self.narrowed(names, &slot.typed) {
            let path = ["conversation", "tools", &name, "summary"];
            let summary = self
                .view
                .values(&path)
                .last()
                .and_then(|(_, value)| match value {
                    LayerValue::Node(node) => node.as_str().map(|text| first_line(&text)),
                    LayerValue::Data(data) => data.as_str().map(first_line),
                });
            let detail = summary.unwrap_or_else(|| "tool".to_owned());
            self.string(slot, &name, ItemKind::Name, Some(detail), None);
        }
    }

    pub(super) fn offer_models(&mut self, slot: &ValueSlot) {
        let aliases = self.view.effective(&["providers", "llm", "aliases"]);
        let mut known: Vec<String> = Vec::new();
        if let Some(aliases) = aliases
            .as_ref()
            .and_then(|aliases| aliases.value.as_table())
        {
            let own = match slot.path.as_slice() {
                [_, _, map, alias] if map == "aliases" => Some(alias.as_str()),
                _ => None,
            };
            for (alias, target) in aliases {
                // An alias of itself leads nowhere.
                if own.is_some_and(|own| leads_to(aliases, alias, own)) {
                    continue;
                }
                let model = model_of(&target.to_json());
                let detail = match &model {
                    Some(model) => format!("alias of {model}"),
                    None => "alias".to_owned(),
                };
                self.string(slot, alias, ItemKind::Name, Some(detail), None);
                known.extend(model);
            }
        }
        let current = self.view.effective(&["assistant", "model", "id"]);
        known.extend(current.and_then(|current| model_of(&current.to_json())));
        // One that is still being typed is none.
        known.retain(|model| ModelId::parse(model).is_ok());
        known.sort();
        known.dedup();
        for model in known {
            self.string(
                slot,
                &model,
                ItemKind::Value,
                Some("model".to_owned()),
                None,
            );
        }
        for provider in PROVIDERS {
            let detail = Some("models of this provider".to_owned());
            self.continued(slot, &format!("{provider}/"), ItemKind::Value, detail);
        }
    }

    /// The variables that the config names anywhere, and those that its providers read by default.
    pub(super) fn offer_variables(&mut self, slot: &ValueSlot, prefixes: bool) {
        let mut names: Vec<String> = Vec::new();
        for (_, node) in self.schema.nodes() {
            let is_name = matches!(
                node.shape,
                jp_config::schema::Shape::String(jp_config::schema::StringFormat::EnvName)
            );
            if let (true, Some(Value::String(name))) = (is_name, &node.default) {
                names.push(name.clone());
            }
        }
        if let Some(servers) = self.view.effective(&["providers", "mcp"]) {
            for server in servers.value.as_table().into_iter().flatten() {
                let variables = server
                    .1
                    .at(&["variables"])
                    .map(jp_config::merge::Located::to_json);
                let variables = variables.as_ref().and_then(Value::as_array);
                names.extend(
                    variables
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str)
                        .map(ToOwned::to_owned),
                );
            }
        }
        names.extend(["HOME", "PATH", "USER"].map(ToOwned::to_owned));
        names.sort();
        names.dedup();
        for name in &names {
            self.string(
                slot,
                name,
                ItemKind::Value,
                Some("environment variable".to_owned()),
                None,
            );
        }
        if prefixes {
            let mut stems: Vec<&str> = names
                .iter()
                .filter_map(|name| name.split_once('_'))
                .map(|(stem, _)| stem)
                .collect();
            stems.dedup();
            for stem in stems {
                let detail = format!("every variable that starts with {stem}_");
                self.string(
                    slot,
                    &format!("{stem}_*"),
                    ItemKind::Value,
                    Some(detail),
                    None,
                );
            }
        }
    }
}

/// Whether an alias is another one, or stands for it by way of any.
fn leads_to(aliases: &IndexMap<String, Located>, alias: &str, wanted: &str) -> bool {
    let mut alias = alias;
    for _ in 0..=aliases.len() {
        if alias == wanted {
            return true;
        }
        match aliases.get(alias).and_then(|target| target.value.as_str()) {
            Some(next) => alias = next,
            None => return false,
        }
    }
    false
}

/// The model of an alias or id, as `provider/name`.
fn model_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(table) => {
            let id = table.get("id").unwrap_or(value);
            if let Value::String(text) = id {
                return Some(text.clone());
            }
            let provider = id.get("provider")?.as_str()?;
            let name = id.get("name")?.as_str()?;
            Some(format!("{provider}/{name}"))
        }
        _ => None,
    }
}

/// The first line of a text, short enough to stand beside a label.
pub(super) fn first_line(text: &str) -> String {
    const LONGEST: usize = 80;
    let line = text.trim().lines().next().unwrap_or_default();
    let shown: String = line
        .chars()
        .filter(|character| !character.is_control())
        .take(LONGEST)
        .collect();
    if shown.chars().count() < line.chars().count() {
        format!("{shown}…")
    } else {
        shown
    }
}
