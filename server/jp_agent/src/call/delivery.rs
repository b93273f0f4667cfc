//! The result of a call on its way to the assistant (RFD D25, "Applying policy.run to result").
//!
//! ```toml
//! policy.result = [{ arg = "/path", prefix = "secrets", mode = "ask" }, { mode = "unattended" }]
//! ```

use jp_conversation::{Answerer, DecidedBy, DecisionOutcome};
use jp_policy::ResultMode;
use serde_json::{Map, Value};

use super::approval::{note, said};
use super::{CallResult, Running};
use crate::decision::{Decision, decide, prompt_rule};
use crate::prompt::{PromptOutcome, PromptSubject};
use crate::texts;

impl Running<'_> {
    /// Applies the result mode.
    pub(super) async fn deliver(
        &self,
        arguments: &Map<String, Value>,
        result: CallResult,
    ) -> CallResult {
        let root = self.cycle.workspace.root();
        let decision = decide(&self.tool.result, &self.tool.schema, root, arguments);
        let edit = match decision.mode {
            ResultMode::Unattended => {
                self.note_result(
                    &decision,
                    (DecisionOutcome::Allowed, DecidedBy::Policy),
                    None,
                );
                return result;
            }
            ResultMode::Skip => {
                self.note_result(
                    &decision,
                    (DecisionOutcome::Refused, DecidedBy::Policy),
                    None,
                );
                return CallResult::ok(texts::RESULT_SKIPPED_BY_CONFIG);
            }
            ResultMode::Ask => false,
            ResultMode::Edit => true,
        };
        let rule = prompt_rule(&*self.cycle.source, &self.tool.result, decision.rule);
        let subject = PromptSubject::Result {
            content: result.content.clone(),
            is_error: result.is_error,
            edit,
        };
        let reply = self
            .prompt(subject, rule, note(&decision.links, None, None))
            .await;
        self.note_result(&decision, said(&reply.outcome), Some(reply.answerer));
        match reply.outcome {
            PromptOutcome::Approved { .. } => result,
            PromptOutcome::Edited {
                value: Value::String(content),
            } if content.trim().is_empty() && content != result.content => {
                CallResult::ok(texts::RESULT_EMPTIED)
            }
            PromptOutcome::Edited {
                value: Value::String(content),
            } => CallResult::ok(content),
            PromptOutcome::Cancelled if edit => CallResult::ok(texts::RESULT_EDIT_CANCELLED),
            PromptOutcome::Cancelled | PromptOutcome::Withdrawn => {
                CallResult::ok(texts::RESULT_CANCELLED)
            }
            PromptOutcome::Unavailable { reason } => {
                tracing::info!(tool = self.call.name, reason, "nobody to approve a result");
                CallResult::error(texts::nobody_to_deliver(&self.call.name))
            }
            PromptOutcome::Rejected { .. }
            | PromptOutcome::Edited { .. }
            | PromptOutcome::Answered { .. } => CallResult::ok(texts::RESULT_SKIPPED_BY_USER),
        }
    }

    /// Puts the decision on record.
    fn note_result(
        &self,
        decision: &Decision<ResultMode>,
        said: (DecisionOutcome, DecidedBy),
        answerer: Option<Answerer>,
    ) {
        let recorded = decision.recorded(&self.tool.result, said, answerer.unwrap_or_default());
        self.call.noted().decisions.result = Some(recorded);
    }
}
