//! One queue for everything that asks a person.
//!
//! ```text
//! run approval --.                      .-- jp/prompt
//! question ------+--> queue -> active --+-- window/showMessageRequest
//! config change -'      one at a time   `-- diagnostic and code actions, or a terminal
//! ```
//!
//! A [`Broker`] shows one prompt at a time on every [`Surface`] that is attached; the first answer with the right digest
//! decides, and the other surfaces are told.
//! A surface that is attached later sees the prompt that waits.
//! With no surface, or when the last one is lost, the outcome is [`PromptOutcome::Unavailable`], which is never taken for
//! the decision of a person.

mod frames;
mod queue;
mod shared;

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use jp_conversation::Answerer;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::ports::Prompts;
use crate::prompt::{
    AnswerError, Prompt, PromptAnswer, PromptOutcome, PromptRequest, Reply, WaitingCall,
};
use queue::{Command, Queue};

/// How patient a broker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokerConfig {
    /// How long a prompt waits once it is shown; none waits for ever.
    pub deadline: Option<Duration>,
}

/// The one queue of prompts. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Broker {
    commands: mpsc::UnboundedSender<Command>,
    surfaces: Arc<AtomicUsize>,
    numbers: Arc<AtomicU64>,
    closed: Arc<AtomicBool>,
    /// Where the answers that are given through this copy come from.
    answerer: Answerer,
}

impl Broker {
    /// Starts the task that holds the queue, which ends with the last broker and surface.
    ///
    /// Must be called within a runtime.
    #[must_use]
    pub fn start(config: BrokerConfig) -> Self {
        let (commands, received) = mpsc::unbounded_channel();
        tokio::spawn(Queue::new(config).run(received));
        Self::with(commands)
    }

    /// A broker of the queue that obeys these commands.
    fn with(commands: mpsc::UnboundedSender<Command>) -> Self {
        Self {
            commands,
            surfaces: Arc::default(),
            numbers: Arc::default(),
            closed: Arc::default(),
            answerer: Answerer::default(),
        }
    }

    /// The same queue; answers that are given through this copy, and surfaces attached to it, are recorded as given there.
    #[must_use]
    pub fn on(&self, answerer: Answerer) -> Self {
        Self {
            answerer,
            ..self.clone()
        }
    }

    /// Attaches a surface; a prompt that waits is shown on it at once.
    #[must_use]
    pub fn attach(&self) -> Surface {
        let (sender, events) = mpsc::unbounded_channel();
        let number = self.number();
        self.surfaces.fetch_add(1, Ordering::SeqCst);
        self.send(Command::Attach {
            surface: number,
            events: sender,
        });
        Surface {
            number,
            events,
            broker: self.clone(),
        }
    }

    /// Answers the prompt `id`, if it waits and `digest` is its digest.
    ///
    /// # Errors
    ///
    /// [`AnswerError`] when the answer is discarded; a prompt that waits goes on waiting.
    pub async fn answer(
        &self,
        id: &str,
        digest: &str,
        answer: PromptAnswer,
    ) -> Result<Reception, AnswerError> {
        let (reply, received) = oneshot::channel();
        self.send(Command::Answer {
            id: id.to_owned(),
            digest: digest.to_owned(),
            answer: Box::new(answer),
            answerer: self.answerer.clone(),
            reply,
        });
        received
            .await
            .unwrap_or_else(|_| Err(AnswerError::NotPending { id: id.to_owned() }))
    }

    /// Has every prompt from now on answered by rules where they say so, before anybody is asked.
    ///
    /// The last ones that were given count.
    pub fn stand_by(&self, rules: Arc<dyn StandingRules>) {
        self.send(Command::StandBy { rules });
    }

    /// Approves the calls that wait for leave to run, the one that is shown among them, where `allows` says so; how many there were.
    ///
    /// It is recorded that they were answered where this copy's answers come from.
    pub async fn settle(&self, allows: Box<dyn Fn(&WaitingCall) -> bool + Send>) -> usize {
        let (reply, settled) = oneshot::channel();
        self.send(Command::Settle {
            allows,
            answerer: self.answerer.clone(),
            reply,
        });
        settled.await.unwrap_or_default()
    }

    /// Takes away all surfaces, for good: whatever waits or is asked later is [`PromptOutcome::Unavailable`].
    ///
    /// What is withdrawn after this call was unavailable before.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.send(Command::Close);
    }

    /// Resolves when the queue has ended.
    pub async fn ended(&self) {
        self.commands.closed().await;
    }

    /// The prompt that waits.
    pub async fn pending(&self) -> Option<Arc<Prompt>> {
        let (reply, received) = oneshot::channel();
        self.send(Command::Pending { reply });
        received.await.ok().flatten()
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::SeqCst)
    }

    fn send(&self, command: Command) {
        // The task ends only with the runtime; then the reply's channel closes, which every caller understands.
        let _ = self.commands.send(command);
    }
}

impl Prompts for Broker {
    fn ask(
        &self,
        request: PromptRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, PromptOutcome> {
        self.ask_named(request, cancel)
            .map(|reply| reply.outcome)
            .boxed()
    }

    fn ask_named(&self, request: PromptRequest, cancel: CancellationToken) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            let (reply, mut outcome) = oneshot::channel();
            let ticket = self.number();
            self.send(Command::Ask {
                ticket,
                request: Box::new(request),
                reply,
            });
            // Also when nobody polls this future any more.
            let withdrawal = Withdrawal {
                broker: self,
                ticket,
            };
            let received = tokio::select! {
                biased;
                received = &mut outcome => received,
                () = cancel.cancelled() => {
                    drop(withdrawal);
                    // The queue alone says what came first.
                    outcome.await
                }
            };
            received.unwrap_or_else(|_| {
                let reason = "the prompt queue has ended".to_owned();
                PromptOutcome::Unavailable { reason }.into()
            })
        })
    }

    fn is_available(&self) -> bool {
        self.surfaces.load(Ordering::SeqCst) > 0
            && !self.closed.load(Ordering::SeqCst)
            && !self.commands.is_closed()
    }
}

/// Rules that a person has given while a turn runs, which its config does not hold.
pub trait StandingRules: Send + Sync + Debug {
    /// Whether they let a call run that would wait for a person.
    fn allow<'a>(&'a self, call: &'a WaitingCall) -> BoxFuture<'a, bool>;

    /// Where it is recorded that the person has said so.
    fn answerer(&self) -> Answerer;
}

struct Withdrawal<'a> {
    broker: &'a Broker,
    ticket: u64,
}

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        self.broker.send(Command::Withdraw {
            ticket: self.ticket,
        });
    }
}

/// What became of an answer that was not discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reception {
    /// It decides the prompt.
    Decided,
    /// It decides nothing, as `details`; the prompt goes on waiting.
    Undecided,
}

/// A place where prompts are shown. Dropping it detaches it.
#[derive(Debug)]
pub struct Surface {
    number: u64,
    events: mpsc::UnboundedReceiver<SurfaceEvent>,
    broker: Broker,
}

impl Surface {
    /// What to show or to take away next; none when the queue has ended.
    pub async fn next(&mut self) -> Option<SurfaceEvent> {
        self.events.recv().await
    }

    /// Says that this surface cannot decide the prompt `id`, as its client knows no way to.
    ///
    /// Another surface may; when none is left, the outcome is [`PromptOutcome::Unavailable`]. Later prompts are shown
    /// here as before.
    pub fn pass(&self, id: &str) {
        self.broker.send(Command::Pass {
            surface: self.number,
            id: id.to_owned(),
        });
    }

    /// Where answers go.
    #[must_use]
    pub const fn broker(&self) -> &Broker {
        &self.broker
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        self.broker.surfaces.fetch_sub(1, Ordering::SeqCst);
        self.broker.send(Command::Detach {
            surface: self.number,
        });
    }
}

/// What a surface is told.
#[derive(Debug, Clone, PartialEq)]
pub enum SurfaceEvent {
    /// Show this prompt; it takes the place of the one before.
    Show(Arc<Prompt>),
    /// The prompt waits no more.
    Resolved {
        /// Its id.
        id: String,
        /// What came of it.
        resolution: Resolution,
    },
}

/// What came of a prompt, for those who did not decide it; the `action` of `jp/promptResolved`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// Somebody approved.
    Approve,
    /// Somebody rejected.
    Reject,
    /// Somebody edited.
    Edit,
    /// Somebody answered.
    Answer,
    /// Somebody cancelled.
    Cancel,
    /// The asking side does not want to know any more.
    Withdrawn,
    /// Nobody decided.
    Unavailable,
}

impl Resolution {
    /// As it is written in `jp/promptResolved`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Edit => "edit",
            Self::Answer => "answer",
            Self::Cancel => "cancel",
            Self::Withdrawn => "withdrawn",
            Self::Unavailable => "unavailable",
        }
    }
}

impl From<&PromptOutcome> for Resolution {
    fn from(outcome: &PromptOutcome) -> Self {
        match outcome {
            PromptOutcome::Approved { .. } => Self::Approve,
            PromptOutcome::Rejected { .. } => Self::Reject,
            PromptOutcome::Edited { .. } => Self::Edit,
            PromptOutcome::Answered { .. } => Self::Answer,
            PromptOutcome::Cancelled => Self::Cancel,
            PromptOutcome::Withdrawn => Self::Withdrawn,
            PromptOutcome::Unavailable { .. } => Self::Unavailable,
        }
    }
}

#[cfg(test)]
#[path = "broker_tests.rs"]
mod tests;
