//! The config change that a tool proposes with its result (RFD 078).
//!
//! ```json
//! {"type": "success", "content": "The model is strong.", "config": {"assistant": {"model": {"id": "strong"}}}}
//! ```

use std::sync::{Mutex, PoisonError};

use futures::FutureExt as _;
use jp_conversation::{Conversation, EventKind, ToolCallRequest};

use super::{Attempt, CallResult, Cycle, Ran, Running};
use crate::delta::{DeltaOutcome, DeltaReview, Grants};
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

fn recorded_calls(conversation: &Conversation) -> Vec<ToolCallRequest> {
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
        // One run at a time; the lock lets the runs share their answers.
        let attempt = tokio::sync::Mutex::new(attempt);
        let ended: Mutex<Option<Result<CallResult, AgentError>>> = Mutex::default();
        let end = |result| {
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Execution::Cancelled
        };
        let rerun = |rejection| {
            let (attempt, end) = (&attempt, &end);
            async move {
                let mut attempt = attempt.lock().await;
                attempt.run.delta_rejection = Some(rejection);
                match self.execute(&mut attempt).await {
                    Ok(Ran::Finished(execution)) => execution,
                    Ok(Ran::Ended(result)) => end(Ok(result)),
                    Err(error) => end(Err(error)),
                }
            }
            .boxed()
        };
        let outcome = review.process_outcome(success, self.cancel, rerun).await;
        if let Some(ended) = ended.into_inner().unwrap_or_else(PoisonError::into_inner) {
            sink.change_rejected(record.id(), &review.tool);
            return ended.map(Settled::Ended);
        }
        let is_approved =
            matches!(&outcome, DeltaOutcome::Delivered { change, .. } if change.is_some());
        if !is_approved {
            sink.change_rejected(record.id(), &review.tool);
        }
        Ok(match outcome {
            DeltaOutcome::Delivered { content, change } => {
                if let Some(leaves) = change {
                    self.cycle.buffer().push(self.call.index, leaves);
                }
                Settled::Delivered(CallResult::ok(content))
            }
            DeltaOutcome::Failed(error) => Settled::Delivered(CallResult::error(error)),
            DeltaOutcome::Cancelled => Settled::Ended(CallResult::cancelled()),
        })
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
