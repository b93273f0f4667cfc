use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::event::{ChatRequest, ChatResponse};
use crate::timestamp::Timestamp;

fn event(kind: EventKind) -> ConversationEvent {
    ConversationEvent::at(Timestamp::EPOCH, kind)
}

fn delta(value: i64) -> ConversationEvent {
    let mut delta = ConfigDelta::default();
    delta.delta.insert("n".into(), json!(value));
    event(EventKind::ConfigDelta(delta))
}

fn conversation() -> Conversation {
    let id = ConversationId::from_deciseconds(1);
    Conversation::new(id, ConversationMetadata::at(Timestamp::EPOCH), Map::new())
}

#[test]
fn turns_last_until_the_next_begins() {
    let mut conversation = conversation();
    assert_eq!(conversation.current_turn(), []);
    conversation.push(event(EventKind::ChatResponse(ChatResponse::Message(
        "stray".into(),
    ))));
    assert_eq!(conversation.current_turn().len(), 1);
    conversation.push(event(EventKind::TurnStart));
    conversation.push(event(EventKind::ChatRequest(ChatRequest::default())));
    conversation.push(event(EventKind::TurnStart));
    assert_eq!(conversation.turn_count(), 2);
    assert_eq!(conversation.turn(0).unwrap().len(), 2);
    assert_eq!(conversation.turn(1).unwrap().len(), 1);
    assert_eq!(conversation.turn(2), None);
    assert_eq!(conversation.current_turn().len(), 1);
    assert_eq!(turn_ranges(conversation.events()), [0..1, 1..3, 3..4]);
    assert_eq!(turn_ranges(&[]), []);
}

#[test]
fn each_delta_is_applied_once() {
    let mut conversation = conversation();
    conversation.extend([delta(1), event(EventKind::TurnStart), delta(2)]);
    let mut projection = ConfigProjection::new(Vec::new());
    let mut apply = |seen: &mut Vec<Value>, delta: &ConfigDelta| {
        seen.extend(delta.delta.get("n").cloned());
        Ok::<_, ()>(())
    };
    assert_eq!(projection.advance(&conversation, &mut apply), Ok(true));
    assert_eq!(projection.advance(&conversation, &mut apply), Ok(false));
    conversation.push(delta(3));
    assert_eq!(projection.advance(&conversation, &mut apply), Ok(true));
    assert_eq!(projection.state(), &[json!(1), json!(2), json!(3)]);
    assert_eq!(conversation.config_delta_count(), 3);
}

#[test]
fn a_refused_delta_is_tried_again() {
    let mut conversation = conversation();
    conversation.extend([delta(1), delta(2)]);
    let mut projection = ConfigProjection::new(0);
    let refused = projection.advance(&conversation, |count, _| {
        *count += 1;
        if *count > 1 { Err("no") } else { Ok(()) }
    });
    assert_eq!(refused, Err("no"));
    let mut retried = 0;
    let applied = projection.advance(&conversation, |_, _| {
        retried += 1;
        Ok::<_, ()>(())
    });
    assert_eq!((applied, retried), (Ok(true), 1));
}

#[test]
fn a_change_that_is_taken_back_counts_for_nothing() {
    let take_back = || {
        event(EventKind::ConfigDelta(ConfigDelta {
            takes_back: true,
            ..ConfigDelta::default()
        }))
    };
    let mut conversation = conversation();
    let mut projection = ConfigProjection::new(Vec::new());
    let mut replayed = |conversation: &Conversation| {
        let apply = |seen: &mut Vec<Value>, delta: &ConfigDelta| {
            seen.extend(delta.delta.get("n").cloned());
            Ok::<_, ()>(())
        };
        projection.advance(conversation, apply).unwrap();
        projection.state().clone()
    };
    conversation.extend([delta(1), delta(2)]);
    assert_eq!(replayed(&conversation), [json!(1), json!(2)]);
    conversation.push(take_back());
    assert_eq!(replayed(&conversation), [json!(1)]);
    conversation.push(delta(3));
    assert_eq!(replayed(&conversation), [json!(1), json!(3)]);
    conversation.extend([take_back(), take_back(), take_back()]);
    assert_eq!(replayed(&conversation), Vec::<Value>::new());
    assert_eq!(conversation.last_config_delta(), None);
    assert_eq!(conversation.config_delta_count(), 7);
    assert_eq!(conversation.config_deltas(0).count(), 7);
}
