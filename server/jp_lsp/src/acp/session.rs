//! One session: a conversation that a client has open, and the turn that runs in it.

use agent_client_protocol::{
    Error,
    v1::{Responder, schema::PromptResponse},
};
use jp_agent::TurnHandle;
use jp_conversation::{ClosedConversation, ConversationId};
use tokio_util::sync::CancellationToken;

use super::{calls::Calls, workspaces::Place};
use crate::runtime::meeting::{Following, Meeting};

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    /// Its id, as the client knows it.
    pub(super) id: String,
    /// Where it works.
    pub(super) place: Place,
    /// The conversation that is written to; another than the id says for a copy of one of `jp`'s.
    pub(super) conversation: ConversationId,
    /// The conversation as the last turn has left it, so that the next one need not read it again.
    pub(super) closed: Option<Box<ClosedConversation>>,
    /// Whether nothing was ever said in it.
    pub(super) is_empty: bool,
    /// Whether the client has closed it, so that it is forgotten when its turn is over.
    pub(super) is_closing: bool,
    /// The calls, as the client knows them.
    pub(super) calls: Calls,
    /// The model that holds from the next prompt on.
    pub(super) model: Option<String>,
    /// The same, for as long as it has not been recorded.
    pub(super) unrecorded_model: Option<String>,
    /// What is to be told with the next prompt.
    pub(super) notice: Option<String>,
    /// What shows the prompts of turns that other processes run in the conversation.
    pub(super) following: Option<Following>,
    /// The turn that runs.
    pub(super) turn: Option<Turn>,
}

/// A turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) handle: TurnHandle,
    /// Who waits for its end.
    pub(super) responder: Responder<PromptResponse>,
    /// The conversation of `jp` that its conversation was made from for it.
    pub(super) copied_from: Option<ConversationId>,
    /// Cancelled when the turn is over.
    pub(super) over: CancellationToken,
    /// What shows its prompts to other processes.
    pub(super) meeting: Option<Meeting>,
}

impl Session {
    /// A session of a conversation in which nothing runs.
    pub(super) fn new(id: ConversationId, place: Place) -> Self {
        Self {
            id: id.to_string(),
            place,
            conversation: id,
            closed: None,
            is_empty: false,
            is_closing: false,
            calls: Calls::default(),
            model: None,
            unrecorded_model: None,
            notice: None,
            following: None,
            turn: None,
        }
    }

    /// Whether nothing runs in it.
    ///
    /// # Errors
    ///
    /// Where a turn runs, an invalid request.
    pub(super) fn is_free(&self) -> Result<(), Error> {
        match self.turn {
            None => Ok(()),
            Some(_) => Err(Error::new(
                -32600,
                format!(
                    "`{}` is busy: wait for its turn to end, or cancel it",
                    self.id
                ),
            )),
        }
    }
}
