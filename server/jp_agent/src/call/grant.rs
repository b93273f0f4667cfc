//! The rule that a call lacked, offered to a person (RFD 076).
//!
//! ```toml
//! access.fs = [{ path = "docs", read = true }, { path = "src/a.rs", read = true }]    # the second one after a yes
//! ```
//!
//! Never more than what was refused: one capability on one file, beside what is granted there.
//! A yes is a change of the conversation's config like those that tools propose, and counts from the next cycle on.

use jp_conversation::GrantDecision;
use jp_tool::{FsCapability, FsRule};
use serde_json::{Map, Value, json};

use super::approval::said;
use super::change::recorded_calls;
use super::{CallResult, Cycle, Running};
use crate::delta::{LeafSet, prompt_of_rule};
use crate::prompt::{GrantPrompt, PromptOutcome, PromptRule, PromptSubject};
use crate::refused::{Refusal, in_toml};
use crate::texts;

/// How many rules a tool has at most that is offered one more: a prompt shows all of them.
const MOST_RULES: usize = 100;

/// What a person is asked to grant.
struct Offer {
    refusal: Refusal,
    /// As the config writes it.
    rule: String,
    /// The change of the config.
    leaves: LeafSet,
}

impl Running<'_> {
    /// Asks a person whether the call is to get what it was refused; the result of the call, which has failed all the same.
    pub(super) async fn offer(&self, error: String, refusals: Vec<Refusal>) -> CallResult {
        let Some(offer) = self.first_offer(refusals).await else {
            return CallResult::error(error);
        };
        let Offer {
            refusal: Refusal { capability, path },
            rule,
            leaves,
        } = offer;
        let Cycle {
            answers,
            base,
            record,
            source,
            ..
        } = &**self.cycle;
        let name = &self.call.name;
        let subject = PromptSubject::Grant(Box::new(GrantPrompt {
            capability: capability.as_str().to_owned(),
            path: path.clone(),
            rule: rule.clone(),
            delta: prompt_of_rule(&leaves, base, &record.read(recorded_calls)),
        }));
        let place = source.place(&["conversation", "tools", name, "access", "fs"], None);
        let standing = PromptRule {
            place,
            ..PromptRule::default()
        };
        let reply = self.prompt(subject, standing, None).await;
        let (outcome, by) = said(&reply.outcome);
        self.call.noted().decisions.grant = Some(GrantDecision {
            rule: rule.clone(),
            outcome,
            by,
            answerer: reply.answerer,
        });
        match reply.outcome {
            PromptOutcome::Approved { .. } => {
                self.cycle.buffer().push(self.call.index, leaves);
                let granted = texts::granted(capability, &path);
                CallResult::error(format!("{error}\n\n{granted}"))
            }
            PromptOutcome::Withdrawn => CallResult::cancelled(),
            PromptOutcome::Unavailable { reason } => {
                tracing::info!(tool = name, reason, "nobody to grant what a call lacks");
                CallResult::error(error)
            }
            other => {
                answers.decline_grant(name, &rule);
                let reason = match other {
                    PromptOutcome::Rejected { reason, .. } => reason,
                    // What is no approval is none.
                    _ => None,
                };
                let refused = texts::not_granted(capability, &path, reason.as_deref());
                CallResult::error(format!("{error}\n\n{refused}"))
            }
        }
    }

    /// The first of what was refused that a rule would open, and that nobody was asked about in this turn.
    async fn first_offer(&self, refusals: Vec<Refusal>) -> Option<Offer> {
        let Cycle {
            answers,
            base,
            workspace,
            ..
        } = &**self.cycle;
        let local = self.ready.local.as_ref()?;
        let declared = self.tool.access.as_ref()?.fs.len();
        if declared >= MOST_RULES {
            return None;
        }
        for refusal in refusals {
            let looked = (local.clone(), workspace.clone(), refusal.clone());
            let found = tokio::task::spawn_blocking(move || {
                let (local, workspace, refusal) = looked;
                local.rule_for(&workspace, &refusal)
            });
            let Some(granting) = found.await.ok().flatten() else {
                continue;
            };
            let rule = in_toml(&granting);
            let change = addition(&self.call.name, &granting);
            if let Ok(leaves) = LeafSet::read(base, Some(&change), &[])
                && answers.offers_grant(&self.call.name, &rule)
            {
                return Some(Offer {
                    refusal,
                    rule,
                    leaves,
                });
            }
        }
        None
    }
}

/// The config change that adds a rule behind those of a tool.
fn addition(tool: &str, rule: &FsRule) -> Value {
    let granted = FsCapability::ALL.into_iter();
    let granted = granted.filter(|capability| rule.grants(*capability));
    let mut written = Map::from_iter([("path".to_owned(), rule.path().as_str().into())]);
    written.extend(granted.map(|capability| (capability.as_str().to_owned(), true.into())));
    let list = json!({"value": [written], "strategy": "append"});
    json!({"conversation": {"tools": {tool: {"access": {"fs": list}}}}})
}
