//! Everything that can happen to the server, in one closed set.
//!
//! ```json
//! { "method": "textDocument/didChange", "params": {} }   // becomes Event::Notify
//! ```

use std::sync::Arc;

use camino::Utf8PathBuf;
use jp_agent::{Prompt, WaitingCall};
use jp_conversation::ConversationId;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    client::ClientProfile,
    documents::FileKey,
    error::{Cancelled, RequestError},
    record::Record,
    since_head::SinceHead,
};
use crate::agent::{approved::SettledChange, rules::WrittenRule};

/// One thing that happened. Events are handled one after another, in the order in which they were sent.
#[derive(Debug)]
pub(crate) enum Event {
    /// The client introduced itself. The first event, exactly once.
    Initialize(Box<ClientProfile>),
    /// The client told something.
    Notify {
        /// The method.
        method: String,
        /// The parameters; null when there are none.
        params: Value,
    },
    /// The client asked something.
    Ask {
        /// The method.
        method: String,
        /// The parameters; null when there are none.
        params: Value,
        /// Cancelled when the client does not want the answer any more.
        cancelled: CancellationToken,
        /// Where the answer goes.
        reply: oneshot::Sender<Result<Value, RequestError>>,
    },
    /// The server's own watch saw these paths change; none means that it lost count and everything may have changed.
    FileChanged(Vec<Utf8PathBuf>),
    /// No file changed for a moment.
    FilesSettled,
    /// The analysis of a generation ended.
    Computed {
        /// The generation that it was made for.
        generation: u64,
        /// How it ended.
        outcome: Outcome,
    },
    /// These diagnostics were handed to a client that asked for them.
    Delivered {
        /// The generation that they were made for.
        generation: u64,
        /// The files with their result ids.
        reports: Vec<(FileKey, String)>,
    },
    /// The client was given a document that has no file.
    ContentGiven {
        /// Its address.
        uri: Url,
        /// The generation that it was made for.
        generation: u64,
    },
    /// Recorded calls were judged by other rules, or there are others.
    Recorded(Arc<Record>),
    /// What was recorded may be read again.
    RecordSettled,
    /// What is saved was compared with the last commit.
    Compared(Arc<SinceHead>),
    /// There may be another last commit.
    HeadSettled,
    /// The client answered `workspace/diagnostic/refresh`.
    Refreshed,
    /// A prompt waits for a person.
    PromptShown(Arc<Prompt>),
    /// The prompt with this id waits no more.
    PromptResolved(String),
    /// A person has decided about the config change of a call.
    ChangeSettled(SettledChange),
    /// An approved config change was written into a file.
    ChangeKept {
        /// The conversation.
        conversation: ConversationId,
        /// The call that proposed it.
        call: String,
    },
    /// A rule was written into the config because a person chose it.
    RuleWritten(WrittenRule),
    /// A turn begins in a workspace that lies below an open folder.
    WorkspaceUsed(Utf8PathBuf),
    /// A call would wait for a person: whether a rule that was written lets it run.
    MayRun {
        /// The call.
        call: Box<WaitingCall>,
        /// Where the answer goes.
        reply: oneshot::Sender<bool>,
    },
    /// The first load takes long enough to show progress.
    LoadIsSlow,
    /// The client answered `window/workDoneProgress/create`.
    ProgressCreated {
        /// Whether it agreed.
        accepted: bool,
    },
    /// The analysis tells how far it is.
    Progress {
        /// The generation that is analysed.
        generation: u64,
        /// What it is doing.
        message: String,
        /// How much of it is done.
        percentage: Option<u32>,
    },
}

/// How an analysis ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    /// Its result is there.
    Done,
    /// A later edit made it useless.
    Cancelled,
    /// It panicked; nothing is known about this generation.
    Panicked,
}

impl Outcome {
    /// The outcome of work on another thread, whose error says that it panicked there.
    pub(crate) fn of<P>(done: &Result<Result<(), Cancelled>, P>) -> Self {
        match done {
            Ok(Ok(())) => Self::Done,
            Ok(Err(Cancelled)) => Self::Cancelled,
            Err(_) => Self::Panicked,
        }
    }
}

/// The way into the event loop; sending never waits.
#[derive(Clone, Debug)]
pub(crate) struct EventSender {
    queue: mpsc::UnboundedSender<Event>,
}

impl EventSender {
    /// A queue of events.
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (queue, events) = mpsc::unbounded_channel();
        (Self { queue }, events)
    }

    /// Sends `event`; nothing happens when the loop has ended.
    pub(crate) fn send(&self, event: Event) {
        // The loop ends only with the server, and then nobody is left to tell.
        let _ = self.queue.send(event);
    }
}
