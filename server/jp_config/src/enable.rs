//! The forms of `enable` (RFD 081).
//!
//! ```toml
//! enable = true                                          # on, every switch applies
//! enable = "explicit"                                    # off, only naming the tool switches it on
//! enable = { state = true, allow_toggle = "if_named" }   # each key on its own
//! ```

use serde_json::{Map, Value};

/// What may switch a tool on and off.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash, Default)]
pub enum AllowToggle {
    /// Everything.
    #[default]
    Any,
    /// Nothing: the state is locked.
    Never,
    /// Only naming the tool.
    IfNamed,
    /// Only naming the tool or its group.
    IfNamedOrGroup,
}

/// What one layer says about `enable`; an absent part keeps what earlier layers say.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash, Default)]
pub struct Enable {
    /// Whether the assistant sees the tool.
    pub state: Option<bool>,
    /// What may switch the tool on and off.
    pub allow_toggle: Option<AllowToggle>,
}

/// Why a value is no form of `enable`.
#[derive(Debug, Clone, Eq, PartialEq, thiserror::Error)]
pub enum EnableError {
    /// The string is none of the shorthands.
    #[error("unknown variant `{0}`, expected one of `on`, `off`, `explicit`, `always`")]
    Shorthand(String),
    /// The value has a type without a meaning here.
    #[error(
        "invalid type: {0}, expected a boolean, one of `on`, `off`, `explicit`, `always`, or a table with `state` or `allow_toggle`"
    )]
    Type(String),
    /// The table has a key without a meaning.
    #[error("unknown key `{0}`, expected `state` or `allow_toggle`")]
    Key(String),
    /// `state` is no boolean.
    #[error("invalid type: {0}, expected a boolean for `state`")]
    State(String),
    /// `allow_toggle` is none of the known values.
    #[error(
        "unknown variant `{0}` of `allow_toggle`, expected one of `any`, `never`, `if_named`, `if_named_or_group`"
    )]
    AllowToggle(String),
}

impl AllowToggle {
    /// Reads the value of `allow_toggle`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "any" => Some(Self::Any),
            "never" => Some(Self::Never),
            "if_named" => Some(Self::IfNamed),
            "if_named_or_group" => Some(Self::IfNamedOrGroup),
            _ => None,
        }
    }

    /// The value of `allow_toggle` in the config.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Never => "never",
            Self::IfNamed => "if_named",
            Self::IfNamedOrGroup => "if_named_or_group",
        }
    }
}

impl Enable {
    /// What a boolean stands for.
    #[must_use]
    pub fn from_bool(state: bool) -> Self {
        Self::both(state, AllowToggle::Any)
    }

    /// What a shorthand string stands for.
    #[must_use]
    pub fn from_shorthand(text: &str) -> Option<Self> {
        match text {
            "true" | "on" => Some(Self::both(true, AllowToggle::Any)),
            "false" | "off" => Some(Self::both(false, AllowToggle::Any)),
            "always" => Some(Self::both(true, AllowToggle::Never)),
            "explicit" => Some(Self::both(false, AllowToggle::IfNamed)),
            _ => None,
        }
    }

    /// The boolean or the word that stands for this, if one does.
    ///
    /// A short form sets both parts, so none stands for a part alone.
    #[must_use]
    pub fn shorthand(self) -> Option<Value> {
        match (self.state?, self.allow_toggle?) {
            (state, AllowToggle::Any) => Some(Value::Bool(state)),
            (true, AllowToggle::Never) => Some(Value::from("always")),
            (false, AllowToggle::IfNamed) => Some(Value::from("explicit")),
            _ => None,
        }
    }

    /// Reads any form of `enable`.
    ///
    /// # Errors
    ///
    /// Fails on an unknown shorthand, key or value.
    pub fn from_value(value: &Value) -> Result<Self, EnableError> {
        match value {
            Value::Bool(state) => Ok(Self::from_bool(*state)),
            Value::String(text) => {
                Self::from_shorthand(text).ok_or_else(|| EnableError::Shorthand(text.clone()))
            }
            Value::Object(table) => Self::from_table(table),
            other => Err(EnableError::Type(name(other))),
        }
    }

    fn from_table(table: &Map<String, Value>) -> Result<Self, EnableError> {
        let mut enable = Self::default();
        for (key, value) in table {
            match (key.as_str(), value) {
                ("state" | "allow_toggle", Value::Null) => {}
                ("state", Value::Bool(state)) => enable.state = Some(*state),
                ("state", other) => return Err(EnableError::State(name(other))),
                ("allow_toggle", Value::String(text)) => {
                    let toggle = AllowToggle::parse(text)
                        .ok_or_else(|| EnableError::AllowToggle(text.clone()))?;
                    enable.allow_toggle = Some(toggle);
                }
                ("allow_toggle", other) => {
                    return Err(EnableError::AllowToggle(other.to_string()));
                }
                _ => return Err(EnableError::Key(key.clone())),
            }
        }
        Ok(enable)
    }

    /// What the two layers say together; the later one wins where it speaks.
    #[must_use]
    pub fn merged(self, later: Self) -> Self {
        Self {
            state: later.state.or(self.state),
            allow_toggle: later.allow_toggle.or(self.allow_toggle),
        }
    }

    /// The table that says the same.
    #[must_use]
    pub fn to_value(self) -> Value {
        let mut table = Map::new();
        if let Some(state) = self.state {
            table.insert("state".to_owned(), Value::Bool(state));
        }
        if let Some(toggle) = self.allow_toggle {
            table.insert("allow_toggle".to_owned(), toggle.as_str().into());
        }
        Value::Object(table)
    }

    fn both(state: bool, allow_toggle: AllowToggle) -> Self {
        Self {
            state: Some(state),
            allow_toggle: Some(allow_toggle),
        }
    }
}

fn name(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("boolean `{value}`"),
        Value::Number(value) if value.is_f64() => format!("float `{value}`"),
        Value::Number(value) => format!("integer `{value}`"),
        Value::String(value) => format!("string `{value}`"),
        Value::Array(_) => "list".to_owned(),
        Value::Object(_) => "table".to_owned(),
    }
}

#[cfg(test)]
#[path = "enable_tests.rs"]
mod tests;
