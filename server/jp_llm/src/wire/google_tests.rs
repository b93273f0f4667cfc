use expect_test::expect;
use serde_json::{Value, json};

use crate::fixture::{check, check_request};
use crate::settings::ProviderId;

fn google(parts: &Value) -> String {
    format!(
        "data: {}\r\n\r\n",
        json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
    )
}

#[tokio::test]
async fn says_and_calls() {
    check(
        ProviderId::Google,
        &[
            &google(&json!([{"text": "Hm", "thought": true}])),
            &google(&json!([{"text": "I "}])),
            &google(&json!([{"text": "look.", "thoughtSignature": "t"}])),
            &google(&json!([
                {"functionCall": {"name": "read", "args": {"p": 1}}, "thoughtSignature": "s"},
                {"functionCall": {"id": "x", "name": "list"}},
            ])),
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":2,\"thoughtsTokenCount\":4}}\r\n\r\n",
        ],
        &expect![[r#"
            0 reasoning
            0 +reasoning "Hm"
            0 end "Hm" {}
            1 text
            1 +text "I "
            1 +text "look."
            1 end "I look." {"google_thought_signature":"t"}
            2 call call_1 read
            2 +arguments {"p":1}
            2 end {"p":1} {"google_thought_signature":"s"}
            3 call x list
            3 end {} {}
            done Completed, tokens in Some(3) out Some(6) cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_answer_that_stops_short() {
    check(
        ProviderId::Google,
        &[&google(
            &json!([{"functionCall": {"name": "delete", "args": {}}}]),
        )],
        &expect![[r#"
            0 call call_1 delete
            0 +arguments {}
            0 end {} {}
            error: the answer of google ended early
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_blocked_prompt_and_a_refusal() {
    check(
        ProviderId::Google,
        &["data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n"],
        &expect![[r"
            error: google stopped with an error: the prompt was blocked: SAFETY
        "]],
    )
    .await;
    check(
        ProviderId::Google,
        &["data: {\"candidates\":[{\"finishReason\":\"SAFETY\"}]}\n\n"],
        &expect![[r"
            done Refused, tokens in None out None cached None
        "]],
    )
    .await;
}

#[tokio::test]
async fn requests_are_written_for_google() {
    check_request(ProviderId::Google, &expect![[r#"
        POST /v1beta/models/claude-opus-4-1-20250805:streamGenerateContent?alt=sse HTTP/1.1
        content-type: application/json
        x-goog-api-key: sesame
        accept: */*
        user-agent: jp-lsp/0.1.0
        contents: {"role":"user","parts":[{"text":"Go"}]}
        contents: {"role":"model","parts":[{"text":"I look."},{"functionCall":{"id":"a","name":"read","args":{"p":1}},"thoughtSignature":"g"},{"functionCall":{"id":"b","name":"list","args":{"p":1}}}]}
        contents: {"role":"user","parts":[{"functionResponse":{"id":"a","name":"read","response":{"output":"text"}}},{"functionResponse":{"id":"b","name":"list","response":{"error":"gone"}}},{"text":"And?"}]}
        generationConfig: {"maxOutputTokens":2000,"temperature":0.5,"topP":0.75,"topK":3,"stopSequences":["END"],"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"high"},"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{},"additionalProperties":false}}
        systemInstruction: {"parts":[{"text":"Be brief."}]}
        tools: [{"functionDeclarations":[{"name":"read","parametersJsonSchema":{"type":"object"},"description":"Reads."}]}]
        toolConfig: {"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["read"]}}
        seed: 1
        options: {"num_ctx":9}
    "#]]).await;
}
