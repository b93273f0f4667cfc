//! The last turns of a conversation, or those before a place: what a person sees first of a long one.
//!
//! ```json
//! {"last": 300, "before": 9700, "bytes": 1048576}
//! ```
//!
//! Only what is wanted is understood, so the end of a long conversation is there as soon as that of a short one.

use std::collections::BTreeMap;
use std::convert::Infallible;

use crate::event::{ConversationEvent, EventKind};

/// How many more events than are wanted are taken to begin with a turn; of a longer one only the end is taken.
const MOST_FOR_A_TURN: usize = 300;

/// Which part is wanted: whole turns where they are short, and never a result without its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// At least so many events; with 0 there are none.
    pub last: usize,
    /// Only events before this one, counted from 0.
    pub before: usize,
    /// At most so many bytes as they are stored, and what belongs to the first of them.
    pub bytes: usize,
}

impl Default for Wanted {
    /// All events.
    fn default() -> Self {
        Self {
            last: usize::MAX,
            before: usize::MAX,
            bytes: usize::MAX,
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
        let counts = wanted.bytes < usize::MAX;
        let Ok(part) = Self::backwards(wanted, || {
            let event = before.next_back();
            let bytes = event.as_ref().filter(|_| counts).map_or(0, stored_bytes);
            Ok::<_, Infallible>(event.map(|event| (event, bytes)))
        });
        Self {
            earlier: before.len(),
            events: part,
        }
    }

    /// The events that are wanted, in their order; `previous` gives one after the other with its bytes, the last one
    /// first.
    ///
    /// # Errors
    ///
    /// Those of `previous`.
    pub(crate) fn backwards<Error>(
        wanted: Wanted,
        mut previous: impl FnMut() -> Result<Option<(ConversationEvent, usize)>, Error>,
    ) -> Result<Vec<ConversationEvent>, Error> {
        let mut events: Vec<ConversationEvent> = Vec::new();
        let mut bytes = 0_usize;
        let mut open = OpenCalls::default();
        while !has_enough(wanted, &events, bytes, &open) {
            let Some((event, its)) = previous()? else {
                break;
            };
            bytes = bytes.saturating_add(its);
            open.back_over(&event.kind);
            events.push(event);
        }
        events.reverse();
        Ok(events)
    }
}

/// Whether a part may begin with the last of `events`, which are in reverse order.
fn has_enough(
    wanted: Wanted,
    events: &[ConversationEvent],
    bytes: usize,
    open: &OpenCalls,
) -> bool {
    let Some(first) = events.last() else {
        return wanted.last == 0;
    };
    if first.kind == EventKind::TurnStart && events.len() >= wanted.last {
        return true;
    }
    let is_long =
        events.len() >= wanted.last.saturating_add(MOST_FOR_A_TURN) || bytes >= wanted.bytes;
    is_long && open.0.is_empty()
}

/// Calls whose results have been passed on the way back, and whose requests have not; an id may stand for several.
#[derive(Debug, Default)]
struct OpenCalls(BTreeMap<String, usize>);

impl OpenCalls {
    fn back_over(&mut self, kind: &EventKind) {
        match kind {
            EventKind::ToolCallResponse(response) => {
                *self.0.entry(response.id.clone()).or_default() += 1;
            }
            EventKind::ToolCallRequest(request) => {
                if let Some(results) = self.0.get_mut(&request.id) {
                    *results -= 1;
                    if *results == 0 {
                        self.0.remove(&request.id);
                    }
                }
            }
            _ => {}
        }
    }
}

fn stored_bytes(event: &ConversationEvent) -> usize {
    event.to_stored().to_string().len()
}
#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
