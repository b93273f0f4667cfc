use expect_test::expect;

use crate::fixture::{check, check_request};
use crate::settings::ProviderId;

#[tokio::test]
async fn says_and_calls() {
    check(
        ProviderId::Ollama,
        &[
            "{\"message\":{\"thinking\":\"Hm\",\"content\":\"\"},\"done\":false}\n",
            "{\"message\":{\"content\":\"I lo",
            "ok.\"},\"done\":false}\n{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"read\",\"arguments\":{\"p\":1}}},",
            "{\"id\":\"x\",\"function\":{\"name\":\"list\",\"arguments\":{}}}]},\"done\":false}\n",
            "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":2}\n",
        ],
        &expect![[r#"
            0 reasoning
            0 +reasoning "Hm"
            0 end "Hm" {}
            1 text
            1 +text "I look."
            1 end "I look." {}
            2 call call_1 read
            2 +arguments {"p":1}
            2 end {"p":1} {}
            3 call x list
            3 +arguments {}
            3 end {} {}
            done Completed, tokens in Some(3) out Some(2) cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_answer_that_stops_short_or_fails() {
    check(
        ProviderId::Ollama,
        &["{\"message\":{\"content\":\"x\"},\"done\":false}\n"],
        &expect![[r#"
            0 text
            0 +text "x"
            error: the answer of ollama ended early
        "#]],
    )
    .await;
    check(
        ProviderId::Ollama,
        &["{\"error\":\"model is gone\"}\n"],
        &expect![[r"
            error: ollama stopped with an error: model is gone
        "]],
    )
    .await;
    check(
        ProviderId::Ollama,
        &["<html>\n"],
        &expect![[r"
            error: ollama sent something unreadable: expected value at line 1 column 1
        "]],
    )
    .await;
}

#[tokio::test]
async fn requests_are_written_for_ollama() {
    check_request(ProviderId::Ollama, &expect![[r#"
        POST /api/chat HTTP/1.1
        content-type: application/json
        accept: */*
        user-agent: jp-lsp/0.1.0
        model: "claude-opus-4-1-20250805"
        messages: {"role":"system","content":"Be brief.\n\nYou must call the tool `read` before you answer."}
        messages: {"role":"user","content":"Go"}
        messages: {"role":"assistant","content":"I look.","thinking":"Hm\nunsigned","tool_calls":[{"id":"a","function":{"name":"read","arguments":{"p":1}}},{"id":"b","function":{"name":"list","arguments":{"p":1}}}]}
        messages: {"role":"tool","tool_name":"read","tool_call_id":"a","content":"text"}
        messages: {"role":"tool","tool_name":"list","tool_call_id":"b","content":"gone"}
        messages: {"role":"user","content":"And?"}
        stream: true
        options: {"num_predict":2000,"temperature":0.5,"top_p":0.75,"top_k":3,"stop":["END"],"num_ctx":9}
        think: true
        format: {"type":"object","properties":{},"additionalProperties":false}
        tools: [{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}}}]
        seed: 1
    "#]]).await;
}
