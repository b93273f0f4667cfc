//! What a tool takes away.
//!
//! ```json
//! ["assistant.model.parameters.temperature", "conversation.attachments[\"file://stale.md\"]",
//!  "assistant.system_prompt_sections[intro]"]
//! ```
//!
//! An element of a list is named by its JSON, or by its identity: the URL of an attachment, the tag or title of a prompt
//! section, the title of an instruction (RFD 070).

use std::fmt;

use jp_config::schema::{UnsetError, schema};
use jp_tool::{ConfigPath, ConfigPathError};
use serde_json::Value;

use super::LeafPath;

/// One removal: a single value, or elements of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Unset {
    /// The value, or the list.
    pub path: LeafPath,
    /// Which elements of the list.
    pub element: Option<Element>,
}

/// How an element of a list is named.
#[derive(Debug, Clone, PartialEq)]
pub enum Element {
    /// By its JSON.
    Json(Value),
    /// By its identity.
    Identity(String),
}

/// Why a text names nothing that can be unset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUnset {
    /// It is no config path.
    #[error(transparent)]
    Path(#[from] ConfigPathError),
    /// What stands there cannot be unset.
    #[error(transparent)]
    Schema(#[from] UnsetError),
}

impl Unset {
    /// Reads an entry of `unset`, without asking the schema.
    ///
    /// Brackets that hold JSON name an element by value, any other text by identity.
    ///
    /// # Errors
    ///
    /// As for [`ConfigPath::parse_unset`].
    pub fn parse(text: &str) -> Result<Self, ConfigPathError> {
        let (path, element) = ConfigPath::parse_unset(text)?;
        let element = element.map(|element| {
            serde_json::from_str(element)
                .map_or_else(|_| Element::Identity(element.to_owned()), Element::Json)
        });
        Ok(Self {
            path: LeafPath::from(&path),
            element,
        })
    }

    /// Reads an entry of `unset` that must name an optional value, or an element of a list (RFD 078, "The full pipeline").
    ///
    /// Whether the element exists is not looked at: removing is idempotent.
    ///
    /// # Errors
    ///
    /// [`InvalidUnset`].
    pub fn parse_legal(text: &str) -> Result<Self, InvalidUnset> {
        let unset = Self::parse(text)?;
        let keys = unset.path.keys().iter().map(String::as_str);
        schema().check_unset(keys, unset.element.is_some())?;
        Ok(unset)
    }

    /// What is named in `config`; elements as a list.
    #[must_use]
    pub fn find_in(&self, config: &Value) -> Option<Value> {
        let value = self.path.get(config)?;
        let Some(element) = &self.element else {
            return Some(value.clone());
        };
        let named = value.as_array()?.iter();
        let named: Vec<Value> = named
            .filter(|value| element.names(value))
            .cloned()
            .collect();
        (!named.is_empty()).then_some(Value::Array(named))
    }

    /// Takes what is named out of `config`.
    pub fn remove_from(&self, config: &mut Value) {
        let Some(element) = &self.element else {
            self.path.remove(config);
            return;
        };
        let list = self
            .path
            .keys()
            .iter()
            .try_fold(config, |value, key| value.get_mut(key))
            .and_then(Value::as_array_mut);
        if let Some(list) = list {
            list.retain(|value| !element.names(value));
        }
    }
}

impl fmt::Display for Unset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(formatter)?;
        match &self.element {
            None => Ok(()),
            Some(Element::Json(value)) => write!(formatter, "[{value}]"),
            Some(Element::Identity(identity)) => write!(formatter, "[{identity}]"),
        }
    }
}

impl Element {
    /// Whether `value` is the element that is meant.
    #[must_use]
    pub fn names(&self, value: &Value) -> bool {
        match self {
            Self::Json(Value::String(text)) => {
                value.as_str() == Some(text) || identity(value).as_ref() == Some(text)
            }
            Self::Json(json) => json == value,
            Self::Identity(text) => identity(value).as_ref() == Some(text),
        }
    }
}

/// The text that tells an element of a list from the others.
fn identity(value: &Value) -> Option<String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => {
            let url = || Some(format!("{}://{}", text("type")?, text("path")?));
            let name = || text("tag").or_else(|| text("title")).map(str::to_owned);
            url().or_else(name)
        }
        other => Some(other.to_string()),
    }
}
