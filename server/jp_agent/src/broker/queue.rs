//! The task that owns the queue; nothing else touches it, so nothing is locked.
//!
//! ```text
//! Ask, Answer, Withdraw, Attach, Detach, deadline -> [ queue: waiting*, active?, surfaces* ] -> Show, Resolved, outcome
//! ```

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use jp_conversation::Answerer;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::{BrokerConfig, Reception, Resolution, StandingRules, SurfaceEvent};
use crate::prompt::{
    AnswerError, Prompt, PromptAnswer, PromptOutcome, PromptRequest, Reply, WaitingCall, decide,
};

/// What the queue is told.
pub(super) enum Command {
    Ask {
        ticket: u64,
        request: Box<PromptRequest>,
        reply: oneshot::Sender<Reply>,
    },
    Withdraw {
        ticket: u64,
    },
    Answer {
        id: String,
        digest: String,
        answer: Box<PromptAnswer>,
        answerer: Answerer,
        reply: oneshot::Sender<Result<Reception, AnswerError>>,
    },
    Pending {
        reply: oneshot::Sender<Option<Arc<Prompt>>>,
    },
    Attach {
        surface: u64,
        events: mpsc::UnboundedSender<SurfaceEvent>,
    },
    Detach {
        surface: u64,
    },
    Pass {
        surface: u64,
        id: String,
    },
    StandBy {
        rules: Arc<dyn StandingRules>,
    },
    Settle {
        allows: Box<dyn Fn(&WaitingCall) -> bool + Send>,
        answerer: Answerer,
        reply: oneshot::Sender<usize>,
    },
    Close,
}

struct Waiting {
    ticket: u64,
    request: Box<PromptRequest>,
    reply: oneshot::Sender<Reply>,
}

struct Active {
    waiting: Waiting,
    prompt: Arc<Prompt>,
    deadline: Option<Instant>,
    /// The surfaces that cannot decide it.
    passed: BTreeSet<u64>,
}

pub(super) struct Queue {
    config: BrokerConfig,
    waiting: VecDeque<Waiting>,
    active: Option<Active>,
    surfaces: BTreeMap<u64, mpsc::UnboundedSender<SurfaceEvent>>,
    /// How many prompts were shown; the next id.
    shown: u64,
    /// Whether there will be no surface any more.
    closed: bool,
    /// What answers before anybody is asked.
    standing: Option<Arc<dyn StandingRules>>,
}

impl Queue {
    pub(super) const fn new(config: BrokerConfig) -> Self {
        Self {
            config,
            waiting: VecDeque::new(),
            active: None,
            surfaces: BTreeMap::new(),
            shown: 0,
            closed: false,
            standing: None,
        }
    }

    pub(super) async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        loop {
            let deadline = self.active.as_ref().and_then(|active| active.deadline);
            tokio::select! {
                // An answer that came in time wins over the deadline.
                biased;
                command = commands.recv() => match command {
                    Some(command) => self.handle(command),
                    None => return,
                },
                () = expired(deadline) => self.resolve(PromptOutcome::Unavailable {
                    reason: "nobody answered in time".to_owned(),
                }.into()),
            }
            self.activate().await;
        }
    }

    fn handle(&mut self, command: Command) {
        match command {
            Command::Ask {
                ticket,
                request,
                reply,
            } => self.waiting.push_back(Waiting {
                ticket,
                request,
                reply,
            }),
            Command::Withdraw { ticket } => self.withdraw(ticket),
            Command::Answer {
                id,
                digest,
                answer,
                answerer,
                reply,
            } => {
                let received = self.answered(id, &digest, *answer, answerer);
                // Who answers need not wait to hear what came of it.
                let _ = reply.send(received);
            }
            Command::Pending { reply } => {
                let prompt = self
                    .active
                    .as_ref()
                    .map(|active| Arc::clone(&active.prompt));
                let _ = reply.send(prompt);
            }
            // Without its sender, the surface hears that the queue has ended.
            Command::Attach { .. } if self.closed => {}
            Command::Attach { surface, events } => {
                if let Some(active) = &self.active {
                    let _ = events.send(SurfaceEvent::Show(Arc::clone(&active.prompt)));
                }
                self.surfaces.insert(surface, events);
            }
            Command::Detach { surface } => {
                self.surfaces.remove(&surface);
                if self.surfaces.is_empty() {
                    self.abandon();
                }
                self.pass();
            }
            Command::Pass { surface, id } => {
                if let Some(active) = self.active.as_mut().filter(|it| it.prompt.id == id) {
                    active.passed.insert(surface);
                }
                self.pass();
            }
            Command::StandBy { rules } => self.standing = Some(rules),
            Command::Settle {
                allows,
                answerer,
                reply,
            } => {
                // Who asked for it need not wait to hear what came of it.
                let _ = reply.send(self.settle(&*allows, &answerer));
            }
            Command::Close => {
                self.closed = true;
                self.abandon();
                self.surfaces.clear();
            }
        }
    }

    fn answered(
        &mut self,
        id: String,
        digest: &str,
        answer: PromptAnswer,
        answerer: Answerer,
    ) -> Result<Reception, AnswerError> {
        let Some(active) = self.active.as_ref().filter(|active| active.prompt.id == id) else {
            return Err(AnswerError::NotPending { id });
        };
        if active.prompt.digest != digest {
            return Err(AnswerError::WrongDigest { id });
        }
        match decide(&active.prompt, &active.waiting.request, answer)? {
            Some(outcome) => {
                self.resolve(Reply { outcome, answerer });
                Ok(Reception::Decided)
            }
            None => Ok(Reception::Undecided),
        }
    }

    /// Approves what `allows` says, and counts it.
    fn settle(&mut self, allows: &dyn Fn(&WaitingCall) -> bool, answerer: &Answerer) -> usize {
        let is_allowed =
            |waiting: &Waiting| WaitingCall::of(&waiting.request).is_some_and(|call| allows(&call));
        let mut settled = 0;
        for waiting in std::mem::take(&mut self.waiting) {
            if is_allowed(&waiting) {
                settled += 1;
                // The asking side may be gone.
                let _ = waiting.reply.send(approved(answerer.clone()));
            } else {
                self.waiting.push_back(waiting);
            }
        }
        if self
            .active
            .as_ref()
            .is_some_and(|active| is_allowed(&active.waiting))
        {
            settled += 1;
            self.resolve(approved(answerer.clone()));
        }
        settled
    }

    fn withdraw(&mut self, ticket: u64) {
        if self
            .active
            .as_ref()
            .is_some_and(|active| active.waiting.ticket == ticket)
        {
            self.resolve(PromptOutcome::Withdrawn.into());
        } else if let Some(position) = self.waiting.iter().position(|it| it.ticket == ticket)
            && let Some(waiting) = self.waiting.remove(position)
        {
            // The asking side may be gone.
            let _ = waiting.reply.send(PromptOutcome::Withdrawn.into());
        }
    }

    /// Ends the active prompt.
    fn resolve(&mut self, reply: Reply) {
        let Some(active) = self.active.take() else {
            return;
        };
        let resolution = Resolution::from(&reply.outcome);
        for events in self.surfaces.values() {
            // A surface whose receiver is gone detaches itself.
            let _ = events.send(SurfaceEvent::Resolved {
                id: active.prompt.id.clone(),
                resolution,
            });
        }
        // The asking side may be gone.
        let _ = active.waiting.reply.send(reply);
    }

    /// Ends the active prompt where no surface is left that can decide it.
    fn pass(&mut self) {
        let is_passed = self.active.as_ref().is_some_and(|active| {
            let mut surfaces = self.surfaces.keys();
            surfaces.all(|surface| active.passed.contains(surface))
        });
        if is_passed {
            let reason = "no prompt surface can decide it".to_owned();
            self.resolve(PromptOutcome::Unavailable { reason }.into());
        }
    }

    /// Nobody is there any more.
    fn abandon(&mut self) {
        let lost = || {
            let reason = "the last prompt surface was lost".to_owned();
            Reply::from(PromptOutcome::Unavailable { reason })
        };
        self.resolve(lost());
        for waiting in self.waiting.drain(..) {
            let _ = waiting.reply.send(lost());
        }
    }

    /// Shows the next prompt when none is shown.
    async fn activate(&mut self) {
        while self.active.is_none()
            && let Some(waiting) = self.waiting.pop_front()
        {
            if self.surfaces.is_empty() {
                let reason = "there is no prompt surface".to_owned();
                let _ = waiting
                    .reply
                    .send(PromptOutcome::Unavailable { reason }.into());
                continue;
            }
            if let (Some(rules), Some(call)) = (&self.standing, WaitingCall::of(&waiting.request))
                && rules.allow(&call).await
            {
                // The asking side may be gone.
                let _ = waiting.reply.send(approved(rules.answerer()));
                continue;
            }
            self.shown += 1;
            // Other brokers have other conversations, so that no two prompts of a process share an id.
            let conversation = waiting.request.conversation.deciseconds();
            let id = format!("{conversation}-{}", self.shown);
            // A preview reads the file that would change.
            let made =
                tokio::task::spawn_blocking(move || (Prompt::new(id, &waiting.request), waiting));
            let Ok((prompt, waiting)) = made.await else {
                // With the reply's channel the asking side learns that there is no outcome.
                tracing::error!("a prompt could not be made");
                continue;
            };
            let prompt = Arc::new(prompt);
            for events in self.surfaces.values() {
                let _ = events.send(SurfaceEvent::Show(Arc::clone(&prompt)));
            }
            let deadline = self
                .config
                .deadline
                .and_then(|deadline| Instant::now().checked_add(deadline));
            self.active = Some(Active {
                waiting,
                prompt,
                deadline,
                passed: BTreeSet::new(),
            });
        }
    }
}

fn approved(answerer: Answerer) -> Reply {
    Reply {
        outcome: PromptOutcome::Approved { remember: false },
        answerer,
    }
}

async fn expired(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
