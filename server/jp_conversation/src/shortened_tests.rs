use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn events(values: &[Value]) -> Vec<ConversationEvent> {
    let read = |value: &Value| {
        let mut value = value.clone();
        value["timestamp"] = json!("2026-03-18 13:19:12.5");
        ConversationEvent::from_json(value).unwrap()
    };
    values.iter().map(read).collect()
}

fn turn(number: usize) -> Vec<Value> {
    let id = format!("call_{number}");
    vec![
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": format!("ask {number}")}),
        json!({"type": "chat_response", "reasoning": "hm"}),
        json!({"type": "tool_call_request", "id": id, "name": "grep", "arguments": {"text": "x"}}),
        json!({"type": "tool_call_response", "id": id, "content": "found", "is_error": number == 1}),
        json!({"type": "chat_response", "message": format!("answer {number}")}),
    ]
}

/// What a model reads of three turns, the last of which begins after the compactions.
fn read(compactions: &[Value]) -> Vec<String> {
    let before = vec![json!({"type": "config_delta", "delta": {}})];
    let mut values = [before, turn(0), turn(1)].concat();
    for compaction in compactions {
        let mut compaction = compaction.clone();
        compaction["type"] = json!("compaction");
        values.push(compaction);
    }
    values.push(json!({"type": "turn_start"}));
    values.push(json!({"type": "chat_request", "content": "ask 2"}));
    let events = events(&values);
    let compacted = compact(&events);
    let lines = compacted.iter().filter_map(|event| match &event.kind {
        EventKind::ChatRequest(request) => Some(format!("user: {}", request.content)),
        EventKind::ChatResponse(ChatResponse::Message(text)) => Some(format!("model: {text}")),
        EventKind::ChatResponse(ChatResponse::Reasoning(_)) => Some("reasoning".to_owned()),
        EventKind::ToolCallRequest(call) => {
            Some(format!("call: {}", Value::Object(call.arguments.clone())))
        }
        EventKind::ToolCallResponse(response) => Some(format!("result: {}", response.content)),
        _ => None,
    });
    lines.collect()
}

#[test]
fn without_a_compaction_nothing_is_copied() {
    let events = events(&turn(0));
    assert!(matches!(compact(&events), Cow::Borrowed(_)));
}

#[test]
fn a_summary_stands_for_its_turns() {
    let summary = json!({"from_turn": 0, "to_turn": 9, "summary": {"summary": "We searched."}});
    assert_eq!(
        read(&[summary]),
        [
            "user: [Summary of previous conversation]",
            "model: We searched.",
            "user: ask 2",
        ]
    );
}

#[test]
fn reasoning_and_calls_are_stripped_or_left_out() {
    let strip = json!({"from_turn": 0, "to_turn": 1, "reasoning": "strip",
        "tool_calls": {"policy": "strip", "request": true, "response": true}});
    let omit = json!({"from_turn": 0, "to_turn": 0, "tool_calls": {"policy": "omit"}});
    assert_eq!(
        read(&[strip, omit]),
        [
            "user: ask 0",
            "model: answer 0",
            "user: ask 1",
            "call: {}",
            "result: [compacted] grep: error",
            "model: answer 1",
            "user: ask 2",
        ]
    );
}

#[test]
fn what_is_not_understood_shortens_nothing() {
    let all = read(&[]);
    let unknown = json!({"from_turn": 0, "to_turn": 1, "reasoning": {"policy": "strip", "over": "1k"},
        "tool_calls": {"policy": "fold"}, "summary": {}});
    assert_eq!(read(&[unknown]), all);
    let nowhere = json!({"from_turn": 7, "to_turn": 9, "summary": {"summary": "?"}});
    assert_eq!(read(&[nowhere]), all);
}
