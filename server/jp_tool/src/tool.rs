//! What a tool is asked to do.
//!
//! ```json
//! {"name": "fs_read_file", "arguments": {"path": "src/lib.rs"}, "answers": {}, "options": {}}
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Context;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tool {
    /// The tool's own name: the alias in `source = "local.<name>"` when there is one, else the config key.
    pub name: String,

    /// The arguments of the call, after defaults were filled in.
    #[serde(default)]
    pub arguments: Map<String, Value>,

    /// Answers to the questions this call has asked so far, by question id.
    #[serde(default)]
    pub answers: Map<String, Value>,

    /// The tool's `options` from the config, uninterpreted (RFD 042).
    #[serde(default)]
    pub options: Map<String, Value>,
}

/// The whole input of a tool as one document, the form that a tool reads from standard input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// The call.
    pub tool: Tool,

    /// Where and under which grants the call runs.
    pub context: Context,
}
