//! The last turns of a conversation, or those before a place: what a person sees first of a long one.
//!
//! ```json
//! {"last": 300, "before": 9700}
//! ```
//!
//! Only what is wanted is understood, so the end of a long conversation is there as soon as that of a short one.

use std::convert::Infallible;

use crate::event::{ConversationEvent, EventKind};

/// Which part is wanted: whole turns, so that no result is without its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// At least so many events; with 0 there are none.
    pub last: usize,
    /// Only events before this one, counted from 0.
    pub before: usize,
}

impl Default for Wanted {
    /// All events.
    fn default() -> Self {
        Self {
            last: usize::MAX,
            before: usize::MAX,
        }
    }
}

/// A part of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConversationPart {
    /// Its events.
    pub events: Vec<ConversationEvent>,
    /// How many events stand before them.
    pub earlier: usize,
}

impl ConversationPart {
    /// The wanted part of a conversation of which all events are known.
    #[must_use]
    pub fn of(events: &[ConversationEvent], wanted: Wanted) -> Self {
        let mut before = events.iter().take(wanted.before).cloned();
        let Ok(part) = Self::backwards(wanted, || Ok::<_, Infallible>(before.next_back()));
        Self {
            earlier: before.len(),
            events: part,
        }
    }

    /// The events that are wanted, in their order; `previous` gives one after the other, the last one first.
    ///
    /// # Errors
    ///
    /// Those of `previous`.
    pub(crate) fn backwards<Error>(
        wanted: Wanted,
        mut previous: impl FnMut() -> Result<Option<ConversationEvent>, Error>,
    ) -> Result<Vec<ConversationEvent>, Error> {
        let mut events: Vec<ConversationEvent> = Vec::new();
        let has_enough = |events: &[ConversationEvent]| {
            let begins = events
                .last()
                .is_none_or(|event| event.kind == EventKind::TurnStart);
            begins && events.len() >= wanted.last
        };
        while !has_enough(&events) {
            let Some(event) = previous()? else { break };
            events.push(event);
        }
        events.reverse();
        Ok(events)
    }
}

#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
