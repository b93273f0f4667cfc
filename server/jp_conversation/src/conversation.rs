//! A conversation in memory: its events, where its turns begin, and which config deltas it holds.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::config_delta::ConfigDelta;
use crate::event::{ConversationEvent, EventKind};
use crate::id::ConversationId;
use crate::metadata::ConversationMetadata;

/// A conversation in memory.
///
/// Events are only ever added, so that whatever is derived from them can be carried forward, see [`ConfigProjection`].
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// The id.
    pub id: ConversationId,
    /// Title and times.
    pub metadata: ConversationMetadata,
    /// The partial configuration at the time of creation.
    pub base_config: Map<String, Value>,
    events: Vec<ConversationEvent>,
    turn_starts: Vec<usize>,
    delta_positions: Vec<usize>,
}

impl Conversation {
    /// A conversation without events.
    #[must_use]
    pub const fn new(
        id: ConversationId,
        metadata: ConversationMetadata,
        base_config: Map<String, Value>,
    ) -> Self {
        Self {
            id,
            metadata,
            base_config,
            events: Vec::new(),
            turn_starts: Vec::new(),
            delta_positions: Vec::new(),
        }
    }

    /// Adds an event at the end.
    pub fn push(&mut self, event: ConversationEvent) {
        let position = self.events.len();
        match event.kind {
            EventKind::TurnStart => self.turn_starts.push(position),
            EventKind::ConfigDelta(_) => self.delta_positions.push(position),
            _ => {}
        }
        self.events.push(event);
    }

    /// All events, in order.
    #[must_use]
    pub fn events(&self) -> &[ConversationEvent] {
        &self.events
    }

    /// How many turns there are. Events before the first [`EventKind::TurnStart`] belong to no turn.
    #[must_use]
    pub const fn turn_count(&self) -> usize {
        self.turn_starts.len()
    }

    /// The events of a turn, counted from 0, with its [`EventKind::TurnStart`].
    #[must_use]
    pub fn turn(&self, index: usize) -> Option<&[ConversationEvent]> {
        let start = *self.turn_starts.get(index)?;
        let end = self
            .turn_starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.events.len());
        self.events.get(start..end)
    }

    /// The events of the last turn; of a conversation that has no turn, all events.
    #[must_use]
    pub fn current_turn(&self) -> &[ConversationEvent] {
        let start = self.turn_starts.last().copied().unwrap_or(0);
        self.events.get(start..).unwrap_or_default()
    }

    /// How many config deltas there are.
    #[must_use]
    pub const fn config_delta_count(&self) -> usize {
        self.delta_positions.len()
    }

    /// The config deltas from the one with number `first` on, counted from 0.
    pub fn config_deltas(&self, first: usize) -> impl Iterator<Item = &ConfigDelta> {
        let positions = self.delta_positions.get(first..).unwrap_or_default();
        positions
            .iter()
            .filter_map(|position| match &self.events.get(*position)?.kind {
                EventKind::ConfigDelta(delta) => Some(delta),
                _ => None,
            })
    }
}

impl Extend<ConversationEvent> for Conversation {
    fn extend<I: IntoIterator<Item = ConversationEvent>>(&mut self, events: I) {
        for event in events {
            self.push(event);
        }
    }
}

/// A value folded from the config deltas of a conversation, one delta at a time.
///
/// What a delta means is the caller's affair; this remembers which deltas are in.
#[derive(Debug, Clone)]
pub struct ConfigProjection<S> {
    state: S,
    applied: usize,
}

impl<S> ConfigProjection<S> {
    /// Starts from what the base configuration gives.
    #[must_use]
    pub const fn new(state: S) -> Self {
        Self { state, applied: 0 }
    }

    /// The state after the deltas seen so far.
    #[must_use]
    pub const fn state(&self) -> &S {
        &self.state
    }

    /// Applies the deltas that `conversation` has gained, in order, and returns whether there were any.
    ///
    /// # Errors
    ///
    /// That of `apply`; the delta that it refused is tried again next time.
    pub fn advance<E>(
        &mut self,
        conversation: &Conversation,
        mut apply: impl FnMut(&mut S, &ConfigDelta) -> Result<(), E>,
    ) -> Result<bool, E> {
        let before = self.applied;
        for delta in conversation.config_deltas(before) {
            apply(&mut self.state, delta)?;
            self.applied += 1;
        }
        Ok(self.applied > before)
    }
}

/// Where the turns of `events` lie. Events before the first turn form a range of their own.
pub(crate) fn turn_ranges(events: &[ConversationEvent]) -> Vec<Range<usize>> {
    let mut bounds: Vec<usize> = Vec::new();
    for (position, event) in events.iter().enumerate() {
        if position == 0 || event.kind == EventKind::TurnStart {
            bounds.push(position);
        }
    }
    let ends = bounds.iter().skip(1).copied().chain([events.len()]);
    bounds
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
