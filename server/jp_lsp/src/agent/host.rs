//! The way to the owner of all turns that the language server runs.
//!
//! ```text
//! jp/query/start, jp/query/interrupt ... --commands--> host --notifications--> jp/conversation/event
//! ```
//!
//! The host lives on a runtime of its own, so that a turn that writes to disk never delays a keystroke; that runtime starts
//! with the first query or document, and a query is refused before the workspace is trusted.

use std::{
    fmt, io,
    sync::{Arc, OnceLock},
};

use camino::Utf8PathBuf;
use jp_agent::{ConfiguredInterrupt, Interrupt, Prompt, PromptAnswer, Reception, WaitingCall};
use jp_conversation::{Answerer, ConversationId};
use tokio::sync::{mpsc, oneshot};
use url::Url;

use super::{
    command::{Command, HostError, Opened, Query},
    turns::Host,
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

    /// Hears that an editor vouches for these workspaces, so that what changes in them from then on is known as a change.
    pub(crate) fn vouched(&self, roots: Vec<Utf8PathBuf>) {
        if roots.is_empty() {
            return;
        }
        match self.commands() {
            // A host that has ended starts nothing any more.
            Ok(commands) => drop(commands.send(Command::Vouched(roots))),
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

    /// Shows the prompts of turns that other processes run in a conversation which the client has open.
    pub(crate) fn opened(&self, opened: Opened) {
        match self.commands() {
            // A host that has ended shows nothing any more.
            Ok(commands) => drop(commands.send(Command::Opened(Box::new(opened)))),
            Err(error) => tracing::warn!(%error, "turns of other processes are not seen"),
        }
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
        answerer: Answerer,
    ) -> Result<Reception, HostError> {
        self.ask(|reply| Command::Answer {
            id,
            digest,
            answer: Box::new(answer),
            answerer,
            reply,
        })
        .await
    }

    /// A prompt, where it waits.
    pub(crate) async fn pending(&self, id: String) -> Option<Arc<Prompt>> {
        let asked = self.ask(|reply| Command::Pending(id, reply)).await;
        asked.unwrap_or_default()
    }

    /// Approves the calls of a workspace that wait for a person and that `allows` says may run; how many there were.
    pub(crate) async fn settle(
        &self,
        root: Utf8PathBuf,
        allows: Box<dyn Fn(&WaitingCall) -> bool + Send>,
        answerer: Answerer,
    ) -> usize {
        let settled = self.ask(|reply| Command::Settle {
            root,
            allows,
            answerer,
            reply,
        });
        settled.await.unwrap_or_default()
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
            runtime.block_on(Host::new(own).run(received));
            runtime.shutdown_background();
        })?;
    Ok(commands)
}
