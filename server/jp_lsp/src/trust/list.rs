//! What a person is shown before trusting a workspace.
//!
//! ```text
//! + providers.mcp.search: starts `search-server --fast` (.jp/config.toml:3)
//! ~ conversation.tools.test.command: starts `just test`, before: starts `cargo test` (.jp/config.toml:9)
//! the key in `OPENAI_API_KEY` would be sent to https://gateway.example for openai
//! ```

use jp_agent::config::provider_settings;
use jp_config::{
    effects::{Setting, effects},
    schema::Effect,
    view::View,
};
use jp_conversation::visible;
use jp_llm::{KeyUse, ProviderId};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{TrustRecord, personal_keys};

/// How many characters of a value are shown.
const SHOWN: usize = 400;

/// Everything that the config of a workspace starts and sends.
#[derive(Debug, Clone)]
pub struct TrustList {
    settings: Vec<(Setting, String)>,
    keys: Vec<KeyUse>,
}

impl TrustList {
    /// The list of a workspace: `effective` is what `view` says, as plain JSON.
    #[must_use]
    pub fn of(view: &View, effective: &Value) -> Self {
        let graph = view.graph();
        let settings = effects(view).into_iter().map(|setting| {
            let file = setting.file.map(|file| graph.path(file));
            let place = file.map_or_else(String::new, |file| {
                let file = file.strip_prefix(&graph.workspace).unwrap_or(file);
                let line = setting
                    .line
                    .map_or_else(String::new, |line| format!(":{line}"));
                format!(" ({}{line})", on_one_line(file.as_str()))
            });
            (setting, place)
        });
        let own = personal_keys(graph);
        let keys = keys(effective, false);
        Self {
            settings: settings.collect(),
            keys: keys.into_iter().filter(|key| !own.contains(key)).collect(),
        }
    }

    /// Whether the workspace starts nothing and sends nothing anywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// The keys that would go elsewhere than to their providers' own addresses.
    #[must_use]
    pub fn keys(&self) -> &[KeyUse] {
        &self.keys
    }

    /// Names the content: what is started and sent, and not where it is written.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut content: Vec<Value> = self
            .settings
            .iter()
            .map(|(setting, _)| {
                let mut value = setting.value.clone();
                value.sort_all_objects();
                json!([setting.path, value])
            })
            .collect();
        content.sort_by_cached_key(ToString::to_string);
        let hash = Sha256::digest(Value::Array(content).to_string());
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Each config path with what it sets off, safe to show.
    #[must_use]
    pub fn lines(&self) -> Vec<(String, String)> {
        let line = |(setting, _): &(Setting, String)| (on_one_line(&setting.path), words(setting));
        self.settings.iter().map(line).collect()
    }

    /// The list, what changed since `before` marked; with `keys`, the keys as well.
    #[must_use]
    pub fn text(&self, before: Option<&TrustRecord>, keys: bool) -> String {
        let mut lines = Vec::new();
        for ((path, words), (_, place)) in self.lines().into_iter().zip(&self.settings) {
            let old = before.map(|record| record.settings.iter().find(|(old, _)| *old == path));
            lines.push(match old {
                None => format!("  {path}: {words}{place}"),
                Some(None) => format!("+ {path}: {words}{place}"),
                Some(Some((_, old))) if *old == words => format!("  {path}: {words}{place}"),
                Some(Some((_, old))) => format!("~ {path}: {words}, before: {old}{place}"),
            });
        }
        let gone = before.into_iter().flat_map(|record| &record.settings);
        for (path, words) in gone {
            if !self
                .settings
                .iter()
                .any(|(now, _)| on_one_line(&now.path) == *path)
            {
                lines.push(format!("- {path}: {words}"));
            }
        }
        for key in self.keys.iter().filter(|_| keys) {
            lines.push(format!(
                "  the key in `{}` would be sent to {} for {}",
                on_one_line(&key.variable),
                on_one_line(&key.origin),
                key.provider.as_str()
            ));
        }
        lines.join("\n")
    }
}

/// The keys of a config that would go elsewhere than to their providers' own addresses.
///
/// With `is_personal`, an address counts only where the config names it: what the environment says beside it is nobody's
/// word on where a key may go.
pub(super) fn keys(config: &Value, is_personal: bool) -> Vec<KeyUse> {
    let key = |provider: ProviderId| {
        let settings = provider_settings(config, provider.as_str()).ok()?;
        let named = settings.base_url_env.clone();
        let environment = |name: &str| {
            let is_named = !is_personal || named.as_deref() == Some(name);
            is_named.then(|| std::env::var(name).ok()).flatten()
        };
        KeyUse::of(provider, &settings, &environment).ok().flatten()
    };
    let keys = ProviderId::ALL.into_iter().filter_map(key);
    keys.filter(|key| !key.is_at_home() && !key.is_readable_by_others())
        .collect()
}

/// What a setting sets off, in words, safe to show.
fn words(setting: &Setting) -> String {
    let value = &setting.value;
    let text = match value {
        Value::String(text) => shown(text),
        other => shown(&other.to_string()),
    };
    match setting.effect {
        Effect::Address => format!("sends requests to `{text}`"),
        Effect::AddressVariable => format!("sends requests where the variable `{text}` says"),
        Effect::Key => format!("sends the value of the variable `{text}` as the key"),
        Effect::Input => format!("puts `{text}` into what the tool starts"),
        Effect::Plugin => format!("lets `jp` start a plugin, {text}"),
        Effect::Process => match value {
            Value::String(_) => format!("starts `{text}`"),
            Value::Array(names) => {
                format!("starts what the first set one of {} names", names_of(names))
            }
            _ => address(value)
                .or_else(|| process(value))
                .unwrap_or_else(|| format!("starts {text}")),
        },
    }
}

/// A server that is described by a table and reached over HTTP.
fn address(value: &Value) -> Option<String> {
    let url = value.get("url")?.as_str()?;
    if value.get("type")? != "http" {
        return None;
    }
    let token = value.get("bearer_token_env").and_then(Value::as_str);
    let token = token.filter(|name| !name.is_empty());
    let token = token.map_or_else(String::new, |name| {
        format!(
            ", with the value of the variable `{}` as the token",
            shown(name)
        )
    });
    Some(format!(
        "sends calls of its tools to `{}`{token}",
        shown(url)
    ))
}

/// A process that is described by a table.
fn process(value: &Value) -> Option<String> {
    let program = value.get("program").or_else(|| value.get("command"))?;
    let arguments = value.get("args").or_else(|| value.get("arguments"));
    let arguments = arguments.and_then(Value::as_array).into_iter().flatten();
    let line: Vec<&str> = std::iter::once(program)
        .chain(arguments)
        .filter_map(Value::as_str)
        .collect();
    let shell = match value.get("shell") {
        Some(Value::Bool(true)) => " in a shell",
        _ => "",
    };
    let variables = value.get("variables").and_then(Value::as_array);
    let variables = variables.filter(|names| !names.is_empty());
    let variables = variables.map_or_else(String::new, |names| {
        format!(", which sees {}", names_of(names))
    });
    Some(format!(
        "starts `{}`{shell}{variables}",
        shown(&line.join(" "))
    ))
}

fn names_of(names: &[Value]) -> String {
    let names = names.iter().filter_map(Value::as_str);
    let names: Vec<String> = names.map(|name| format!("`{}`", shown(name))).collect();
    names.join(", ")
}

/// A text on one line, hidden characters made visible: no text makes itself another entry of the list.
pub(crate) fn on_one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n")
}

/// The beginning of a text on one line, hidden characters made visible.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN).collect();
    let mut line = on_one_line(&cut);
    if text.chars().nth(SHOWN).is_some() {
        let more = text.chars().count() - SHOWN;
        line.push_str(&format!("\u{2026} (and {more} characters more)"));
    }
    line
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
