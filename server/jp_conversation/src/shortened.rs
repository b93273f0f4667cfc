//! Events as a model reads them, after compactions (RFD 064).
//!
//! ```json
//! {"type": "compaction", "from_turn": 0, "to_turn": 3, "summary": {"summary": "We fixed the build."}}
//! {"type": "chat_request", "content": "[Summary of previous conversation]"}
//! {"type": "chat_response", "message": "We fixed the build."}
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use crate::compaction::Compaction;
use crate::conversation::turn_ranges;
use crate::event::{ChatRequest, ChatResponse, ConversationEvent, EventKind};

/// What stands in place of the person's words in turns that are summarized.
const SUMMARIZED: &str = "[Summary of previous conversation]";

/// What is shortened in one turn. Later compactions win, part by part.
#[derive(Debug, Clone, Copy, Default)]
struct Shortening<'a> {
    /// The text that stands for the turn, and the first turn that it stands for.
    summary: Option<(&'a str, usize)>,
    reasoning: Option<&'a Value>,
    tool_calls: Option<&'a Value>,
}

/// The events as a model is to see them, shortened as the compactions among them say (RFD 064).
///
/// A compaction reaches only turns that had begun when it was recorded; what it says in words that are not known here
/// shortens nothing.
#[must_use]
pub fn compact(events: &[ConversationEvent]) -> Cow<'_, [ConversationEvent]> {
    let is_compaction = |event: &ConversationEvent| matches!(event.kind, EventKind::Compaction(_));
    if !events.iter().any(is_compaction) {
        return Cow::Borrowed(events);
    }
    let turns = numbered_turns(events);
    let mut shortenings = vec![Shortening::default(); turns.len()];
    for (number, turn) in &turns {
        for event in *turn {
            if let EventKind::Compaction(compaction) = &event.kind {
                Shortening::note(compaction, *number, &mut shortenings);
            }
        }
    }
    let mut compacted = Vec::with_capacity(events.len());
    for (number, turn) in turns {
        let shortening = shortenings.get(number).copied().unwrap_or_default();
        let begins = turn
            .first()
            .is_some_and(|event| event.kind == EventKind::TurnStart);
        match shortening.summary {
            Some((text, first)) if first == number && begins => {
                compacted.extend(summarized(turn, text));
            }
            Some(_) => {}
            None => shortening.apply(turn, &mut compacted),
        }
    }
    Cow::Owned(compacted)
}

/// The turns with their numbers; what stands before the first one belongs to it.
fn numbered_turns(events: &[ConversationEvent]) -> Vec<(usize, &[ConversationEvent])> {
    let mut number = None;
    let ranges = turn_ranges(events).into_iter();
    let turns = ranges.filter_map(|range| events.get(range));
    turns
        .map(|turn| {
            if turn
                .first()
                .is_some_and(|event| event.kind == EventKind::TurnStart)
            {
                number = Some(number.map_or(0, |number| number + 1));
            }
            (number.unwrap_or(0), turn)
        })
        .collect()
}

impl<'a> Shortening<'a> {
    /// Notes what a compaction says, recorded in the turn `now`, about each turn that it reaches.
    fn note(compaction: &'a Compaction, now: usize, shortenings: &mut [Self]) {
        let reached = shortenings
            .iter_mut()
            .take(compaction.to_turn.min(now).saturating_add(1))
            .skip(compaction.from_turn);
        let summary = compaction.summary.as_ref();
        let summary = summary.and_then(|it| it.get("summary")?.as_str());
        for shortening in reached {
            if let Some(text) = summary {
                shortening.summary = Some((text, compaction.from_turn));
            }
            let Compaction {
                reasoning,
                tool_calls,
                ..
            } = compaction;
            shortening.reasoning = reasoning.as_ref().or(shortening.reasoning);
            shortening.tool_calls = tool_calls.as_ref().or(shortening.tool_calls);
        }
    }

    fn apply(&self, turn: &[ConversationEvent], compacted: &mut Vec<ConversationEvent>) {
        let strips_reasoning = self.reasoning.is_some_and(|it| policy(it) == Some("strip"));
        let calls = self.tool_calls.and_then(policy);
        let strips = |half: &str| {
            let flag = self.tool_calls.and_then(|it| it.get(half));
            calls == Some("strip") && flag.and_then(Value::as_bool).unwrap_or(false)
        };
        let (strips_requests, strips_responses) = (strips("request"), strips("response"));
        let mut names: HashMap<&str, &str> = HashMap::new();
        for event in turn {
            let mut shortened = event.clone();
            match (&event.kind, &mut shortened.kind) {
                (EventKind::ChatResponse(ChatResponse::Reasoning(_)), _) if strips_reasoning => {
                    continue;
                }
                (EventKind::ToolCallRequest(_) | EventKind::ToolCallResponse(_), _)
                    if calls == Some("omit") =>
                {
                    continue;
                }
                (EventKind::ToolCallRequest(call), EventKind::ToolCallRequest(request)) => {
                    names.insert(&call.id, &call.name);
                    if strips_requests {
                        request.arguments.clear();
                    }
                }
                (EventKind::ToolCallResponse(_), EventKind::ToolCallResponse(response))
                    if strips_responses =>
                {
                    let name = names.get(response.id.as_str()).unwrap_or(&"unknown");
                    let status = if response.is_error {
                        "error"
                    } else {
                        "success"
                    };
                    response.content = format!("[compacted] {name}: {status}");
                }
                _ => {}
            }
            compacted.push(shortened);
        }
    }
}

/// The name of a policy that holds whatever the size; one with a threshold is not known here.
fn policy(value: &Value) -> Option<&str> {
    match value {
        Value::String(name) => Some(name),
        Value::Object(fields) if !fields.contains_key("over") => fields.get("policy")?.as_str(),
        _ => None,
    }
}

/// A turn of which only a summary is left.
fn summarized(turn: &[ConversationEvent], text: &str) -> Vec<ConversationEvent> {
    let Some(first) = turn.first() else {
        return Vec::new();
    };
    let kinds = [
        EventKind::TurnStart,
        EventKind::ChatRequest(ChatRequest {
            content: SUMMARIZED.to_owned(),
            ..ChatRequest::default()
        }),
        EventKind::ChatResponse(ChatResponse::Message(text.to_owned())),
    ];
    let at_that_time = |kind| {
        let mut event = ConversationEvent::new(kind);
        event.timestamp = first.timestamp;
        event
    };
    kinds.into_iter().map(at_that_time).collect()
}

#[cfg(test)]
#[path = "shortened_tests.rs"]
mod tests;
