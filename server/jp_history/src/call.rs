//! One recorded call.

use jp_conversation::{CallDecision, Timestamp};
use serde_json::Value;

use crate::answer::Answer;
use crate::history::History;
use crate::intern::TextId;

/// A call as it is kept: texts by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) tool: TextId,
    pub(crate) arguments: TextId,
    /// What it ran with, where a person has edited that.
    pub(crate) edited: Option<TextId>,
    /// The decision as JSON; many calls share one.
    pub(crate) decision: Option<TextId>,
    pub(crate) at: Timestamp,
    pub(crate) answer: Answer,
}

/// One recorded call.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub(crate) history: &'a History,
    pub(crate) kept: &'a Kept,
}

impl<'a> Call<'a> {
    /// The tool.
    #[must_use]
    pub fn tool(self) -> &'a str {
        self.history.text(self.kept.tool)
    }

    /// When the model made the call.
    #[must_use]
    pub const fn at(self) -> Timestamp {
        self.kept.at
    }

    /// What was said to it.
    #[must_use]
    pub const fn answer(self) -> Answer {
        self.kept.answer
    }

    /// The arguments as the model gave them, as JSON. Calls with the same text have the same arguments.
    #[must_use]
    pub fn arguments_text(self) -> &'a str {
        self.history.text(self.kept.arguments)
    }

    /// The arguments as the model gave them.
    #[must_use]
    pub fn arguments(self) -> Value {
        parsed(self.arguments_text())
    }

    /// The arguments that it ran with, if a person has edited them.
    #[must_use]
    pub fn edited(self) -> Option<Value> {
        self.kept.edited.map(|id| parsed(self.history.text(id)))
    }

    /// The decision that is on record, if there is one.
    #[must_use]
    pub fn decision(self) -> Option<CallDecision> {
        let text = self.history.text(self.kept.decision?);
        serde_json::from_str(text).ok()
    }
}

/// What was written as JSON is read again.
pub(crate) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
