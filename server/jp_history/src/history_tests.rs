use std::os::unix::fs::symlink;

use camino::Utf8PathBuf;
use expect_test::expect;
use jp_conversation::{Answerer, CallDecisions, DecidedBy, DecidingRule, DecisionOutcome};
use pretty_assertions::assert_eq;
use serde_json::json;
use tempfile::TempDir;

use super::*;

/// Folders of conversations.
struct World {
    _directory: TempDir,
    base: Utf8PathBuf,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
        Self {
            _directory: directory,
            base,
        }
    }

    fn own(&self, id: &str, lines: &[String]) {
        self.write(
            &format!("own/{id}/events.jsonl"),
            &(lines.join("\n") + "\n"),
        );
    }

    fn released(&self, folder: &str, id: &str, lines: &[String]) {
        let text = format!("[{}]", lines.join(",\n"));
        self.write(&format!("{folder}/{id}/events.json"), &text);
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn sources(&self) -> [Source; 3] {
        [
            Source::own(self.base.join("own")),
            Source::released(self.base.join("user")),
            Source::in_workspace(&self.base.join("w")),
        ]
    }

    fn read(&self) -> History {
        History::read(&self.sources(), Limits::default())
    }
}

/// A call, a line each for its request and its end.
fn call(second: u32, id: &str, path: &str, end: Option<&str>) -> Vec<String> {
    let at = format!("2026-11-20 10:00:{second:02}.5").parse().unwrap();
    let arguments = json!({ "path": path }).as_object().cloned().unwrap();
    let request = EventKind::ToolCallRequest(ToolCallRequest {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments,
    });
    let mut lines = vec![ConversationEvent::at(at, request).to_stored().to_string()];
    lines.extend(end.map(|content| response(at, id, content).to_stored().to_string()));
    lines
}

fn response(at: Timestamp, id: &str, content: &str) -> ConversationEvent {
    let response = EventKind::ToolCallResponse(ToolCallResponse {
        id: id.to_owned(),
        content: content.to_owned(),
        is_error: false,
    });
    let event = ConversationEvent::at(at, response);
    let decided = |by, outcome| {
        event.clone().with_decisions(&CallDecisions {
            run: Some(CallDecision {
                mode: "ask".to_owned(),
                rule: Some(DecidingRule::new(0, "rule")),
                outcome,
                by,
                remembered: false,
                answerer: Answerer::default(),
            }),
            ..CallDecisions::default()
        })
    };
    match content {
        "allowed" => decided(DecidedBy::Person, DecisionOutcome::Allowed),
        "refused" => decided(DecidedBy::Person, DecisionOutcome::Refused),
        "unasked" => decided(DecidedBy::Policy, DecisionOutcome::Allowed),
        "edited" => decided(DecidedBy::Person, DecisionOutcome::Edited).with_edited_arguments(
            json!({ "path": "other" }).as_object().cloned().unwrap(),
            serde_json::Map::new(),
        ),
        _ => event,
    }
}

fn shown(history: &History) -> String {
    let lines = history.calls().map(|call| {
        let edited = call.edited().map(|edited| format!(" ran with {edited}"));
        format!(
            "{} {} {} {}{}",
            call.at(),
            call.tool(),
            call.arguments(),
            call.answer().key(),
            edited.unwrap_or_default(),
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_was_said_is_read_with_each_call() {
    let world = World::new();
    let ends = [
        Some("allowed"),
        Some("refused"),
        Some("unasked"),
        Some("edited"),
        Some("ok"),
        Some("Tool skipped by user: no"),
        Some("Tool skipped by users are many"),
        Some(INTERRUPTED),
        None,
    ];
    let mut lines = Vec::new();
    for (second, end) in (0..).zip(ends) {
        lines.extend(call(second, &format!("c{second}"), "src/a.rs", end));
    }
    world.own("17636666521", &lines);
    expect![[r#"
        2026-11-20 10:00:00.5 read {"path":"src/a.rs"} allowedByPerson
        2026-11-20 10:00:01.5 read {"path":"src/a.rs"} refusedByPerson
        2026-11-20 10:00:02.5 read {"path":"src/a.rs"} allowedByPolicy
        2026-11-20 10:00:03.5 read {"path":"src/a.rs"} editedByPerson ran with {"path":"other"}
        2026-11-20 10:00:04.5 read {"path":"src/a.rs"} unrecorded
        2026-11-20 10:00:05.5 read {"path":"src/a.rs"} unrecordedRefusal
        2026-11-20 10:00:06.5 read {"path":"src/a.rs"} unrecorded
        2026-11-20 10:00:07.5 read {"path":"src/a.rs"} open
        2026-11-20 10:00:08.5 read {"path":"src/a.rs"} open"#]]
    .assert_eq(&shown(&world.read()));
}

#[test]
fn a_call_counts_once_wherever_it_stands() {
    let world = World::new();
    let lines = call(1, "c", "src/a.rs", Some("ok"));
    world.released("user", "17636666521-title", &lines);
    world.released("w/.jp/conversations", "17636666521-title", &lines);
    world.released("user/.archive", "17636666520", &lines);
    assert_eq!(world.read().calls().count(), 1);
    // A conversation that went on here, where it is known who decided.
    let copied = call(1, "c", "src/a.rs", Some("allowed"));
    world.own("17636999999", &copied);
    let history = world.read();
    assert_eq!(
        shown(&history),
        r#"2026-11-20 10:00:01.5 read {"path":"src/a.rs"} allowedByPerson"#
    );
    assert_eq!(history.left_out().copies, 3);
}

#[test]
fn who_decided_is_known_as_soon_as_one_record_says_it() {
    let world = World::new();
    world.own("1", &call(1, "c", "src/a.rs", None));
    world.released("user", "1", &call(1, "c", "src/a.rs", Some("refused")));
    assert_eq!(
        shown(&world.read()),
        r#"2026-11-20 10:00:01.5 read {"path":"src/a.rs"} refusedByPerson"#
    );
}

#[test]
fn equal_calls_of_one_conversation_count_each() {
    let world = World::new();
    let twice = [
        call(1, "c", "a", Some("allowed")),
        call(1, "c", "a", Some("refused")),
        call(1, "d", "a", Some("ok")),
        call(2, "c", "a", Some("ok")),
    ]
    .concat();
    world.own("1", &twice);
    world.released("user", "1", &twice);
    expect![[r#"
        2026-11-20 10:00:01.5 read {"path":"a"} allowedByPerson
        2026-11-20 10:00:01.5 read {"path":"a"} refusedByPerson
        2026-11-20 10:00:01.5 read {"path":"a"} unrecorded
        2026-11-20 10:00:02.5 read {"path":"a"} unrecorded"#]]
    .assert_eq(&shown(&world.read()));
}

#[test]
fn an_end_belongs_to_a_call_of_its_turn() {
    let world = World::new();
    let turn = json!({"timestamp": "2026-11-20 10:00:02.5", "type": "turn_start"}).to_string();
    let lines = [
        call(1, "c", "a", None),
        vec![turn],
        call(3, "c", "b", Some("allowed")),
    ];
    world.own("1", &lines.concat());
    expect![[r#"
        2026-11-20 10:00:01.5 read {"path":"a"} open
        2026-11-20 10:00:03.5 read {"path":"b"} allowedByPerson"#]]
    .assert_eq(&shown(&world.read()));
}

#[test]
fn damage_is_counted_and_passed_by() {
    let world = World::new();
    let mut lines = call(1, "c", "a", Some("ok"));
    lines.push("{\"type\":".to_owned());
    lines.push(r#"{"type":"tool_call_request","timestamp":"2026-11-20 10:00:02.5"}"#.to_owned());
    lines.push(r#"{"type":"chat_request","timestamp":7}"#.to_owned());
    lines.push("[1]".to_owned());
    lines.extend(call(3, "d", "b", Some("ok")));
    world.own("1", &lines);
    let torn =
        fs::read_to_string(world.base.join("own/1/events.jsonl")).unwrap() + "{\"type\":\"tu";
    world.write("own/1/events.jsonl", &torn);
    // An array that breaks off, with a record that is none.
    let whole = call(5, "e", "c", Some("ok")).join(",");
    world.write(
        "user/2/events.json",
        &format!("[{whole},7,{{\"type\":\"tool_"),
    );
    world.write("user/3/events.json", "no JSON");
    world.write("user/4/events.json", "[]x");
    let history = world.read();
    assert_eq!(history.calls().count(), 3);
    let left_out = LeftOut {
        damaged_records: 4,
        damaged_conversations: 3,
        ..LeftOut::default()
    };
    assert_eq!(history.left_out(), left_out);
}

#[test]
fn what_is_too_much_is_left_out_and_said() {
    let world = World::new();
    world.own("1", &call(1, "c", "old", Some("ok")));
    world.own("2", &call(2, "c", "new", Some("ok")));
    world.own("3", &call(3, "c", &"x".repeat(5_000), Some("ok")));
    world.own("4", &vec![call(4, "c", "a", None).concat(); 200]);
    let limits = Limits {
        calls: 1,
        file: 20_000,
        arguments: 1_000,
        ..Limits::default()
    };
    let history = History::read(&world.sources(), limits);
    assert_eq!(
        shown(&history),
        r#"2026-11-20 10:00:02.5 read {"path":"new"} unrecorded"#
    );
    let left_out = LeftOut {
        large_conversations: 1,
        large_calls: 1,
        has_older: true,
        ..LeftOut::default()
    };
    assert_eq!(history.left_out(), left_out);
    let texts = Limits {
        texts: 1,
        ..Limits::default()
    };
    let history = History::read(&world.sources(), texts);
    assert!(history.left_out().has_older);
}

#[test]
fn links_are_not_followed() {
    let world = World::new();
    world.released("elsewhere", "1", &call(1, "c", "a", Some("ok")));
    let elsewhere = world.base.join("elsewhere");
    fs::create_dir_all(world.base.join("user")).unwrap();
    fs::create_dir_all(world.base.join("w/.jp")).unwrap();
    symlink(elsewhere.join("1"), world.base.join("user/1")).unwrap();
    fs::create_dir_all(world.base.join("user/2")).unwrap();
    symlink(
        elsewhere.join("1/events.json"),
        world.base.join("user/2/events.json"),
    )
    .unwrap();
    symlink(&elsewhere, world.base.join("w/.jp/conversations")).unwrap();
    let history = world.read();
    assert_eq!(history.calls().count(), 0);
    assert_eq!(history.left_out().links, 3);
}

#[test]
fn nothing_on_record_is_no_error() {
    let history = World::new().read();
    assert_eq!(history.calls().count(), 0);
    assert_eq!(history.left_out(), LeftOut::default());
    assert_eq!(history.sources().len(), 3);
}

#[test]
fn a_hundred_thousand_calls_stay_small() {
    // What the bound in the documentation rests on.
    assert!(size_of::<Kept>() <= 64, "{}", size_of::<Kept>());
    let world = World::new();
    for conversation in 0..20 {
        let mut lines = Vec::new();
        for number in 0..500 {
            let id = format!("c{number}");
            lines.extend(call(
                number % 60,
                &id,
                &format!("src/{}.rs", number % 40),
                Some("allowed"),
            ));
        }
        // Conversations of other times; the text of a timestamp is not in base64.
        let lines: Vec<String> = lines
            .iter()
            .map(|line| line.replace("10:00:", &format!("{conversation:02}:00:")))
            .collect();
        world.own(&format!("{}", 100 + conversation), &lines);
    }
    let history = world.read();
    assert_eq!(history.calls().count(), 10_000);
    // Of ten thousand calls only what differs is kept: ids, arguments, one decision.
    assert!(history.texts.bytes() < 20_000, "{}", history.texts.bytes());
}
