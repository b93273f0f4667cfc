//! What the host of turns is told, and why it may not do it.

use std::sync::Arc;

use camino::Utf8PathBuf;
use jp_agent::{
    AnswerError, Broker, ConfiguredInterrupt, Interrupt, Prompt, PromptAnswer, Reception,
    TurnOutcome, WaitingCall,
};
use jp_conversation::{Answerer, ClosedConversation, ConversationId};
use tokio::sync::oneshot;

use super::document::{ConversationDocument, DocumentError};
use crate::{
    runtime::{Assignments, SessionError},
    session::{client::ClientProfile, event::EventSender},
    trust::Vouched,
    wire::Outbox,
};

/// A query to start.
#[derive(Debug)]
pub(crate) struct Query {
    /// The workspace.
    pub(crate) root: Utf8PathBuf,
    /// Who says that the workspace is trusted.
    pub(crate) vouched: Vouched,
    /// The conversation to go on with; none for a new one.
    pub(crate) conversation: Option<ConversationId>,
    /// What to ask.
    pub(crate) text: String,
    /// What is set for the conversation.
    pub(crate) assignments: Assignments,
    /// What the client can do.
    pub(crate) client: ClientProfile,
    /// Whether the server shows the answer itself, since the client does not.
    pub(crate) is_presented: bool,
    /// Where the event loop hears of prompts and settled changes.
    pub(crate) events: EventSender,
    /// Where the client hears of events and prompts.
    pub(crate) outbox: Outbox,
}

/// A conversation that the client has open.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The workspace.
    pub(crate) root: Utf8PathBuf,
    /// The conversation.
    pub(crate) conversation: ConversationId,
    /// What the client can do.
    pub(crate) client: ClientProfile,
    /// Where the event loop hears of prompts.
    pub(crate) events: EventSender,
    /// Where the client hears of prompts.
    pub(crate) outbox: Outbox,
}

/// Why the host did not do something.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostError {
    /// The session or the conversation cannot be opened.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The system refuses a thread.
    #[error("the runtime cannot start: {0}")]
    Runtime(String),
    /// A turn of the conversation is running.
    #[error("`{0}` is busy: wait for its turn to end, or cancel it")]
    Busy(ConversationId),
    /// No turn of the conversation is running.
    #[error("no turn of `{0}` is running")]
    NotRunning(ConversationId),
    /// The answer was discarded.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The conversation cannot be shown.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The host has ended.
    #[error("the runtime has ended")]
    Ended,
}

/// Something that the host is to do.
pub(super) enum Command {
    Start(
        Box<Query>,
        oneshot::Sender<Result<ConversationId, HostError>>,
    ),
    Interrupt(
        ConversationId,
        Interrupt,
        oneshot::Sender<Result<(), HostError>>,
    ),
    Configured(
        ConversationId,
        oneshot::Sender<Result<ConfiguredInterrupt, HostError>>,
    ),
    Cancel(ConversationId, oneshot::Sender<Result<(), HostError>>),
    Answer {
        id: String,
        digest: String,
        answer: Box<PromptAnswer>,
        answerer: Answerer,
        reply: oneshot::Sender<Result<Reception, HostError>>,
    },
    /// The prompt with this id, where it waits.
    Pending(
        String,
        oneshot::Sender<Result<Option<Arc<Prompt>>, HostError>>,
    ),
    /// Approves the calls of a workspace that wait and that a written rule lets run.
    Settle {
        root: Utf8PathBuf,
        allows: Box<dyn Fn(&WaitingCall) -> bool + Send>,
        answerer: Answerer,
        reply: oneshot::Sender<Result<usize, HostError>>,
    },
    CancelProgress(String),
    FoldersChanged(Vec<Utf8PathBuf>),
    Document {
        root: Utf8PathBuf,
        conversation: ConversationId,
        reply: oneshot::Sender<Result<ConversationDocument, HostError>>,
    },
    Recorded(ConversationId, Recorded),
    /// The tool of the call with this id runs.
    Runs(ConversationId, String),
    /// A prompt of this tool waits for a person, or none any more.
    Waits(ConversationId, Option<String>),
    Ended(ConversationId, TurnOutcome, Option<Box<ClosedConversation>>),
    /// The client has a conversation open, in which other processes may run turns.
    Opened(Box<Opened>),
    /// Another process runs a turn in a conversation, and this is its queue of prompts.
    Joined(ConversationId, Broker),
    /// An editor vouches for these workspaces.
    Vouched(Vec<Utf8PathBuf>),
    Leave(oneshot::Sender<()>),
}

/// What the host wants to know of a recorded event.
#[derive(Debug)]
pub(super) enum Recorded {
    /// A call was made.
    Called {
        /// Its id.
        id: String,
        /// The tool.
        tool: String,
    },
    /// A call has its result.
    Answered {
        /// Its id.
        id: String,
    },
    /// The assistant said something.
    Said(String),
    /// Something else.
    Other,
}
