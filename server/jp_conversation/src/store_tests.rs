use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::event::{ChatRequest, ChatResponse, EventKind, ToolCallRequest};
use crate::files::LOCK;

pub(crate) struct Fixture {
    pub(crate) store: Store,
    _directory: tempfile::TempDir,
}

pub(crate) fn fixture() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(directory.path())
        .unwrap()
        .join("conversations");
    Fixture {
        store: Store::new(root),
        _directory: directory,
    }
}

pub(crate) fn time(seconds: u32) -> Timestamp {
    format!("2026-03-18 13:19:{seconds:02}.0").parse().unwrap()
}

pub(crate) fn user(text: &str) -> ConversationEvent {
    let request = ChatRequest {
        content: text.into(),
        ..ChatRequest::default()
    };
    ConversationEvent::at(time(1), EventKind::ChatRequest(request))
}

pub(crate) fn says(text: &str) -> ConversationEvent {
    ConversationEvent::at(
        time(2),
        EventKind::ChatResponse(ChatResponse::Message(text.into())),
    )
}

pub(crate) fn turn(seconds: u32) -> ConversationEvent {
    ConversationEvent::at(time(seconds), EventKind::TurnStart)
}

fn new(store: &Store, seconds: u32) -> ConversationWriter {
    store
        .create(
            ConversationMetadata::at(time(seconds)),
            Map::new(),
            Vec::new(),
        )
        .unwrap()
}

#[test]
fn what_is_written_is_read() {
    let Fixture { store, .. } = &fixture();
    let base: Map<String, Value> = json!({"user": {"name": "jo"}}).as_object().unwrap().clone();
    let mut writer = store
        .create(ConversationMetadata::at(time(0)), base, vec![turn(0)])
        .unwrap();
    writer.append(user("Hello")).unwrap();
    writer
        .append_all(vec![says("Hi"), turn(30), user("More")])
        .unwrap();
    writer
        .update_metadata(|metadata| metadata.title = Some("Greeting".into()))
        .unwrap();
    let id = writer.conversation().id;
    assert_eq!(id.to_string(), "jp-c17738399400");

    // Without the lock, while the writer is at work.
    let read = store.read(id).unwrap();
    assert_eq!(&read, writer.conversation());
    assert_eq!(read.events().len(), 5);
    assert_eq!(read.turn_count(), 2);
    assert_eq!(read.metadata.last_activated_at, time(30));

    drop(writer);
    assert_eq!(store.open(id).unwrap().conversation(), &read);
    let text = fs::read_to_string(store.directory(id).join(EVENTS)).unwrap();
    assert_eq!(
        text.lines().next().unwrap(),
        r#"{"timestamp":"2026-03-18 13:19:00.0","type":"turn_start"}"#
    );
}

#[test]
fn a_reader_follows_without_reading_again() {
    let Fixture { store, .. } = &fixture();
    let mut writer = new(store, 0);
    let id = writer.conversation().id;
    writer.append(user("one")).unwrap();
    let first = store.read_since(id, 0).unwrap();
    assert_eq!((first.events, first.end), (vec![user("one")], writer.end()));
    writer.append_all(vec![says("two"), says("three")]).unwrap();
    let second = store.read_since(id, first.end).unwrap();
    assert_eq!(second.events, [says("two"), says("three")]);
    let third = store.read_since(id, second.end).unwrap();
    assert_eq!((third.events, third.end), (vec![], second.end));
    let path = store.directory(id).join(EVENTS);
    assert_eq!(
        store
            .read_since(id, second.end + 1)
            .unwrap_err()
            .to_string(),
        format!(
            "{path}: ends at byte {}, before offset {}, read it from the start",
            second.end,
            second.end + 1
        )
    );
}

#[test]
fn a_conversation_is_opened_again_without_reading_it_again() {
    let Fixture { store, .. } = &fixture();
    let mut writer = new(store, 0);
    let id = writer.conversation().id;
    let path = store.directory(id).join(EVENTS);
    writer.append_all(vec![user("one"), says("two")]).unwrap();
    let closed = writer.close();
    assert_eq!(closed.id(), id);

    // Somebody else goes on, and is torn off.
    let mut other = store.open(id).unwrap();
    other.append(user("three")).unwrap();
    other
        .update_metadata(|metadata| metadata.title = Some("Numbers".to_owned()))
        .unwrap();
    drop(other);
    open_append(&path).unwrap().write_all(b"{\"type").unwrap();
    // What was read before is not read again: nothing of it need be readable.
    let text = fs::read(&path).unwrap();
    let line = text.iter().position(|byte| *byte == b'\n').unwrap();
    let mut spoiled = text.clone();
    spoiled[..line].fill(b'x');
    fs::write(&path, &spoiled).unwrap();
    let writer = store.reopen(closed).unwrap();
    fs::write(&path, &text).unwrap();
    assert_eq!(
        writer.conversation().events(),
        [user("one"), says("two"), user("three")]
    );
    assert_eq!(
        writer.conversation().metadata.title.as_deref(),
        Some("Numbers")
    );
    assert!(matches!(
        store.open(id),
        Err(ConversationError::Locked { .. })
    ));
}

#[test]
fn a_log_that_is_another_one_is_read_whole() {
    let Fixture { store, .. } = &fixture();
    let mut writer = new(store, 0);
    let id = writer.conversation().id;
    let path = store.directory(id).join(EVENTS);
    writer.append_all(vec![user("one"), says("two")]).unwrap();
    for events in [vec![user("x")], vec![user(&"x".repeat(1000))]] {
        let closed = writer.close();
        fs::write(&path, log::lines(&events)).unwrap();
        writer = store.reopen(closed).unwrap();
        assert_eq!(writer.conversation().events(), events);
    }
}

#[test]
fn there_is_one_writer() {
    let Fixture { store, .. } = &fixture();
    let writer = new(store, 0);
    let id = writer.conversation().id;
    let refused = store.open(id).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "conversation `{id}` is open in another process (process {}), close it there first",
            std::process::id()
        )
    );
    drop(writer);
    store.open(id).unwrap();
}

#[test]
fn one_moment_has_room_for_many() {
    let Fixture { store, .. } = &fixture();
    let writers = [new(store, 0), new(store, 0), new(store, 0)];
    let ids: Vec<_> = writers
        .iter()
        .map(|writer| writer.conversation().id.deciseconds())
        .collect();
    assert_eq!(ids, [17_738_399_400, 17_738_399_401, 17_738_399_402]);
}

#[test]
fn stores_beside_each_other_share_no_id() {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(directory.path()).unwrap();
    let ids: Vec<String> = ["one", "two", "one", "three"]
        .iter()
        .map(|name| {
            let writer = new(&Store::new(root.join(name)), 7);
            writer.conversation().id.to_string()
        })
        .collect();
    assert_eq!(
        ids,
        [
            "jp-c17738399470",
            "jp-c17738399471",
            "jp-c17738399472",
            "jp-c17738399473"
        ]
    );
}

#[test]
fn two_processes_at_once_get_two_conversations() {
    let Fixture { store, .. } = &fixture();
    let create = || new(store, 0).conversation().id;
    let mut ids: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8);
}

#[test]
fn lists_begin_with_what_was_used_last() {
    let Fixture { store, .. } = &fixture();
    assert!(store.list().unwrap().is_empty());
    let first = new(store, 1).conversation().id;
    let mut second = new(store, 2);
    let third = new(store, 3).conversation().id;
    second.append(turn(40)).unwrap();
    fs::create_dir(store.root().join(".building-left")).unwrap();
    fs::create_dir(store.root().join("notes")).unwrap();
    fs::create_dir(store.root().join("17738399400-slug")).unwrap();
    fs::write(store.directory(first).join(METADATA), "{").unwrap();

    let listed = store.list().unwrap();
    let ids: Vec<_> = listed.iter().map(|listed| listed.id).collect();
    assert_eq!(ids, [second.conversation().id, third, first]);
    assert_eq!(
        listed[2].metadata.as_ref().unwrap_err().to_string(),
        format!(
            "{}: EOF while parsing an object at line 1 column 1",
            store.directory(first).join(METADATA)
        )
    );
}

#[test]
fn what_is_not_there_is_an_error() {
    let Fixture { store, .. } = &fixture();
    let id = ConversationId::from_deciseconds(5);
    let expected = format!("there is no conversation `jp-c5` in {}", store.root());
    assert_eq!(store.read(id).unwrap_err().to_string(), expected);
    assert_eq!(store.open(id).unwrap_err().to_string(), expected);
    assert_eq!(store.read_since(id, 0).unwrap_err().to_string(), expected);
}

#[test]
fn missing_metadata_does_not_hide_the_events() {
    let Fixture { store, .. } = &fixture();
    let id = new(store, 7).conversation().id;
    fs::remove_file(store.directory(id).join(METADATA)).unwrap();
    assert_eq!(
        store.read(id).unwrap().metadata,
        ConversationMetadata::at(time(7))
    );
}

#[test]
fn a_damaged_line_in_the_middle_is_an_error() {
    let Fixture { store, .. } = &fixture();
    let mut writer = new(store, 0);
    let id = writer.conversation().id;
    writer.append_all(vec![user("one"), says("two")]).unwrap();
    drop(writer);
    let path = store.directory(id).join(EVENTS);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('}', "", 1)).unwrap();
    let error = store.open(id).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{path}: event 1: EOF while parsing an object at line 1 column 74")
    );

    fs::write(&path, text.replacen("\"content\"", "\"text\"", 1)).unwrap();
    let error = store.read(id).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{path}: event 1: `chat_request`: `content` is missing")
    );
}

#[test]
fn an_interrupted_turn_is_completed() {
    let Fixture { store, .. } = &fixture();
    let mut writer = new(store, 0);
    let id = writer.conversation().id;
    let call = ToolCallRequest {
        id: "a".into(),
        name: "t".into(),
        arguments: Map::new(),
    };
    let call = ConversationEvent::at(time(3), EventKind::ToolCallRequest(call));
    writer.append_all(vec![turn(0), user("go"), call]).unwrap();
    drop(writer);
    let mut writer = store.open(id).unwrap();
    assert_eq!(writer.close_interrupted_calls().unwrap(), 1);
    assert_eq!(writer.close_interrupted_calls().unwrap(), 0);
    let last = store.read(id).unwrap().events().last().unwrap().to_json();
    assert_eq!(
        last,
        json!({"timestamp": "2026-03-18 13:19:03.0", "type": "tool_call_response", "id": "a",
            "content": "Tool call was interrupted.", "is_error": true})
    );
}

#[cfg(unix)]
#[test]
fn conversations_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let Fixture { store, .. } = &fixture();
    let mut writer = new(store, 0);
    writer.append(user("secret")).unwrap();
    let id = writer.conversation().id;
    let mode = |path: Utf8PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o077;
    assert_eq!(mode(store.root().to_owned()), 0);
    assert_eq!(mode(store.directory(id)), 0);
    for file in [EVENTS, METADATA, BASE_CONFIG, LOCK] {
        assert_eq!(mode(store.directory(id).join(file)), 0, "{file}");
    }
}
