//! What the owner of all sessions is told, by the client, by turns and by prompts.

use std::sync::Arc;

use agent_client_protocol::{
    Error,
    v1::{
        Responder,
        schema::{
            CloseSessionRequest, CloseSessionResponse, DeleteSessionRequest, DeleteSessionResponse,
            InitializeRequest, InitializeResponse, ListSessionsRequest, ListSessionsResponse,
            LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse,
            PromptRequest, PromptResponse, ResumeSessionRequest, ResumeSessionResponse,
            SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
            SetSessionModeResponse,
        },
    },
};
use jp_agent::{FinishedTurn, Prompt, Resolution};
use jp_conversation::ConversationId;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

/// Something that the owner of the sessions is to do.
#[derive(Debug)]
pub(super) enum Command {
    Initialize(Box<InitializeRequest>, Responder<InitializeResponse>),
    New(Box<NewSessionRequest>, Responder<NewSessionResponse>),
    Load(Box<LoadSessionRequest>, Responder<LoadSessionResponse>),
    Resume(Box<ResumeSessionRequest>, Responder<ResumeSessionResponse>),
    List(Box<ListSessionsRequest>, Responder<ListSessionsResponse>),
    Close(CloseSessionRequest, Responder<CloseSessionResponse>),
    Delete(DeleteSessionRequest, Responder<DeleteSessionResponse>),
    SetMode(SetSessionModeRequest, Responder<SetSessionModeResponse>),
    SetOption(
        Box<SetSessionConfigOptionRequest>,
        Responder<SetSessionConfigOptionResponse>,
    ),
    Prompt(Box<PromptRequest>, Responder<PromptResponse>),
    Cancel(String),
    /// A turn says something.
    Heard(ConversationId, Heard),
    /// A turn is over, and its conversation can be written again where it has a writer.
    Ended(ConversationId, Box<FinishedTurn>),
    /// A prompt is about to be shown.
    Show(Arc<Prompt>, oneshot::Sender<Option<Shown>>),
    /// A prompt waits no more.
    Resolved(Arc<Prompt>, Resolution),
}

/// What a turn says.
#[derive(Debug)]
pub(super) enum Heard {
    /// The model goes on speaking.
    Text(String),
    /// The model has thought.
    Thought(String),
    /// The model has answered with data.
    Data(Value),
    /// A call is being decided about.
    Deciding {
        id: String,
        name: String,
        arguments: Option<Map<String, Value>>,
    },
    /// The tool of a call runs.
    Running { id: String },
    /// A call has its result.
    Finished {
        id: String,
        content: String,
        is_error: bool,
    },
    /// Something to tell that is no part of the conversation.
    Notice(String),
}

/// Where a prompt is shown.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    /// The session.
    pub(super) session: String,
    /// The call, as the client knows it.
    pub(super) call: String,
}

/// The way to the owner of the sessions. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Commands {
    sender: mpsc::UnboundedSender<Command>,
}

impl Commands {
    /// The way, and its end.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<Command>) {
        let (sender, received) = mpsc::unbounded_channel();
        (Self { sender }, received)
    }

    /// Sends a command.
    ///
    /// # Errors
    ///
    /// When the owner has ended.
    pub(super) fn send(&self, command: Command) -> Result<(), Error> {
        self.sender
            .send(command)
            .map_err(|_| Error::internal_error().data("the agent has ended"))
    }

    /// Passes on what a turn says; an owner that has ended tells nobody.
    pub(super) fn hear(&self, conversation: ConversationId, heard: Heard) {
        let _ = self.send(Command::Heard(conversation, heard));
    }

    /// Where a prompt is to be shown; nowhere when no session has its conversation.
    pub(super) async fn show(&self, prompt: &Arc<Prompt>) -> Option<Shown> {
        let (reply, shown) = oneshot::channel();
        self.send(Command::Show(Arc::clone(prompt), reply)).ok()?;
        shown.await.ok().flatten()
    }

    /// Passes on that a prompt waits no more.
    pub(super) fn resolved(&self, prompt: &Arc<Prompt>, resolution: Resolution) {
        let _ = self.send(Command::Resolved(Arc::clone(prompt), resolution));
    }

    /// Cancels the turn of a session.
    pub(super) fn cancel(&self, session: &str) {
        let _ = self.send(Command::Cancel(session.to_owned()));
    }
}
