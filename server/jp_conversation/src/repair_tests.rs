use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use crate::event::{ChatRequest, ChatResponse, ToolCallRequest};
use crate::inquiry::{
    InquiryAnswerType, InquiryQuestion, InquiryRequest, InquiryResponse, InquirySource,
};
use crate::timestamp::Timestamp;

/// Events from words: `turn`, `user`, `says`, `call:ID`, `result:ID`, `ask:ID`, `answer:ID`.
fn events(script: &str) -> Vec<ConversationEvent> {
    let kinds = script
        .split_whitespace()
        .map(|word| match word.split_once(':') {
            None if word == "turn" => EventKind::TurnStart,
            None if word == "user" => EventKind::ChatRequest(ChatRequest::default()),
            None => EventKind::ChatResponse(ChatResponse::Message(word.into())),
            Some(("call", id)) => EventKind::ToolCallRequest(ToolCallRequest {
                id: id.into(),
                name: "t".into(),
                arguments: Map::new(),
            }),
            Some(("result", id)) => EventKind::ToolCallResponse(ToolCallResponse {
                id: id.into(),
                content: "ok".into(),
                is_error: false,
            }),
            Some(("ask", id)) => EventKind::InquiryRequest(InquiryRequest {
                id: id.into(),
                source: InquirySource::User,
                question: InquiryQuestion::new("?", InquiryAnswerType::Boolean),
            }),
            Some((_, id)) => EventKind::InquiryResponse(InquiryResponse::Answered {
                id: id.into(),
                answer: json!(true),
            }),
        });
    kinds
        .map(|kind| ConversationEvent::at(Timestamp::EPOCH, kind))
        .collect()
}

fn word(event: &ConversationEvent) -> String {
    match &event.kind {
        EventKind::TurnStart => "turn".into(),
        EventKind::ChatRequest(_) => "user".into(),
        EventKind::ChatResponse(ChatResponse::Message(text)) => text.clone(),
        EventKind::ToolCallRequest(call) => format!("call:{}", call.id),
        EventKind::ToolCallResponse(response) if response.is_error => {
            format!("interrupted:{}", response.id)
        }
        EventKind::ToolCallResponse(response) => format!("result:{}", response.id),
        EventKind::InquiryRequest(request) => format!("ask:{}", request.id),
        EventKind::InquiryResponse(response) => format!("answer:{}", response.id()),
        other => panic!("{other:?}"),
    }
}

fn check(script: &str, expect: &Expect) {
    let events = events(script);
    let words: Vec<_> = repair(&events).iter().map(|event| word(event)).collect();
    expect.assert_eq(&words.join(" "));
}

#[test]
fn what_is_whole_stays() {
    check(
        "turn user says call:a ask:a.q answer:a.q result:a says turn user says",
        &expect!["turn user says call:a ask:a.q answer:a.q result:a says turn user says"],
    );
    check("", &expect![""]);
}

#[test]
fn a_call_without_a_response_gets_one() {
    check(
        "turn user call:a",
        &expect!["turn user call:a interrupted:a"],
    );
    check(
        "turn user call:a call:b result:b says turn user",
        &expect!["turn user call:a call:b result:b interrupted:a says turn user"],
    );
}

#[test]
fn pairs_are_made_within_a_turn() {
    check(
        "turn user call:a turn user result:a says",
        &expect!["turn user call:a interrupted:a turn user says"],
    );
    check(
        "turn user call:a ask:a.q turn user call:a answer:a.q result:a",
        &expect!["turn user call:a interrupted:a turn user call:a result:a"],
    );
}

#[test]
fn an_id_may_be_used_again() {
    check(
        "turn user call:a result:a call:a result:a call:a",
        &expect!["turn user call:a result:a call:a result:a call:a interrupted:a"],
    );
    check(
        "turn user call:a ask:q answer:q ask:q answer:q ask:q result:a",
        &expect!["turn user call:a ask:q answer:q ask:q answer:q result:a"],
    );
}

#[test]
fn orphans_are_left_out() {
    check(
        "turn user result:x says answer:y ask:z",
        &expect!["turn user says"],
    );
}

#[test]
fn what_precedes_the_user_is_left_out() {
    check(
        "says call:a result:a turn says user says",
        &expect!["turn user says"],
    );
    check("turn says", &expect!["turn"]);
}

#[test]
fn only_the_last_turn_is_completed_on_disk() {
    let responses = missing_responses(&events("turn user call:b call:a result:a call:c"));
    let words: Vec<_> = responses.iter().map(word).collect();
    assert_eq!(words, ["interrupted:b", "interrupted:c"]);
}

proptest! {
    #[test]
    fn a_repaired_conversation_needs_no_repair(
        words in prop::collection::vec(prop::sample::select(vec![
            "turn", "user", "says", "call:a", "call:b", "result:a", "result:b", "ask:a", "answer:a", "ask:b", "answer:b",
        ]), 0..30)
    ) {
        let events = events(&words.join(" "));
        let repaired: Vec<_> = repair(&events).into_iter().map(Cow::into_owned).collect();
        let again: Vec<_> = repair(&repaired).into_iter().map(Cow::into_owned).collect();
        prop_assert_eq!(&again, &repaired);
        let calls = repaired.iter().filter(|event| matches!(event.kind, EventKind::ToolCallRequest(_))).count();
        let results = repaired.iter().filter(|event| matches!(event.kind, EventKind::ToolCallResponse(_))).count();
        prop_assert_eq!(calls, results);
    }
}
