//! What is remembered for the rest of a turn, in memory only.
//!
//! ```text
//! attempts:    (call_1, apply_changes) -> 2
//! answers:     (fs_modify_file, apply_changes) -> true
//! permissions: (fs_modify_file, rule 2 of its policy) -> run
//! grants:      (fs_read_file, { path = "src/a.rs", read = true }) -> declined
//! ```
//!
//! Answers and permissions are apart, so that no question id can pass for a permission (RFD 082, "Turn cache split").

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jp_conversation::inquiry_id;
use serde_json::Value;

use crate::decision::AskingRule;

/// How many grants of one tool a person declines in a turn before no more of it are offered.
const MOST_DECLINED: usize = 3;

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
    /// Grants that a person was offered, by tool and rule, and whether they were declined.
    grants: HashMap<(String, String), bool>,
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

    /// Whether a person is asked to grant a tool this rule, which is done once in a turn; from then on it was.
    ///
    /// A tool of which a person has declined several is granted nothing more in this turn, so that nobody is worn down.
    #[must_use]
    pub fn offers_grant(&self, tool: &str, rule: &str) -> bool {
        let mut state = self.state();
        let declined = state.grants.iter();
        let declined = declined.filter(|((of, _), declined)| of == tool && **declined);
        if declined.count() >= MOST_DECLINED {
            return false;
        }
        let key = (tool.to_owned(), rule.to_owned());
        let is_new = !state.grants.contains_key(&key);
        state.grants.entry(key).or_insert(false);
        is_new
    }

    /// Takes note of a grant that a person declines.
    pub fn decline_grant(&self, tool: &str, rule: &str) {
        let key = (tool.to_owned(), rule.to_owned());
        self.state().grants.insert(key, true);
    }

    /// Forgets grants that were not declined, after the config changes of a cycle were dropped.
    pub fn forget_grants(&self) {
        self.state().grants.retain(|_, declined| *declined);
    }

    /// The lock is held for single lookups only, never across an await.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
