//! From what a tool returned to what the model may hear of it.
//!
//! ```text
//! success -> validate -> authorize -> ask -> commit buffer, content
//!    ^                       |
//!    `---- run again with context.delta_rejection, at most three times
//! ```

use camino::Utf8PathBuf;
use jp_conversation::{ConversationId, ToolCallRequest};
use jp_tool::DeltaRejection;
use tokio_util::sync::CancellationToken;

use super::{
    Authorization, CycleConfig, Grants, LeafChange, LeafSet, MAXIMUM_REJECTIONS, Rejection,
    authorize, loosens::moved_keys, prompt::prompt,
};
use crate::{
    ConfigSource, EventSink, PromptOutcome, PromptRequest, PromptRule, PromptSubject, PromptTool,
    Prompts, ToolSuccess,
};

/// Everything that the review of one tool call's config changes needs to know.
#[derive(Debug, Clone)]
pub struct DeltaReview<'a> {
    /// The conversation.
    pub conversation: ConversationId,
    /// The absolute path of the workspace.
    pub root: Utf8PathBuf,
    /// The tool call.
    pub tool: PromptTool,
    /// The tool's `access.config` rules.
    pub grants: &'a Grants,
    /// The config as of the start of the cycle.
    pub base: &'a CycleConfig,
    /// The calls of this conversation, for what a change would have meant for them.
    pub calls: &'a [ToolCallRequest],
    /// Where a person is asked.
    pub prompts: &'a dyn Prompts,
    /// Who hears notices.
    pub sink: &'a dyn EventSink,
    /// Where rules stand.
    pub source: &'a dyn ConfigSource,
}

/// What becomes of what a tool returned.
#[derive(Debug, Clone, PartialEq)]
pub enum DeltaOutcome {
    /// The content goes on to the tool's result mode.
    Delivered {
        /// What the model gets to read, subject to the result mode.
        content: String,
        /// The approved changes, for the cycle's [`CommitBuffer`](super::CommitBuffer).
        change: Option<LeafSet>,
    },
    /// The tool runs again, with the same arguments, answers and options, and with why its proposal failed.
    RunAgain(DeltaRejection),
    /// The call failed; the text is what the model is told.
    Failed(String),
    /// The call was cancelled.
    Cancelled,
}

/// The verdict on one proposal.
enum Verdict {
    Accepted(LeafSet),
    Rejected(Rejection),
    Cancelled,
}

/// Drops the config changes of a tool that cannot make any: only local tools can (RFD 078, "Structured Outcome
/// Transport").
///
/// `source` says what kind of tool it is, for the log.
#[must_use]
pub fn without_changes(success: ToolSuccess, tool: &str, source: &str) -> ToolSuccess {
    if success.proposes_change() {
        tracing::warn!(
            tool,
            source,
            "only local tools can change the config; `config` and `unset` of the outcome are dropped"
        );
    }
    ToolSuccess::content(success.content)
}

impl DeltaReview<'_> {
    /// Judges the config changes of a local tool that did its work (RFD 078, "Interaction with Result Mode", step 2).
    ///
    /// `rejections` is how often the tool was told to run again; each time counts, whatever was wrong.
    /// Nothing of an outcome is handed back before its changes are settled.
    pub async fn judge(
        &self,
        success: ToolSuccess,
        rejections: u8,
        cancel: &CancellationToken,
    ) -> DeltaOutcome {
        if cancel.is_cancelled() {
            return DeltaOutcome::Cancelled;
        }
        if !success.proposes_change() {
            return delivered(success, None);
        }
        let rejection = match self.verdict(&success, cancel).await {
            Verdict::Accepted(leaves) => {
                let change = (!leaves.is_empty()).then_some(leaves);
                return delivered(success, change);
            }
            Verdict::Cancelled => return DeltaOutcome::Cancelled,
            Verdict::Rejected(rejection) => rejection,
        };
        if rejections >= MAXIMUM_REJECTIONS {
            let notice = Rejection::exhausted_notice(&self.tool.name);
            self.sink.notice(self.conversation, &notice);
            return DeltaOutcome::Failed(rejection.exhausted_message(&self.tool.name));
        }
        let notice = rejection.notice(&self.tool.name);
        self.sink.notice(self.conversation, &notice);
        DeltaOutcome::RunAgain(rejection.for_tool())
    }

    async fn verdict(&self, success: &ToolSuccess, cancel: &CancellationToken) -> Verdict {
        let leaves = match LeafSet::read(self.base, success.config.as_ref(), &success.unset) {
            Ok(leaves) => leaves,
            Err(problems) => return Verdict::Rejected(Rejection::Invalid(problems)),
        };
        let authorization = authorize(&leaves, self.grants);
        if !authorization.is_granted() {
            return Verdict::Rejected(Rejection::of(authorization));
        }
        if !authorization.needs_ask || leaves.is_empty() {
            return Verdict::Accepted(leaves);
        }
        self.ask(leaves, &authorization, cancel).await
    }

    async fn ask(
        &self,
        leaves: LeafSet,
        authorization: &Authorization,
        cancel: &CancellationToken,
    ) -> Verdict {
        let request = PromptRequest {
            conversation: self.conversation,
            root: self.root.clone(),
            tool: self.tool.clone(),
            rule: authorization.asking_rule.map(|index| self.rule(index)),
            note: None,
            subject: PromptSubject::Delta(prompt(&leaves, self.base, self.calls)),
        };
        let fields = || leaves.changes().iter().map(LeafChange::name).collect();
        match self.prompts.ask(request, cancel.clone()).await {
            PromptOutcome::Approved { .. } => {
                self.allow_keys(&leaves);
                Verdict::Accepted(leaves)
            }
            PromptOutcome::Rejected { reason, .. } => Verdict::Rejected(Rejection::User {
                fields: fields(),
                reason,
            }),
            PromptOutcome::Unavailable { reason } => {
                tracing::info!(tool = %self.tool.name, %reason, "a config change could not be confirmed");
                Verdict::Rejected(Rejection::Unavailable { fields: fields() })
            }
            PromptOutcome::Withdrawn => Verdict::Cancelled,
            // What is no approval is none.
            PromptOutcome::Cancelled
            | PromptOutcome::Edited { .. }
            | PromptOutcome::Answered { .. } => Verdict::Rejected(Rejection::User {
                fields: fields(),
                reason: None,
            }),
        }
    }

    /// Keeps that the keys may go where the approved prompt said.
    fn allow_keys(&self, leaves: &LeafSet) {
        let base = self.base.value();
        for key in moved_keys(base, &leaves.view(base)) {
            if let Err(error) = self.source.allow_key(&key) {
                // It is then asked once more, before the key is sent.
                tracing::warn!(%error, "a consent cannot be kept");
            }
        }
    }

    fn rule(&self, index: usize) -> PromptRule {
        let path = [
            "conversation",
            "tools",
            self.tool.name.as_str(),
            "access",
            "config",
        ];
        PromptRule {
            index: Some(index),
            place: self.source.place(&path, Some(index)),
            rules: Vec::new(),
        }
    }
}

fn delivered(success: ToolSuccess, change: Option<LeafSet>) -> DeltaOutcome {
    DeltaOutcome::Delivered {
        content: success.content,
        change,
    }
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
