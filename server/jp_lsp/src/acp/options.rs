//! What can be switched in a session: the model, and whether tools may be called.
//!
//! ```json
//! {"modes": {"currentModeId": "default", "availableModes": [{"id": "default", "name": "As configured"},
//!  {"id": "no-tools", "name": "No tools"}]},
//!  "configOptions": [{"id": "model", "category": "model", "type": "select", "currentValue": "fast", "options": []}]}
//! ```

use agent_client_protocol::v1::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionMode,
    SessionModeState,
};
use jp_conversation::visible;
use serde_json::Value;

/// The option with the model.
pub(super) const MODEL: &str = "model";

/// The option with the mode, for clients that know modes as options.
pub(super) const MODE: &str = "mode";

/// Whether tools may be called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// As the rules of the config say.
    #[default]
    Default,
    /// No tool is offered to the model, but those that cannot be switched off.
    NoTools,
}

impl Mode {
    const ALL: [Self; 2] = [Self::Default, Self::NoTools];

    /// Its name between programs.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::NoTools => "no-tools",
        }
    }

    /// Its name and what it means, for a person.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Default => (
                "As configured",
                "Tools run, ask or are skipped as the rules say",
            ),
            Self::NoTools => ("No tools", "The assistant only talks; locked tools stay"),
        }
    }

    /// The mode with this name.
    pub(super) fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.id() == id)
    }

    /// The names of all modes, for an error.
    pub(super) fn names() -> String {
        let names = Self::ALL.map(|mode| format!("`{}`", mode.id()));
        names.join(" or ")
    }
}

/// The modes.
pub(super) fn modes(current: Mode) -> SessionModeState {
    let available = Mode::ALL.map(|mode| {
        let (name, description) = mode.words();
        SessionMode::new(mode.id(), name).description(description.to_owned())
    });
    SessionModeState::new(current.id(), available.to_vec())
}

/// The options: the mode, and the model where the config has any to choose from.
///
/// `effective` is the config of the conversation; what is `chosen` holds from the next prompt on.
pub(super) fn options(
    effective: &Value,
    chosen: Option<&str>,
    mode: Mode,
) -> Vec<SessionConfigOption> {
    let modes = Mode::ALL.map(|mode| {
        let (name, description) = mode.words();
        SessionConfigSelectOption::new(mode.id(), name).description(description.to_owned())
    });
    let mode = SessionConfigOption::select(MODE, "Mode", mode.id(), modes.to_vec())
        .category(SessionConfigOptionCategory::Mode);
    let mut offered = vec![mode];
    let current = chosen.map(str::to_owned).or_else(|| model(effective));
    if let Some(current) = current {
        let mut names = aliases(effective);
        if !names.contains(&current) {
            names.insert(0, current.clone());
        }
        let choices: Vec<_> = names
            .into_iter()
            .map(|name| {
                let shown = visible(&name).into_owned();
                SessionConfigSelectOption::new(name, shown)
            })
            .collect();
        let model = SessionConfigOption::select(MODEL, "Model", current, choices)
            .category(SessionConfigOptionCategory::Model);
        offered.push(model);
    }
    offered
}

/// The model as the config writes it, by the alias that stands for it where there is one.
fn model(effective: &Value) -> Option<String> {
    let id = effective.pointer("/assistant/model/id")?;
    let part = |key| id.get(key).and_then(Value::as_str);
    match (id.as_str(), part("provider"), part("name")) {
        (Some(text), ..) => Some(text.to_owned()),
        (None, Some(provider), Some(name)) => Some(format!("{provider}/{name}")),
        _ => None,
    }
}

fn aliases(effective: &Value) -> Vec<String> {
    let aliases = effective.pointer("/providers/llm/aliases");
    let aliases = aliases.and_then(Value::as_object).into_iter().flatten();
    aliases.map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
