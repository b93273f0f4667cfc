//! What the writers of all protocols share: a request as it goes over the wire.

use serde_json::Value;
use url::Url;

use crate::request::ToolChoice;

/// A request as it goes over the wire.
#[derive(Debug)]
pub(crate) struct WireRequest {
    pub(crate) url: Url,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// `null` for a request without a body.
    pub(crate) body: Value,
}

/// Sets a field of an object.
pub(crate) fn set(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(fields) = object {
        fields.insert(key.to_owned(), value.into());
    }
}

/// What to tell a model that must call a tool, where its provider cannot be told.
pub(crate) fn demand(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Auto | ToolChoice::None => None,
        ToolChoice::Required => {
            Some("You must call at least one of your tools before you answer.".to_owned())
        }
        ToolChoice::Tool(name) => Some(format!(
            "You must call the tool `{name}` before you answer."
        )),
    }
}
