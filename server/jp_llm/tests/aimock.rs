//! A loop of two requests against a mock server that knows the protocols from elsewhere.
//!
//! ```text
//! npx -p @copilotkit/aimock@1.43.0 llmock --port 4010 --chunk-size 3 --fixtures server/jp_llm/tests/aimock.json
//! JP_LSP_AIMOCK=http://127.0.0.1:4010 cargo test -p jp_llm --test aimock
//! ```
//!
//! Without the variable there is no server to talk to, and nothing is tested.

use std::env;

use futures::StreamExt as _;
use jp_conversation::{
    ChatRequest, ChatResponse, ConversationEvent, EventKind, ToolCallRequest, ToolCallResponse,
};
use jp_llm::{
    HttpClient, HttpProvider, Provider as _, ProviderId, ProviderSettings, Request,
    RequestSettings, StreamEvent, ToolDefinition, messages,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn user() -> ConversationEvent {
    ConversationEvent::new(EventKind::ChatRequest(ChatRequest {
        content: "read two files".into(),
        ..ChatRequest::default()
    }))
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: None,
        parameters: json!({"type": "object", "properties": {}}),
    }
}

/// What a model says to a conversation, as events.
async fn ask(provider: &HttpProvider, events: &[ConversationEvent]) -> Vec<ConversationEvent> {
    let request = Request {
        model: "gpt-5".into(),
        system: Some("Be brief.".into()),
        messages: messages(events),
        tools: vec![tool("fs_read_file"), tool("fs_list_files")],
        ..Request::default()
    };
    let said: Vec<StreamEvent> = provider
        .stream(request, CancellationToken::new())
        .collect()
        .await;
    assert!(
        matches!(said.last(), Some(StreamEvent::Done { .. })),
        "{said:?}"
    );
    let parts = said.into_iter().filter_map(|event| match event {
        StreamEvent::PartEnd { content, .. } => Some(content.into_event()),
        _ => None,
    });
    parts.collect()
}

/// The words, and the calls without their ids.
fn gist(events: &[ConversationEvent]) -> (String, Vec<(String, Value)>) {
    let mut words = String::new();
    let mut calls = Vec::new();
    for event in events {
        match &event.kind {
            EventKind::ChatResponse(ChatResponse::Message(text)) => words.push_str(text),
            EventKind::ToolCallRequest(ToolCallRequest {
                name, arguments, ..
            }) => {
                calls.push((name.clone(), Value::Object(arguments.clone())));
            }
            _ => {}
        }
    }
    (words, calls)
}

#[tokio::test]
async fn every_protocol_calls_two_tools_and_goes_on() {
    let Ok(base_url) = env::var("JP_LSP_AIMOCK") else {
        return;
    };
    let client = HttpClient::new().unwrap();
    for id in ProviderId::ALL {
        let settings = ProviderSettings {
            base_url: Some(base_url.clone()),
            ..ProviderSettings::default()
        };
        let request_settings = RequestSettings {
            max_retries: 0,
            ..RequestSettings::default()
        };
        let environment = |name: &str| name.ends_with("_KEY").then(|| "mock".to_owned());
        let provider = client
            .connect(id, settings, request_settings, &environment)
            .unwrap();
        let mut events = vec![user()];
        events.extend(ask(&provider, &events).await);
        let calls = vec![
            ("fs_read_file".to_owned(), json!({"path": "src/größe.rs"})),
            (
                "fs_list_files".to_owned(),
                json!({"prefixes": ["src"], "depth": 2}),
            ),
        ];
        let words = "I look into größe and 日本.".to_owned();
        assert_eq!(gist(&events), (words, calls), "{}", id.as_str());

        let results: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::ToolCallRequest(call) => Some(ToolCallResponse {
                    id: call.id.clone(),
                    content: String::new(),
                    is_error: false,
                }),
                _ => None,
            })
            .collect();
        events.extend(
            results
                .into_iter()
                .map(|result| ConversationEvent::new(EventKind::ToolCallResponse(result))),
        );
        let answer = ask(&provider, &events).await;
        assert_eq!(
            gist(&answer),
            ("Both are empty.".to_owned(), vec![]),
            "{}",
            id.as_str()
        );
    }
}
