//! The owner of all turns that the language server runs, and of what shows them.
//!
//! ```text
//! jp/query/start, jp/query/interrupt ... --commands--> host --notifications--> jp/conversation/event
//! ```
//!
//! One task owns the sessions, the handles of running turns and the conversation documents by value.
//! It lives on a runtime of its own, so that a turn that writes to disk never delays a keystroke; that runtime starts
//! with the first query or document, and a query is refused before the workspace is trusted.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    sync::{Arc, OnceLock},
};

use camino::Utf8PathBuf;
use jp_agent::{
    AnswerError, Broker, ConfiguredInterrupt, FinishedTurn, Interrupt, PromptAnswer, Reception,
    TurnControl, TurnHandle, TurnOutcome, TurnRequest,
};
use jp_conversation::{ChatRequest, ClosedConversation, ConversationId};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::task::TaskTracker;
use url::Url;

use super::{
    document::{ConversationDocument, DocumentError},
    present,
    progress::Progress,
    sink::{ClientSink, Recorded, tell},
};
use crate::{
    agent::{protocol::TransientEvent, surfaces::attach},
    disk::workspace,
    runtime::{
        Assignments, Session, SessionError, WorkspaceConfig, documents, script_from_environment,
        store,
    },
    session::{client::ClientProfile, event::EventSender},
    trust::{Door, Vouched},
    wire::Outbox,
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
        reply: oneshot::Sender<Result<Reception, HostError>>,
    },
    CancelProgress(String),
    FoldersChanged(Vec<Utf8PathBuf>),
    Document {
        root: Utf8PathBuf,
        conversation: ConversationId,
        reply: oneshot::Sender<Result<ConversationDocument, HostError>>,
    },
    Recorded(ConversationId, Recorded),
    Ended(ConversationId, TurnOutcome, Option<Box<ClosedConversation>>),
    /// The person trusts these folders.
    Trusted(Vec<Utf8PathBuf>),
    Leave(oneshot::Sender<()>),
}

impl AgentHost {
    /// Ends all turns, because the client has gone: nobody can be asked any more, and what runs is cancelled.
    ///
    /// Resolves when everything is on record.
    pub(crate) async fn leave(&self) {
        let Some(commands) = self.commands.get() else {
            return;
        };
        let (reply, done) = oneshot::channel();
        if commands.send(Command::Leave(reply)).is_ok() {
            // A host that ends without an answer has no turns either.
            let _ = done.await;
        }
    }

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

    /// What the config says about an interrupt of a turn at this moment.
    ///
    /// # Errors
    ///
    /// [`HostError::NotRunning`].
    pub(crate) async fn configured(
        &self,
        conversation: ConversationId,
    ) -> Result<ConfiguredInterrupt, HostError> {
        self.ask(|reply| Command::Configured(conversation, reply))
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

    /// Hears that the person trusts these folders, so that what changes in them from then on is known as a change.
    pub(crate) fn trusted(&self, folders: Vec<Utf8PathBuf>) {
        if folders.is_empty() {
            return;
        }
        match self.commands() {
            // A host that has ended starts nothing any more.
            Ok(commands) => drop(commands.send(Command::Trusted(folders))),
            Err(error) => {
                tracing::warn!(%error, "what is trusted is looked at with the first turn");
            }
        }
    }

    /// Cancels the turn that a progress shows. Nothing happens when there is none any more.
    pub(crate) fn cancel_progress(&self, token: &str) {
        if let Some(commands) = self.commands.get() {
            // A host that has ended shows no progress.
            let _ = commands.send(Command::CancelProgress(token.to_owned()));
        }
    }

    /// Ends what runs in workspaces of which no folder is open any more.
    pub(crate) fn folders_changed(&self, open: Vec<Utf8PathBuf>) {
        if let Some(commands) = self.commands.get() {
            // Nothing runs in a host that has ended.
            let _ = commands.send(Command::FoldersChanged(open));
        }
    }

    /// Where the document of a conversation is. It grows from then on as the conversation does.
    ///
    /// # Errors
    ///
    /// [`HostError::Document`] when the conversation cannot be read or the document not be written.
    pub(crate) async fn document(
        &self,
        root: Utf8PathBuf,
        conversation: ConversationId,
    ) -> Result<Url, HostError> {
        let document = self.ask(|reply| Command::Document {
            root,
            conversation,
            reply,
        });
        Ok(document.await?.ready().await?)
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
                documents: BTreeMap::new(),
                started: 0,
                running: TaskTracker::new(),
                closed: BTreeMap::new(),
                messages: Arc::new(Semaphore::new(1)),
                own,
            };
            runtime.block_on(host.run(received));
            runtime.shutdown_background();
        })?;
    Ok(commands)
}

struct Host {
    sessions: BTreeMap<Utf8PathBuf, Session>,
    turns: BTreeMap<ConversationId, Turn>,
    documents: BTreeMap<ConversationId, ConversationDocument>,
    /// How many turns were started, to tell their progresses apart.
    started: u64,
    running: TaskTracker,
    /// The conversation of each workspace that had the last turn, so that the next one need not read it again.
    closed: BTreeMap<Utf8PathBuf, Box<ClosedConversation>>,
    /// What keeps messages with buttons to one at a time.
    messages: Arc<Semaphore>,
    own: mpsc::WeakUnboundedSender<Command>,
}

/// A turn that runs.
pub(super) struct Turn {
    pub(super) handle: TurnHandle,
    pub(super) progress: Option<Progress>,
    pub(super) root: Utf8PathBuf,
    pub(super) client: ClientProfile,
    pub(super) outbox: Outbox,
    pub(super) is_presented: bool,
    /// What the assistant said last.
    pub(super) words: Option<String>,
}

impl Host {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        while let Some(command) = commands.recv().await {
            self.obey(command).await;
        }
        self.leave().await;
    }

    /// Ends all turns and waits until they are on record.
    async fn leave(&mut self) {
        // What is refused below is answered to no model any more.
        for turn in self.turns.values() {
            turn.handle.end_after_cycle();
        }
        // Then this: a person who has gone has not cancelled anything.
        for session in self.sessions.values() {
            session.broker.close();
        }
        for turn in self.turns.values() {
            turn.handle.cancel();
        }
        self.running.close();
        self.running.wait().await;
    }

    /// Whoever waits for a reply may have gone, so sending one may fail.
    async fn obey(&mut self, command: Command) {
        match command {
            Command::Start(query, reply) => {
                let _ = reply.send(self.start(*query));
            }
            Command::Interrupt(conversation, interrupt, reply) => {
                let found = self.turn(conversation);
                let _ = reply.send(found.map(|turn| turn.handle.interrupt(interrupt)));
            }
            Command::Configured(conversation, reply) => {
                let found = self.turn(conversation);
                let _ = reply.send(found.map(|turn| turn.handle.configured()));
            }
            Command::Cancel(conversation, reply) => {
                let found = self.turn(conversation);
                let _ = reply.send(found.map(|turn| turn.handle.cancel()));
            }
            Command::CancelProgress(token) => self.cancel_progress(&token),
            Command::FoldersChanged(open) => self.folders_changed(&open),
            Command::Answer {
                id,
                digest,
                answer,
                reply,
            } => {
                let sessions = self.sessions.values();
                let brokers = sessions.map(|session| session.broker.clone()).collect();
                // A queue may be busy with making a prompt; no turn has to wait for that.
                tokio::spawn(async move {
                    let _ = reply.send(settle(brokers, &id, &digest, *answer).await);
                });
            }
            Command::Document {
                root,
                conversation,
                reply,
            } => {
                let _ = reply.send(self.document(&root, conversation));
            }
            Command::Recorded(conversation, recorded) => self.recorded(conversation, recorded),
            Command::Ended(conversation, outcome, closed) => {
                self.ended(conversation, &outcome, closed);
            }
            Command::Trusted(folders) => trusted(&folders),
            Command::Leave(reply) => {
                self.leave().await;
                let _ = reply.send(());
            }
        }
    }

    fn turn(&self, conversation: ConversationId) -> Result<&Turn, HostError> {
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
        let config = session.change(&query.assignments, query.conversation)?;
        let writer = match (query.conversation, self.closed.remove(&query.root)) {
            (Some(id), Some(closed)) if closed.id() == id => session.reopen(*closed)?,
            (conversation, _) => session.open(conversation, &query.text)?,
        };
        let id = writer.conversation().id;
        let (handle, control) = TurnControl::new();
        let runtime = Arc::clone(&session.runtime);
        self.started += 1;
        let progress = query.client.shows_progress().then(|| {
            let token = format!("jp/turn/{id}/{}", self.started);
            Progress::begin(token, &query.text, query.outbox.clone())
        });
        let turn = Turn {
            handle,
            progress,
            root: query.root,
            client: query.client,
            outbox: query.outbox,
            is_presented: query.is_presented,
            words: None,
        };
        self.turns.insert(id, turn);
        let chat = ChatRequest {
            content: query.text,
            ..ChatRequest::default()
        };
        let request = TurnRequest { chat, config };
        let own = self.own.clone();
        let turn = self
            .running
            .spawn(async move { runtime.turn(writer, request, control).await });
        tokio::spawn(async move {
            let (outcome, writer) = match turn.await {
                Ok(FinishedTurn { outcome, writer }) => (outcome, writer),
                Err(error) => {
                    let error = format!("the turn broke off: {error}");
                    (TurnOutcome::Failed { error }, None)
                }
            };
            let closed = writer.map(|writer| Box::new(writer.close()));
            if let Some(own) = own.upgrade() {
                // A host that has ended has no turns to forget.
                let _ = own.send(Command::Ended(id, outcome, closed));
            }
        });
        Ok(id)
    }

    fn session(&self, query: &Query) -> Result<Session, HostError> {
        let sink = Arc::new(ClientSink {
            root: query.root.clone(),
            outbox: query.outbox.clone(),
            host: self.own.clone(),
            events: query.events.clone(),
            is_plain: !query.client.prompts,
        });
        let script = script_from_environment()?;
        let encoding = query.client.encoding;
        let max_cycles = query.client.max_cycles;
        let session = Session::start_for_client(&query.root, encoding, max_cycles, sink, script)?;
        attach(
            &session.broker,
            &self.messages,
            &query.client,
            &query.events,
            &query.outbox,
        );
        Ok(session)
    }

    fn cancel_progress(&self, token: &str) {
        let shown = self.turns.values().find(|turn| {
            let progress = turn.progress.as_ref();
            progress.is_some_and(|progress| progress.token() == token)
        });
        if let Some(turn) = shown {
            turn.handle.cancel();
        }
    }

    /// A turn whose folder was closed is seen by nobody, so it is cancelled; its servers end with it.
    fn folders_changed(&mut self, open: &[Utf8PathBuf]) {
        let open: Vec<Utf8PathBuf> = open
            .iter()
            .filter_map(|folder| workspace::root_of(folder))
            .collect();
        for turn in self.turns.values() {
            if !open.contains(&turn.root) {
                turn.handle.cancel();
            }
        }
        self.sessions.retain(|root, _| open.contains(root));
    }

    fn document(
        &mut self,
        root: &Utf8PathBuf,
        conversation: ConversationId,
    ) -> Result<ConversationDocument, HostError> {
        if let Some(document) = self.documents.get(&conversation) {
            return Ok(document.clone());
        }
        let document = ConversationDocument::new(store(root)?, conversation, &documents(root)?);
        self.documents.insert(conversation, document.clone());
        Ok(document)
    }

    fn recorded(&mut self, conversation: ConversationId, recorded: Recorded) {
        if let Some(document) = self.documents.get(&conversation) {
            document.grow();
        }
        let Some(turn) = self.turns.get_mut(&conversation) else {
            return;
        };
        match (recorded, &turn.progress) {
            (Recorded::Called { id, tool }, Some(progress)) => progress.called(id, tool),
            (Recorded::Answered { id }, Some(progress)) => progress.answered(&id),
            (Recorded::Said(words), _) => turn.words = Some(words),
            _ => {}
        }
    }

    fn ended(
        &mut self,
        conversation: ConversationId,
        outcome: &TurnOutcome,
        closed: Option<Box<ClosedConversation>>,
    ) {
        let Some(turn) = self.turns.remove(&conversation) else {
            return;
        };
        if let Some(closed) = closed {
            self.closed.insert(turn.root.clone(), closed);
        }
        if let Some(progress) = &turn.progress {
            progress.end(match outcome {
                TurnOutcome::Completed => "done",
                TurnOutcome::Cancelled => "cancelled",
                TurnOutcome::Failed { .. } => "failed",
            });
        }
        // The conversation is free by the time the client hears of it.
        let end = TransientEvent::from(outcome).to_json();
        tell(&turn.outbox, conversation, end);
        if turn.is_presented {
            let document = self.document(&turn.root, conversation);
            tokio::spawn(present::answer(turn, outcome.clone(), document));
        }
    }
}

/// Answers the prompt with this id, whichever queue it waits in.
async fn settle(
    brokers: Vec<Broker>,
    id: &str,
    digest: &str,
    answer: PromptAnswer,
) -> Result<Reception, HostError> {
    for broker in brokers {
        match broker.answer(id, digest, answer.clone()).await {
            Err(AnswerError::NotPending { .. }) => {}
            answered => return Ok(answered?),
        }
    }
    Err(AnswerError::NotPending { id: id.to_owned() }.into())
}

/// Notes what the workspaces of these folders start and send when trust is given, where nothing is known yet.
fn trusted(folders: &[Utf8PathBuf]) {
    let roots: BTreeSet<Utf8PathBuf> = folders
        .iter()
        .filter_map(|folder| workspace::root_of(folder))
        .collect();
    for root in roots {
        let config = WorkspaceConfig::new(workspace::roots(&root, &root));
        let noted = Door::new(&root, Vouched::Editor).and_then(|door| door.check(&config));
        if let Err(error) = noted {
            // The next turn refuses, or asks, for the same reason.
            tracing::debug!(%root, %error, "a trusted folder is not what was trusted before");
        }
    }
}
