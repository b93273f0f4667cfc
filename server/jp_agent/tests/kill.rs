//! A runtime that is killed in the middle of a turn loses no event and leaves no process behind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that goes wrong"
)]
#![cfg(target_os = "linux")]

#[path = "support/harness.rs"]
mod harness;

use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead as _, BufReader, Write as _, stdout};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use camino::{Utf8Path, Utf8PathBuf};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use harness::{World, approved, request, shell};
use jp_agent::{EventSink, PromptOutcome, PromptRequest, Prompts, TurnControl, TurnOutcome};
use jp_conversation::{
    ConversationError, ConversationEvent, ConversationId, ConversationWriter, EventKind, Store,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const BASE: &str = "JP_AGENT_KILL_BASE";

/// How often a runtime is killed; `JP_AGENT_KILLS` says otherwise.
const KILLS: usize = 200;

/// How many runtimes live and die at the same time.
const THREADS: usize = 4;

/// What one turn says on its standard output: an event each, and its end.
const LINES: usize = 4 + 5 * 8;

fn tools() -> Value {
    // A child that would live on, in the background of a tool that ends by itself.
    let background = "sleep 1000 & echo $! >> pids; echo $$ >> pids; sleep 0.01";
    let ask =
        r#"{"type":"needs_input","question":{"id":"sure","text":"Sure?","answer_type":"Boolean"}}"#;
    let asking = format!("{background}; case $0 in null) echo '{ask}' ;; *) echo done ;; esac");
    json!({
        "t": shell(&format!("{background}; echo done")),
        "q": {
            "source": "local",
            "run": "unattended",
            "command": {"program": "sh", "args": ["-c", asking, "{{tool.answers.sure}}"]},
            "questions": {"sure": {"answer": true}},
        },
    })
}

fn script() -> String {
    let calls: String = (0..5)
        .map(|cycle| {
            format!(
                r#"
                [[cycles]]
                batches = [[
                    {{ tool_call = {{ id = "a{cycle}", name = "t", arguments = {{}} }} }},
                    {{ tool_call = {{ id = "b{cycle}", name = "q", arguments = {{}} }} }},
                    {{ tool_call = {{ id = "c{cycle}", name = "t", arguments = {{}} }} }},
                ]]
                "#
            )
        })
        .collect();
    format!("{calls}\n[[cycles]]\nbatches = [[{{ text = \"Done.\" }}]]")
}

/// Says on standard output what was recorded.
#[derive(Debug)]
struct Aloud;

impl EventSink for Aloud {
    fn committed(&self, _: ConversationId, event: &ConversationEvent) {
        // Whoever listens is gone when the pipe is.
        let _ = writeln!(stdout(), "heard {}", line(event));
    }

    fn delta_text(&self, _: ConversationId, _: &str) {}

    fn notice(&self, _: ConversationId, _: &str) {}

    fn turn_end(&self, _: ConversationId, _: &TurnOutcome) {
        let _ = writeln!(stdout(), "heard end");
    }
}

fn line(event: &ConversationEvent) -> String {
    match &event.kind {
        EventKind::ToolCallRequest(call) => format!("request {}", call.id),
        EventKind::ToolCallResponse(call) => format!("response {}", call.id),
        other => other.tag().to_owned(),
    }
}

/// Runs a turn in the process that is killed.
#[tokio::main(flavor = "current_thread")]
async fn run_a_turn(base: &Utf8Path) {
    let world = World::at(base, &tools(), &script());
    let runtime = world.runtime_with(Arc::new(Aloud));
    let (_handle, control) = TurnControl::new();
    runtime
        .turn(world.conversation(), request("Do it."), control)
        .await;
}

/// Kills a runtime, which `test` starts, after it has said `lines` lines and some more time, and returns what it said.
fn run_and_kill(base: &Utf8Path, test: &str, lines: usize, spins: usize) -> Vec<String> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(BASE, base)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let heard = said
        .filter_map(|line| Some(line.strip_prefix("heard ")?.to_owned()))
        .take(lines)
        .collect();
    for _ in 0..spins {
        thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    heard
}

/// Waits until all processes that the tools have named are gone.
fn wait_for_the_end_of(pids: &Utf8Path) {
    let named = std::fs::read_to_string(pids).unwrap_or_default();
    for pid in named.lines().collect::<BTreeSet<_>>() {
        // The watching shell needs a moment; a zombie is dead all the same.
        while std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z"))
        {
            thread::yield_now();
        }
    }
}

/// Opens the conversation; a child that was being started holds the lock for a moment longer.
fn open(store: &Store, id: ConversationId) -> ConversationWriter {
    loop {
        match store.open(id) {
            Err(ConversationError::Locked { .. }) => thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
}

#[test]
fn a_killed_turn_loses_nothing() {
    if let Ok(base) = env::var(BASE) {
        run_a_turn(Utf8Path::new(&base));
        return;
    }
    let kills = env::var("JP_AGENT_KILLS")
        .ok()
        .and_then(|kills| kills.parse().ok())
        .unwrap_or(KILLS);
    thread::scope(|scope| {
        for first in 0..THREADS {
            scope.spawn(move || (first..kills).step_by(THREADS).for_each(kill_once));
        }
    });
}

/// Kills a runtime somewhere in its turn and looks at what it leaves.
fn kill_once(kill: usize) {
    let directory = tempfile::tempdir().unwrap();
    let base = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
    let test = "a_killed_turn_loses_nothing";
    let heard = run_and_kill(&base, test, 1 + kill * 7 % LINES, kill * 131 % 997);
    wait_for_the_end_of(&base.join("w/pids"));
    let world = World::at(&base, &tools(), &script());
    let listed = world.store.list().unwrap();
    let id = listed.first().unwrap().id;
    let mut writer = open(&world.store, id);
    let recorded: Vec<String> = writer.conversation().events().iter().map(line).collect();
    let events: Vec<&String> = heard.iter().filter(|line| *line != "end").collect();
    assert!(
        recorded.iter().take(events.len()).eq(events),
        "{heard:?} but {recorded:?}"
    );
    writer.close_interrupted_calls().unwrap();
    let count = |prefix: &str| {
        let events = writer.conversation().events().iter().map(line);
        events.filter(|line| line.starts_with(prefix)).count()
    };
    assert_eq!(count("request "), count("response "));
}

/// How often a runtime is killed around the end of a cycle that changes the config.
const CHANGING_KILLS: usize = 24;

/// A tool whose config change is approved, and one that ends when `go` is there.
fn changing_tools() -> Value {
    let mut changing = shell(
        r#"echo '{"type":"success","content":"changed","config":{"assistant":{"name":"x"}}}'"#,
    );
    changing["access"] = json!({"config": [{"path": "assistant.name", "write": true}]});
    json!({
        "changing": changing,
        "slow": shell("until [ -e ../go ]; do sleep 0.002; done; echo slow"),
    })
}

const CHANGING: &str = r#"
[[cycles]]
batches = [[
    { tool_call = { id = "a", name = "changing", arguments = {} } },
    { tool_call = { id = "b", name = "slow", arguments = {} } },
]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;

/// Approves everything, and says so.
#[derive(Debug)]
struct Approves;

impl Prompts for Approves {
    fn ask(&self, _: PromptRequest, _: CancellationToken) -> BoxFuture<'_, PromptOutcome> {
        let _ = writeln!(stdout(), "heard approved");
        std::future::ready(approved()).boxed()
    }

    fn is_available(&self) -> bool {
        true
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run_an_approved_change(base: &Utf8Path) {
    let world = World::at(base, &changing_tools(), CHANGING);
    let mut parts = world.parts(Arc::new(Aloud));
    parts.prompts = Arc::new(Approves);
    let (_handle, control) = TurnControl::new();
    world
        .runtime_of(parts)
        .turn(world.conversation(), request("Do it."), control)
        .await;
}

#[test]
fn a_killed_turn_leaves_no_approved_change_behind_its_results() {
    if let Ok(base) = env::var(BASE) {
        run_an_approved_change(Utf8Path::new(&base));
        return;
    }
    let mut landed = 0;
    for kill in 0..CHANGING_KILLS {
        let directory = tempfile::tempdir().unwrap();
        let base = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
        // Every other time the cycle ends at some moment before or after the kill.
        let ends = kill % 2 == 1;
        if ends {
            std::fs::write(base.join("go"), "").unwrap();
        }
        let test = "a_killed_turn_leaves_no_approved_change_behind_its_results";
        // The turn's start, the request, both calls, and the approval; then results and change at once.
        let lines = if kill % 4 == 3 { 8 } else { 5 };
        let heard = run_and_kill(&base, test, lines, kill * 131 % 997);
        assert!(heard.iter().any(|line| line == "approved"), "{heard:?}");
        let world = World::at(&base, &changing_tools(), CHANGING);
        let id = world.store.list().unwrap().first().unwrap().id;
        let writer = open(&world.store, id);
        let recorded: Vec<String> = writer.conversation().events().iter().map(line).collect();
        let holds = |wanted: &str| recorded.iter().any(|line| line == wanted);
        let has_change = holds("config_delta");
        assert_eq!(
            [holds("response a"), holds("response b")],
            [has_change; 2],
            "{recorded:?}"
        );
        assert!(ends || !has_change, "{recorded:?}");
        landed += usize::from(has_change);
    }
    assert!(landed > 0, "the cycle ends before some of the kills");
}
