//! Places in a line: who comes later waits until everybody before has left.
//!
//! ```text
//! 0: left   1: waits for a formatter   2: waits for 1   3: left, since it asks nobody
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

/// A line. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<watch::Sender<BTreeSet<usize>>>);

impl Default for Places {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(BTreeSet::new())))
    }
}

impl Places {
    /// Takes the place with this number, lower ones come first; dropping it is leaving.
    pub(crate) fn enter(&self, number: usize) -> Place {
        self.0.send_modify(|waiting| {
            waiting.insert(number);
        });
        Place {
            places: self.clone(),
            number,
        }
    }
}

/// A place in a line.
#[derive(Debug)]
pub(crate) struct Place {
    places: Places,
    number: usize,
}

impl Place {
    /// Returns when everybody before has left.
    pub(crate) async fn comes(&self) {
        let mut waiting = self.places.0.subscribe();
        // It ends only with the line, which this place holds.
        let _ = waiting
            .wait_for(|waiting| waiting.range(..self.number).next().is_none())
            .await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.0.send_modify(|waiting| {
            waiting.remove(&self.number);
        });
    }
}
