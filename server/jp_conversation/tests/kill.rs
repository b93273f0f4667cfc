//! A writer that is killed at any point loses nothing that it had committed.
#![expect(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that goes wrong"
)]

use std::env;
use std::io::{BufRead as _, BufReader, Write as _, stdout};
use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::{
    ChatRequest, ConversationEvent, ConversationId, ConversationMetadata, EventKind, Store,
    Timestamp,
};
use serde_json::Map;

const ROOT: &str = "JP_CONVERSATION_KILL_ROOT";
const ID: &str = "JP_CONVERSATION_KILL_ID";
const RUNS: usize = 60;

fn event(number: usize) -> ConversationEvent {
    // Turn starts rewrite the metadata too; lengths vary so that writes end anywhere in a page.
    let kind = if number.is_multiple_of(5) {
        EventKind::TurnStart
    } else {
        EventKind::ChatRequest(ChatRequest {
            content: format!("{number} {}", "x".repeat(number * 37 % 9000)),
            ..ChatRequest::default()
        })
    };
    ConversationEvent::at(Timestamp::EPOCH, kind)
}

/// Appends events for ever and says after each how many there are. Runs in the process that is killed.
fn write_until_killed(root: Utf8PathBuf, id: &str) {
    let mut writer = Store::new(root).open(id.parse().unwrap()).unwrap();
    loop {
        let number = writer.conversation().events().len();
        writer.append(event(number)).unwrap();
        // Whoever reads is gone when the pipe is.
        if writeln!(stdout(), "committed {}", number + 1).is_err() {
            return;
        }
    }
}

/// Runs a writer, kills it after it has said so `lines` times, and returns what it said last.
fn run_and_kill(root: &Utf8Path, id: ConversationId, lines: usize) -> usize {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_killed_writer_loses_nothing", "--nocapture"])
        .env(ROOT, root)
        .env(ID, id.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let committed = said.filter_map(|line| line.strip_prefix("committed ")?.parse().ok());
    let last = committed.take(lines).last().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    last
}

#[test]
fn a_killed_writer_loses_nothing() {
    if let (Ok(root), Ok(id)) = (env::var(ROOT), env::var(ID)) {
        write_until_killed(root.into(), &id);
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(directory.path()).unwrap();
    let store = Store::new(root);
    let metadata = ConversationMetadata::at(Timestamp::EPOCH);
    let id = store
        .create(metadata, Map::new(), Vec::new())
        .unwrap()
        .conversation()
        .id;
    for run in 0..RUNS {
        let committed = run_and_kill(root, id, 1 + run % 7);
        let writer = store.open(id).unwrap();
        let events = writer.conversation().events();
        assert!(
            events.len() >= committed,
            "{} events of {committed}",
            events.len()
        );
        for (number, found) in events.iter().enumerate() {
            assert_eq!(*found, event(number), "event {number} in run {run}");
        }
    }
    assert!(
        store
            .list()
            .unwrap()
            .iter()
            .all(|listed| listed.metadata.is_ok())
    );
}
