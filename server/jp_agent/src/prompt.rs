//! What a person is asked, and what may come of it.
//!
//! ```json
//! {"kind": "run", "tool": {"name": "fs_delete_file", "callId": "call_1"}, "actions": [{"id": "approve", "title": "Run"}]}
//! ```

use jp_conversation::ConversationId;
use jp_tool::Question;
use serde_json::{Map, Value};

use crate::ports::Place;

/// A prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptRequest {
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The tool call it belongs to.
    pub tool: PromptTool,
    /// The rule that led to it.
    pub rule: Option<PromptRule>,
    /// What is asked.
    pub subject: PromptSubject,
}

/// The tool call that a prompt belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTool {
    /// The name of the tool as the model knows it.
    pub name: String,
    /// The id of the call.
    pub call_id: String,
    /// Where the tool comes from, `local`, `builtin`, or `mcp.<server>`.
    pub source: String,
}

/// The rule that led to a prompt (RFD D25).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRule {
    /// The number of the rule in the effective list, from 0; none for the implicit `ask` or a plain mode.
    pub index: Option<usize>,
    /// Where the rule stands.
    pub place: Option<Place>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptSubject {
    /// Whether the call may run.
    Run {
        /// The prepared arguments.
        arguments: Map<String, Value>,
        /// The command line that would run, for a local tool.
        argv: Option<Vec<String>>,
        /// What the tool's own formatter makes of the arguments.
        rendered: Option<String>,
    },
    /// The arguments are to be edited before the call runs.
    Edit {
        /// The prepared arguments.
        arguments: Map<String, Value>,
    },
    /// Whether the result may be delivered to the assistant.
    Result {
        /// The result.
        content: String,
        /// Whether it is an error.
        is_error: bool,
        /// Whether the person is to edit it first.
        edit: bool,
    },
    /// A question of the tool.
    Question {
        /// The question.
        question: Box<Question>,
        /// Who asks, for display.
        label: Option<String>,
    },
}

/// What came of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptOutcome {
    /// A person approves.
    Approved {
        /// Whether the decision holds for the rest of the turn.
        remember: bool,
    },
    /// A person rejects.
    Rejected {
        /// What the person says to the assistant.
        reason: Option<String>,
        /// Whether the decision holds for the rest of the turn.
        remember: bool,
    },
    /// A person has edited: the arguments of the call as an object, or the result as a string.
    Edited {
        /// What it has become.
        value: Value,
    },
    /// A person answers a question.
    Answered {
        /// The answer.
        value: Value,
        /// Whether the answer holds for the rest of the turn.
        remember: bool,
    },
    /// A person cancels the question.
    Cancelled,
    /// The asking side withdrew the prompt.
    Withdrawn,
    /// There is nobody to ask, or nobody any more.
    Unavailable {
        /// Why, for the log.
        reason: String,
    },
}
