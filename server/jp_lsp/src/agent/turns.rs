//! The owner of all turns that the language server runs, and of what shows them.
//!
//! ```text
//! start -> session of the workspace -> turn -> sink, surfaces, progress, document -> ended
//! ```

use std::{collections::BTreeMap, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{
    AnswerError, Broker, FinishedTurn, Prompt, PromptAnswer, Reception, TurnControl, TurnHandle,
    TurnOutcome, TurnRequest,
};
use jp_conversation::{Answerer, ChatRequest, ClosedConversation, ConversationId};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::task::TaskTracker;

use super::{
    command::{Command, HostError, Opened, Query, Recorded},
    document::ConversationDocument,
    present,
    progress::Progress,
    protocol::TransientEvent,
    sink::{ClientSink, tell},
    surfaces::attach,
    waits,
};
use crate::{
    disk::{below::lies_below, workspace},
    runtime::{
        Session, SessionOptions, WorkspaceConfig, documents, kept_copy,
        meeting::{Following, Meeting, follow},
        script_from_environment, store,
    },
    session::{
        client::ClientProfile,
        content::{ContentAddress, GrowingContent},
    },
    trust::{Door, Vouched},
    wire::Outbox,
};

/// Owns the sessions, the handles of running turns and the conversation documents by value.
pub(super) struct Host {
    sessions: BTreeMap<Utf8PathBuf, Hosted>,
    turns: BTreeMap<ConversationId, Turn>,
    documents: BTreeMap<ConversationId, ConversationDocument>,
    /// How many turns were started, to tell their progresses apart.
    started: u64,
    running: TaskTracker,
    /// The conversation of each workspace that had the last turn, so that the next one need not read it again.
    closed: BTreeMap<Utf8PathBuf, Box<ClosedConversation>>,
    /// The copies of conversations of `jp` that came to nothing, with what they were copies of.
    discarded: BTreeMap<ConversationId, ConversationId>,
    /// What keeps messages with buttons to one at a time.
    messages: Arc<Semaphore>,
    /// What shows the prompts of turns that other processes run in open conversations.
    following: BTreeMap<ConversationId, Following>,
    /// The queues of those turns.
    joined: BTreeMap<ConversationId, Broker>,
    own: mpsc::WeakUnboundedSender<Command>,
}

/// The session of a workspace.
struct Hosted {
    session: Session,
    /// Who vouched for the workspace when it began.
    vouched: Vouched,
}

/// A turn that runs.
pub(super) struct Turn {
    pub(super) handle: TurnHandle,
    pub(super) progress: Option<Progress>,
    pub(super) root: Utf8PathBuf,
    pub(super) client: ClientProfile,
    pub(super) outbox: Outbox,
    pub(super) is_presented: bool,
    /// The conversation of `jp` that its conversation was made from for it.
    copied_from: Option<ConversationId>,
    /// What shows its prompts to other processes.
    meeting: Option<Meeting>,
    /// Its conversation as the client may show it.
    content: Option<GrowingContent>,
    /// What the assistant said last.
    pub(super) words: Option<String>,
}

impl Host {
    /// A host that sends commands to itself through `own`.
    pub(super) fn new(own: mpsc::WeakUnboundedSender<Command>) -> Self {
        Self {
            sessions: BTreeMap::new(),
            turns: BTreeMap::new(),
            documents: BTreeMap::new(),
            started: 0,
            running: TaskTracker::new(),
            closed: BTreeMap::new(),
            discarded: BTreeMap::new(),
            messages: Arc::new(Semaphore::new(1)),
            following: BTreeMap::new(),
            joined: BTreeMap::new(),
            own,
        }
    }

    /// Obeys commands until nobody can send any.
    pub(super) async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
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
        for hosted in self.sessions.values() {
            hosted.session.broker.close();
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
                answerer,
                reply,
            } => {
                let brokers = self.brokers();
                // A queue may be busy with making a prompt; no turn has to wait for that.
                tokio::spawn(async move {
                    let _ = reply.send(settle(brokers, &id, &digest, *answer, &answerer).await);
                });
            }
            Command::Pending(id, reply) => {
                let brokers = self.brokers();
                tokio::spawn(async move {
                    let _ = reply.send(Ok(pending(brokers, &id).await));
                });
            }
            Command::Settle {
                root,
                allows,
                answerer,
                reply,
            } => {
                let hosted = self.sessions.get(&root);
                let broker = hosted.map(|hosted| hosted.session.broker.on(answerer));
                tokio::spawn(async move {
                    let settled = match broker {
                        Some(broker) => broker.settle(allows).await,
                        None => 0,
                    };
                    let _ = reply.send(Ok(settled));
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
            Command::Runs(conversation, id) => {
                self.progress(conversation, |progress| progress.runs(&id));
            }
            Command::Waits(conversation, tool) => {
                self.progress(conversation, |progress| progress.waits(tool));
            }
            Command::Ended(conversation, outcome, closed) => {
                self.ended(conversation, &outcome, closed);
            }
            Command::Opened(opened) => self.opened(*opened),
            Command::Joined(conversation, broker) => {
                self.joined.insert(conversation, broker);
            }
            Command::Vouched(roots) => vouched(&roots),
            Command::Leave(reply) => {
                self.leave().await;
                let _ = reply.send(());
            }
        }
    }

    /// All queues of prompts.
    fn brokers(&self) -> Vec<Broker> {
        let sessions = self.sessions.values();
        let own = sessions.map(|hosted| &hosted.session.broker);
        own.chain(self.joined.values()).cloned().collect()
    }

    fn turn(&self, conversation: ConversationId) -> Result<&Turn, HostError> {
        self.turns
            .get(&conversation)
            .ok_or(HostError::NotRunning(conversation))
    }

    fn start(&mut self, mut query: Query) -> Result<ConversationId, HostError> {
        // Whoever asks again in a copy that is gone means what it was a copy of.
        let original = query.conversation.and_then(|id| self.discarded.get(&id));
        query.conversation = original.copied().or(query.conversation);
        if let Some(id) = query.conversation
            && self.turns.contains_key(&id)
        {
            return Err(HostError::Busy(id));
        }
        // What was vouched for when the session began may have been taken back, or the folder is another one.
        // What the person has come to keep for it meanwhile waits for the turns that run.
        let runs = self.turns.values().any(|turn| turn.root == query.root);
        let hosted = self.sessions.get(&query.root).filter(|hosted| {
            let config = hosted.session.config();
            hosted.vouched == query.vouched && (config.is_current() || runs && config.holds())
        });
        if hosted.is_none() {
            let turns = self.turns.values();
            for turn in turns.filter(|turn| turn.root == query.root) {
                turn.handle.cancel();
            }
            let hosted = Hosted {
                session: self.session(&query)?,
                vouched: query.vouched,
            };
            self.sessions.insert(query.root.clone(), hosted);
        }
        let hosted = self.sessions.get(&query.root).ok_or(HostError::Ended)?;
        let session = &hosted.session;
        let config = session.change(&query.assignments, query.conversation)?;
        let writer = match (query.conversation, self.closed.remove(&query.root)) {
            (Some(id), Some(closed)) if closed.id() == id => session.reopen(*closed)?,
            (conversation, _) => session.open(conversation, &query.text)?,
        };
        let id = writer.conversation().id;
        let copied_from = query.conversation.filter(|original| *original != id);
        let (handle, control) = TurnControl::new();
        let runtime = Arc::clone(&session.runtime);
        let meeting = Meeting::open(&query.root, id, &session.broker);
        self.started += 1;
        let progress = query.client.shows_progress().then(|| {
            let token = format!("jp/turn/{id}/{}", self.started);
            Progress::begin(token, &query.text, query.outbox.clone())
        });
        let address = ContentAddress::Conversation(id).uri();
        let content = address
            .filter(|_| query.client.takes_contents())
            .map(|uri| GrowingContent::new(query.outbox.clone(), uri));
        let turn = Turn {
            handle,
            progress,
            content,
            root: query.root,
            client: query.client,
            outbox: query.outbox,
            is_presented: query.is_presented,
            copied_from,
            meeting,
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
                Ok(FinishedTurn {
                    outcome, writer, ..
                }) => (outcome, writer),
                Err(error) => {
                    let error = format!("the turn broke off: {error}");
                    (TurnOutcome::Failed { error }, None)
                }
            };
            let kept = writer.and_then(|writer| match copied_from {
                Some(_) => kept_copy(writer, &outcome),
                None => Some(writer),
            });
            let closed = kept.map(|writer| Box::new(writer.close()));
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
            tells_details: query.client.turn_details,
        });
        let options = SessionOptions {
            encoding: query.client.encoding,
            max_cycles: query.client.max_cycles,
            sandbox: query.client.sandbox.clone(),
            script: script_from_environment()?,
            ..SessionOptions::new(Some(query.vouched))
        };
        let session = Session::start(&query.root, &query.root, sink, options)?;
        tokio::spawn(waits::serve(
            session.broker.attach(),
            self.own.clone(),
            query.outbox.clone(),
        ));
        attach(
            &session.broker,
            &self.messages,
            &query.client,
            &query.events,
            &query.outbox,
        );
        Ok(session)
    }

    fn opened(&mut self, opened: Opened) {
        let Opened {
            root,
            conversation,
            client,
            events,
            outbox,
        } = opened;
        let (own, messages) = (self.own.clone(), Arc::clone(&self.messages));
        self.following.entry(conversation).or_insert_with(|| {
            follow(root, conversation, move |broker| {
                attach(&broker, &messages, &client, &events, &outbox);
                if let Some(own) = own.upgrade() {
                    // A host that has ended answers nothing any more.
                    let _ = own.send(Command::Joined(conversation, broker));
                }
            })
        });
    }

    fn holds(&self, root: &Utf8Path, conversation: ConversationId) -> bool {
        let hosted = self.sessions.get(root);
        hosted.is_some_and(|hosted| hosted.session.conversations.is_own(conversation))
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
        let around: Vec<Utf8PathBuf> = open
            .iter()
            .filter_map(|folder| workspace::root_of(folder))
            .collect();
        let is_open = |root: &Utf8Path| {
            around.iter().any(|open| open == root)
                || open.iter().any(|folder| lies_below(root, folder))
        };
        for turn in self.turns.values() {
            if !is_open(&turn.root) {
                turn.handle.cancel();
            }
        }
        self.sessions.retain(|root, _| is_open(root));
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

    /// Tells the progress of a turn something, if it has one.
    fn progress(&self, conversation: ConversationId, tell: impl FnOnce(&Progress)) {
        let turn = self.turns.get(&conversation);
        if let Some(progress) = turn.and_then(|turn| turn.progress.as_ref()) {
            tell(progress);
        }
    }

    fn recorded(&mut self, conversation: ConversationId, recorded: Recorded) {
        if let Some(document) = self.documents.get(&conversation) {
            document.grow();
        }
        let Some(turn) = self.turns.get_mut(&conversation) else {
            return;
        };
        if let Some(content) = &turn.content {
            content.grow();
        }
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
        let Some(mut turn) = self.turns.remove(&conversation) else {
            return;
        };
        drop(turn.meeting.take());
        match (closed, turn.copied_from) {
            (Some(closed), _) => {
                self.closed.insert(turn.root.clone(), closed);
            }
            (None, Some(original)) if !self.holds(&turn.root, conversation) => {
                self.discarded.insert(conversation, original);
            }
            (None, _) => {}
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
            tokio::spawn(present::answer(
                turn,
                conversation,
                outcome.clone(),
                document,
            ));
        }
    }
}

/// Answers the prompt with this id, whichever queue it waits in.
async fn settle(
    brokers: Vec<Broker>,
    id: &str,
    digest: &str,
    answer: PromptAnswer,
    answerer: &Answerer,
) -> Result<Reception, HostError> {
    for broker in brokers {
        let broker = broker.on(answerer.clone());
        match broker.answer(id, digest, answer.clone()).await {
            Err(AnswerError::NotPending { .. }) => {}
            answered => return Ok(answered?),
        }
    }
    Err(AnswerError::NotPending { id: id.to_owned() }.into())
}

/// The prompt with this id, whichever queue it waits in.
async fn pending(brokers: Vec<Broker>, id: &str) -> Option<Arc<Prompt>> {
    for broker in brokers {
        let prompt = broker.pending().await.filter(|prompt| prompt.id == id);
        if prompt.is_some() {
            return prompt;
        }
    }
    None
}

/// Notes what workspaces start and send when an editor vouches for them, where nothing is known yet.
fn vouched(roots: &[Utf8PathBuf]) {
    for root in roots {
        let config = WorkspaceConfig::new(workspace::roots(root, root));
        let noted = Door::new(root, Vouched::Editor).and_then(|door| config.note(&door));
        if let Err(error) = noted {
            // The next turn refuses, or asks, for the same reason.
            tracing::debug!(%root, %error, "what a workspace starts is not noted");
        }
    }
}
