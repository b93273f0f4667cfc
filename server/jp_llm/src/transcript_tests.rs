use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

use super::*;
use crate::fixture::{written, written_messages};
use crate::request::{Effort, Parameters, Reasoning, ToolChoice, ToolDefinition, ToolResult};
use crate::settings::ProviderId;

/// A provider of each way to write messages.
const WIRES: [ProviderId; 6] = [
    ProviderId::Anthropic,
    ProviderId::Deepseek,
    ProviderId::Google,
    ProviderId::Ollama,
    ProviderId::Openai,
    ProviderId::Openrouter,
];

fn user(text: &str) -> Message {
    Message::User(text.to_owned())
}

fn part(content: AssistantContent, metadata: Value) -> AssistantPart {
    let Value::Object(metadata) = metadata else {
        panic!("metadata is an object");
    };
    AssistantPart { content, metadata }
}

fn text(text: &str) -> AssistantPart {
    part(AssistantContent::Text(text.to_owned()), json!({}))
}

/// A thought that every provider would take back.
fn thought() -> AssistantPart {
    part(
        AssistantContent::Reasoning("Hm".to_owned()),
        json!({
            "anthropic_thinking_signature": "s",
            "google_thought_signature": "g",
            "openrouter_reasoning_details": [{"type": "reasoning.text", "text": "Hm"}],
        }),
    )
}

fn call(id: &str, name: &str) -> AssistantPart {
    part(
        AssistantContent::ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: Map::new(),
        },
        json!({}),
    )
}

fn result(id: &str, name: &str, content: &str, is_error: bool) -> ToolResult {
    ToolResult {
        id: id.to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        is_error,
    }
}

/// A request whose model thinks, so that thoughts are welcome.
fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "claude-opus-4-6".to_owned(),
        messages,
        parameters: Parameters {
            reasoning: Some(Reasoning {
                effort: Effort::Low,
                exclude: false,
            }),
            ..Parameters::default()
        },
        ..Request::default()
    }
}

/// Asserts what each provider gets.
fn check(messages: Vec<Message>, expected: &Expect) {
    let request = request(messages);
    let mut shown = String::new();
    for provider in WIRES {
        shown.push_str(&format!("{}\n", provider.as_str()));
        for message in written_messages(provider, &request) {
            shown.push_str(&format!("  {message}\n"));
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn an_answer_of_reasoning_alone_is_left_out() {
    check(
        vec![
            user("Go"),
            Message::Assistant(vec![thought()]),
            user("And?"),
        ],
        &expect![[r#"
            anthropic
              {"role":"user","content":[{"type":"text","text":"Go\n\nAnd?"}]}
            deepseek
              {"role":"user","content":"Go\n\nAnd?"}
            google
              {"role":"user","parts":[{"text":"Go\n\nAnd?"}]}
            ollama
              {"role":"user","content":"Go\n\nAnd?"}
            openai
              {"role":"user","content":"Go\n\nAnd?"}
            openrouter
              {"role":"user","content":"Go\n\nAnd?"}
        "#]],
    );
}

#[test]
fn reasoning_behind_the_words_is_no_last_block() {
    check(
        vec![
            user("Go"),
            Message::Assistant(vec![thought(), text("I look."), thought(), text(" \n")]),
            user("And?"),
        ],
        &expect![[r#"
            anthropic
              {"role":"user","content":[{"type":"text","text":"Go"}]}
              {"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"I look."}]}
              {"role":"user","content":[{"type":"text","text":"And?"}]}
            deepseek
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"I look.","reasoning_content":"Hm\nHm"}
              {"role":"user","content":"And?"}
            google
              {"role":"user","parts":[{"text":"Go"}]}
              {"role":"model","parts":[{"text":"Hm","thought":true,"thoughtSignature":"g"},{"text":"I look."}]}
              {"role":"user","parts":[{"text":"And?"}]}
            ollama
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"I look.","thinking":"Hm\nHm"}
              {"role":"user","content":"And?"}
            openai
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"I look."}
              {"role":"user","content":"And?"}
            openrouter
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"I look.","reasoning_details":[{"type":"reasoning.text","text":"Hm"},{"type":"reasoning.text","text":"Hm"}]}
              {"role":"user","content":"And?"}
        "#]],
    );
}

#[test]
fn the_user_has_the_last_word() {
    check(
        vec![user("Go"), Message::Assistant(vec![text("Half")])],
        &expect![[r#"
            anthropic
              {"role":"user","content":[{"type":"text","text":"Go"}]}
              {"role":"assistant","content":[{"type":"text","text":"Half"}]}
              {"role":"user","content":[{"type":"text","text":"Continue exactly where your answer above ends, and do not repeat any of it."}]}
            deepseek
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"Half"}
              {"role":"user","content":"Continue exactly where your answer above ends, and do not repeat any of it."}
            google
              {"role":"user","parts":[{"text":"Go"}]}
              {"role":"model","parts":[{"text":"Half"}]}
              {"role":"user","parts":[{"text":"Continue exactly where your answer above ends, and do not repeat any of it."}]}
            ollama
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"Half"}
              {"role":"user","content":"Continue exactly where your answer above ends, and do not repeat any of it."}
            openai
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"Half"}
              {"role":"user","content":"Continue exactly where your answer above ends, and do not repeat any of it."}
            openrouter
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"Half"}
              {"role":"user","content":"Continue exactly where your answer above ends, and do not repeat any of it."}
        "#]],
    );
}

#[test]
fn messages_without_words() {
    check(
        vec![
            user(" "),
            Message::Assistant(vec![call("a", "t")]),
            Message::Tool(vec![result("a", "t", "", false)]),
            Message::Assistant(vec![text("")]),
            Message::Assistant(vec![call("b", "t")]),
            Message::Tool(vec![result("b", "t", "\n", true)]),
            user(""),
            user("And?"),
        ],
        &expect![[r#"
            anthropic
              {"role":"user","content":[{"type":"text","text":"(empty message)"}]}
              {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]}
              {"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}
              {"role":"assistant","content":[{"type":"tool_use","id":"b","name":"t","input":{}}]}
              {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"(no output)","is_error":true},{"type":"text","text":"And?"}]}
            deepseek
              {"role":"user","content":"(empty message)"}
              {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"a","content":""}
              {"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"t","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"b","content":"\n"}
              {"role":"user","content":"And?"}
            google
              {"role":"user","parts":[{"text":"(empty message)"}]}
              {"role":"model","parts":[{"functionCall":{"id":"a","name":"t","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}
              {"role":"user","parts":[{"functionResponse":{"id":"a","name":"t","response":{"output":""}}}]}
              {"role":"model","parts":[{"functionCall":{"id":"b","name":"t","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}
              {"role":"user","parts":[{"functionResponse":{"id":"b","name":"t","response":{"error":"\n"}}},{"text":"And?"}]}
            ollama
              {"role":"user","content":"(empty message)"}
              {"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"t","arguments":{}}}]}
              {"role":"tool","tool_name":"t","tool_call_id":"a","content":""}
              {"role":"assistant","content":"","tool_calls":[{"id":"b","function":{"name":"t","arguments":{}}}]}
              {"role":"tool","tool_name":"t","tool_call_id":"b","content":"\n"}
              {"role":"user","content":"And?"}
            openai
              {"role":"user","content":"(empty message)"}
              {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"a","content":""}
              {"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"t","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"b","content":"\n"}
              {"role":"user","content":"And?"}
            openrouter
              {"role":"user","content":"(empty message)"}
              {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"a","content":""}
              {"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"t","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"b","content":"\n"}
              {"role":"user","content":"And?"}
        "#]],
    );
}

#[test]
fn names_and_ids_of_other_providers() {
    let long = format!("chatcmpl-tool-{}", "0123456789abcdef".repeat(2));
    check(
        vec![
            user("Go"),
            Message::Assistant(vec![call("functions.t:0", "fs.read file"), call(&long, "")]),
            Message::Tool(vec![
                result("functions.t:0", "fs.read file", "x", false),
                result(&long, "", "y", false),
            ]),
        ],
        &expect![[r#"
            anthropic
              {"role":"user","content":[{"type":"text","text":"Go"}]}
              {"role":"assistant","content":[{"type":"tool_use","id":"functions_t_0","name":"fs_read_file","input":{}},{"type":"tool_use","id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","name":"unnamed","input":{}}]}
              {"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_t_0","content":"x"},{"type":"tool_result","tool_use_id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","content":"y"}]}
            deepseek
              {"role":"user","content":"Go"}
              {"role":"assistant","content":null,"tool_calls":[{"id":"functions.t:0","type":"function","function":{"name":"fs_read_file","arguments":"{}"}},{"id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","type":"function","function":{"name":"unnamed","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"functions.t:0","content":"x"}
              {"role":"tool","tool_call_id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","content":"y"}
            google
              {"role":"user","parts":[{"text":"Go"}]}
              {"role":"model","parts":[{"functionCall":{"id":"functions.t:0","name":"fs_read_file","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","name":"unnamed","args":{}}}]}
              {"role":"user","parts":[{"functionResponse":{"id":"functions.t:0","name":"fs_read_file","response":{"output":"x"}}},{"functionResponse":{"id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","name":"unnamed","response":{"output":"y"}}}]}
            ollama
              {"role":"user","content":"Go"}
              {"role":"assistant","content":"","tool_calls":[{"id":"functions.t:0","function":{"name":"fs_read_file","arguments":{}}},{"id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","function":{"name":"unnamed","arguments":{}}}]}
              {"role":"tool","tool_name":"fs_read_file","tool_call_id":"functions.t:0","content":"x"}
              {"role":"tool","tool_name":"unnamed","tool_call_id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","content":"y"}
            openai
              {"role":"user","content":"Go"}
              {"role":"assistant","content":null,"tool_calls":[{"id":"functions.t:0","type":"function","function":{"name":"fs_read_file","arguments":"{}"}},{"id":"pl-tool-0123456789abcdef0123456789abcdef","type":"function","function":{"name":"unnamed","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"functions.t:0","content":"x"}
              {"role":"tool","tool_call_id":"pl-tool-0123456789abcdef0123456789abcdef","content":"y"}
            openrouter
              {"role":"user","content":"Go"}
              {"role":"assistant","content":null,"tool_calls":[{"id":"functions.t:0","type":"function","function":{"name":"fs_read_file","arguments":"{}"}},{"id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","type":"function","function":{"name":"unnamed","arguments":"{}"}}]}
              {"role":"tool","tool_call_id":"functions.t:0","content":"x"}
              {"role":"tool","tool_call_id":"chatcmpl-tool-0123456789abcdef0123456789abcdef","content":"y"}
        "#]],
    );
}

#[test]
fn calls_with_one_id_are_told_apart() {
    let request = request(vec![
        user("Go"),
        Message::Assistant(vec![call("a", "t"), call("a", "u")]),
        Message::Tool(vec![
            result("a", "t", "1", false),
            result("a", "u", "2", false),
        ]),
        Message::Assistant(vec![call("a", "t")]),
        Message::Tool(vec![result("a", "t", "3", false)]),
    ]);
    let messages = written_messages(ProviderId::Openai, &request);
    let shown: Vec<String> = messages
        .iter()
        .map(|message| match message.get("tool_calls") {
            Some(calls) => calls
                .as_array()
                .unwrap()
                .iter()
                .map(|call| call["id"].as_str().unwrap())
                .collect::<Vec<_>>()
                .join(" "),
            None => format!("{} {}", message["tool_call_id"], message["content"]),
        })
        .collect();
    assert_eq!(
        shown[1..],
        ["a a_2", r#""a" "1""#, r#""a_2" "2""#, "a_3", r#""a_3" "3""#]
    );
}

#[test]
fn a_tool_that_is_offered_keeps_its_name() {
    let mut request = request(vec![
        user("Go"),
        Message::Assistant(vec![call("a", "fs.read")]),
        Message::Tool(vec![result("a", "fs.read", "x", false)]),
    ]);
    request.tools = vec![ToolDefinition {
        name: "fs.read".to_owned(),
        description: None,
        parameters: json!({"type": "object"}),
    }];
    let written = written_messages(ProviderId::Openai, &request);
    assert_eq!(written[1]["tool_calls"][0]["function"]["name"], "fs.read");
}

#[test]
fn what_stands_before_the_first_question_is_left_out() {
    let request = request(vec![Message::Assistant(vec![text("Welcome.")]), user("Go")]);
    for provider in WIRES {
        assert_eq!(written_messages(provider, &request).len(), 1);
    }
}

#[test]
fn a_call_without_a_signature_gets_one_where_it_must_have_one() {
    let signature = |model: &str, metadata: Value| {
        let call = AssistantPart {
            metadata: metadata.as_object().unwrap().clone(),
            ..call("a", "t")
        };
        let request = Request {
            model: model.to_owned(),
            messages: vec![
                user("Go"),
                Message::Assistant(vec![call, self::call("b", "t")]),
                Message::Tool(vec![
                    result("a", "t", "x", false),
                    result("b", "t", "y", false),
                ]),
            ],
            ..Request::default()
        };
        let calls = written_messages(ProviderId::Google, &request)[1]["parts"].clone();
        json!([calls[0]["thoughtSignature"], calls[1]["thoughtSignature"]]).to_string()
    };
    assert_eq!(signature("gemini-2.5-pro", json!({})), "[null,null]");
    assert_eq!(
        signature("gemini-3-pro", json!({})),
        r#"["skip_thought_signature_validator",null]"#
    );
    assert_eq!(
        signature("gemini-3-pro", json!({"google_thought_signature": "g"})),
        r#"["g",null]"#
    );
}

/// All lists of so many of the parts.
fn answers(parts: &[AssistantPart], length: usize) -> Vec<Vec<AssistantPart>> {
    let mut answers = vec![Vec::new()];
    for _ in 0..length {
        answers = answers
            .into_iter()
            .flat_map(|answer: Vec<AssistantPart>| {
                std::iter::once(answer.clone()).chain(parts.iter().map(move |part| {
                    let mut answer = answer.clone();
                    answer.push(part.clone());
                    answer
                }))
            })
            .collect();
    }
    answers
}

/// Asserts that a body has none of the shapes that providers refuse.
fn assert_taken(provider: ProviderId, request: &Request) {
    let body = written(provider, request);
    let messages = written_messages(provider, request);
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .filter(|role| *role != "system")
        .collect();
    assert_eq!(roles.first(), Some(&"user"), "{body}");
    assert!(["user", "tool"].contains(roles.last().unwrap()), "{body}");
    for pair in roles.windows(2) {
        assert!(pair[0] != pair[1] || pair[0] == "tool", "{body}");
    }
    for message in &messages {
        match provider {
            ProviderId::Anthropic => {
                let blocks = message["content"].as_array().unwrap();
                for block in blocks {
                    if block["type"] == "text" {
                        assert!(!block["text"].as_str().unwrap().trim().is_empty(), "{body}");
                    }
                }
                let last = blocks.last().unwrap()["type"].as_str().unwrap();
                assert!(!last.ends_with("thinking"), "{body}");
            }
            ProviderId::Google => {
                let parts = message["parts"].as_array().unwrap();
                assert!(parts.last().unwrap().get("thought").is_none(), "{body}");
            }
            _ => {
                let says = message["content"]
                    .as_str()
                    .is_some_and(|text| !text.trim().is_empty());
                let calls = message
                    .get("tool_calls")
                    .is_some_and(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()));
                assert!(says || calls || message["role"] == "tool", "{body}");
            }
        }
    }
}

#[test]
fn no_history_is_written_as_providers_refuse_it() {
    let parts = [thought(), text(" "), text("Yes."), call("a", "t")];
    for answer in answers(&parts, 3) {
        let calls = answer
            .iter()
            .any(|part| matches!(part.content, AssistantContent::ToolCall { .. }));
        let results = Message::Tool(vec![result("a", "t", "", true)]);
        for (before, after) in [("Go", "And?"), ("", ""), ("Go", "")] {
            let mut messages = vec![user(before), Message::Assistant(answer.clone())];
            messages.extend(calls.then(|| results.clone()));
            let cut = messages.clone();
            messages.push(user(after));
            for messages in [messages, cut] {
                for reasoning in [Effort::None, Effort::Low] {
                    let mut request = request(messages.clone());
                    request.parameters.reasoning = Some(Reasoning {
                        effort: reasoning,
                        exclude: false,
                    });
                    request.tool_choice = ToolChoice::Required;
                    for provider in WIRES {
                        assert_taken(provider, &request);
                    }
                }
            }
        }
    }
}
