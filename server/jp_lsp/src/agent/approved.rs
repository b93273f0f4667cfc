//! The config changes of tools that were settled since the server started.
//!
//! ```text
//! jp-c17636666521 call_2 switch_model: approved, {"assistant": {"model": {"id": {"name": "opus"}}}}
//! ```

use std::{collections::VecDeque, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::{ConfigDelta, ConversationId, visible};
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Command};
use serde_json::Value;
use tokio::sync::watch;
use url::Url;

use crate::features::keep::{KEEP, argument};

/// How many changes are remembered, the latest ones.
const MAXIMUM_CHANGES: usize = 64;

/// How many bytes of changes are remembered.
const MAXIMUM_BYTES: usize = 8 << 20;

/// How many changes one file is offered, the latest ones.
const MAXIMUM_OFFERS: usize = 5;

/// A config change that a call proposed, and what came of it.
#[derive(Debug, Clone)]
pub(crate) struct SettledChange {
    /// The workspace.
    pub(crate) root: Utf8PathBuf,
    /// The conversation.
    pub(crate) conversation: ConversationId,
    /// The call.
    pub(crate) call: String,
    /// The tool.
    pub(crate) tool: String,
    /// What was approved; nothing when it was rejected.
    pub(crate) approved: Option<ConfigDelta>,
    /// Whether it was written into a file.
    pub(crate) is_kept: bool,
}

/// Why a change cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnknownChange {
    /// Nothing is known of the call.
    #[error(
        "no config change of call `{call}` in `{conversation}` is known: one can be kept once it was approved and its \
         cycle has ended, until the server ends"
    )]
    NotFound {
        /// The conversation.
        conversation: ConversationId,
        /// The call.
        call: String,
    },
    /// The change was not approved.
    #[error("the config change of call `{call}` was not approved, so there is nothing to keep")]
    Rejected {
        /// The call.
        call: String,
    },
}

/// The changes of all workspaces. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct ApprovedChanges {
    ledger: watch::Sender<Ledger>,
}

#[derive(Debug, Default)]
struct Ledger {
    changes: VecDeque<(usize, Arc<SettledChange>)>,
    bytes: usize,
}

impl ApprovedChanges {
    /// Notes what came of a change; what was known of the same call is forgotten.
    pub(crate) fn settle(&self, change: SettledChange) {
        let size = size(&change);
        self.ledger.send_modify(|ledger| {
            ledger.forget(|known| {
                known.conversation == change.conversation && known.call == change.call
            });
            ledger.bytes += size;
            ledger.changes.push_back((size, Arc::new(change)));
            while ledger.changes.len() > MAXIMUM_CHANGES || ledger.bytes > MAXIMUM_BYTES {
                let Some((size, _)) = ledger.changes.pop_front() else {
                    break;
                };
                ledger.bytes -= size;
            }
        });
    }

    /// The approved change of a call.
    ///
    /// # Errors
    ///
    /// [`UnknownChange`].
    pub(crate) fn find(
        &self,
        conversation: ConversationId,
        call: &str,
    ) -> Result<Arc<SettledChange>, UnknownChange> {
        let ledger = self.ledger.borrow();
        let mut known = ledger.changes.iter().map(|(_, change)| change);
        let found = known
            .rfind(|change| change.conversation == conversation && change.call == call)
            .ok_or_else(|| UnknownChange::NotFound {
                conversation,
                call: visible(call).into_owned(),
            })?;
        match &found.approved {
            Some(_) => Ok(Arc::clone(found)),
            None => Err(UnknownChange::Rejected {
                call: visible(call).into_owned(),
            }),
        }
    }

    /// Notes that a change was written into a file, so that it is offered no more.
    pub(crate) fn kept(&self, conversation: ConversationId, call: &str) {
        self.ledger.send_modify(|ledger| {
            for (_, change) in &mut ledger.changes {
                if change.conversation == conversation && change.call == call {
                    Arc::make_mut(change).is_kept = true;
                }
            }
        });
    }

    /// The actions that keep the latest changes of the workspace that `path` lies in.
    pub(crate) fn code_actions(&self, uri: &Url, path: &Utf8Path) -> Vec<CodeActionOrCommand> {
        let ledger = self.ledger.borrow();
        let offered = ledger.changes.iter().rev().map(|(_, change)| change);
        offered
            .filter(|change| change.approved.is_some() && !change.is_kept)
            .filter(|change| path.starts_with(&change.root))
            .take(MAXIMUM_OFFERS)
            .filter_map(|change| action(change, uri, path))
            .collect()
    }
}

impl Ledger {
    fn forget(&mut self, is_gone: impl Fn(&SettledChange) -> bool) {
        let bytes = &mut self.bytes;
        self.changes.retain(|(size, change)| {
            let is_gone = is_gone(change);
            if is_gone {
                *bytes -= size;
            }
            !is_gone
        });
    }
}

fn action(change: &SettledChange, uri: &Url, path: &Utf8Path) -> Option<CodeActionOrCommand> {
    let title = format!(
        "Keep what `{}` changed in `{}` ({})",
        visible(&change.tool),
        path.file_name().unwrap_or("this file"),
        visible(&change.call),
    );
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::REFACTOR_REWRITE),
        command: Some(Command {
            title,
            command: KEEP.to_owned(),
            arguments: Some(vec![argument(change.conversation, &change.call, uri)?]),
        }),
        ..CodeAction::default()
    }))
}

/// About how many bytes a change takes.
fn size(change: &SettledChange) -> usize {
    let own = change.root.as_str().len() + change.call.len() + change.tool.len();
    let delta = change.approved.as_ref().map_or(0, |delta| {
        let unsets: usize = delta.unsets.iter().map(String::len).sum();
        let claims: usize = delta.claims.keys().map(String::len).sum();
        Value::Object(delta.delta.clone()).to_string().len() + unsets + claims
    });
    own + delta
}

#[cfg(test)]
#[path = "approved_tests.rs"]
mod tests;
