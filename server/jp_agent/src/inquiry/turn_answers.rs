//! What is remembered for the rest of a turn, in memory only.
//!
//! ```text
//! attempts:    (call_1, apply_changes) -> 2
//! answers:     (fs_modify_file, apply_changes) -> true
//! permissions: fs_modify_file -> run
//! ```
//!
//! Answers and permissions are apart, so that no question id can pass for a permission (RFD 082, "Turn cache split").

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jp_conversation::inquiry_id;
use serde_json::Value;

/// What is remembered in one turn, shared by its tool calls.
#[derive(Debug, Default)]
pub struct TurnAnswers {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Attempts by tool call and question; counted on through all cycles of the turn.
    attempts: HashMap<(String, String), u32>,
    /// Answers by tool and question.
    answers: HashMap<(String, String), Value>,
    /// Whether calls run, by tool.
    permissions: HashMap<String, bool>,
}

impl TurnAnswers {
    /// The id of the next inquiry of a question of a tool call.
    #[must_use]
    pub fn next_inquiry_id(&self, call_id: &str, question_id: &str) -> String {
        let mut state = self.state();
        let attempt = state
            .attempts
            .entry((call_id.to_owned(), question_id.to_owned()))
            .or_insert(0);
        *attempt = attempt.saturating_add(1);
        inquiry_id(call_id, question_id, *attempt)
    }

    /// The answer that a person wants used again.
    #[must_use]
    pub fn remembered(&self, tool: &str, question_id: &str) -> Option<Value> {
        let key = (tool.to_owned(), question_id.to_owned());
        self.state().answers.get(&key).cloned()
    }

    /// Uses an answer again for the rest of the turn.
    pub fn remember(&self, tool: &str, question_id: &str, answer: Value) {
        self.state()
            .answers
            .insert((tool.to_owned(), question_id.to_owned()), answer);
    }

    /// Whether a person has decided on all calls of a tool: `true` runs them, `false` skips them.
    #[must_use]
    pub fn permission(&self, tool: &str) -> Option<bool> {
        self.state().permissions.get(tool).copied()
    }

    /// Decides on all calls of a tool for the rest of the turn.
    pub fn remember_permission(&self, tool: &str, runs: bool) {
        self.state().permissions.insert(tool.to_owned(), runs);
    }

    /// The lock is held for single lookups only, never across an await.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
