use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn events(events: &[Value]) -> Vec<ConversationEvent> {
    let events = events.iter().map(|event| {
        let mut event = event.clone();
        event["timestamp"] = json!("2026-03-18 13:19:12.5");
        ConversationEvent::from_json(event).unwrap()
    });
    events.collect()
}

fn result(id: &str, name: &str, content: &str, is_error: bool) -> ToolResult {
    ToolResult {
        id: id.into(),
        name: name.into(),
        content: content.into(),
        is_error,
    }
}

fn call(id: &str, name: &str) -> AssistantPart {
    AssistantPart {
        content: AssistantContent::ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: Map::new(),
        },
        metadata: Map::new(),
    }
}

#[test]
fn a_model_sees_chat_and_tools_only() {
    let conversation = events(&[
        json!({"type": "config_delta", "delta": {"a": 1}}),
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": "Go"}),
        json!({"type": "chat_response", "reasoning": "Hm", "metadata": {"anthropic_thinking_signature": "s"}}),
        json!({"type": "tool_call_request", "id": "a", "name": "read", "arguments": {}}),
        json!({"type": "tool_call_request", "id": "b", "name": "list", "arguments": {}}),
        json!({"type": "inquiry_request", "id": "a.q.1", "source": {"source": "user"},
            "question": {"text": "?", "answer_type": {"type": "secret"}}}),
        json!({"type": "inquiry_response", "id": "a.q.1", "answer": "hunter2"}),
        json!({"type": "tool_call_response", "id": "a", "content": "x", "is_error": false}),
        json!({"type": "future"}),
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": "And?"}),
        json!({"type": "chat_response", "data": {"n": 1}}),
    ]);
    let reasoning = AssistantPart {
        content: AssistantContent::Reasoning("Hm".into()),
        metadata: json!({"anthropic_thinking_signature": "s"})
            .as_object()
            .unwrap()
            .clone(),
    };
    let data = AssistantPart {
        content: AssistantContent::Text("{\"n\":1}".into()),
        metadata: Map::new(),
    };
    let messages = messages(&conversation);
    assert_eq!(
        messages,
        [
            Message::User("Go".into()),
            Message::Assistant(vec![reasoning, call("a", "read"), call("b", "list")]),
            Message::Tool(vec![
                result("a", "read", "x", false),
                result("b", "list", "Tool call was interrupted.", true)
            ]),
            Message::User("And?".into()),
            Message::Assistant(vec![data]),
        ]
    );
    let request = Request {
        messages,
        ..Request::default()
    };
    assert_eq!(request.tool_call_count(), 2);
}

#[test]
fn calls_one_after_the_other_stay_apart() {
    let conversation = events(&[
        json!({"type": "chat_request", "content": "Go"}),
        json!({"type": "tool_call_request", "id": "a", "name": "read", "arguments": {}}),
        json!({"type": "tool_call_response", "id": "a", "content": "x", "is_error": false}),
        json!({"type": "tool_call_request", "id": "a", "name": "list", "arguments": {}}),
        json!({"type": "tool_call_response", "id": "a", "content": "y", "is_error": false}),
    ]);
    assert_eq!(
        messages(&conversation),
        [
            Message::User("Go".into()),
            Message::Assistant(vec![call("a", "read")]),
            Message::Tool(vec![result("a", "read", "x", false)]),
            Message::Assistant(vec![call("a", "list")]),
            Message::Tool(vec![result("a", "list", "y", false)]),
        ]
    );
}

#[test]
fn an_answer_that_broke_off_is_gone_on_with() {
    let text = |text: &str, metadata: Value| AssistantPart {
        content: AssistantContent::Text(text.into()),
        metadata: metadata.as_object().unwrap().clone(),
    };
    let conversation = events(&[
        json!({"type": "chat_request", "content": "Go"}),
        json!({"type": "chat_response", "reasoning": "Hm", "metadata": {"cut_off": 1}}),
        json!({"type": "chat_response", "reasoning": "Hm", "metadata": {"cut_off": 2}}),
        json!({"type": "chat_response", "message": "I lo", "metadata": {"cut_off": 2}}),
        json!({"type": "chat_response", "message": " ", "metadata": {"cut_off": 3}}),
        json!({"type": "chat_response", "message": "ok", "metadata": {"cut_off": 4}}),
        json!({"type": "chat_response", "message": "."}),
        json!({"type": "tool_call_request", "id": "a", "name": "read", "arguments": {}}),
    ]);
    assert_eq!(
        messages(&conversation),
        [
            Message::User("Go".into()),
            Message::Assistant(vec![text("I lo", json!({"cut_off": 2}))]),
            Message::User(CONTINUE.into()),
            Message::Assistant(vec![text("ok", json!({"cut_off": 4}))]),
            Message::User(CONTINUE.into()),
            Message::Assistant(vec![text(".", json!({})), call("a", "read")]),
            Message::Tool(vec![result(
                "a",
                "read",
                "Tool call was interrupted.",
                true
            )]),
        ]
    );
}

#[test]
fn what_was_refused_is_not_shown_to_a_model_again() {
    let conversation = events(&[
        json!({"type": "chat_request", "content": "Go"}),
        json!({"type": "chat_response", "message": "I will n", "metadata": {"refused": true}}),
        json!({"type": "chat_request", "content": "And?"}),
    ]);
    assert_eq!(messages(&conversation), [Message::User("And?".into())]);
}

#[test]
fn only_the_question_that_was_refused_is_left_out() {
    let refused = |text: &str| json!({"type": "chat_response", "message": text, "metadata": {"refused": true}});
    let conversation = events(&[
        json!({"type": "chat_request", "content": "Unanswered"}),
        json!({"type": "chat_request", "content": "Refused"}),
        json!({"type": "chat_response", "reasoning": "Hm.", "metadata": {"refused": true}}),
        refused(""),
        refused("No"),
        json!({"type": "chat_request", "content": "Called"}),
        json!({"type": "tool_call_request", "id": "a", "name": "read", "arguments": {}}),
        json!({"type": "tool_call_response", "id": "a", "content": "c", "is_error": false}),
        refused("No"),
        json!({"type": "chat_request", "content": "And?"}),
    ]);
    assert_eq!(
        messages(&conversation),
        [
            Message::User("Unanswered".into()),
            Message::User("Called".into()),
            Message::Assistant(vec![call("a", "read")]),
            Message::Tool(vec![result("a", "read", "c", false)]),
            Message::User("And?".into()),
        ]
    );
}
