use expect_test::expect;
use serde_json::{Value, json};

use crate::fixture::{check, check_request, openai, rich, written};
use crate::request::{Effort, Reasoning};
use crate::settings::ProviderId;

#[tokio::test]
async fn says_and_calls() {
    let call = |index: u64, fields: Value| {
        let mut call = fields;
        call["index"] = index.into();
        openai(&json!({"delta": {"tool_calls": [call]}}))
    };
    check(
        ProviderId::Openai,
        &[
            &openai(&json!({"delta": {"role": "assistant", "content": ""}, "finish_reason": null})),
            &openai(&json!({"delta": {"reasoning_content": "Hm"}})),
            &openai(&json!({"delta": {"reasoning_content": ".", "reasoning": "."}})),
            &openai(&json!({"delta": {"content": "I "}})),
            ": a comment\n\n",
            &openai(&json!({"delta": {"content": "look."}})),
            &call(0, json!({"id": "a", "type": "function", "function": {"name": "read", "arguments": ""}})),
            &call(1, json!({"id": "b", "function": {"name": "list", "arguments": "{\"d\":"}})),
            &call(0, json!({"function": {"arguments": "{\"path\":"}})),
            &call(1, json!({"function": {"arguments": "1}"}})),
            &call(0, json!({"function": {"arguments": "\"x\"}"}})),
            &openai(&json!({"delta": {}, "finish_reason": "tool_calls"})),
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":8}}}\n\n",
            "data: [DONE]\n\n",
        ],
        &expect![[r#"
            0 reasoning
            0 +reasoning "Hm"
            0 +reasoning "."
            0 end "Hm." {}
            1 text
            1 +text "I "
            1 +text "look."
            1 end "I look." {}
            2 call a read
            3 call b list
            3 +arguments {"d":
            2 +arguments {"path":
            3 +arguments 1}
            2 +arguments "x"}
            2 end {"path":"x"} {}
            3 end {"d":1} {}
            done Completed, tokens in Some(9) out Some(4) cached Some(8)
        "#]],
    )
    .await;
}

#[tokio::test]
async fn whole_calls_without_number_and_id() {
    let calls = json!({"delta": {"tool_calls": [
        {"function": {"name": "a", "arguments": "{}"}}, {"function": {"name": "b", "arguments": {"x": 1}}},
    ]}, "finish_reason": "stop"});
    check(
        ProviderId::Llamacpp,
        &[&openai(&calls), "data: [DONE]\n\n"],
        &expect![[r#"
            0 call call_1 a
            0 +arguments {}
            1 call call_2 b
            1 +arguments {"x":1}
            0 end {} {}
            1 end {"x":1} {}
            done Completed, tokens in None out None cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn arguments_empty_and_cut() {
    let call = json!({"delta": {"tool_calls": [
        {"index": 0, "id": "a", "function": {"name": "none"}},
        {"index": 1, "id": "b", "function": {"name": "cut", "arguments": "{\"x\":"}},
        {"index": 2, "id": "c", "function": {"name": "list", "arguments": "[1]"}},
    ]}});
    check(
        ProviderId::Openrouter,
        &[&openai(&call), &openai(&json!({"finish_reason": "length"})), "data: [DONE]\n\n"],
        &expect![[r#"
            0 call a none
            1 call b cut
            1 +arguments {"x":
            2 call c list
            2 +arguments [1]
            0 end {} {}
            1 end: the arguments are no JSON object: EOF while parsing a value at line 1 column 5: {"x":
            2 end: the arguments are no JSON object: expected an object: [1]
            done MaxTokens, tokens in None out None cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_end_without_done_or_without_reason() {
    check(
        ProviderId::Cerebras,
        &[&openai(
            &json!({"delta": {"content": "x"}, "finish_reason": "stop"}),
        )],
        &expect![[r#"
            0 text
            0 +text "x"
            0 end "x" {}
            done Completed, tokens in None out None cached None
        "#]],
    )
    .await;
    check(
        ProviderId::Xai,
        &[&openai(&json!({"delta": {"content": "x"}}))],
        &expect![[r#"
            0 text
            0 +text "x"
            error: the answer of xai ended early
        "#]],
    )
    .await;
    check(
        ProviderId::Deepseek,
        &["data: [DONE]\n\n"],
        &expect![[r"
            error: the answer of deepseek ended early
        "]],
    )
    .await;
}

#[tokio::test]
async fn an_error_in_the_middle() {
    check(
        ProviderId::Openai,
        &[
            &openai(&json!({"delta": {"content": "x"}})),
            "data: {\"error\":{\"message\":\"Too hot\",\"code\":503}}\n\n",
        ],
        &expect![[r#"
            0 text
            0 +text "x"
            error: openai stopped with an error: Too hot
        "#]],
    )
    .await;
    check(
        ProviderId::Openai,
        &["data: {\"choices\n\n"],
        &expect![[r"
            error: openai sent something unreadable: EOF while parsing a string at line 1 column 9
        "]],
    )
    .await;
}

#[tokio::test]
async fn reasoning_details_are_kept() {
    check(
        ProviderId::Openrouter,
        &[
            &openai(&json!({"delta": {"reasoning": "Hm", "reasoning_details": [{"t": 1}]}})),
            &openai(&json!({"delta": {"reasoning": ".", "reasoning_details": [{"t": 2}]}})),
            &openai(&json!({"delta": {"content": "x"}, "finish_reason": "stop"})),
            "data: [DONE]\n\n",
        ],
        &expect![[r#"
            0 reasoning
            0 +reasoning "Hm"
            0 +reasoning "."
            0 end "Hm." {"openrouter_reasoning_details":[{"t":1},{"t":2}]}
            1 text
            1 +text "x"
            1 end "x" {}
            done Completed, tokens in None out None cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn requests_are_written_for_openai() {
    check_request(ProviderId::Openai, &expect![[r#"
        POST /v1/chat/completions HTTP/1.1
        content-type: application/json
        authorization: Bearer sesame
        accept: */*
        user-agent: jp-lsp/0.1.0
        model: "claude-opus-4-1-20250805"
        messages: {"role":"system","content":"Be brief."}
        messages: {"role":"user","content":"Go"}
        messages: {"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}},{"id":"b","type":"function","function":{"name":"list","arguments":"{\"p\":1}"}}]}
        messages: {"role":"tool","tool_call_id":"a","content":"text"}
        messages: {"role":"tool","tool_call_id":"b","content":"gone"}
        messages: {"role":"user","content":"And?"}
        stream: true
        stream_options: {"include_usage":true}
        max_completion_tokens: 2000
        reasoning_effort: "high"
        tools: [{"type":"function","function":{"name":"read","parameters":{"type":"object"},"description":"Reads."}}]
        tool_choice: {"type":"function","function":{"name":"read"}}
        response_format: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{},"additionalProperties":false},"strict":true}}
        seed: 1
        options: {"num_ctx":9}
    "#]]).await;
}

#[tokio::test]
async fn requests_are_written_for_openrouter() {
    check_request(ProviderId::Openrouter, &expect![[r#"
        POST /api/v1/chat/completions HTTP/1.1
        content-type: application/json
        authorization: Bearer sesame
        x-title: JP
        accept: */*
        user-agent: jp-lsp/0.1.0
        model: "claude-opus-4-1-20250805"
        messages: {"role":"system","content":"Be brief."}
        messages: {"role":"user","content":"Go"}
        messages: {"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}},{"id":"b","type":"function","function":{"name":"list","arguments":"{\"p\":1}"}}]}
        messages: {"role":"tool","tool_call_id":"a","content":"text"}
        messages: {"role":"tool","tool_call_id":"b","content":"gone"}
        messages: {"role":"user","content":"And?"}
        stream: true
        stream_options: {"include_usage":true}
        max_tokens: 2000
        temperature: 0.5
        top_p: 0.75
        top_k: 3
        stop: ["END"]
        reasoning: {"exclude":false,"effort":"high"}
        tools: [{"type":"function","function":{"name":"read","parameters":{"type":"object"},"description":"Reads."}}]
        tool_choice: {"type":"function","function":{"name":"read"}}
        response_format: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{},"additionalProperties":false},"strict":true}}
        seed: 1
        options: {"num_ctx":9}
    "#]]).await;
}

#[tokio::test]
async fn requests_are_written_for_deepseek() {
    check_request(ProviderId::Deepseek, &expect![[r#"
        POST /v1/chat/completions HTTP/1.1
        content-type: application/json
        authorization: Bearer sesame
        accept: */*
        user-agent: jp-lsp/0.1.0
        model: "claude-opus-4-1-20250805"
        messages: {"role":"system","content":"Be brief."}
        messages: {"role":"user","content":"Go"}
        messages: {"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}},{"id":"b","type":"function","function":{"name":"list","arguments":"{\"p\":1}"}}],"reasoning_content":"Hm\nunsigned"}
        messages: {"role":"tool","tool_call_id":"a","content":"text"}
        messages: {"role":"tool","tool_call_id":"b","content":"gone"}
        messages: {"role":"user","content":"And?"}
        stream: true
        stream_options: {"include_usage":true}
        max_tokens: 2000
        temperature: 0.5
        top_p: 0.75
        top_k: 3
        stop: ["END"]
        reasoning_effort: "high"
        tools: [{"type":"function","function":{"name":"read","parameters":{"type":"object"},"description":"Reads."}}]
        tool_choice: {"type":"function","function":{"name":"read"}}
        response_format: {"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{},"additionalProperties":false},"strict":true}}
        seed: 1
        options: {"num_ctx":9}
    "#]]).await;
}

#[test]
fn what_a_model_refuses_is_left_out() {
    let shown = |provider: ProviderId, model: &str, effort: Option<Effort>| {
        let mut request = rich();
        request.model = model.to_owned();
        request.parameters.reasoning = effort.map(|effort| Reasoning {
            effort,
            exclude: false,
        });
        let body = written(provider, &request);
        let fields = ["temperature", "top_p", "stop", "reasoning_effort"];
        let shown = fields
            .iter()
            .filter_map(|field| Some(format!("{field} {}", body.get(*field)?)));
        shown.collect::<Vec<_>>().join(", ")
    };
    let everything = r#"temperature 0.5, top_p 0.75, stop ["END"]"#;
    for always in ["o3", "o4-mini", "gpt-5", "gpt-5-mini"] {
        assert_eq!(shown(ProviderId::Openai, always, None), "", "{always}");
    }
    for asked in ["gpt-5.1", "gpt-6"] {
        assert_eq!(
            shown(ProviderId::Openai, asked, None),
            everything,
            "{asked}"
        );
        assert_eq!(
            shown(ProviderId::Openai, asked, Some(Effort::High)),
            r#"reasoning_effort "high""#,
            "{asked}"
        );
        assert_eq!(
            shown(ProviderId::Openai, asked, Some(Effort::None)),
            format!(r#"{everything}, reasoning_effort "none""#),
            "{asked}"
        );
    }
    for never in ["gpt-4.1", "chatgpt-4o-latest", "gpt-5-chat-latest"] {
        assert_eq!(
            shown(ProviderId::Openai, never, Some(Effort::High)),
            everything,
            "{never}"
        );
    }
    assert_eq!(
        shown(ProviderId::Openrouter, "openai/gpt-5", None),
        everything
    );
}

#[test]
fn a_model_that_cannot_be_forced_is_told() {
    let mut request = rich();
    request.model = "deepseek-reasoner".to_owned();
    let body = written(ProviderId::Deepseek, &request);
    assert_eq!(body.get("tool_choice"), None);
    assert_eq!(
        body["messages"][0]["content"],
        "Be brief.\n\nYou must call the tool `read` before you answer."
    );
}
