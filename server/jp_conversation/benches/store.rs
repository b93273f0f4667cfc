//! What a turn costs in a conversation that has a thousand turns behind it.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first thing that goes wrong"
)]

use std::hint::black_box;

use camino::Utf8Path;
use criterion::{Criterion, criterion_group, criterion_main};
use jp_conversation::{
    ChatRequest, ChatResponse, ConversationEvent, ConversationMetadata, EventKind, Store,
    Timestamp, ToolCallRequest, ToolCallResponse, markdown, turn_markdown,
};
use serde_json::{Map, json};

/// One turn with two tool calls.
fn turn(number: usize) -> Vec<ConversationEvent> {
    let mut kinds = vec![
        EventKind::TurnStart,
        EventKind::ChatRequest(ChatRequest {
            content: format!("What about file {number}?"),
            ..ChatRequest::default()
        }),
    ];
    for call in 0..2 {
        let id = format!("call_{number}_{call}");
        let arguments = json!({"path": format!("src/file_{number}.rs")})
            .as_object()
            .unwrap()
            .clone();
        let name = "fs_read_file".to_owned();
        kinds.push(EventKind::ToolCallRequest(ToolCallRequest {
            id,
            name,
            arguments,
        }));
    }
    for call in 0..2 {
        kinds.push(EventKind::ToolCallResponse(ToolCallResponse {
            id: format!("call_{number}_{call}"),
            content: "fn main() { println!(\"hello\"); }\n".repeat(20),
            is_error: false,
        }));
    }
    kinds.push(EventKind::ChatResponse(ChatResponse::Message(
        "It says **hello**.".repeat(10),
    )));
    kinds
        .into_iter()
        .map(|kind| ConversationEvent::at(Timestamp::EPOCH, kind))
        .collect()
}

fn store(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(Utf8Path::from_path(directory.path()).unwrap());
    let events: Vec<ConversationEvent> = (0..1000).flat_map(turn).collect();
    let metadata = ConversationMetadata::at(Timestamp::EPOCH);
    let mut writer = store.create(metadata, Map::new(), events).unwrap();
    let id = writer.conversation().id;
    let message = turn(0).pop().unwrap();

    criterion.bench_function("read 1,000 turns", |bencher| {
        bencher.iter(|| store.read(id).unwrap());
    });
    criterion.bench_function("markdown of 1,000 turns", |bencher| {
        bencher.iter(|| markdown(black_box(writer.conversation().events())));
    });
    criterion.bench_function("markdown of the last turn", |bencher| {
        bencher.iter(|| turn_markdown(black_box(writer.conversation().current_turn()), 1000));
    });
    criterion.bench_function("append a message after 1,000 turns", |bencher| {
        bencher.iter(|| writer.append(message.clone()).unwrap());
    });
    let end = writer.end();
    writer.append(message).unwrap();
    criterion.bench_function("read the last message of 1,000 turns", |bencher| {
        bencher.iter(|| store.read_since(id, end).unwrap());
    });
}

criterion_group!(benches, store);
criterion_main!(benches);
