//! A conversation in memory: its events, where its turns begin, and which config deltas it holds.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

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
    /// Where the deltas are that hold and change something, for one more to take back the last of them.
    held_positions: Vec<usize>,
    /// Where the deltas are that later ones have taken back.
    taken_back: BTreeSet<usize>,
}

/// What a delta is worth that was taken back.
static NOTHING: LazyLock<ConfigDelta> = LazyLock::new(ConfigDelta::default);

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
            held_positions: Vec::new(),
            taken_back: BTreeSet::new(),
        }
    }

    /// Adds an event at the end.
    pub fn push(&mut self, event: ConversationEvent) {
        let position = self.events.len();
        match &event.kind {
            EventKind::TurnStart => self.turn_starts.push(position),
            EventKind::ConfigDelta(delta) => {
                self.delta_positions.push(position);
                if delta.takes_back {
                    self.taken_back.extend(self.held_positions.pop());
                }
                if delta.has_own() {
                    self.held_positions.push(position);
                }
            }
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

    /// How many config deltas there are, those that were taken back included.
    #[must_use]
    pub const fn config_delta_count(&self) -> usize {
        self.delta_positions.len()
    }

    /// How many config deltas were taken back.
    #[must_use]
    pub fn taken_back_count(&self) -> usize {
        self.taken_back.len()
    }

    /// The last config delta that holds: what the next one can take back.
    #[must_use]
    pub fn last_config_delta(&self) -> Option<&ConfigDelta> {
        self.config_delta_at(*self.held_positions.last()?)
    }

    fn config_delta_at(&self, position: usize) -> Option<&ConfigDelta> {
        match &self.events.get(position)?.kind {
            EventKind::ConfigDelta(_) if self.taken_back.contains(&position) => Some(&NOTHING),
            EventKind::ConfigDelta(delta) => Some(delta),
            _ => None,
        }
    }

    /// The config deltas from the one with number `first` on, counted from 0; one that was taken back is empty.
    pub fn config_deltas(&self, first: usize) -> impl Iterator<Item = &ConfigDelta> {
        let positions = self.delta_positions.get(first..).unwrap_or_default();
        positions
            .iter()
            .filter_map(|position| self.config_delta_at(*position))
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
    base: S,
    state: S,
    applied: usize,
    taken_back: usize,
}

impl<S: Clone> ConfigProjection<S> {
    /// Starts from what the base configuration gives.
    #[must_use]
    pub fn new(base: S) -> Self {
        Self {
            state: base.clone(),
            base,
            applied: 0,
            taken_back: 0,
        }
    }

    /// The state after the deltas seen so far.
    #[must_use]
    pub const fn state(&self) -> &S {
        &self.state
    }

    /// Applies the deltas that `conversation` has gained, in order, and returns whether there were any.
    ///
    /// Where one of them takes back another, all are applied anew.
    ///
    /// # Errors
    ///
    /// That of `apply`; the delta that it refused is tried again next time.
    pub fn advance<E>(
        &mut self,
        conversation: &Conversation,
        mut apply: impl FnMut(&mut S, &ConfigDelta) -> Result<(), E>,
    ) -> Result<bool, E> {
        let has_more = conversation.config_delta_count() > self.applied;
        if conversation.taken_back_count() > self.taken_back {
            self.state = self.base.clone();
            self.applied = 0;
            self.taken_back = conversation.taken_back_count();
        }
        for delta in conversation.config_deltas(self.applied) {
            apply(&mut self.state, delta)?;
            self.applied += 1;
        }
        Ok(has_more)
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
