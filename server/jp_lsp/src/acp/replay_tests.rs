use expect_test::expect;
use jp_conversation::{ChatRequest, ToolCallRequest, ToolCallResponse};
use serde_json::{Map, Value};

use super::*;

fn call(id: &str) -> EventKind {
    EventKind::ToolCallRequest(ToolCallRequest {
        id: id.to_owned(),
        name: "note".to_owned(),
        arguments: Map::new(),
    })
}

#[test]
fn what_is_on_record_is_told_in_order_and_unfinished_calls_have_failed() {
    let events = [
        EventKind::TurnStart,
        EventKind::ChatRequest(ChatRequest {
            content: "Hello".to_owned(),
            ..ChatRequest::default()
        }),
        EventKind::ChatResponse(ChatResponse::Reasoning("Hm.".to_owned())),
        call("1"),
        EventKind::ToolCallResponse(ToolCallResponse {
            id: "1".to_owned(),
            content: "noted".to_owned(),
            is_error: false,
        }),
        EventKind::ChatResponse(ChatResponse::Message("Hi\u{202e}".to_owned())),
        call("1"),
    ];
    let events: Vec<_> = events.into_iter().map(ConversationEvent::new).collect();
    let told = updates(Utf8Path::new("/w"), &mut Calls::default(), &events);
    let told: Vec<String> = told
        .iter()
        .map(|update| {
            let told = serde_json::to_value(update).unwrap();
            let text = |pointer| told.pointer(pointer).and_then(Value::as_str).unwrap_or("-");
            let kind = text("/sessionUpdate");
            let (id, status) = (text("/toolCallId"), text("/status"));
            format!("{kind} {id} {status} {}\n", text("/content/text"))
        })
        .collect();
    expect![[r#"
        user_message_chunk - - Hello
        agent_thought_chunk - - Hm.
        tool_call 1 - -
        tool_call_update 1 completed -
        agent_message_chunk - - Hi\u{202e}
        tool_call 1#2 - -
        tool_call_update 1#2 failed -
    "#]]
    .assert_eq(&told.concat());
}
