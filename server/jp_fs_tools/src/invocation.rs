//! What a host hands to the binary.
//!
//! ```json
//! {
//!   "tool": {"name": "fs_read_file", "arguments": {"path": "a.txt"}, "answers": {}, "options": {}},
//!   "context": {"action": "run", "root": "/work/project", "access": null, "workspace_id": "w", "conversation_id": "c"}
//! }
//! ```
//!
//! The two parts travel as two arguments, context first, or as this one document on standard input.

use jp_tool::{Invocation, Tool};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::error::Error;

/// Reads an invocation from its two parts, as they stand in the argument vector.
///
/// # Errors
///
/// Fails if either part is no JSON of the expected shape.
pub fn from_parts(context: &str, tool: &str) -> Result<Invocation, Error> {
    Ok(Invocation {
        context: document("context", context.as_bytes())?,
        tool: document("tool", tool.as_bytes())?,
    })
}

/// Reads an invocation from one document, as it stands on standard input.
///
/// # Errors
///
/// Fails if the document is no JSON of the expected shape.
pub fn from_document(json: &[u8]) -> Result<Invocation, Error> {
    document("invocation", json)
}

fn document<T: DeserializeOwned>(name: &'static str, json: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(json).map_err(|source| Error::Document {
        document: name,
        source,
    })
}

/// The arguments in the form that the tool declares.
pub(crate) fn arguments<T: DeserializeOwned>(tool: &Tool) -> Result<T, Error> {
    serde_json::from_value(Value::Object(tool.arguments.clone()))
        .map_err(|error| Error::Arguments(error.to_string()))
}

/// The answer to a yes-or-no question, `None` if it was not asked yet.
pub(crate) fn answer(tool: &Tool, id: &'static str) -> Result<Option<bool>, Error> {
    match tool.answers.get(id) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(answer)) => Ok(Some(*answer)),
        Some(_) => Err(Error::Answer(id)),
    }
}

/// A list that may also be written as its only element.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
pub(crate) enum OneOrMany {
    /// `"a"`
    One(String),
    /// `["a", "b"]`
    Many(Vec<String>),
}

impl OneOrMany {
    /// The elements.
    pub(crate) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(element) => std::slice::from_ref(element),
            Self::Many(elements) => elements,
        }
    }
}

#[cfg(test)]
#[path = "invocation_tests.rs"]
mod tests;
