//! What is remembered for the rest of a turn, in memory only.
//!
//! ```text
//! attempts:    (call_1, apply_changes) -> 2
//! answers:     (fs_modify_file, apply_changes) -> true
//! permissions: (fs_modify_file, rule 2 of its policy) -> run
//! ```
//!
//! Answers and permissions are apart, so that no question id can pass for a permission (RFD 082, "Turn cache split").

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jp_conversation::inquiry_id;
use serde_json::Value;

use crate::decision::AskingRule;

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
    /// Whether calls run, by the rule that wants a person asked.
    permissions: HashMap<AskingRule, bool>,
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

    /// Whether a person has decided on all calls that these rules ask about: `true` runs them, `false` skips them.
    ///
    /// One rule with a no suffices for a no; a yes takes a yes to every rule.
    #[must_use]
    pub fn permission(&self, rules: &[AskingRule]) -> Option<bool> {
        let state = self.state();
        let decided: Vec<_> = rules
            .iter()
            .map(|rule| state.permissions.get(rule).copied())
            .collect();
        if decided.contains(&Some(false)) {
            return Some(false);
        }
        let all = !decided.is_empty() && decided.iter().all(|it| *it == Some(true));
        all.then_some(true)
    }

    /// Decides on all calls that these rules ask about, for the rest of the turn.
    pub fn remember_permission(&self, rules: &[AskingRule], runs: bool) {
        let mut state = self.state();
        for rule in rules {
            state.permissions.insert(rule.clone(), runs);
        }
    }

    /// The lock is held for single lookups only, never across an await.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
