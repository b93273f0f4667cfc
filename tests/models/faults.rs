//! Models that break off, fail, keep silent or never stop: no call of an incomplete answer runs, and the turn says what
//! happened.

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    aimock::Aimock,
    editor::Editor,
    raw::{Raw, Then},
    workspace::{PROTOCOLS, Workspace, providers},
};

/// A tool that leaves a trace, and how patient we are.
fn config(request: &str) -> String {
    format!(
        r#"
[assistant.request]
{request}

[conversation.tools.'*']
run = "unattended"

[conversation.tools.leave]
source = "local"
command = {{ program = "touch", args = ["{{{{tool.arguments.name}}}}"] }}
parameters.name = {{ type = "string", default = "trace" }}
"#
    )
}

fn has_trace(workspace: &Workspace) -> bool {
    ["trace", "x"]
        .iter()
        .any(|name| workspace.root().join(name).exists())
}

#[test]
fn every_provider_calls_two_tools_and_goes_on() {
    let server = Aimock::start("two_calls.json");
    let mut answers = Vec::new();
    for provider in providers() {
        let workspace = Workspace::new(
            provider,
            &server.base_url(),
            r#"
[conversation.tools.'*']
run = "unattended"

[conversation.tools.say]
source = "local"
command = { program = "printf", args = ["%s", "{{tool.arguments.text}}"] }
parameters.text = { type = "string", required = true }

[conversation.tools.sum]
source = "local"
command = { program = "printf", args = ["%s", "{{tool.arguments.numbers}}"] }
parameters.numbers = { type = "array", items = { type = "integer" } }
"#,
        );
        let (told, code) = workspace.query("Say and sum.");
        assert_eq!(code, 0, "{provider}: {told}");
        // Only some protocols of the mock server have words for reasoning.
        let told: String = told
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("chat_response {\"reasoning\""))
            .collect();
        answers.push(told);
    }
    answers.dedup();
    expect![[r#"
        turn_start {}
        chat_request {"content":"Say and sum."}
        chat_response {"message":"I look into größe and 日本."}
        tool_call_request {"id":"call_1","name":"say","arguments":{"text":"größe \"日本\" 👩"}}
        tool_call_request {"id":"call_2","name":"sum","arguments":{"numbers":[1,2,3]}}
        tool_call_response {"id":"call_1","content":"größe \"日本\" 👩","is_error":false}
        tool_call_response {"id":"call_2","content":"[1,2,3]","is_error":false}
        chat_response {"message":"Said and summed."}
        turn_end {"outcome":"completed"}
    "#]]
    .assert_eq(&answers.join("\nbut\n"));
}

/// An answer that is cut after each of its pieces in turn, up to the one that is whole.
fn cut_anywhere(provider: &str) {
    let pieces = 1..=80;
    let mut fixtures: Vec<Value> = pieces
        .clone()
        .map(|piece| {
            json!({
                "match": { "userMessage": format!("Cut after {piece}."), "hasToolResult": false },
                "truncateAfterChunks": piece,
                "response": {
                    "content": "I look.",
                    "toolCalls": [{ "id": "call_1", "name": "leave", "arguments": "{\"name\":\"x\"}" }],
                },
            })
        })
        .collect();
    fixtures
        .push(json!({ "match": { "hasToolResult": true }, "response": { "content": "Done." } }));
    let server = Aimock::start_with(&json!({ "fixtures": fixtures }));
    for piece in pieces {
        let workspace = Workspace::new(provider, &server.base_url(), &config("max_retries = 0"));
        let (told, code) = workspace.query(&format!("Cut after {piece}."));
        if code == 0 {
            assert!(has_trace(&workspace), "{told}");
            assert!(piece > 2, "nothing was cut");
            return;
        }
        assert!(
            !has_trace(&workspace),
            "a call of half an answer ran: {told}"
        );
        let kinds: Vec<&str> = told
            .lines()
            .map(|line| line.split(' ').next().unwrap())
            .filter(|kind| *kind != "chat_response")
            .collect();
        assert_eq!(kinds, ["turn_start", "chat_request", "turn_end"], "{told}");
        let end = told.lines().last().unwrap();
        assert!(
            end.starts_with(r#"turn_end {"outcome":"failed","error":""#),
            "{end}"
        );
    }
    panic!("no answer of {provider} was whole");
}

#[test]
fn anthropic_cut_anywhere_runs_nothing() {
    cut_anywhere("anthropic");
}

#[test]
fn google_cut_anywhere_runs_nothing() {
    cut_anywhere("google");
}

#[test]
fn ollama_cut_anywhere_runs_nothing() {
    cut_anywhere("ollama");
}

#[test]
fn openai_cut_anywhere_runs_nothing() {
    cut_anywhere("openai");
}

/// A whole call and no end, in each protocol.
fn call_without_end(provider: &str) -> String {
    let event = |frame: Value| format!("data: {frame}\n\n");
    match provider {
        "anthropic" => [
            json!({ "type": "message_start", "message": {} }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "call_1", "name": "leave", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": "{\"name\":\"x\"}" } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        ]
        .map(event)
        .concat(),
        "google" => event(json!({ "candidates": [{ "content": { "parts": [{ "functionCall": { "name": "leave", "args": { "name": "x" } } }] } }] })),
        "ollama" => json!({ "message": { "tool_calls": [{ "function": { "name": "leave", "arguments": { "name": "x" } } }] }, "done": false }).to_string() + "\n",
        _ => event(json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "call_1", "function": { "name": "leave", "arguments": "{\"name\":\"x\"}" } }] } }] })),
    }
}

#[test]
fn an_answer_that_is_closed_without_its_end_runs_nothing() {
    for provider in PROTOCOLS {
        let server = Raw::start(vec![(call_without_end(provider), Then::End)]);
        let workspace = Workspace::new(provider, &server.base_url, &config("max_retries = 0"));
        let (told, code) = workspace.query("Leave.");
        assert_eq!(
            told,
            format!(
                "turn_start {{}}\nchat_request {{\"content\":\"Leave.\"}}\n\
                 turn_end {{\"outcome\":\"failed\",\"error\":\"the answer of {provider} ended early\"}}\n"
            )
        );
        assert_eq!(code, 1);
        assert!(!has_trace(&workspace));
    }
}

/// What is told of a query to a mock server that fails.
fn failing(provider: &str, request: &str, text: &str, expected: Expect) {
    let server = Aimock::start("faults.json");
    let workspace = Workspace::new(provider, &server.base_url(), &config(request));
    let (told, _) = workspace.query(text);
    expected.assert_eq(&told);
    assert!(!has_trace(&workspace));
}

#[test]
fn what_fails_is_asked_again() {
    for provider in PROTOCOLS {
        let server = Aimock::start("faults.json");
        let workspace = Workspace::new(
            provider,
            &server.base_url(),
            &config("max_retries = 3\nbase_backoff_ms = 1"),
        );
        let (told, code) = workspace.query("Try thrice.");
        assert_eq!(
            told,
            format!(
                "turn_start {{}}\nchat_request {{\"content\":\"Try thrice.\"}}\n\
                 notice {{\"text\":\"Attempt 1 failed ({provider} answered 529: Overloaded), trying again in 0.0 s.\"}}\n\
                 notice {{\"text\":\"Attempt 2 failed ({provider} answered 503: Down), trying again in 0.0 s.\"}}\n\
                 chat_response {{\"message\":\"Here I am.\"}}\nturn_end {{\"outcome\":\"completed\"}}\n"
            )
        );
        assert_eq!(code, 0);
    }
}

#[test]
fn repetition_has_an_end() {
    failing(
        "openai",
        "max_retries = 2\nbase_backoff_ms = 1",
        "Never.",
        expect![[r#"
            turn_start {}
            chat_request {"content":"Never."}
            notice {"text":"Attempt 1 failed (openai answered 500: Down), trying again in 0.0 s."}
            notice {"text":"Attempt 2 failed (openai answered 500: Down), trying again in 0.0 s."}
            turn_end {"outcome":"failed","error":"openai answered 500: Down"}
        "#]],
    );
}

#[test]
fn what_is_hopeless_is_not_repeated() {
    failing(
        "anthropic",
        "max_retries = 3",
        "Forbidden.",
        expect![[r#"
        turn_start {}
        chat_request {"content":"Forbidden."}
        turn_end {"outcome":"failed","error":"anthropic answered 403: No such key"}
    "#]],
    );
}

#[test]
fn an_answer_has_a_size() {
    failing(
        "openai",
        "max_response_bytes = 100",
        "Talk.",
        expect![[r#"
        turn_start {}
        chat_request {"content":"Talk."}
        turn_end {"outcome":"failed","error":"the answer of openai is larger than 100 bytes, see `assistant.request.max_response_bytes`"}
    "#]],
    );
}

#[test]
fn cancelling_drops_the_connection_and_keeps_the_words() {
    let words = "{\"message\":{\"content\":\"I think\"},\"done\":false}\n";
    let server = Raw::start(vec![(words.to_owned(), Then::Silence)]);
    let workspace = Workspace::new("ollama", &server.base_url, &config(""));
    let mut editor = Editor::open(&workspace);
    editor.query("Think.");
    editor.hear("delta_text");
    let conversation = json!({ "conversation": editor.conversation });
    editor.server.call("jp/query/cancel", conversation).unwrap();
    server.closed();
    editor.hear_the_end();
    expect![[r#"
        turn_start {}
        chat_request {"content":"Think."}
        chat_response {"message":"I think"}
        turn_end {"outcome":"cancelled"}
    "#]]
    .assert_eq(&editor.heard);
}

#[test]
fn a_reply_drops_the_connection_and_asks_again() {
    let event = |text: &str, reason: &str| {
        format!(
            "data: {}\n\n",
            json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": reason }] })
        )
    };
    let begun = json!({ "candidates": [{ "content": { "parts": [{ "text": "I think" }] } }] });
    let server = Raw::start(vec![
        (format!("data: {begun}\n\n"), Then::Silence),
        (event("Yes.", "STOP"), Then::End),
    ]);
    let workspace = Workspace::new("google", &server.base_url, &config(""));
    let mut editor = Editor::open(&workspace);
    editor.query("Think.");
    editor.hear("delta_text");
    editor.interrupt("stop_and_reply", "Be brief.");
    server.closed();
    editor.hear_the_end();
    expect![[r#"
        turn_start {}
        chat_request {"content":"Think."}
        chat_response {"message":"I think"}
        chat_request {"content":"Be brief."}
        chat_response {"message":"Yes."}
        turn_end {"outcome":"completed"}
    "#]]
    .assert_eq(&editor.heard);
}
