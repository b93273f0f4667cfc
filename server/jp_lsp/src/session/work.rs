//! Work in the background: whether it is still wanted, and how far it is.

use tokio_util::sync::CancellationToken;

use super::{
    error::Cancelled,
    event::{Event, EventSender},
};

/// How one piece of background work learns that it is not wanted, and tells how far it is.
#[derive(Clone, Debug)]
pub struct Work {
    pub(crate) cancelled: CancellationToken,
    pub(crate) superseded: Option<CancellationToken>,
    pub(crate) generation: u64,
    pub(crate) events: EventSender,
}

impl Work {
    /// Goes on, or stops because the result is not wanted. Call it between passes and in long loops.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] when the request was cancelled or a later edit made the result useless.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled.is_cancelled() || self.is_superseded() {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    /// Tells how far the first load of the workspace is. Shown only when it takes long and the client shows progress.
    pub fn report(&self, message: impl Into<String>, percentage: Option<u32>) {
        self.events.send(Event::Progress {
            generation: self.generation,
            message: message.into(),
            percentage,
        });
    }

    pub(crate) fn is_superseded(&self) -> bool {
        self.superseded
            .as_ref()
            .is_some_and(CancellationToken::is_cancelled)
    }
}
