//! The config change that a tool proposes with its result (RFD 078).
//!
//! ```json
//! {"type": "success", "content": "The model is strong.", "config": {"assistant": {"model": {"id": "strong"}}}}
//! ```

use jp_conversation::{Conversation, EventKind, ToolCallRequest};

use super::{Attempt, CallResult, Cycle, Ran, Running};
use crate::delta::{DeltaOutcome, DeltaReview, Grants, LeafSet};
use crate::error::AgentError;
use crate::ports::{Execution, ToolSuccess};
use crate::texts;

/// What became of a success.
pub(super) enum Settled {
    /// It goes on to the result mode.
    Delivered(CallResult),
    /// This is the result of the call, whatever the result mode.
    Ended(CallResult),
}

/// A success whose change is settled.
struct Reviewed {
    settled: Settled,
    /// The approved change.
    change: Option<LeafSet>,
}

impl Reviewed {
    fn failed(error: String) -> Self {
        Self {
            settled: Settled::Delivered(CallResult::error(error)),
            change: None,
        }
    }

    fn ended(result: CallResult) -> Self {
        Self {
            settled: Settled::Ended(result),
            change: None,
        }
    }
}

pub(super) fn recorded_calls(conversation: &Conversation) -> Vec<ToolCallRequest> {
    let events = conversation.events().iter();
    events
        .filter_map(|event| match &event.kind {
            EventKind::ToolCallRequest(call) => Some(call.clone()),
            _ => None,
        })
        .collect()
}

impl Running<'_> {
    /// Takes a success through the config change that it proposes, if it proposes one (RFD 078).
    pub(super) async fn settle(
        &self,
        success: ToolSuccess,
        attempt: Attempt,
    ) -> Result<Settled, AgentError> {
        // Executors of other tools drop what they propose; whatever comes through all the same is not obeyed.
        if self.ready.local.is_none() || !success.proposes_change() {
            return Ok(Settled::Delivered(CallResult::ok(success.content)));
        }
        let Cycle {
            record,
            workspace,
            base,
            prompts,
            sink,
            source,
            ..
        } = &**self.cycle;
        let grants = match self.grants() {
            Ok(grants) => grants,
            Err(error) => {
                let error = texts::change_refused(&self.call.name, &error);
                return Ok(Settled::Delivered(CallResult::error(error)));
            }
        };
        let calls = record.read(recorded_calls);
        let review = DeltaReview {
            conversation: record.id(),
            root: workspace.root().to_owned(),
            tool: self.prompt_tool(),
            grants: &grants,
            base,
            calls: &calls,
            prompts: &**prompts,
            sink: &**sink,
            source: &**source,
        };
        match self.review(&review, success, attempt).await {
            Ok(Reviewed {
                settled,
                change: Some(leaves),
            }) => {
                self.cycle.buffer().push(self.call.index, leaves);
                Ok(settled)
            }
            other => {
                sink.change_rejected(record.id(), &review.tool);
                other.map(|reviewed| reviewed.settled)
            }
        }
    }

    /// Lets the tool run until its change is settled, and tells it each time what was wrong.
    async fn review(
        &self,
        review: &DeltaReview<'_>,
        mut success: ToolSuccess,
        mut attempt: Attempt,
    ) -> Result<Reviewed, AgentError> {
        let mut rejections = 0;
        loop {
            let rejection = match review.judge(success, rejections, self.cancel).await {
                DeltaOutcome::RunAgain(rejection) => rejection,
                DeltaOutcome::Delivered { content, change } => {
                    let settled = Settled::Delivered(CallResult::ok(content));
                    return Ok(Reviewed { settled, change });
                }
                DeltaOutcome::Failed(error) => return Ok(Reviewed::failed(error)),
                DeltaOutcome::Cancelled => return Ok(Reviewed::ended(CallResult::cancelled())),
            };
            rejections += 1;
            attempt.run.delta_rejection = Some(rejection);
            success = match self.execute(&mut attempt).await? {
                Ran::Finished(Execution::Success(success)) => success,
                Ran::Finished(Execution::Error(error) | Execution::Refused { error, .. }) => {
                    return Ok(Reviewed::failed(error));
                }
                Ran::Finished(Execution::Cancelled | Execution::NeedsInput { .. }) => {
                    return Ok(Reviewed::ended(CallResult::cancelled()));
                }
                Ran::Ended(result) => return Ok(Reviewed::ended(result)),
            };
        }
    }

    /// The tool's `access.config` rules.
    pub(super) fn grants(&self) -> Result<Grants, AgentError> {
        let rules = self
            .tool
            .access
            .as_ref()
            .map(|access| access.config.to_vec())
            .unwrap_or_default();
        Grants::compile(&rules).map_err(|error| {
            let path = format!("conversation.tools.{}.access.config", self.tool.name);
            AgentError::config(path, error.to_string())
        })
    }
}
