//! What a turn carries from cycle to cycle.
//!
//! ```text
//! cycle 1: tool_choice = "required", two attempts failed -> cycle 2: tool_choice = "auto", no attempt failed
//! ```

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jp_llm::{LlmError, RequestSettings, ToolChoice, Usage};

use super::window::Window;
use crate::inquiry::TurnAnswers;
use crate::ports::TurnEnd;

/// How far a turn has come.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// How many answers with calls there were, whose results are recorded.
    pub(super) cycles: u32,
    /// How many attempts at the answer of this cycle have failed.
    pub(super) failures: u32,
    /// Why the turn would end after the last answer.
    pub(super) end: TurnEnd,
    /// What the last answer has cost, where its model's window was not known yet.
    pub(super) unmeasured: Option<(Usage, Window)>,
    /// What was answered to tools.
    pub(super) answers: Arc<TurnAnswers>,
    /// What a person was told of the tools.
    told: HashSet<String>,
}

/// Whether an answer is asked for once more.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Attempt number `attempt` has failed, and another follows after a while.
    Left { attempt: u32, delay: Duration },
    /// There is none, or another attempt would be no better.
    Gone,
}

impl Course {
    /// Whether the model must call a tool now: a choice that forces it holds until the first results are there, since
    /// otherwise it could never end the turn.
    pub(super) fn tool_choice(&self, configured: &ToolChoice) -> ToolChoice {
        match configured {
            ToolChoice::Required | ToolChoice::Tool(_) if self.cycles > 0 => ToolChoice::Auto,
            choice => choice.clone(),
        }
    }

    /// Counts a failed attempt at an answer, as far as there may be another.
    pub(super) fn patience(&mut self, settings: &RequestSettings, error: &LlmError) -> Patience {
        if !error.is_retryable() || self.failures >= settings.max_retries {
            return Patience::Gone;
        }
        let delay = settings.backoff(self.failures, error.retry_after());
        self.failures += 1;
        Patience::Left {
            attempt: self.failures,
            delay,
        }
    }

    /// The notices that are new in this turn.
    pub(super) fn untold(&mut self, notices: Vec<String>) -> Vec<String> {
        let told = &mut self.told;
        notices
            .into_iter()
            .filter(|notice| told.insert(notice.clone()))
            .collect()
    }
}
