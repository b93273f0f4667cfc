//! The result of a call on its way to the assistant (RFD D25, "Applying policy.run to result").
//!
//! ```toml
//! policy.result = [{ arg = "/path", prefix = "secrets", mode = "ask" }, { mode = "unattended" }]
//! ```

use jp_policy::ResultMode;
use serde_json::{Map, Value};

use super::approval::note;
use super::{CallResult, Running};
use crate::decision::{decide, prompt_rule};
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
            ResultMode::Unattended => return result,
            ResultMode::Skip => return CallResult::ok(texts::RESULT_SKIPPED_BY_CONFIG),
            ResultMode::Ask => false,
            ResultMode::Edit => true,
        };
        let rule = prompt_rule(&*self.cycle.source, &self.tool.result, decision.rule);
        let subject = PromptSubject::Result {
            content: result.content.clone(),
            is_error: result.is_error,
            edit,
        };
        match self
            .prompt(subject, rule, note(&decision.links, None))
            .await
        {
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
}
