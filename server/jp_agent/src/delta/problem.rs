//! One mistake in a proposal.

use jp_config::words;
use serde_json::Value;

/// How many characters of a value are shown.
const MAXIMUM_SHOWN: usize = 200;

/// One thing that is wrong with a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The config path, or the entry of `unset`.
    pub field: String,
    /// What is wrong, in a few words.
    pub what: String,
    /// What would be right.
    pub expected: Option<String>,
    /// What the tool wrote.
    pub value: Option<Value>,
    /// What to tell a person about the value.
    pub note: String,
}

impl Problem {
    pub(super) fn new(field: impl Into<String>, what: impl Into<String>) -> Self {
        let what = what.into();
        Self {
            field: field.into(),
            note: what.clone(),
            what,
            expected: None,
            value: None,
        }
    }

    pub(super) fn unknown_variant(field: String, text: &str, expected: &[String]) -> Self {
        let name = field.rsplit('.').next().unwrap_or_default();
        Self {
            note: format!("not a valid {name}"),
            what: format!("unknown variant '{}'", shortened(text)),
            expected: Some(format!("expected one of {}", expected.join(", "))),
            value: None,
            field,
        }
    }

    pub(super) fn with_value(mut self, value: Option<Value>) -> Self {
        self.value = value;
        self
    }

    pub(super) fn detail(&self) -> String {
        match &self.expected {
            Some(expected) => format!("{}: {expected}", self.what),
            None => self.what.clone(),
        }
    }
}

/// A text cut where it gets too long to show.
pub(super) fn shortened(text: &str) -> String {
    words::shortened(text, MAXIMUM_SHOWN)
}
