use std::env;

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::store::tests::{Fixture, fixture, time};

fn write(directory: &Utf8Path, files: &[(&str, Value)]) {
    fs::create_dir_all(directory).unwrap();
    for (name, value) in files {
        fs::write(directory.join(name), value.to_string()).unwrap();
    }
}

fn events() -> Value {
    json!([
        {"timestamp": "2026-03-18 13:19:12.5", "type": "config_delta", "delta": {"user": {"name": "jo"}}},
        {"timestamp": "2026-03-18 13:19:12.6", "type": "turn_start"},
        {"timestamp": "2026-03-18 13:19:12.7", "type": "chat_request", "content": "Go"},
        {"timestamp": "2026-03-18 13:19:13.0", "type": "tool_call_request", "id": "a", "name": "t", "arguments": {"p": "eA=="}},
    ])
}

fn metadata() -> Value {
    json!({"title": "A title", "last_activated_at": "2026-03-18 13:19:12.5", "future": 1})
}

#[test]
fn a_released_conversation_is_read() {
    let Fixture { store, .. } = &fixture();
    let directory = store.root().join("17738399525-a-title");
    write(
        &directory,
        &[
            ("metadata.json", metadata()),
            ("base_config.json", json!({"b": 1})),
            ("events.json", events()),
        ],
    );
    let read = read_released(&directory).unwrap();
    assert_eq!(read.id.to_string(), "jp-c17738399525");
    assert_eq!(Value::Object(read.base_config.clone()), json!({"b": 1}));
    assert_eq!(read.events().len(), 4);
    assert_eq!(read.config_delta_count(), 1);
    assert_eq!(serde_json::to_value(&read.metadata).unwrap(), metadata());
}

#[test]
fn the_oldest_conversations_begin_with_their_config() {
    let Fixture { store, .. } = &fixture();
    let directory = store.root().join("17738399525");
    for first in [json!({"delta": {"a": 1}}), json!({"a": 1})] {
        let mut events = events();
        let mut first = first;
        first["timestamp"] = json!("2026-03-18 13:19:12.5");
        first["type"] = json!("config_delta");
        events[0] = first;
        write(
            &directory,
            &[("metadata.json", metadata()), ("events.json", events)],
        );
        let read = read_released(&directory).unwrap();
        assert_eq!(Value::Object(read.base_config.clone()), json!({"a": 1}));
        assert_eq!(read.events()[0].kind, EventKind::TurnStart);
    }
}

#[test]
fn a_copy_is_continued_and_the_original_left_alone() {
    let Fixture { store, .. } = &fixture();
    let directory = store.root().join("released").join("17738399525-a-title");
    write(
        &directory,
        &[("metadata.json", metadata()), ("events.json", events())],
    );
    let original = read_released(&directory).unwrap();
    let writer = store.continue_copy(&original, time(30)).unwrap();
    let copy = store.read(writer.conversation().id).unwrap();
    assert_ne!(copy.id, original.id);
    assert_eq!(copy.metadata.last_activated_at, time(30));
    assert_eq!(copy.base_config, original.base_config);
    assert_eq!(copy.events()[..3], *original.events());
    assert_eq!(copy.events()[3].kind.tag(), "tool_call_response");
    assert_eq!(
        fs::read_to_string(directory.join("events.json")).unwrap(),
        events().to_string()
    );
}

fn check_error(files: &[(&str, Value)], expect: &Expect) {
    let Fixture { store, .. } = &fixture();
    let directory = store.root().join("17738399525");
    write(&directory, files);
    let error = read_released(&directory).unwrap_err().to_string();
    expect.assert_eq(&error.replace(directory.as_str(), "DIR"));
}

#[test]
fn what_cannot_be_read_is_named() {
    check_error(
        &[("metadata.json", metadata())],
        &expect!["cannot read `DIR/events.json`: No such file or directory (os error 2)"],
    );
    check_error(
        &[("metadata.json", metadata()), ("events.json", json!({}))],
        &expect!["DIR/events.json: invalid type: map, expected a sequence at line 1 column 0"],
    );
    check_error(
        &[
            ("metadata.json", metadata()),
            ("events.json", json!([{"type": "turn_start"}])),
        ],
        &expect!["DIR/events.json: event 1: `timestamp` is missing"],
    );
    check_error(
        &[("metadata.json", json!({}))],
        &expect!["DIR/metadata.json: missing field `last_activated_at` at line 1 column 2"],
    );
    assert_eq!(
        read_released(Utf8Path::new("/nowhere/x"))
            .unwrap_err()
            .to_string(),
        "`x` is no conversation id, write it as `jp-c17636257527`"
    );
}

fn inquiry(id: &str, answer_type: &str) -> Value {
    json!({"timestamp": "2026-03-18 13:19:14.0", "type": "inquiry_request", "id": id, "source": {"source": "assistant"},
        "question": {"text": "?", "answer_type": {"type": answer_type}}})
}

fn response(mut fields: Value, id: &str) -> Value {
    fields["timestamp"] = json!("2026-03-18 13:19:15.0");
    fields["type"] = json!("inquiry_response");
    fields["id"] = json!(id);
    fields
}

#[test]
fn an_export_holds_only_what_a_released_jp_loads() {
    let Fixture { store, .. } = &fixture();
    let metadata = serde_json::from_value(metadata()).unwrap();
    let mut conversation =
        Conversation::new(ConversationId::from_deciseconds(9), metadata, Map::new());
    let stored = [
        json!({"timestamp": "2026-03-18 13:19:12.5", "type": "config_delta", "delta": {}, "unsets": ["a"]}),
        json!({"timestamp": "2026-03-18 13:19:12.6", "type": "turn_start"}),
        inquiry("answered", "boolean"),
        response(json!({"answer": true}), "answered"),
        inquiry("cancelled", "text"),
        inquiry("secret", "secret"),
        response(json!({"outcome": "cancelled"}), "cancelled"),
        response(json!({"outcome": "redacted"}), "secret"),
        inquiry("open", "text"),
        inquiry("leaked", "secret"),
        response(json!({"answer": "x"}), "leaked"),
        response(json!({"answer": "x"}), "stray"),
        inquiry("again", "text"),
        response(json!({"outcome": "cancelled"}), "again"),
        inquiry("again", "text"),
        response(json!({"answer": "x"}), "again"),
        json!({"timestamp": "2026-03-18 13:19:16.0", "type": "future", "x": 1}),
    ];
    conversation.extend(
        stored
            .iter()
            .map(|event| ConversationEvent::from_stored(event.clone()).unwrap()),
    );
    let parent = store.root().join("exported");
    let form = ReleasedForm {
        base_config: json!({"b": 1}).as_object().unwrap().clone(),
        deltas: vec![json!({"d": 1}).as_object().unwrap().clone()],
    };
    let report = export_released(&conversation, &parent, form.clone()).unwrap();
    assert_eq!(
        report,
        ExportReport {
            directory: parent.join("9-a-title"),
            omitted_inquiries: 6,
            ignored_unsets: vec!["a".to_owned()],
            omitted_fields: Vec::new(),
        }
    );
    let exported: Vec<Value> = read_json(&report.directory.join("events.json")).unwrap();
    let base: Value = read_json(&report.directory.join("base_config.json")).unwrap();
    assert_eq!(base, json!({"b": 1}));
    assert_eq!(exported[0]["delta"], json!({"d": 1}));
    let names: Vec<_> = exported
        .iter()
        .map(|event| {
            format!(
                "{} {}",
                event["type"].as_str().unwrap(),
                event["id"].as_str().unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            "config_delta ",
            "turn_start ",
            "inquiry_request answered",
            "inquiry_response answered",
            "inquiry_request again",
            "inquiry_response again",
            "future "
        ]
    );
    // Which of two inquiries with one id is kept follows the order.
    assert_eq!(
        exported[4..6],
        [
            stored[14].clone(),
            response(json!({"outcome": "answered", "answer": "x"}), "again")
        ]
    );
    let left: Vec<_> = parent
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    assert_eq!(left, ["9-a-title"]);

    conversation.metadata.title = Some("Another title".into());
    assert_eq!(
        export_released(&conversation, &parent, form)
            .unwrap_err()
            .to_string(),
        format!(
            "`{}` exists, export to another directory or remove it first",
            parent.join("9-another-title")
        )
    );
}

#[test]
fn fields_that_a_released_jp_refuses_are_left_out() {
    let Fixture { store, .. } = &fixture();
    let mut metadata: ConversationMetadata = serde_json::from_value(metadata()).unwrap();
    metadata.labels = Some(json!({"a": 1}));
    let mut conversation =
        Conversation::new(ConversationId::from_deciseconds(9), metadata, Map::new());
    let stored = [
        json!({"timestamp": "2026-03-18 13:19:12.6", "type": "turn_start", "model": "x", "metadata": {"a": "eA=="}}),
        json!({"timestamp": "2026-03-18 13:19:12.7", "type": "chat_request", "content": "Go", "author": {"name": "jo"}, "schema": true, "more": 1}),
        json!({"type": "future"}),
        json!({"timestamp": "2026-03-18 13:19:12.8", "type": "future", "x": 1}),
    ];
    conversation.extend(
        stored
            .iter()
            .map(|event| ConversationEvent::from_stored(event.clone()).unwrap()),
    );
    let parent = store.root().join("exported");
    let report = export_released(&conversation, &parent, ReleasedForm::default()).unwrap();
    let exported: Value = read_json(&report.directory.join("events.json")).unwrap();
    assert_eq!(
        exported,
        json!([
            {"timestamp": "2026-03-18 13:19:12.6", "type": "turn_start", "metadata": {"a": "eA=="}},
            {"timestamp": "2026-03-18 13:19:12.7", "type": "chat_request", "content": "Go", "more": 1},
            {"timestamp": "2026-03-18 13:19:12.8", "type": "future", "x": 1},
        ])
    );
    let metadata: Value = read_json(&report.directory.join("metadata.json")).unwrap();
    assert_eq!(metadata.get("labels"), None);
    expect![[r#"
        `model` of a `turn_start`
        `author` of a `chat_request`: it is no text
        `schema` of a `chat_request`: it is no table
        an event of type `future`: it has no `timestamp`
        `labels`: they are no table of texts"#]]
    .assert_eq(&report.omitted_fields.join("\n"));
}

#[test]
fn real_conversations_survive() {
    let committed = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/workspaces/almanac"
    );
    survive(Utf8Path::new(committed));
    if let Ok(corpus) = env::var("JP_LSP_CORPUS") {
        survive(Utf8Path::new(&corpus));
    }
}

/// Reads, continues and exports every conversation of the workspace.
fn survive(workspace: &Utf8Path) {
    let corpus = workspace.join(".jp/conversations");
    let Fixture { store, .. } = &fixture();
    let parent = store.root().join("exported");
    let mut count = 0;
    for entry in corpus.read_dir_utf8().unwrap() {
        let directory = entry.unwrap().path().to_owned();
        let original = read_released(&directory).unwrap();
        let mut expected: Vec<Value> = read_json(&directory.join("events.json")).unwrap();
        let stored: Vec<Value> = original
            .events()
            .iter()
            .map(ConversationEvent::to_stored)
            .collect();
        if !directory.join("base_config.json").exists() {
            let first = expected.remove(0);
            assert_eq!(first["delta"], Value::Object(original.base_config.clone()));
        }
        assert_eq!(stored, expected);

        let copy = store
            .continue_copy(&original, time(0))
            .unwrap()
            .conversation()
            .id;
        let copy = store.read(copy).unwrap();
        assert_eq!(copy.events(), original.events());

        let form = ReleasedForm {
            base_config: original.base_config.clone(),
            deltas: original
                .config_deltas(0)
                .map(|delta| delta.delta.clone())
                .collect(),
        };
        let report = export_released(&original, &parent, form).unwrap();
        assert_eq!(read_released(&report.directory).unwrap(), original);
        assert_ne!(crate::markdown(original.events()), "");
        count += 1;
    }
    assert!(count > 0, "{corpus} holds no conversation");
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    for device in ["/dev/zero", "/dev/null", "/dev/stdin"] {
        let link = folder.join("metadata.json");
        std::os::unix::fs::symlink(device, &link).unwrap();
        let error = read_json::<Value>(&link).unwrap_err().to_string();
        assert!(
            error.ends_with("it is no regular file"),
            "{device}: {error}"
        );
        fs::remove_file(&link).unwrap();
    }
}
