//! A turn in a conversation that has a thousand turns behind it reads and writes no more than its own.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{aimock::Aimock, editor::Editor, workspace::Workspace};

/// How many turns there are before, of some 700 bytes each.
const TURNS: usize = 1000;

/// More than a turn of some hundred bytes can need, config and locks included, and far less than the conversation.
const ENOUGH: u64 = 100_000;

const CONFIG: &str = r#"
[conversation.tools.'*']
run = "unattended"

[conversation.tools.read_note]
source = "local"
command = { program = "echo", args = ["nothing"] }
"#;

/// What a process or a thread has read and written so far, by any means.
fn counted(path: &Path) -> (u64, u64) {
    let counts = fs::read_to_string(path.join("io")).unwrap();
    let count = |name: &str| {
        let line = counts.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse::<u64>().unwrap()
    };
    (count("rchar:"), count("wchar:"))
}

/// What a server has read and written so far, without the threads that look at the record and at the last commit once nothing happens:
/// whether they get to it during a turn is up to the machine.
fn input_and_output(process: u32) -> (u64, u64) {
    let process = PathBuf::from(format!("/proc/{process}"));
    let at_rest = || {
        let threads = fs::read_dir(process.join("task")).unwrap();
        let threads = threads.map(|thread| thread.unwrap().path());
        // A thread may end while it is looked at.
        let named = threads.filter(|thread| {
            let name = fs::read_to_string(thread.join("comm")).unwrap_or_default();
            matches!(name.trim(), "record" | "since-head")
        });
        named.fold((0, 0), |(read, written), thread| {
            let (more_read, more_written) = counted(&thread);
            (read + more_read, written + more_written)
        })
    };
    loop {
        let before = at_rest();
        let (read, written) = counted(&process);
        if at_rest() == before {
            return (read - before.0, written - before.1);
        }
    }
}

/// Puts a thousand turns before the ones that there are.
fn lengthen(workspace: &Workspace, conversation: &str) -> u64 {
    let log = workspace.conversation(conversation).join("events.jsonl");
    let mut text = String::new();
    for turn in 0..TURNS {
        let time = "2026-03-18 13:19:12.1";
        let events = [
            json!({ "timestamp": time, "type": "turn_start" }),
            json!({ "timestamp": time, "type": "chat_request", "content": format!("Question {turn}?") }),
            json!({ "timestamp": time, "type": "chat_response", "message": "word ".repeat(100) }),
        ];
        for event in events {
            writeln!(text, "{event}").unwrap();
        }
    }
    text.push_str(&fs::read_to_string(&log).unwrap());
    fs::write(&log, &text).unwrap();
    text.len().try_into().unwrap()
}

#[test]
fn a_turn_reads_and_writes_its_own() {
    let server = Aimock::start("history.json");
    let workspace = Workspace::new("openai", &server.base_url(), CONFIG);
    let (told, code) = workspace.query("First.");
    assert_eq!(code, 0, "{told}");
    let mut editor = Editor::open(&workspace);
    let listed = editor
        .server
        .call("jp/conversation/list", json!({}))
        .unwrap();
    let conversation = listed[0]["id"].as_str().unwrap().to_owned();
    let length = lengthen(&workspace, &conversation);
    assert!(length > 5 * ENOUGH);

    let process = editor.server.process_id();
    let mut turns = Vec::new();
    for text in ["Second.", "Third.", "Fourth."] {
        let (read, written) = input_and_output(process);
        editor.query_in(&conversation, text);
        editor.hear("turn_end");
        let (now_read, now_written) = input_and_output(process);
        turns.push((now_read - read, now_written - written));
    }
    let journal = server.journal();
    let mut cycles = journal.chunks(2).skip(1).map(|cycles| {
        // A model is told everything each time, there is no other way.
        let sizes = cycles.iter().map(|request| {
            let length = request["headers"]["content-length"].as_str().unwrap();
            length.parse::<u64>().unwrap()
        });
        sizes.sum::<u64>()
    });
    for (turn, (read, written)) in turns.into_iter().enumerate() {
        let sent = cycles.next().unwrap();
        assert!(sent > length, "the model was told {sent} of {length} bytes");
        let stored = written - sent;
        assert!(stored < ENOUGH, "{stored} of {length} bytes were written");
        // The first turn here has to learn what was said.
        if turn == 0 {
            assert!(read > length, "{read} of {length} bytes were read");
        } else {
            assert!(read < ENOUGH, "{read} of {length} bytes were read");
        }
    }
    assert_eq!(cycles.next(), None);
}
