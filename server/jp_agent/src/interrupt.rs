//! Interrupts: what a person can do to a turn that runs.
//!
//! ```json
//! {"jsonrpc": "2.0", "method": "jp/query/interrupt", "params": {"conversation": "jp-c17", "action": "stop_and_reply", "text": "Use grep."}}
//! ```

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

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
}

/// The side of a turn that its owner keeps.
#[derive(Debug, Clone)]
pub struct TurnHandle {
    interrupts: mpsc::UnboundedSender<Interrupt>,
    cancel: CancellationToken,
}

impl TurnHandle {
    /// Interrupts the turn; after its end nothing happens.
    pub fn interrupt(&self, interrupt: Interrupt) {
        // A turn that has ended no longer listens.
        let _ = self.interrupts.send(interrupt);
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
}

impl TurnControl {
    /// A turn's control and its handle. Without a handle nobody can interrupt the turn any more, and it goes on.
    #[must_use]
    pub fn new() -> (TurnHandle, Self) {
        let (sender, interrupts) = mpsc::unbounded_channel();
        let cancel = CancellationToken::new();
        let handle = TurnHandle {
            interrupts: sender,
            cancel: cancel.clone(),
        };
        (handle, Self { interrupts, cancel })
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
