//! Whether a turn can begin in a workspace, and what is missing.
//!
//! ```json
//! {"workspace": "/w", "model": {"written": "sonnet", "id": "anthropic/claude-sonnet-4-5", "path": ".jp/config.toml", "line": 2},
//!  "canRun": false, "problem": "`ANTHROPIC_API_KEY` is not set: …", "keys": […]}
//! ```
//!
//! A key is known by the name of its variable; its value is never read into what is said here.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::config::{TurnConfig, provider_settings};
use jp_analysis::explain::{line_of, shown_path};
use jp_config::{graph::Graph, merge::Located, view::View};
use jp_llm::{KeyUse, ProviderId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{SCRIPT_VARIABLE, config_source::effective_of, keyring::Keyring, refusal};

/// Where the model of a workspace is written.
const MODEL: [&str; 3] = ["assistant", "model", "id"];

/// Whether a turn can begin in a workspace, and what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The folder of the workspace.
    pub workspace: Utf8PathBuf,
    /// The model that a turn asks; none where the config names none that can be found out.
    pub model: Option<ModelStatus>,
    /// Whether a turn can ask the model, as far as that is known without asking it.
    pub can_run: bool,
    /// What keeps a turn from asking the model, and what to do about it.
    pub problem: Option<String>,
    /// The keys that the providers of this config take.
    pub keys: Vec<KeyStatus>,
}

impl Status {
    /// The key that the model's provider takes.
    #[must_use]
    pub fn used_key(&self) -> Option<&KeyStatus> {
        let (provider, _) = self.model.as_ref()?.id.split_once('/')?;
        self.keys.iter().find(|key| key.provider == provider)
    }
}

/// The model of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStatus {
    /// What the config says: a model or an alias.
    pub written: String,
    /// The model itself, as `provider/name`.
    pub id: String,
    /// The file that says so, relative to the workspace where it lies below it.
    pub path: Option<Utf8PathBuf>,
    /// The line, from 1.
    pub line: Option<u32>,
}

/// A key, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyStatus {
    /// The provider that takes it.
    pub provider: String,
    /// The environment variable that holds it.
    pub variable: String,
    /// Whether there is a key: the variable is set, or a key is kept under its name.
    pub is_set: bool,
    /// Whether the key is the one that is kept in the keyring of the system, since the variable is not set.
    pub is_kept: bool,
    /// Where it goes: scheme, host and port.
    pub origin: String,
    /// Whether that is the provider's own address; a key goes elsewhere only where a person has said so.
    pub is_own_origin: bool,
}

/// Whether a variable of the environment is set to more than blanks.
#[must_use]
pub fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| !value.trim().is_empty())
}

/// Whether a key is kept under the name of a variable; the keyring is not asked.
fn is_kept(variable: &str) -> bool {
    Keyring::of_system().is_ok_and(|keyring| keyring.keeps(variable))
}

/// The status of the workspace that these files are the config of.
#[must_use]
pub fn status(graph: &Arc<Graph>) -> Status {
    let view = View::new(Arc::clone(graph));
    let effective = effective_of(&view);
    let located = view.effective(&MODEL);
    let resolved = TurnConfig::resolve(&effective, &super::builtins::builtins().defaults());
    let id = resolved.as_ref().ok().map(|config| config.model.id.clone());
    let written = located.as_ref().map(|located| written(&located.to_json()));
    let model = match (&id, written) {
        (Some(id), Some(written)) => {
            let place = located.as_ref().and_then(|located| place(&view, located));
            Some(ModelStatus {
                written,
                id: id.to_string(),
                path: place.as_ref().map(|(path, _)| path.clone()),
                line: place.map(|(_, line)| line),
            })
        }
        _ => None,
    };
    let problem = match (refusal::refusal(graph), &resolved) {
        (Some(refusal), _) => Some(refusal::in_words(&refusal)),
        (None, Err(_)) if located.is_none() => Some(no_model(&graph.workspace)),
        (None, Err(error)) => Some(error.to_string()),
        (None, Ok(config)) => model_problem(&effective, &config.model.id.provider),
    };
    Status {
        workspace: graph.workspace.clone(),
        model,
        can_run: problem.is_none(),
        problem,
        keys: keys(&effective),
    }
}

/// What to do where no config names a model.
fn no_model(workspace: &Utf8Path) -> String {
    let example = "assistant.model.id = \"anthropic/claude-sonnet-4-5\"";
    match workspace.join(".jp/config.toml").exists() {
        true => format!("no model is set: write `{example}` into `.jp/config.toml`"),
        false => format!(
            "no model is set: `jp-lsp init` writes a first config, or write `{example}` into `.jp/config.toml`"
        ),
    }
}

/// Why a model of this provider cannot be asked.
fn model_problem(effective: &Value, provider: &str) -> Option<String> {
    if provider == "test" {
        let is_scripted = is_set(SCRIPT_VARIABLE);
        return (!is_scripted)
            .then(|| format!("the model is scripted, and `{SCRIPT_VARIABLE}` names no script"));
    }
    let id: ProviderId = match provider.parse() {
        Ok(id) => id,
        Err(error) => return Some(jp_llm::LlmError::to_string(&error)),
    };
    let key = key_of(effective, id)?;
    if !is_set(&key.variable) && !is_kept(&key.variable) {
        let keep = key.name_to_keep().map_or_else(String::new, |name| {
            format!(", keep it with `jp-lsp key set {name}`")
        });
        return Some(format!(
            "`{}` is not set: put the key of {provider} into this variable of the environment{keep}, or name another \
             model",
            key.variable
        ));
    }
    key.is_readable_by_others().then(|| {
        format!(
            "the key in `{}` would go to {} in the clear: write `https`",
            key.variable, key.origin
        )
    })
}

fn key_of(effective: &Value, provider: ProviderId) -> Option<KeyUse> {
    let settings = provider_settings(effective, provider.as_str()).ok()?;
    let environment = |name: &str| std::env::var(name).ok();
    KeyUse::of(provider, &settings, &environment).ok().flatten()
}

fn keys(effective: &Value) -> Vec<KeyStatus> {
    let keys = ProviderId::ALL.into_iter();
    keys.filter_map(|provider| key_of(effective, provider))
        .map(|key| (is_set(&key.variable), key))
        .map(|(is_set, key)| KeyStatus {
            provider: key.provider.as_str().to_owned(),
            is_set: is_set || is_kept(&key.variable),
            is_kept: !is_set && is_kept(&key.variable),
            is_own_origin: key.is_at_home(),
            variable: key.variable,
            origin: key.origin,
        })
        .collect()
}

/// A model as the config writes it.
fn written(id: &Value) -> String {
    let part = |key| id.get(key).and_then(Value::as_str);
    match (id.as_str(), part("provider"), part("name")) {
        (Some(text), ..) => text.to_owned(),
        (None, Some(provider), Some(name)) => format!("{provider}/{name}"),
        _ => id.to_string(),
    }
}

fn place(view: &View, located: &Located) -> Option<(Utf8PathBuf, u32)> {
    let origin = located.origin().or_else(|| located.get("name")?.origin())?;
    let place = jp_analysis::Place {
        file: view.file(origin.layer)?,
        span: origin.span,
    };
    let graph = view.graph();
    Some((shown_path(graph, place), line_of(graph, place) + 1))
}
