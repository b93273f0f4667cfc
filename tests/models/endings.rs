//! Answers that end right after their reasoning, however they end: the conversation can go on with any provider.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    raw::{Raw, Then},
    workspace::{PROTOCOLS, Workspace},
};

fn event(frame: &Value) -> String {
    format!("data: {frame}\n\n")
}

/// Reasoning, in the words of each protocol.
fn reasoning(provider: &str) -> String {
    match provider {
        "anthropic" => [
            json!({ "type": "message_start", "message": {} }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "s" } }),
            json!({ "type": "content_block_stop", "index": 0 }),
        ]
        .iter()
        .map(event)
        .collect(),
        "google" => event(&json!({ "candidates": [{ "content": { "parts": [{ "text": "Hm.", "thought": true, "thoughtSignature": "g" }] } }] })),
        "ollama" => json!({ "message": { "thinking": "Hm." }, "done": false }).to_string() + "\n",
        _ => event(&json!({ "choices": [{ "delta": { "reasoning_content": "Hm." } }] })),
    }
}

/// The end of an answer: as it should be, at the limit, refused.
fn ending(provider: &str, reason: usize) -> String {
    let pick = |reasons: [&'static str; 3]| reasons[reason];
    match provider {
        "anthropic" => {
            let reason = pick(["end_turn", "max_tokens", "refusal"]);
            let end = json!({ "type": "message_delta", "delta": { "stop_reason": reason } });
            event(&end) + &event(&json!({ "type": "message_stop" }))
        }
        "google" => {
            let reason = pick(["STOP", "MAX_TOKENS", "SAFETY"]);
            event(&json!({ "candidates": [{ "finishReason": reason }] }))
        }
        "ollama" => {
            let reason = pick(["stop", "length", "unload"]);
            json!({ "done": true, "done_reason": reason }).to_string() + "\n"
        }
        _ => {
            let reason = pick(["stop", "length", "content_filter"]);
            event(&json!({ "choices": [{ "delta": {}, "finish_reason": reason }] }))
                + "data: [DONE]\n\n"
        }
    }
}

/// A call of which the beginning is there, or an error, in the words of each protocol.
fn broken(provider: &str, is_call: bool) -> String {
    match (provider, is_call) {
        ("anthropic", true) => {
            let call = json!({ "type": "tool_use", "id": "a", "name": "t", "input": {} });
            event(&json!({ "type": "content_block_start", "index": 1, "content_block": call }))
        }
        ("google" | "ollama", true) => String::new(),
        (_, true) => event(
            &json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{" } }] } }] }),
        ),
        ("anthropic", false) => event(
            &json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }),
        ),
        ("ollama", false) => json!({ "error": "out of memory" }).to_string() + "\n",
        (_, false) => event(&json!({ "error": { "code": 503, "message": "Overloaded" } })),
    }
}

/// Who speaks in a request.
fn roles(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    let messages = body.get("messages").or_else(|| body.get("contents"));
    let messages = messages.unwrap().as_array().unwrap().iter();
    let roles = messages.map(|message| message["role"].as_str().unwrap());
    roles
        .filter(|role| *role != "system")
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn an_answer_of_reasoning_alone_does_not_end_the_conversation() {
    for provider in PROTOCOLS {
        let mut endings: Vec<(String, Then)> = (0..3)
            .map(|reason| (ending(provider, reason), Then::End))
            .collect();
        endings.push((String::new(), Then::End));
        endings.push((String::new(), Then::Break));
        endings.push((broken(provider, false), Then::End));
        endings.push((broken(provider, true), Then::Break));
        for (end, then) in endings {
            let words = reasoning(provider) + &end;
            let answer = ending(provider, 0);
            let server = Raw::start(vec![(words.clone(), then), (answer, Then::End)]);
            let request = "[assistant.request]\nmax_retries = 0\n";
            let workspace = Workspace::new(provider, &server.base_url, request);
            workspace.query("Think.");
            let store = fs::read_dir(workspace.home().join("conversations/conversations"));
            let store = store.unwrap().next().unwrap().unwrap().path();
            let mut conversations = fs::read_dir(store).unwrap().filter_map(Result::ok);
            let conversation = conversations.find(|entry| entry.path().is_dir()).unwrap();
            let id = format!("jp-c{}", conversation.file_name().to_str().unwrap());
            let (told, code) = workspace.query_in(&id, "And?");
            assert_eq!(code, 0, "{told}");
            server.closed();
            server.closed();
            let requests = server.requests();
            assert_eq!(requests.len(), 2, "{provider}: {words}");
            assert_eq!(roles(&requests[1]), "user", "{words}");
        }
    }
}
