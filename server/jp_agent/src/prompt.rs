//! What a person is asked, and what may come of it.
//!
//! ```json
//! {"kind": "run", "tool": {"name": "fs_delete_file", "callId": "call_1"}, "actions": [{"id": "approve", "title": "Run"}]}
//! ```

mod answer;
mod choices;
mod details;
mod digest;
mod published;

pub(crate) use answer::decide;
pub use answer::{AnswerError, PromptAnswer, Remember};
pub use choices::{ChoiceEffect, PromptChoice};
pub use digest::digest;
pub use published::{
    Prompt, PromptAction, PromptActionId, PromptAnswerType, PromptKind, PromptQuestion,
    PromptToolCall, RulePosition, RuleRange, RuleReference, WaitingCall,
};

use camino::Utf8PathBuf;
use jp_conversation::{Answerer, ConversationId};
use jp_policy::{RawRule, RunMode};
use jp_tool::Question;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::source_range::SourceRange;

/// A prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptRequest {
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The absolute path of the workspace, which previews of file changes are read from.
    pub root: Utf8PathBuf,
    /// The tool call it belongs to.
    pub tool: PromptTool,
    /// The rule that led to it.
    pub rule: Option<PromptRule>,
    /// What a person has to know first.
    pub note: Option<PromptNote>,
    /// What is asked.
    pub subject: PromptSubject,
}

/// What a person has to know before everything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptNote {
    /// Why they are asked again, where the paths of the call lead, and the like; a few lines.
    pub text: String,
    /// Whether the answer can hold for this call only.
    pub is_single: bool,
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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PromptRule {
    /// The number of the rule in the effective list, from 0; none for the implicit `ask` or a plain mode.
    pub index: Option<usize>,
    /// Where the rule stands.
    pub place: Option<SourceRange>,
    /// All rules that decide whether the tool runs; empty where the prompt is about something else.
    pub rules: Vec<RawRule<RunMode>>,
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
    /// Whether a config change that a tool proposes may be applied (RFD 078).
    Delta(DeltaPrompt),
    /// Whether a tool is to get what a call was refused (RFD 076).
    Grant(Box<GrantPrompt>),
    /// Whether something may be set off at all, before any tool is called.
    Consent(Consent),
}

/// What a person is to agree to, whatever tools and models do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consent {
    /// The question in one line.
    pub title: String,
    /// What exactly is agreed to.
    pub text: String,
    /// What to write on the button that agrees.
    pub agree: String,
}

/// The rule that a call lacked, as a person gets to see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GrantPrompt {
    /// What the tool wanted to do: `read`, `create`, `update`, `delete` or `execute`.
    pub capability: String,
    /// The file, relative to the workspace.
    pub path: Utf8PathBuf,
    /// The rule that would be added, as the config writes it.
    pub rule: String,
    /// What it changes.
    pub delta: DeltaPrompt,
}

/// A config change as a person gets to see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeltaPrompt {
    /// Every leaf that it touches, also one that it sets to the value that it has.
    pub changes: Vec<DeltaPromptChange>,
    /// The affected config before, as TOML.
    pub before: String,
    /// The affected config after, as TOML.
    pub after: String,
    /// What becomes looser, a sentence each.
    pub loosens: Vec<String>,
}

/// One leaf that a config change touches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeltaPromptChange {
    /// The config path.
    pub path: String,
    /// What happens to it.
    pub op: DeltaOperation,
    /// Its value before, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// Its value after; none for an unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

impl DeltaPromptChange {
    /// Whether the leaf is set to the value that it has.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.op == DeltaOperation::Set && self.new.is_some() && self.old == self.new
    }
}

/// What happens to a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaOperation {
    /// It gets a value.
    Set,
    /// It loses its value.
    Unset,
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

/// What came of a prompt, and where a person has said so.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What came of it.
    pub outcome: PromptOutcome,
    /// Where it was answered; empty where that is not known, or nobody answered.
    pub answerer: Answerer,
}

impl From<PromptOutcome> for Reply {
    fn from(outcome: PromptOutcome) -> Self {
        Self {
            outcome,
            answerer: Answerer::default(),
        }
    }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
