//! The thread that judges recorded calls, and lets everything else go first.
//!
//! ```text
//! a key -> reading -> analysis -> diagnostics
//!                          '-----> recorded calls ....... -> Recorded
//! ```

use std::{io, sync::Arc};

use super::{
    at_rest::AtRest,
    engine::Engine,
    event::{Event, EventSender},
    replays::Replays,
    snapshot::Snapshot,
    work::Work,
};

/// What the thread is to do.
pub(super) struct Order<E: Engine> {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) reading: Arc<E::Reading>,
    pub(super) work: Work,
    /// Whether more may be on record than was read.
    pub(super) is_stale: bool,
}

/// Starts the thread; results arrive as [`Event::Recorded`].
///
/// # Errors
///
/// When the system refuses a thread.
pub(super) fn start<E: Engine>(
    engine: Arc<E>,
    events: EventSender,
) -> io::Result<AtRest<Order<E>>> {
    AtRest::start(
        "record",
        |order: Order<E>, later| Order {
            is_stale: order.is_stale || later.is_stale,
            ..later
        },
        move |replays: &mut Replays, order| {
            if order.is_stale {
                replays.forget();
            }
            let judged = engine.judge(&order.snapshot, &order.reading, replays, &order.work);
            if let Some(record) = judged {
                // The figures are shown while the rest goes on.
                events.send(Event::Recorded(Arc::new(record)));
            }
            if let Some(record) = engine.propose(&order.reading, replays, &order.work) {
                events.send(Event::Recorded(Arc::new(record)));
            }
        },
    )
}
