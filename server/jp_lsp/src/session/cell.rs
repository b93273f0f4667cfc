//! What is known about one snapshot: its reading and its analysis, each made once.
//!
//! ```text
//! generation 7: reading made, analysis under way     generation 6: both made
//! ```

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::{engine::Engine, error::Cancelled, snapshot::Snapshot, work::Work};

/// What is known about one snapshot, made by whoever needs it first and shared by all who need it.
pub(crate) struct Cell<E: Engine> {
    snapshot: Arc<Snapshot>,
    previous: Known<E>,
    reading: OnceCell<Arc<E::Reading>>,
    analysis: OnceCell<Arc<E::Analysis>>,
}

/// The latest that is known about any snapshot; the two need not be of the same one.
pub(crate) struct Known<E: Engine> {
    pub(crate) reading: Option<Arc<E::Reading>>,
    pub(crate) analysis: Option<Arc<E::Analysis>>,
}

impl<E: Engine> Default for Known<E> {
    fn default() -> Self {
        Self {
            reading: None,
            analysis: None,
        }
    }
}

impl<E: Engine> Clone for Known<E> {
    fn clone(&self) -> Self {
        Self {
            reading: self.reading.clone(),
            analysis: self.analysis.clone(),
        }
    }
}

impl<E: Engine> Cell<E> {
    pub(crate) fn new(snapshot: Arc<Snapshot>, previous: Known<E>) -> Self {
        Self {
            snapshot,
            previous,
            reading: OnceCell::new(),
            analysis: OnceCell::new(),
        }
    }

    /// A cell that does not keep anything alive that was known before.
    pub(crate) fn filled(snapshot: Arc<Snapshot>, present: Known<E>) -> Self {
        Self {
            snapshot,
            previous: Known::default(),
            reading: present
                .reading
                .map_or_else(OnceCell::new, OnceCell::with_value),
            analysis: present
                .analysis
                .map_or_else(OnceCell::new, OnceCell::with_value),
        }
    }

    pub(crate) fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Makes the reading now if that takes no time to speak of; called before anybody else holds the cell.
    pub(crate) fn reread(&self, engine: &E) {
        if let Some(previous) = self.previous.reading.as_deref()
            && let Some(reading) = engine.reread(&self.snapshot, previous)
        {
            // Only another holder could have filled it.
            let _ = self.reading.set(Arc::new(reading));
        }
    }

    /// Whether the reading is made.
    pub(crate) fn is_read(&self) -> bool {
        self.reading.get().is_some()
    }

    /// What is known of this snapshot.
    pub(crate) fn present(&self) -> Known<E> {
        Known {
            reading: self.reading.get().cloned(),
            analysis: self.analysis.get().cloned(),
        }
    }

    /// Waits for the reading, or makes it. When the one who makes it is cancelled, the next who waits makes it.
    pub(crate) fn reading(&self, engine: &E, work: &Work) -> Result<Arc<E::Reading>, Cancelled> {
        let made = self.reading.get_or_try_init(|| {
            work.check()?;
            let previous = self.previous.reading.as_deref();
            engine.read(&self.snapshot, previous, work).map(Arc::new)
        });
        work.check()?;
        made.cloned()
    }

    /// Waits for the analysis, or makes it. When the one who makes it is cancelled, the next who waits makes it.
    pub(crate) fn analysis(&self, engine: &E, work: &Work) -> Result<Arc<E::Analysis>, Cancelled> {
        let made = self.analysis.get_or_try_init(|| {
            let reading = self.reading(engine, work)?;
            let previous = self.previous.analysis.as_deref();
            engine
                .analyze(&self.snapshot, &reading, previous, work)
                .map(Arc::new)
        });
        work.check()?;
        made.cloned()
    }
}
