//! What an interrupted conversation lacks, and how the model and people get to see it whole.
//!
//! Requests and responses pair in order within a turn: the first response with an id belongs to the first request with
//! that id. Whatever has no partner is repaired:
//!
//! - a tool call without a response gets one, an error `Tool call was interrupted.`;
//! - a tool response without a call is left out;
//! - an inquiry without a response, and a response without an inquiry, are left out;
//! - what the model would see before the user has said anything is left out.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use crate::conversation::turn_ranges;
use crate::event::{ConversationEvent, EventKind, ToolCallResponse};

/// What the model is told about a tool call that never ended.
pub const INTERRUPTED: &str = "Tool call was interrupted.";

/// The events as they should be shown: complete and in pairs. The events themselves stay as they are.
#[must_use]
pub fn repair(events: &[ConversationEvent]) -> Vec<Cow<'_, ConversationEvent>> {
    let start = events
        .iter()
        .position(|event| matches!(event.kind, EventKind::ChatRequest(_)))
        .unwrap_or(events.len());
    let mut repaired = Vec::with_capacity(events.len());
    for range in turn_ranges(events) {
        let leading = start.saturating_sub(range.start);
        let turn = events.get(range).unwrap_or_default();
        repair_turn(turn, leading, &mut repaired);
    }
    repaired
}

/// The responses that the tool calls of a turn lack, in the order of the calls.
#[must_use]
pub fn missing_responses(turn: &[ConversationEvent]) -> Vec<ConversationEvent> {
    Pairing::of(turn, 0)
        .unanswered
        .into_iter()
        .filter_map(|position| interrupted(turn.get(position)?))
        .collect()
}

/// The positions of the events of one turn that lack a partner.
struct Pairing {
    /// Tool calls without a response, in order.
    unanswered: Vec<usize>,
    /// Tool responses and inquiries, either side, without a partner.
    orphans: HashSet<usize>,
}

impl Pairing {
    /// Pairs what comes after the first `leading` events.
    fn of(turn: &[ConversationEvent], leading: usize) -> Self {
        let mut calls = OpenRequests::default();
        let mut inquiries = OpenRequests::default();
        let mut orphans = HashSet::new();
        for (position, event) in turn.iter().enumerate().skip(leading) {
            let paired = match &event.kind {
                EventKind::ToolCallRequest(request) => calls.open(&request.id, position),
                EventKind::InquiryRequest(request) => inquiries.open(&request.id, position),
                EventKind::ToolCallResponse(response) => calls.close(&response.id),
                EventKind::InquiryResponse(response) => inquiries.close(response.id()),
                _ => true,
            };
            if !paired {
                orphans.insert(position);
            }
        }
        orphans.extend(inquiries.left());
        Self {
            unanswered: calls.left(),
            orphans,
        }
    }
}

/// Requests that wait for their response, by id; an id may occur more than once.
#[derive(Default)]
struct OpenRequests<'a>(HashMap<&'a str, VecDeque<usize>>);

impl<'a> OpenRequests<'a> {
    fn open(&mut self, id: &'a str, position: usize) -> bool {
        self.0.entry(id).or_default().push_back(position);
        true
    }

    fn close(&mut self, id: &str) -> bool {
        self.0.get_mut(id).and_then(VecDeque::pop_front).is_some()
    }

    fn left(self) -> Vec<usize> {
        let mut left: Vec<usize> = self.0.into_values().flatten().collect();
        left.sort_unstable();
        left
    }
}

/// The error response of a tool call that never ended, dated like the call.
fn interrupted(request: &ConversationEvent) -> Option<ConversationEvent> {
    let EventKind::ToolCallRequest(call) = &request.kind else {
        return None;
    };
    let response = ToolCallResponse {
        id: call.id.clone(),
        content: INTERRUPTED.to_owned(),
        is_error: true,
    };
    Some(ConversationEvent::at(
        request.timestamp,
        EventKind::ToolCallResponse(response),
    ))
}

/// Repairs one turn, of which the first `leading` events come before anything the user said.
fn repair_turn<'a>(
    turn: &'a [ConversationEvent],
    leading: usize,
    repaired: &mut Vec<Cow<'a, ConversationEvent>>,
) {
    let pairing = Pairing::of(turn, leading);
    let mut unanswered = pairing.unanswered.iter().copied().peekable();
    let mut waiting: Vec<ConversationEvent> = Vec::new();
    for (position, event) in turn.iter().enumerate() {
        let belongs_to_exchange = event.is_provider_visible()
            || matches!(
                event.kind,
                EventKind::InquiryRequest(_) | EventKind::InquiryResponse(_)
            );
        let dropped =
            pairing.orphans.contains(&position) || (position < leading && belongs_to_exchange);
        let is_unanswered = unanswered.next_if_eq(&position).is_some();
        if dropped {
            continue;
        }
        // A response stands right after the calls that the assistant made together, before it goes on.
        if matches!(
            event.kind,
            EventKind::ChatRequest(_) | EventKind::ChatResponse(_)
        ) {
            repaired.extend(waiting.drain(..).map(Cow::Owned));
        }
        repaired.push(Cow::Borrowed(event));
        if is_unanswered {
            waiting.extend(interrupted(event));
        }
    }
    repaired.extend(waiting.into_iter().map(Cow::Owned));
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
