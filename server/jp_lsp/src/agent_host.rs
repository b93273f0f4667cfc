//! The owner of all turns that the language server runs.
//!
//! ```text
//! jp/query/start, jp/query/interrupt ... --commands--> host --notifications--> jp/conversation/event
//! ```
//!
//! One task owns the sessions and the handles of running turns by value.
//! It lives on a runtime of its own, so that a turn that writes to disk never delays a keystroke; that runtime starts
//! with the first query, and a query is refused before the workspace is trusted.

use std::{
    collections::BTreeMap,
    fmt, io,
    sync::{Arc, OnceLock},
};

use camino::Utf8PathBuf;
use jp_agent::{
    AnswerError, EventSink, Interrupt, PromptAnswer, Reception, TurnControl, TurnHandle,
    TurnOutcome,
};
use jp_conversation::{ChatRequest, ConversationEvent, ConversationId};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::{
    client::ClientProfile,
    commands::query::outcome_json,
    features::{
        agent::{ConversationNotification, NoticeNotification},
        prompts::{PendingPrompts, attach},
    },
    outbox::Outbox,
    runtime::{Session, SessionError, script_from_environment},
};

/// The way to the host. Cheap to clone; the host starts with the first command.
#[derive(Clone, Default)]
pub(crate) struct AgentHost {
    commands: Arc<OnceLock<mpsc::UnboundedSender<Command>>>,
}

impl fmt::Debug for AgentHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AgentHost")
            .field("started", &self.commands.get().is_some())
            .finish()
    }
}

/// A query to start.
#[derive(Debug)]
pub(crate) struct Query {
    /// The workspace, which the person trusts.
    pub(crate) root: Utf8PathBuf,
    /// The conversation to go on with; none for a new one.
    pub(crate) conversation: Option<ConversationId>,
    /// What to ask.
    pub(crate) text: String,
    /// What the client can do.
    pub(crate) client: ClientProfile,
    /// The board of prompts that every client has.
    pub(crate) pending: PendingPrompts,
    /// Where events and prompts go.
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
    /// The host has ended.
    #[error("the runtime has ended")]
    Ended,
}

enum Command {
    Start(
        Box<Query>,
        oneshot::Sender<Result<ConversationId, HostError>>,
    ),
    Interrupt(
        ConversationId,
        Interrupt,
        oneshot::Sender<Result<(), HostError>>,
    ),
    Cancel(ConversationId, oneshot::Sender<Result<(), HostError>>),
    Answer {
        id: String,
        digest: String,
        answer: Box<PromptAnswer>,
        reply: oneshot::Sender<Result<Reception, HostError>>,
    },
    Ended(ConversationId),
}

impl AgentHost {
    /// Starts a turn; answers the conversation's id at once.
    ///
    /// # Errors
    ///
    /// [`HostError`].
    pub(crate) async fn start(&self, query: Query) -> Result<ConversationId, HostError> {
        self.ask(|reply| Command::Start(Box::new(query), reply))
            .await
    }

    /// Interrupts a turn.
    ///
    /// # Errors
    ///
    /// [`HostError::NotRunning`].
    pub(crate) async fn interrupt(
        &self,
        conversation: ConversationId,
        interrupt: Interrupt,
    ) -> Result<(), HostError> {
        self.ask(|reply| Command::Interrupt(conversation, interrupt, reply))
            .await
    }

    /// Cancels a turn.
    ///
    /// # Errors
    ///
    /// [`HostError::NotRunning`].
    pub(crate) async fn cancel(&self, conversation: ConversationId) -> Result<(), HostError> {
        self.ask(|reply| Command::Cancel(conversation, reply)).await
    }

    /// Answers a prompt, wherever it waits.
    ///
    /// # Errors
    ///
    /// [`HostError::Answer`] when no prompt with this id and digest waits.
    pub(crate) async fn answer(
        &self,
        id: String,
        digest: String,
        answer: PromptAnswer,
    ) -> Result<Reception, HostError> {
        self.ask(|reply| Command::Answer {
            id,
            digest,
            answer: Box::new(answer),
            reply,
        })
        .await
    }

    async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, HostError>>) -> Command,
    ) -> Result<T, HostError> {
        let (reply, answered) = oneshot::channel();
        self.commands()?
            .send(command(reply))
            .map_err(|_| HostError::Ended)?;
        answered.await.unwrap_or(Err(HostError::Ended))
    }

    fn commands(&self) -> Result<&mpsc::UnboundedSender<Command>, HostError> {
        if let Some(commands) = self.commands.get() {
            return Ok(commands);
        }
        let started = spawn().map_err(|error| HostError::Runtime(error.to_string()))?;
        // Two first commands at once start two hosts; the one that lost ends with its sender.
        Ok(self.commands.get_or_init(|| started))
    }
}

/// Starts the host on a thread of its own.
fn spawn() -> io::Result<mpsc::UnboundedSender<Command>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("agent")
        .enable_all()
        .build()?;
    let (commands, received) = mpsc::unbounded_channel();
    let own = commands.downgrade();
    std::thread::Builder::new()
        .name("agent-host".to_owned())
        .spawn(move || {
            let host = Host {
                sessions: BTreeMap::new(),
                turns: BTreeMap::new(),
                own,
            };
            runtime.block_on(host.run(received));
            runtime.shutdown_background();
        })?;
    Ok(commands)
}

struct Host {
    sessions: BTreeMap<Utf8PathBuf, Session>,
    turns: BTreeMap<ConversationId, TurnHandle>,
    own: mpsc::WeakUnboundedSender<Command>,
}

impl Host {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        while let Some(command) = commands.recv().await {
            match command {
                Command::Start(query, reply) => {
                    let _ = reply.send(self.start(*query));
                }
                Command::Interrupt(conversation, interrupt, reply) => {
                    let found = self.turn(conversation);
                    let _ = reply.send(found.map(|turn| turn.interrupt(interrupt)));
                }
                Command::Cancel(conversation, reply) => {
                    let found = self.turn(conversation);
                    let _ = reply.send(found.map(TurnHandle::cancel));
                }
                Command::Answer {
                    id,
                    digest,
                    answer,
                    reply,
                } => {
                    let _ = reply.send(self.answer(&id, &digest, *answer).await);
                }
                Command::Ended(conversation) => {
                    self.turns.remove(&conversation);
                }
            }
        }
        for turn in self.turns.values() {
            turn.cancel();
        }
    }

    fn turn(&self, conversation: ConversationId) -> Result<&TurnHandle, HostError> {
        self.turns
            .get(&conversation)
            .ok_or(HostError::NotRunning(conversation))
    }

    fn start(&mut self, query: Query) -> Result<ConversationId, HostError> {
        if let Some(id) = query.conversation
            && self.turns.contains_key(&id)
        {
            return Err(HostError::Busy(id));
        }
        if !self.sessions.contains_key(&query.root) {
            let session = self.session(&query)?;
            self.sessions.insert(query.root.clone(), session);
        }
        let session = self.sessions.get(&query.root).ok_or(HostError::Ended)?;
        let writer = session.open(query.conversation)?;
        let id = writer.conversation().id;
        let (handle, control) = TurnControl::new();
        self.turns.insert(id, handle);
        let request = ChatRequest {
            content: query.text,
            ..ChatRequest::default()
        };
        let runtime = Arc::clone(&session.runtime);
        let own = self.own.clone();
        tokio::spawn(async move {
            runtime.turn(writer, request, control).await;
            if let Some(own) = own.upgrade() {
                // A host that has ended has no turns to forget.
                let _ = own.send(Command::Ended(id));
            }
        });
        Ok(id)
    }

    fn session(&self, query: &Query) -> Result<Session, HostError> {
        let sink = Arc::new(ClientSink {
            outbox: query.outbox.clone(),
        });
        let script = script_from_environment()?;
        let session = Session::start(&query.root, &query.root, sink, script)?;
        attach(
            &query.pending,
            &session.broker,
            &query.client,
            &query.outbox,
        );
        Ok(session)
    }

    async fn answer(
        &self,
        id: &str,
        digest: &str,
        answer: PromptAnswer,
    ) -> Result<Reception, HostError> {
        let mut refused = HostError::Ended;
        for session in self.sessions.values() {
            match session.broker.answer(id, digest, answer.clone()).await {
                Ok(reception) => return Ok(reception),
                Err(error) => refused = error.into(),
            }
        }
        Err(refused)
    }
}

/// Tells the client what happens in a turn.
#[derive(Debug)]
struct ClientSink {
    outbox: Outbox,
}

impl ClientSink {
    fn send(&self, conversation: ConversationId, event: &Value) {
        let params = json!({ "conversation": conversation.to_string(), "event": event });
        self.outbox.notify::<ConversationNotification>(params);
    }
}

impl EventSink for ClientSink {
    fn committed(&self, conversation: ConversationId, event: &ConversationEvent) {
        self.send(conversation, &event.to_json());
    }

    fn delta_text(&self, conversation: ConversationId, text: &str) {
        self.send(conversation, &json!({ "type": "delta_text", "text": text }));
    }

    fn notice(&self, conversation: ConversationId, text: &str) {
        self.outbox.notify::<NoticeNotification>(
            json!({ "conversation": conversation.to_string(), "text": text }),
        );
    }

    fn turn_end(&self, conversation: ConversationId, outcome: &TurnOutcome) {
        self.send(conversation, &outcome_json(outcome));
    }
}
