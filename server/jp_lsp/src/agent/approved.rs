//! The config changes of tools that were settled since the server started.
//!
//! ```text
//! jp-c17636666521 call_2 switch_model: approved, {"assistant": {"model": {"id": {"name": "opus"}}}}
//! ```

use std::{collections::VecDeque, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::{ConfigDelta, ConversationId, visible};
use serde_json::Value;

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

/// The changes of all workspaces.
#[derive(Debug, Clone, Default)]
pub(crate) struct ApprovedChanges {
    changes: VecDeque<(usize, Arc<SettledChange>)>,
    bytes: usize,
}

impl ApprovedChanges {
    /// Notes what came of a change; what was known of the same call is forgotten.
    pub(crate) fn settle(&mut self, change: SettledChange) {
        let size = size(&change);
        self.forget(|known| known.conversation == change.conversation && known.call == change.call);
        self.bytes += size;
        self.changes.push_back((size, Arc::new(change)));
        while self.changes.len() > MAXIMUM_CHANGES || self.bytes > MAXIMUM_BYTES {
            let Some((size, _)) = self.changes.pop_front() else {
                break;
            };
            self.bytes -= size;
        }
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
        let mut known = self.changes.iter().map(|(_, change)| change);
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
    pub(crate) fn kept(&mut self, conversation: ConversationId, call: &str) {
        for (_, change) in &mut self.changes {
            if change.conversation == conversation && change.call == call {
                Arc::make_mut(change).is_kept = true;
            }
        }
    }

    /// The latest changes that a file of the workspace that `path` lies in may keep, the latest first.
    pub(crate) fn offered(&self, path: &Utf8Path) -> impl Iterator<Item = &SettledChange> {
        let latest = self.changes.iter().rev().map(|(_, change)| change.as_ref());
        latest
            .filter(|change| change.approved.is_some() && !change.is_kept)
            .filter(move |change| path.starts_with(&change.root))
            .take(MAXIMUM_OFFERS)
    }

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
