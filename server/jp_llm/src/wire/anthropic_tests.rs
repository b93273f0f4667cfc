use expect_test::expect;
use serde_json::{Value, json};

use crate::fixture::{check, check_request};
use crate::settings::ProviderId;

fn anthropic(frame: &Value) -> String {
    format!(
        "event: {}\ndata: {frame}\n\n",
        frame["type"].as_str().unwrap()
    )
}

fn start(index: u64, block: &Value) -> String {
    anthropic(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(index: u64, delta: &Value) -> String {
    anthropic(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: u64) -> String {
    anthropic(&json!({"type": "content_block_stop", "index": index}))
}

fn arguments(index: u64, json: &str) -> String {
    delta(
        index,
        &json!({"type": "input_json_delta", "partial_json": json}),
    )
}

fn end(reason: &str) -> String {
    let usage = json!({"output_tokens": 7});
    anthropic(&json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}))
        + &anthropic(&json!({"type": "message_stop"}))
}

#[tokio::test]
async fn says_and_calls() {
    let usage =
        json!({"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2});
    check(
        ProviderId::Anthropic,
        &[
            &anthropic(&json!({"type": "message_start", "message": {"usage": usage}})),
            &start(
                0,
                &json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            &delta(0, &json!({"type": "thinking_delta", "thinking": "Hm"})),
            &delta(0, &json!({"type": "signature_delta", "signature": "s1"})),
            &delta(0, &json!({"type": "signature_delta", "signature": "s2"})),
            &stop(0),
            &start(1, &json!({"type": "redacted_thinking", "data": "xyz"})),
            &stop(1),
            &anthropic(&json!({"type": "ping"})),
            &start(2, &json!({"type": "text", "text": ""})),
            &delta(2, &json!({"type": "text_delta", "text": "I look."})),
            &delta(2, &json!({"type": "citations_delta", "citation": {}})),
            &stop(2),
            &start(
                3,
                &json!({"type": "tool_use", "id": "a", "name": "read", "input": {}}),
            ),
            &start(
                4,
                &json!({"type": "tool_use", "id": "b", "name": "list", "input": {}}),
            ),
            &arguments(3, ""),
            &arguments(3, "{\"p\":"),
            &arguments(4, "{\"d\""),
            &arguments(3, "1}"),
            &stop(3),
            &arguments(4, ":2}"),
            &stop(4),
            &end("tool_use"),
        ],
        &expect![[r#"
            0 reasoning
            0 +reasoning "Hm"
            0 end "Hm" {"anthropic_thinking_signature":"s1s2"}
            1 reasoning
            1 end "" {"anthropic_redacted_thinking":"xyz"}
            2 text
            2 +text "I look."
            2 end "I look." {}
            3 call a read
            4 call b list
            3 +arguments {"p":
            4 +arguments {"d"
            3 +arguments 1}
            3 end {"p":1} {}
            4 +arguments :2}
            4 end {"d":2} {}
            done Completed, tokens in Some(10) out Some(7) cached Some(3)
        "#]],
    )
    .await;
}

#[tokio::test]
async fn arguments_empty_and_cut() {
    check(
        ProviderId::Anthropic,
        &[
            &start(0, &json!({"type": "tool_use", "id": "a", "name": "none", "input": {}})),
            &stop(0),
            &start(1, &json!({"type": "tool_use", "id": "b", "name": "cut", "input": {}})),
            &arguments(1, "{\"x\""),
            &end("max_tokens"),
        ],
        &expect![[r#"
            0 call a none
            0 end {} {}
            1 call b cut
            1 +arguments {"x"
            1 end: the arguments are no JSON object: EOF while parsing an object at line 1 column 4: {"x"
            done MaxTokens, tokens in None out Some(7) cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_answer_that_stops_short() {
    let call = [
        start(
            0,
            &json!({"type": "tool_use", "id": "a", "name": "delete", "input": {}}),
        ),
        arguments(0, "{}"),
        stop(0),
    ];
    check(
        ProviderId::Anthropic,
        &[&call.concat()],
        &expect![[r#"
            0 call a delete
            0 +arguments {}
            0 end {} {}
            error: the answer of anthropic ended early
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_error_event() {
    let error =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    check(
        ProviderId::Anthropic,
        &[&anthropic(&error)],
        &expect![[r"
            error: anthropic stopped with an error: Overloaded
        "]],
    )
    .await;
}

#[tokio::test]
async fn requests_are_written_for_anthropic() {
    check_request(ProviderId::Anthropic, &expect![[r#"
        POST /v1/messages HTTP/1.1
        content-type: application/json
        anthropic-version: 2023-06-01
        x-api-key: sesame
        accept: */*
        user-agent: jp-lsp/0.1.0
        model: "claude-opus-4-1-20250805"
        max_tokens: 2000
        messages: {"role":"user","content":[{"type":"text","text":"Go"}]}
        messages: {"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"read","input":{"p":1}},{"type":"tool_use","id":"b","name":"list","input":{"p":1}}]}
        messages: {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"text"},{"type":"tool_result","tool_use_id":"b","content":"gone","is_error":true},{"type":"text","text":"And?","cache_control":{"type":"ephemeral","ttl":"1h"}}]}
        stream: true
        system: [{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"You must call the tool `read` before you answer."}]
        stop_sequences: ["END"]
        thinking: {"type":"enabled","budget_tokens":1600}
        output_config: {"format":{"type":"json_schema","schema":{"type":"object","properties":{},"additionalProperties":false}}}
        tools: [{"name":"read","input_schema":{"type":"object"},"description":"Reads."}]
        seed: 1
        options: {"num_ctx":9}
    "#]]).await;
}
