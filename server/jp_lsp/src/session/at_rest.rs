//! A thread that does the last of what is wanted, once nothing was wanted for a while, and lets everything else go first.
//!
//! ```text
//! wanted, wanted, wanted ....... -> done once
//! ```

use std::{
    fmt, io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::background::step_back;

/// How long nothing must have been wanted: a key while somebody types has the processors to itself, and whoever saves, or commits,
/// changes several files.
const REST: Duration = Duration::from_millis(150);

/// The way to the thread, which ends when this is dropped.
pub(super) struct AtRest<O> {
    orders: mpsc::Sender<O>,
}

impl<O: Send + 'static> AtRest<O> {
    /// Starts the thread; `joined` makes one order of two, and `take` keeps what it likes from one order to the next.
    ///
    /// What is kept is gone when `take` panics.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub(super) fn start<S: Default>(
        name: &'static str,
        joined: fn(O, O) -> O,
        take: impl Fn(&mut S, O) + Send + 'static,
    ) -> io::Result<Self> {
        let (orders, queue) = mpsc::channel::<O>();
        thread::Builder::new().name(name.into()).spawn(move || {
            step_back();
            let mut kept = S::default();
            while let Ok(mut order) = queue.recv() {
                while let Ok(later) = queue.recv_timeout(REST) {
                    order = joined(order, later);
                }
                let taken = catch_unwind(AssertUnwindSafe(|| take(&mut kept, order)));
                if taken.is_err() {
                    tracing::error!(thread = name, "what was wanted failed");
                    kept = S::default();
                }
            }
        })?;
        Ok(Self { orders })
    }

    /// Says what is wanted.
    pub(super) fn order(&self, order: O) {
        // The thread ends only with this sender.
        let _ = self.orders.send(order);
    }
}

impl<O> fmt::Debug for AtRest<O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AtRest").finish_non_exhaustive()
    }
}
