//! Conversations in an editor: titles, copies, and what is found in them; and the first steps of a workspace.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

const CONFIG: &str = r#"//- .jp/config.toml
[assistant]
model.id = "quick"

[providers.llm.aliases]
quick = "test/model"
"#;

const WORDS: &str = r#"
[[cycles]]
batches = [[{ text = "The version lacks its **date**." }]]
"#;

fn desk() -> Desk {
    let params = json!({ "capabilities": {}, "initializationOptions": { "trusted": true } });
    let mut desk = Desk::with_script(CONFIG, params, Some(WORDS));
    desk.server.tolerate("jp/conversation/event");
    desk
}

/// Asks, and waits for the end of the turn.
fn ask(desk: &mut Desk, text: &str, conversation: &str) -> String {
    let query = json!({ "text": text, "conversation": conversation });
    let started = desk.server.call("jp/query/start", query).unwrap();
    while desk.server.notification("jp/conversation/event")["event"]["type"] != "turn_end" {}
    started["conversation"].as_str().unwrap().to_owned()
}

fn titles(listed: &Value) -> Vec<String> {
    let listed = listed.as_array().unwrap().iter();
    listed
        .map(|listed| format!("{} | {}", listed["title"], listed["excerpt"]))
        .collect()
}

#[test]
fn a_conversation_is_renamed_found_forked_and_deleted() {
    let mut desk = desk();
    let id = ask(&mut desk, "What is wrong with the version?", "new");
    ask(&mut desk, "And with the rest?", &id);
    let mut call = |method: &str, params: Value| desk.server.call(method, params);

    let renamed = call(
        "jp/conversation/rename",
        json!({ "conversation": id, "title": " The\u{202e} version\n" }),
    );
    assert_eq!(renamed.unwrap(), json!({ "title": "The\\u{202e} version" }));
    let refused = call(
        "jp/conversation/rename",
        json!({ "conversation": id, "title": " " }),
    );
    assert_eq!(refused.unwrap_err()["message"], "a title needs a word");

    let found = call("jp/conversation/search", json!({ "text": "DATE version" })).unwrap();
    expect![[r#""The\\u{202e} version" | "The version lacks its **date**.""#]]
        .assert_eq(&titles(&found).join("\n"));
    let none = call("jp/conversation/search", json!({ "text": "date nowhere" })).unwrap();
    assert_eq!(none, json!([]));

    let fork = call(
        "jp/conversation/fork",
        json!({ "conversation": id, "withoutLast": 1 }),
    );
    let fork = fork.unwrap()["conversation"].clone();
    let read = |record: Value| {
        record["markdown"]
            .as_str()
            .unwrap()
            .matches("## Turn")
            .count()
    };
    let copied = call("jp/conversation/read", json!({ "conversation": fork })).unwrap();
    assert_eq!(read(copied), 1);
    let original = call("jp/conversation/read", json!({ "conversation": id })).unwrap();
    assert_eq!(read(original), 2);
    let refused = call(
        "jp/conversation/fork",
        json!({ "conversation": id, "withoutLast": 3 }),
    );
    assert_eq!(
        refused.unwrap_err()["message"],
        format!("`{id}` has 2 turns, and no more can be left out")
    );

    call("jp/conversation/delete", json!({ "conversation": id })).unwrap();
    let left = call("jp/conversation/list", Value::Null).unwrap();
    assert_eq!(left.as_array().unwrap().len(), 1);
    let gone = call("jp/conversation/delete", json!({ "conversation": id })).unwrap_err();
    assert_eq!(gone["code"], -32602);
    let fork = fork.as_str().unwrap().to_owned();
    ask(&mut desk, "Go on.", &fork);
}

#[test]
fn of_a_conversation_the_last_turns_are_read_and_then_those_before() {
    let mut desk = desk();
    let id = ask(&mut desk, "One?", "new");
    ask(&mut desk, "Two?", &id);
    ask(&mut desk, "Three?", &id);
    let mut part = |part: Value| {
        let mut params = json!({ "conversation": id, "markdown": false });
        params
            .as_object_mut()
            .unwrap()
            .extend(part.as_object().unwrap().clone());
        let record = desk
            .server
            .call("jp/conversation/read", params.clone())
            .unwrap();
        assert_eq!(record["markdown"], Value::Null);
        let events = record["events"].as_array().unwrap();
        let said = events.iter().filter_map(|event| event["content"].as_str());
        let said: Vec<&str> = said.collect();
        format!(
            "{part}: {} of {} after {}\n",
            said.join(" "),
            events.len(),
            record["earlier"]
        )
    };
    let parts = [
        json!({}),
        json!({ "last": 0 }),
        json!({ "last": 1 }),
        json!({ "last": 3 }),
        json!({ "last": 4 }),
        json!({ "last": 99 }),
        json!({ "last": 1, "before": 6 }),
        json!({ "last": 1, "before": 5 }),
        json!({ "last": 1, "before": 0 }),
        json!({ "before": 3 }),
        json!({ "before": 99 }),
    ];
    let parts: String = parts.into_iter().map(&mut part).collect();
    expect![[r#"
        {}: One? Two? Three? of 7 after 0
        {"last":0}:  of 0 after 7
        {"last":1}: Three? of 2 after 5
        {"last":3}: Two? Three? of 4 after 3
        {"last":4}: Two? Three? of 4 after 3
        {"last":99}: One? Two? Three? of 7 after 0
        {"last":1,"before":6}:  of 1 after 5
        {"last":1,"before":5}: Two? of 2 after 3
        {"last":1,"before":0}:  of 0 after 0
        {"before":3}: One? of 3 after 0
        {"before":99}: One? Two? Three? of 7 after 0
    "#]]
    .assert_eq(&parts);
    let whole = desk.server.call(
        "jp/conversation/read",
        json!({ "conversation": id, "last": 0 }),
    );
    let markdown = whole.unwrap()["markdown"]
        .as_str()
        .unwrap()
        .matches("## Turn")
        .count();
    assert_eq!(markdown, 3);
}

/// What is the only entry of a folder, `deep` folders down.
fn only_below(folder: &Path, deep: usize) -> PathBuf {
    (0..deep).fold(folder.to_owned(), |folder, _| {
        let entries = fs::read_dir(&folder).unwrap();
        let found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    })
}

/// The turn of an assistant that never stops: calls, each with a result of `lines` lines.
fn long_turn(events: usize, lines: usize) -> String {
    let content = "a line of a file that is read\n".repeat(lines);
    let calls = (0..events / 2).flat_map(|call| {
        let id = format!("call_{call}");
        let request = json!({ "type": "tool_call_request", "id": id, "name": "read_file", "arguments": {} });
        let response = json!({ "type": "tool_call_response", "id": id, "content": content, "is_error": false });
        [request, response]
    });
    let stored = calls.map(|mut event| {
        event["timestamp"] = json!("2026-03-18 13:19:12.0");
        event.to_string() + "\n"
    });
    stored.collect()
}

#[test]
fn of_ten_thousand_events_in_one_turn_the_first_answer_is_small() {
    for (lines, least, most) in [(20, 600, 610), (2000, 20, 100)] {
        let mut desk = desk();
        let id = ask(&mut desk, "Read everything.", "new");
        let log = only_below(&desk.home("data/jp-lsp/conversations"), 2).join("events.jsonl");
        let mut file = fs::OpenOptions::new().append(true).open(log).unwrap();
        let events = if lines > 100 { 1000 } else { 10_000 };
        file.write_all(long_turn(events, lines).as_bytes()).unwrap();
        drop(file);
        let part = json!({ "conversation": id, "last": 300, "markdown": false });
        let record = desk.server.call("jp/conversation/read", part).unwrap();
        let read = record["events"].as_array().unwrap();
        assert!(
            (least..most).contains(&read.len()),
            "{} events with {lines} lines",
            read.len()
        );
        assert_eq!(read[0]["type"], "tool_call_request");
        assert_eq!(record["earlier"], events + 3 - read.len());
        let bytes = record.to_string().len();
        assert!(bytes < 1_200_000, "{bytes} bytes with {lines} lines");
    }
}

#[test]
fn a_status_says_which_model_is_asked_and_whether_it_can_be() {
    let mut desk = desk();
    let status = desk.server.call("jp/status", json!({})).unwrap();
    expect![[
        r#"{"written":"quick","id":"test/model","path":".jp/config.toml","line":2} true null"#
    ]]
    .assert_eq(&format!(
        "{} {} {}",
        status["model"], status["canRun"], status["problem"]
    ));
    let mut empty = Desk::new("//- .jp/config.toml\nassistant.name = \"Ada\"\n");
    let status = empty.server.call("jp/status", json!({})).unwrap();
    expect![[r#"null false "no model is set: write `assistant.model.id = \"anthropic/claude-sonnet-4-5\"` into `.jp/config.toml`""#]].assert_eq(&format!(
        "{} {} {}",
        status["model"], status["canRun"], status["problem"]
    ));
    let mut bare = Desk::new("//- readme.md\nhello\n");
    let refused = bare.server.call("jp/status", json!({})).unwrap_err();
    expect![[r#"{"code":-32803,"message":"no folder of the editor holds `.jp`: the command `jp.config.create` makes one"}"#]].assert_eq(&refused.to_string());
}

#[test]
fn a_first_config_is_written_into_an_open_folder_alone() {
    let mut desk = Desk::new("//- sub/readme.md\nhello\n");
    let create = |desk: &mut Desk, argument: Value| {
        let params = json!({ "command": "jp.config.create", "arguments": [argument] });
        desk.server.call("workspace/executeCommand", params)
    };
    let uri = |desk: &Desk, path: &str| desk.as_folder(path)["uri"].clone();
    let written = create(&mut desk, json!({ "model": "ollama/x" })).unwrap();
    assert_eq!(written["created"], true);
    assert_eq!(
        written["file"],
        format!(
            "{}/.jp/config.toml",
            uri(&desk, "").as_str().unwrap().trim_end_matches('/')
        )
    );
    let again = create(&mut desk, json!({})).unwrap();
    assert_eq!(again["created"], false);
    let sub = uri(&desk, "sub");
    assert_eq!(
        create(&mut desk, json!({ "workspace": sub })).unwrap()["created"],
        true
    );
    let outside = create(&mut desk, json!({ "workspace": "file:///" })).unwrap_err();
    assert_eq!(outside["message"], "`file:///` lies in no open folder");
    let nobody = create(&mut desk, json!({ "model": "nobody" })).unwrap_err();
    assert_eq!(nobody["code"], -32602);
}

#[test]
fn a_title_that_came_with_the_workspace_is_shown_on_one_line() {
    let mut desk = desk();
    let folder = ".jp/conversations/17636666521-x";
    let title = "Trusted\u{1b}[2K\n\u{202e}gnihton";
    desk.write(
        &format!("{folder}/metadata.json"),
        json!({ "title": title, "last_activated_at": "2026-04-10 13:33:26.0" }).to_string(),
    );
    desk.write(&format!("{folder}/events.json"), "[]");
    let listed = desk
        .server
        .call("jp/conversation/list", Value::Null)
        .unwrap();
    assert_eq!(listed[0]["title"], "Trusted\u{241b}[2K\\n\\u{202e}gnihton");
}
