//! Interrupts: what a person can do to a turn that runs.
//!
//! ```json
//! {"jsonrpc": "2.0", "method": "jp/query/interrupt", "params": {"conversation": "jp-c17", "action": "stop_and_reply", "text": "Use grep."}}
//! ```

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::config::{InterruptAction, InterruptConfig};

/// What a person does to a turn that runs (RFD 045).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interrupt {
    /// Nothing: the turn goes on.
    Continue,
    /// Stops what is going on and tells the model something.
    ///
    /// While the model speaks, what it has said so far is kept and the text follows as a message of the person; without
    /// a text the turn ends.
    /// While tools run, those that have not finished are cancelled and the model reads the text, or the tool's
    /// `cancellation_response`, as their result.
    StopAndReply {
        /// What the model is told.
        text: Option<String>,
    },
    /// Does again what is going on: the model is asked again, or the calls that have not finished are decided and run
    /// again, and proposed config changes are dropped.
    Restart,
    /// Ends the turn; what has been said and finished is kept.
    Stop,
    /// Ends the turn; what the model was saying is dropped, what tools have finished is kept.
    Abort,
}

/// What a turn is doing, which decides what can be done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnPhase {
    /// The model speaks.
    Streaming,
    /// Tools run.
    ToolCalls,
}

/// What the config says about an interrupt that names no action, `interrupt` (RFD 045).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfiguredInterrupt {
    /// What the turn is doing.
    pub phase: TurnPhase,
    /// What is to be done to it.
    pub action: InterruptAction,
    /// How soon a second interrupt must follow to cancel the turn.
    pub cooldown: Duration,
}

impl TurnPhase {
    /// What a person can choose while the turn does this.
    #[must_use]
    pub const fn actions(self) -> &'static [InterruptAction] {
        match self {
            Self::Streaming => &[
                InterruptAction::Continue,
                InterruptAction::Reply,
                InterruptAction::Stop,
                InterruptAction::Abort,
            ],
            Self::ToolCalls => &[
                InterruptAction::Continue,
                InterruptAction::Respond,
                InterruptAction::Restart,
                InterruptAction::Stop,
            ],
        }
    }
}

impl InterruptAction {
    /// The interrupt that does this; `None` where the person is to be asked.
    #[must_use]
    pub fn interrupt(self, text: Option<String>) -> Option<Interrupt> {
        Some(match self {
            Self::Prompt => return None,
            Self::Continue => Interrupt::Continue,
            Self::Reply | Self::Respond => Interrupt::StopAndReply { text },
            Self::Restart => Interrupt::Restart,
            Self::Stop => Interrupt::Stop,
            Self::Abort => Interrupt::Abort,
        })
    }

    /// What to write on its button.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Prompt => "Ask",
            Self::Continue => "Continue",
            Self::Reply => "Stop and reply",
            Self::Restart => "Run the calls again",
            Self::Respond => "Stop the calls and tell the assistant",
            Self::Stop => "Stop",
            Self::Abort => "Stop and drop what was said",
        }
    }
}

/// The side of a turn that its owner keeps.
#[derive(Debug, Clone)]
pub struct TurnHandle {
    interrupts: mpsc::UnboundedSender<Interrupt>,
    cancel: CancellationToken,
    last_cycle: CancellationToken,
    configured: watch::Receiver<ConfiguredInterrupt>,
}

impl TurnHandle {
    /// Interrupts the turn; after its end nothing happens.
    pub fn interrupt(&self, interrupt: Interrupt) {
        // A turn that has ended no longer listens.
        let _ = self.interrupts.send(interrupt);
    }

    /// What the config says about an interrupt at this moment.
    #[must_use]
    pub fn configured(&self) -> ConfiguredInterrupt {
        *self.configured.borrow()
    }

    /// Lets the turn end as cancelled before it asks the model again.
    pub fn end_after_cycle(&self) {
        self.last_cycle.cancel();
    }

    /// Cancels the turn: everything that runs is ended, every prompt withdrawn.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

/// The side of a turn that the turn listens to.
#[derive(Debug)]
pub struct TurnControl {
    interrupts: mpsc::UnboundedReceiver<Interrupt>,
    pub(crate) cancel: CancellationToken,
    /// Cancelled once no further cycle may begin.
    pub(crate) last_cycle: CancellationToken,
    configured: watch::Sender<ConfiguredInterrupt>,
}

impl TurnControl {
    /// A turn's control and its handle. Without a handle nobody can interrupt the turn any more, and it goes on.
    #[must_use]
    pub fn new() -> (TurnHandle, Self) {
        let (sender, interrupts) = mpsc::unbounded_channel();
        let cancel = CancellationToken::new();
        let last_cycle = CancellationToken::new();
        let config = InterruptConfig::default();
        let (sender_of_configured, configured) = watch::channel(ConfiguredInterrupt {
            phase: TurnPhase::Streaming,
            action: config.streaming,
            cooldown: config.cooldown,
        });
        let handle = TurnHandle {
            interrupts: sender,
            cancel: cancel.clone(),
            last_cycle: last_cycle.clone(),
            configured,
        };
        let control = Self {
            interrupts,
            cancel,
            last_cycle,
            configured: sender_of_configured,
        };
        (handle, control)
    }

    /// Says what the turn is doing from now on.
    pub(crate) fn enter(&self, phase: TurnPhase, config: &InterruptConfig) {
        self.configured.send_replace(ConfiguredInterrupt {
            phase,
            action: match phase {
                TurnPhase::Streaming => config.streaming,
                TurnPhase::ToolCalls => config.tool_call,
            },
            cooldown: config.cooldown,
        });
    }

    /// The next interrupt that changes something; never, if there will be none.
    pub(crate) async fn next(&mut self) -> Interrupt {
        loop {
            match self.interrupts.recv().await {
                Some(Interrupt::Continue) => {}
                Some(interrupt) => return interrupt,
                None => std::future::pending().await,
            }
        }
    }
}
