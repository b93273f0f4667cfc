//! Where processes of one person meet: nowhere, since this system has no sockets that know who connects.
//!
//! ```text
//! each process shows its own prompts
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::Broker;
use jp_conversation::ConversationId;

/// The prompts of a turn for other processes; there is none.
#[derive(Debug)]
pub(crate) struct Meeting;

impl Meeting {
    /// None: the prompts are shown here alone.
    pub(crate) const fn open(_: &Utf8Path, _: ConversationId, _: &Broker) -> Option<Self> {
        None
    }
}

/// Whoever would show the prompts of other processes.
#[derive(Debug)]
pub(crate) struct Following;

/// Calls `joined` never.
pub(crate) fn follow(
    _: Utf8PathBuf,
    _: ConversationId,
    _: impl Fn(Broker) + Send + 'static,
) -> Following {
    Following
}
