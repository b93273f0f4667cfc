//! The thread that compares what is saved with the last commit, and lets everything else go first.
//!
//! ```text
//! a file saved, another commit -> ....... -> Compared
//! ```
//!
//! It is a thread of its own because a repository may lie on a disk that never answers; then nothing is told, and nothing waits.

use std::{io, sync::Arc};

use super::{
    at_rest::AtRest,
    commits::Commits,
    engine::Engine,
    event::{Event, EventSender},
    snapshot::Snapshot,
};

/// What the thread is to compare.
pub(super) struct Order<E: Engine> {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) reading: Arc<E::Reading>,
}

/// Starts the thread; results arrive as [`Event::Compared`].
///
/// # Errors
///
/// When the system refuses a thread.
pub(super) fn start<E: Engine>(
    engine: Arc<E>,
    events: EventSender,
) -> io::Result<AtRest<Order<E>>> {
    AtRest::start(
        "since-head",
        |_, later| later,
        move |commits: &mut Commits, order: Order<E>| {
            let since = engine.compare(&order.snapshot, &order.reading, commits);
            events.send(Event::Compared(Arc::new(since)));
        },
    )
}
