use std::fmt::Write as _;
use std::fs;

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::Map;

use super::*;
use crate::event::{ToolCallRequest, ToolCallResponse};
use crate::files::EVENTS;
use crate::metadata::ConversationMetadata;
use crate::store::tests::{Fixture, fixture, says, time, turn, user};
use crate::{ConversationId, Store};

fn wanted(last: usize, before: usize) -> Wanted {
    Wanted {
        last,
        before,
        ..Wanted::default()
    }
}

/// Two turns of three events, and one of one.
fn three_turns() -> Vec<ConversationEvent> {
    vec![
        turn(1),
        user("one"),
        says("1"),
        turn(2),
        user("two"),
        says("2"),
        turn(3),
    ]
}

/// Writes a conversation down, and lets go of it.
fn kept(store: &Store, events: &[ConversationEvent]) -> ConversationId {
    let metadata = ConversationMetadata::at(time(1));
    let writer = store.create(metadata, Map::new(), events.to_vec());
    writer.unwrap().conversation().id
}

#[test]
fn a_part_is_whole_turns() {
    let all = three_turns();
    let part = |last, before| {
        let ConversationPart { events, earlier } = ConversationPart::of(&all, wanted(last, before));
        format!("{last} before {before}: {} after {earlier}\n", events.len())
    };
    let wants = [(0, 99), (1, 99), (2, 99), (4, 99), (5, 99), (99, 99)];
    let earlier = [(1, 6), (1, 5), (4, 6), (0, 3), (1, 0)];
    let parts: String = wants
        .into_iter()
        .chain(earlier)
        .map(|(last, before)| part(last, before))
        .collect();
    expect![[r#"
        0 before 99: 0 after 7
        1 before 99: 1 after 6
        2 before 99: 4 after 3
        4 before 99: 4 after 3
        5 before 99: 7 after 0
        99 before 99: 7 after 0
        1 before 6: 3 after 3
        1 before 5: 2 after 3
        4 before 6: 6 after 0
        0 before 3: 0 after 3
        1 before 0: 0 after 0
    "#]]
    .assert_eq(&parts);
    let whole = ConversationPart::of(&all, Wanted::default());
    assert_eq!((whole.events, whole.earlier), (all, 0));
}

/// A turn of 500 calls, two at a time, all with the same id.
fn long_turn() -> Vec<ConversationEvent> {
    let at = |kind| ConversationEvent::at(time(1), kind);
    let request = ToolCallRequest {
        id: "call".into(),
        name: "grep".into(),
        arguments: Map::new(),
    };
    let response = |content: &str| ToolCallResponse {
        id: "call".into(),
        content: content.into(),
        is_error: false,
    };
    let mut events = vec![turn(1), user("one")];
    for _ in 0..250 {
        events.push(says("I look."));
        events.push(at(EventKind::ToolCallRequest(request.clone())));
        events.push(at(EventKind::ToolCallRequest(request.clone())));
        events.push(at(EventKind::ToolCallResponse(response("short"))));
        let long = "long ".repeat(200);
        events.push(at(EventKind::ToolCallResponse(response(&long))));
    }
    events
}

#[test]
fn of_a_long_turn_the_end_is_read_and_no_result_without_its_call() {
    let all = long_turn();
    let mut text = String::new();
    for last in 0..60 {
        let ConversationPart { events, earlier } = ConversationPart::of(&all, wanted(last, 1252));
        assert_eq!(events, all[earlier..], "last {last}");
        let count = |is: fn(&EventKind) -> bool| events.iter().filter(|it| is(&it.kind)).count();
        let calls = count(|kind| matches!(kind, EventKind::ToolCallRequest(_)));
        let results = count(|kind| matches!(kind, EventKind::ToolCallResponse(_)));
        assert_eq!(calls, results, "last {last}");
        if last < 12 {
            let kind = events.first().map(|it| it.to_json()["type"].clone());
            writeln!(text, "{last}: {} from {kind:?}", events.len()).unwrap();
        }
    }
    expect![[r#"
        0: 0 from None
        1: 304 from Some(String("tool_call_request"))
        2: 304 from Some(String("tool_call_request"))
        3: 304 from Some(String("tool_call_request"))
        4: 304 from Some(String("tool_call_request"))
        5: 305 from Some(String("chat_response"))
        6: 309 from Some(String("tool_call_request"))
        7: 309 from Some(String("tool_call_request"))
        8: 309 from Some(String("tool_call_request"))
        9: 309 from Some(String("tool_call_request"))
        10: 310 from Some(String("chat_response"))
        11: 314 from Some(String("tool_call_request"))
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_is_large_comes_in_smaller_parts() {
    let Fixture { store, .. } = &fixture();
    let all = long_turn();
    let id = kept(store, &all);
    let mut before = all.len();
    let mut read = Vec::new();
    let mut sizes = Vec::new();
    while before > 0 {
        let wanted = Wanted {
            last: 300,
            before,
            bytes: 100_000,
        };
        let part = store.read_part(id, wanted).unwrap();
        assert_eq!(part, ConversationPart::of(&all, wanted));
        assert_eq!(part.earlier + part.events.len(), before);
        before = part.earlier;
        sizes.push(part.events.len());
        read.splice(0..0, part.events);
    }
    assert_eq!(read, all);
    assert_eq!(sizes, [274, 275, 275, 275, 153]);
}

#[test]
fn a_result_without_a_call_is_read_with_its_turn() {
    let orphan = EventKind::ToolCallResponse(ToolCallResponse {
        id: "gone".into(),
        content: String::new(),
        is_error: true,
    });
    let mut all = long_turn();
    all.push(ConversationEvent::at(time(1), orphan));
    let part = ConversationPart::of(&all, wanted(1, usize::MAX));
    assert_eq!((part.events.len(), part.earlier), (all.len(), 0));
}

#[test]
fn a_log_is_read_as_a_conversation_that_is_known() {
    let Fixture { store, .. } = &fixture();
    let all = three_turns();
    let id = kept(store, &all);
    for last in 0..9 {
        for before in 0..9 {
            let wanted = wanted(last, before);
            let expected = ConversationPart::of(&all, wanted);
            assert_eq!(store.read_part(id, wanted).unwrap(), expected, "{wanted:?}");
        }
    }
}

#[test]
fn what_was_torn_off_is_no_event_and_what_is_broken_is_told_where_it_is_read() {
    let Fixture { store, .. } = &fixture();
    let all = three_turns();
    let id = kept(store, &all);
    let path = store.directory(id).join(EVENTS);
    let whole = fs::read_to_string(&path).unwrap();
    for torn in ["{\"type\":", "\0\0\n\0\n", "{\"a\"\n\n{"] {
        fs::write(&path, format!("{whole}{torn}")).unwrap();
        let part = store.read_part(id, wanted(1, 99)).unwrap();
        assert_eq!((part.events.len(), part.earlier), (1, 6), "{torn:?}");
    }
    fs::write(&path, whole.replacen("one", "one\0\"", 1)).unwrap();
    assert_eq!(store.read_part(id, wanted(4, 99)).unwrap().earlier, 3);
    let problem = store.read_part(id, wanted(5, 99)).unwrap_err().to_string();
    let problem = problem.replace(path.as_str(), "events.jsonl");
    expect![[r#"events.jsonl: event 2: control character (\u0000-\u001F) found while parsing a string at line 1 column 74"#]].assert_eq(&problem);
}
