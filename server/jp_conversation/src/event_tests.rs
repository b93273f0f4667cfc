use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::config_delta::Claim;
use crate::inquiry::{
    CancellationReason, InquiryAnswerReusePolicy, InquiryAnswerType, SelectOption, inquiry_id,
};

/// Reads a stored event and shows the plain form and the stored form that is written again.
fn check(stored: &Value, expect: &Expect) {
    let shown = match ConversationEvent::from_stored(stored.clone()) {
        Ok(event) => {
            let again = ConversationEvent::from_stored(event.to_stored()).unwrap();
            assert_eq!(again, event);
            format!("plain  {}\nstored {}\n", event.to_json(), event.to_stored())
        }
        Err(error) => format!("error  {error}\n"),
    };
    expect.assert_eq(&shown);
}

fn at(mut fields: Value) -> Value {
    fields["timestamp"] = json!("2026-03-18 13:19:12.5");
    fields
}

#[test]
fn chat_is_stored_in_plain_text() {
    check(
        &at(
            json!({"type": "chat_request", "content": "Hello", "author": "jo", "schema": {"type": "object"}}),
        ),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"chat_request","content":"Hello","schema":{"type":"object"},"author":"jo"}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"chat_request","content":"Hello","schema":{"type":"object"},"author":"jo"}
        "#]],
    );
    check(
        &at(json!({"type": "chat_response", "data": [1, null]})),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"chat_response","data":[1,null]}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"chat_response","data":[1,null]}
        "#]],
    );
}

#[test]
fn tool_calls_and_metadata_are_stored_in_base64() {
    check(
        &at(
            json!({"type": "tool_call_request", "id": "c", "name": "n", "arguments":
            {"path": "c3JjL2xpYi5ycw==", "n": 1, "list": ["YQ==", {"b": "Yg=="}]}, "metadata": {"rendered_arguments": "eA=="}}),
        ),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"tool_call_request","id":"c","name":"n","arguments":{"path":"src/lib.rs","n":1,"list":["a",{"b":"b"}]},"metadata":{"rendered_arguments":"x"}}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"tool_call_request","id":"c","name":"n","arguments":{"path":"c3JjL2xpYi5ycw==","n":1,"list":["YQ==",{"b":"Yg=="}]},"metadata":{"rendered_arguments":"eA=="}}
        "#]],
    );
    check(
        &at(json!({"type": "tool_call_response", "id": "c", "content": "b2s=", "is_error": false})),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"tool_call_response","id":"c","content":"ok","is_error":false}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"tool_call_response","id":"c","content":"b2s=","is_error":false}
        "#]],
    );
}

#[test]
fn text_that_is_no_base64_is_read_as_it_is() {
    check(
        &at(
            json!({"type": "tool_call_response", "id": "c", "content": "not base64", "is_error": true}),
        ),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"tool_call_response","id":"c","content":"not base64","is_error":true}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"tool_call_response","id":"c","content":"bm90IGJhc2U2NA==","is_error":true}
        "#]],
    );
}

#[test]
fn unknown_types_and_fields_are_kept() {
    check(
        &json!({"type": "future", "timestamp": 7, "metadata": {"x": "YQ=="}, "any": [1]}),
        &expect![[r#"
            plain  {"type":"future","timestamp":7,"metadata":{"x":"YQ=="},"any":[1]}
            stored {"type":"future","timestamp":7,"metadata":{"x":"YQ=="},"any":[1]}
        "#]],
    );
    check(
        &at(json!({"type": "turn_start", "event_id": "e1"})),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"turn_start","event_id":"e1"}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"turn_start","event_id":"e1"}
        "#]],
    );
    check(
        &at(
            json!({"type": "inquiry_request", "id": "a.b", "source": {"source": "user"},
            "question": {"text": "Which?", "answer_type": {"type": "select", "options": [{"value": "a", "description": "A"}, 2, {"x": 1}]}, "hint": 1}}),
        ),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"inquiry_request","id":"a.b","source":{"source":"user"},"question":{"text":"Which?","answer_type":{"type":"select","options":[{"value":"a","description":"A"},2,{"x":1}]},"hint":1}}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"inquiry_request","id":"a.b","source":{"source":"user"},"question":{"text":"Which?","answer_type":{"type":"select","options":[{"value":"a","description":"A"},2,{"x":1}]},"hint":1}}
        "#]],
    );
    check(
        &at(
            json!({"type": "compaction", "from_turn": 0, "to_turn": 2, "summary": {"summary": "s"},
            "tool_calls": {"policy": "omit"}, "reasoning": "strip", "by": "hand"}),
        ),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"compaction","from_turn":0,"to_turn":2,"summary":{"summary":"s"},"reasoning":"strip","tool_calls":{"policy":"omit"},"by":"hand"}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"compaction","from_turn":0,"to_turn":2,"summary":{"summary":"s"},"reasoning":"strip","tool_calls":{"policy":"omit"},"by":"hand"}
        "#]],
    );
}

#[test]
fn a_question_without_the_later_fields_has_their_defaults() {
    let event = at(
        json!({"type": "inquiry_request", "id": "a.b", "source": {"source": "tool", "name": "t"},
        "question": {"text": "Go?", "answer_type": {"type": "boolean"}}}),
    );
    let EventKind::InquiryRequest(request) = ConversationEvent::from_stored(event).unwrap().kind
    else {
        panic!("an inquiry request");
    };
    assert_eq!(request.source, InquirySource::Tool { name: "t".into() });
    assert_eq!(
        request.question,
        InquiryQuestion::new("Go?", InquiryAnswerType::Boolean)
    );
    assert_eq!(request.question.persistence, InquiryAnswerReusePolicy::Turn);
}

#[test]
fn a_question_for_people_only_survives() {
    let mut question = InquiryQuestion::new("Token?", InquiryAnswerType::Secret);
    question.exclusive = true;
    question.persistence = InquiryAnswerReusePolicy::None;
    question.context = Some("For the registry.".into());
    let request = InquiryRequest {
        id: inquiry_id("call_1", "answer", 2),
        source: InquirySource::Assistant,
        question,
    };
    let event = ConversationEvent::at(Timestamp::EPOCH, EventKind::InquiryRequest(request));
    check(
        &event.to_stored(),
        &expect![[r#"
            plain  {"timestamp":"1970-01-01 00:00:00.0","type":"inquiry_request","id":"call_1.answer.2","source":{"source":"assistant"},"question":{"text":"Token?","answer_type":{"type":"secret"},"context":"For the registry.","exclusive":true,"persistence":"none"}}
            stored {"timestamp":"1970-01-01 00:00:00.0","type":"inquiry_request","id":"call_1.answer.2","source":{"source":"assistant"},"question":{"text":"Token?","answer_type":{"type":"secret"},"context":"For the registry.","exclusive":true,"persistence":"none"}}
        "#]],
    );
}

#[test]
fn each_outcome_has_its_shape() {
    let written = |fields: Value| {
        let event = ConversationEvent::from_stored(at(fields))
            .unwrap()
            .to_stored();
        let mut event = event.as_object().unwrap().clone();
        event.shift_remove("timestamp");
        event.shift_remove("type");
        Value::Object(event).to_string()
    };
    let response = "inquiry_response";
    assert_eq!(
        written(json!({"type": response, "outcome": "answered", "id": "a", "answer": null})),
        r#"{"outcome":"answered","id":"a","answer":null}"#
    );
    assert_eq!(
        written(json!({"type": response, "id": "a", "answer": "yes"})),
        r#"{"outcome":"answered","id":"a","answer":"yes"}"#
    );
    assert_eq!(
        written(json!({"type": response, "outcome": "cancelled", "id": "a"})),
        r#"{"outcome":"cancelled","id":"a","reason":"user"}"#
    );
    for reason in [
        "user",
        "backend_error",
        "no_prompt_backend",
        "assistant_routing_denied",
        "invalid_static_answer",
        "Some future reason",
    ] {
        assert_eq!(
            written(json!({"type": response, "outcome": "cancelled", "id": "a", "reason": reason})),
            format!(r#"{{"outcome":"cancelled","id":"a","reason":"{reason}"}}"#)
        );
    }
    assert_eq!(
        written(json!({"type": response, "outcome": "redacted", "id": "a", "answer": "hunter2"})),
        r#"{"outcome":"redacted","id":"a"}"#
    );
}

#[test]
fn unknown_reasons_are_told_apart() {
    assert_eq!(
        CancellationReason::from("user".to_owned()),
        CancellationReason::User
    );
    assert_eq!(
        CancellationReason::from("later".to_owned()),
        CancellationReason::Unknown("later".into())
    );
}

#[test]
fn config_deltas_carry_unsets_and_claims() {
    check(
        &at(
            json!({"type": "config_delta", "delta": {"a": 1}, "unsets": ["b.c"], "claims": {"b.c": null, "a": [], "d": ["h:f"]}}),
        ),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"config_delta","delta":{"a":1},"unsets":["b.c"],"claims":{"a":[],"b.c":[],"d":["h:f"]}}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"config_delta","delta":{"a":1},"unsets":["b.c"],"claims":{"a":[],"b.c":[],"d":["h:f"]}}
        "#]],
    );
    check(
        &at(json!({"type": "config_delta", "delta": {}})),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"config_delta","delta":{}}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"config_delta","delta":{}}
        "#]],
    );
}

#[test]
fn a_flattened_config_delta_is_read() {
    check(
        &at(json!({"type": "config_delta", "inherit": true, "template": {"values": {}}})),
        &expect![[r#"
            plain  {"timestamp":"2026-03-18 13:19:12.5","type":"config_delta","delta":{"inherit":true,"template":{"values":{}}}}
            stored {"timestamp":"2026-03-18 13:19:12.5","type":"config_delta","delta":{"inherit":true,"template":{"values":{}}}}
        "#]],
    );
}

#[test]
fn a_delta_of_a_tool_claims_every_path() {
    let delta = json!({"assistant": {"name": "x"}})
        .as_object()
        .unwrap()
        .clone();
    let delta = ConfigDelta::of_tool(
        delta,
        ["assistant.name".to_owned()],
        vec!["user.name".to_owned()],
    );
    let claims: Vec<_> = delta.claims.into_iter().collect();
    assert_eq!(
        claims,
        [
            ("assistant.name".to_owned(), Claim::Unclaimed),
            ("user.name".to_owned(), Claim::Unclaimed)
        ]
    );
    assert!(ConfigDelta::default().is_empty());
}

#[test]
fn a_wrong_shape_says_what_is_expected() {
    let error = |value: Value| {
        ConversationEvent::from_stored(value)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(error(json!([])), "an event must be an object");
    assert_eq!(error(json!({"timestamp": "x"})), "`type` is missing");
    assert_eq!(error(json!({"type": 1})), "`type` must be a string");
    assert_eq!(
        error(json!({"type": "turn_start"})),
        "`timestamp` is missing"
    );
    assert_eq!(
        error(json!({"type": "turn_start", "timestamp": 1})),
        "`timestamp` must be a string"
    );
    assert_eq!(
        error(json!({"type": "turn_start", "timestamp": "1"})),
        "`1` is no timestamp, write `YYYY-MM-DD HH:MM:SS.ffffff` (UTC) or RFC 3339"
    );
    let error = |fields: Value| error(at(fields));
    assert_eq!(
        error(json!({"type": "turn_start", "metadata": 1})),
        "`metadata` must be an object"
    );
    assert_eq!(
        error(json!({"type": "chat_request"})),
        "`chat_request`: `content` is missing"
    );
    assert_eq!(
        error(json!({"type": "chat_response", "message": "a", "reasoning": "b"})),
        "`chat_response`: exactly one of `message`, `reasoning` and `data` must be there"
    );
    assert_eq!(
        error(json!({"type": "tool_call_request", "id": "a", "name": "b", "arguments": 1})),
        "`tool_call_request`: `arguments` must be an object"
    );
    assert_eq!(
        error(json!({"type": "tool_call_response", "id": "a", "content": "", "is_error": "no"})),
        "`tool_call_response`: `is_error` must be `true` or `false`"
    );
    assert_eq!(
        error(json!({"type": "inquiry_response", "id": "a"})),
        "`inquiry_response`: an inquiry response needs an `outcome` (`answered`, `cancelled` or `redacted`) or an `answer`"
    );
    assert_eq!(
        error(json!({"type": "inquiry_response", "id": "a", "outcome": "lost"})),
        "`inquiry_response`: `lost` is no inquiry outcome, write `answered`, `cancelled` or `redacted`"
    );
    assert_eq!(
        error(json!({"type": "config_delta", "delta": 1})),
        "`config_delta`: `delta` must be an object"
    );
    assert_eq!(
        error(json!({"type": "config_delta", "delta": {}, "claims": 1})),
        "`config_delta`: `claims` must be an object of config paths and their claims"
    );
    assert_eq!(
        error(json!({"type": "compaction", "from_turn": -1, "to_turn": 1})),
        "`compaction`: `from_turn` must be the number of a turn, from 0"
    );
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,8}",
        "\\PC{0,4}",
        Just("aGk=".to_owned()),
        Just("\u{0}\n".to_owned())
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map(text(), value(), 0..3).prop_map(|map| map.into_iter().collect())
}

fn answer_type() -> impl Strategy<Value = InquiryAnswerType> {
    let option = (value(), prop::option::of(text()))
        .prop_map(|(value, text)| SelectOption::new(value, text));
    prop_oneof![
        Just(InquiryAnswerType::Boolean),
        Just(InquiryAnswerType::Text),
        Just(InquiryAnswerType::Secret),
        prop::collection::vec(option, 0..3)
            .prop_map(|options| InquiryAnswerType::Select { options }),
    ]
}

fn inquiry_request() -> impl Strategy<Value = InquiryRequest> {
    let source = prop_oneof![
        Just(InquirySource::Assistant),
        Just(InquirySource::User),
        text().prop_map(|name| InquirySource::Tool { name }),
        text().prop_map(|name| InquirySource::Other { name }),
    ];
    (
        text(),
        source,
        text(),
        answer_type(),
        prop::option::of(text()),
        any::<bool>(),
    )
        .prop_map(|(id, source, text, answer_type, context, exclusive)| {
            let mut question = InquiryQuestion::new(text, answer_type);
            question.context = context;
            question.exclusive = exclusive;
            InquiryRequest {
                id,
                source,
                question,
            }
        })
}

fn inquiry_response() -> impl Strategy<Value = InquiryResponse> {
    prop_oneof![
        (text(), value()).prop_map(|(id, answer)| InquiryResponse::Answered { id, answer }),
        (text(), text()).prop_map(|(id, reason)| {
            let reason = CancellationReason::from(reason);
            InquiryResponse::Cancelled { id, reason }
        }),
        text().prop_map(|id| InquiryResponse::Redacted { id }),
    ]
}

fn config_delta() -> impl Strategy<Value = ConfigDelta> {
    let claim = prop_oneof![
        Just(Claim::Unclaimed),
        prop::collection::vec(text(), 1..3).prop_map(Claim::By)
    ];
    let claims = prop::collection::btree_map(text(), claim, 0..3);
    let unsets = prop::collection::vec(text(), 0..3);
    let parts = (object(), unsets, claims, any::<bool>());
    parts.prop_map(|(delta, unsets, claims, takes_back)| ConfigDelta {
        delta,
        unsets,
        claims,
        takes_back,
    })
}

pub(crate) fn event_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        Just(EventKind::TurnStart),
        (text(), prop::option::of(value()), prop::option::of(value())).prop_map(
            |(content, schema, author)| {
                EventKind::ChatRequest(ChatRequest {
                    content,
                    schema,
                    author,
                })
            }
        ),
        text().prop_map(|text| EventKind::ChatResponse(ChatResponse::Message(text))),
        text().prop_map(|text| EventKind::ChatResponse(ChatResponse::Reasoning(text))),
        value().prop_map(|data| EventKind::ChatResponse(ChatResponse::Data(data))),
        (text(), text(), object()).prop_map(|(id, name, arguments)| EventKind::ToolCallRequest(
            ToolCallRequest {
                id,
                name,
                arguments
            }
        )),
        (text(), text(), any::<bool>()).prop_map(|(id, content, is_error)| {
            EventKind::ToolCallResponse(ToolCallResponse {
                id,
                content,
                is_error,
            })
        }),
        inquiry_request().prop_map(EventKind::InquiryRequest),
        inquiry_response().prop_map(EventKind::InquiryResponse),
        config_delta().prop_map(EventKind::ConfigDelta),
        (0..9_usize, 0..9_usize, prop::option::of(value())).prop_map(
            |(from_turn, to_turn, summary)| {
                EventKind::Compaction(Compaction {
                    from_turn,
                    to_turn,
                    summary,
                    reasoning: None,
                    tool_calls: None,
                })
            }
        ),
    ]
}

fn event() -> impl Strategy<Value = ConversationEvent> {
    (
        0..2_000_000_000_i64,
        0..1_000_000_u32,
        event_kind(),
        object(),
        value(),
    )
        .prop_map(|(seconds, micros, kind, metadata, extra)| {
            let time = time::OffsetDateTime::from_unix_timestamp(seconds).unwrap();
            let time = time.replace_microsecond(micros).unwrap();
            let mut event = ConversationEvent::at(Timestamp::from_datetime(time), kind);
            event.metadata = metadata;
            event.extra.insert("a_field_of_the_future".into(), extra);
            event
        })
}

proptest! {
    #[test]
    fn any_event_survives_the_store(event in event()) {
        let line = event.to_stored().to_string();
        prop_assert!(!line.contains('\n'));
        let read = ConversationEvent::from_stored(serde_json::from_str(&line).unwrap()).unwrap();
        prop_assert_eq!(read, event);
    }

    #[test]
    fn any_event_survives_as_plain_json(event in event()) {
        let text = event.to_json().to_string();
        let read = ConversationEvent::from_json(serde_json::from_str(&text).unwrap()).unwrap();
        prop_assert_eq!(read, event);
    }

    #[test]
    fn any_json_is_an_event_or_an_error(mut fields in object(), tag in prop::sample::select(TAGS.to_vec())) {
        fields.insert("type".into(), tag.into());
        fields.insert("timestamp".into(), "2026-03-11 10:42:16.4".into());
        if let Ok(event) = ConversationEvent::from_stored(Value::Object(fields)) {
            prop_assert_eq!(ConversationEvent::from_stored(event.to_stored()).unwrap(), event);
        }
    }
}
