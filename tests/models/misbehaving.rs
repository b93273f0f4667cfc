//! Tools that misbehave, all in one answer: each call has one clear result, and nothing is left running.

use std::fs;

use expect_test::expect_file;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{aimock::Aimock, workspace::Workspace};

/// What each tool does, as a shell script.
const TOOLS: [(&str, &str); 8] = [
    ("flood", "yes"),
    ("endless", "echo $$ >> pids; while :; do sleep 1000; done"),
    ("closed", "exec >&- 2>&-; sleep 0.1"),
    ("grandchild", "sleep 1000 & echo $! >> pids; echo started"),
    ("not_utf8", r"printf 'a\377b'"),
    ("half", r#"printf '{"type":"success","content":"hal'"#),
    ("failing", "echo out; echo err >&2; exit 3"),
    ("killed", "kill -9 $$"),
];

/// A tool whose arguments make a command line that no system takes.
const LONG: &str = r#"
[conversation.tools.long]
source = "local"
command = "true {{tool}}"
parameters.text = { type = "string" }
"#;

#[test]
fn each_call_has_one_clear_result() {
    let mut config = "[conversation.tools.'*']\nrun = \"unattended\"\n".to_owned();
    let mut calls = Vec::new();
    for (number, (name, script)) in TOOLS.iter().enumerate() {
        config.push_str(&format!(
            "[conversation.tools.{name}]\nsource = \"local\"\n\
             command = {{ program = \"sh\", args = [\"-c\", '''{script}'''] }}\n"
        ));
        calls.push(json!({ "id": format!("call_{number}"), "name": name, "arguments": "{}" }));
    }
    config.push_str(LONG);
    let arguments = json!({ "text": "x".repeat(140_000) }).to_string();
    calls.push(json!({ "id": "call_long", "name": "long", "arguments": arguments }));
    let server = Aimock::start_with(&json!({ "fixtures": [
        { "match": { "turnIndex": 0 }, "response": { "toolCalls": calls } },
        { "match": { "turnIndex": 1 }, "response": { "content": "So much for that." } },
    ] }));
    let workspace = Workspace::new("ollama", &server.base_url(), &config);
    let (told, code) = workspace.query("Misbehave.");
    let results: String = told
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("tool_call_request "))
        .collect();
    expect_file!["misbehaving/results.txt"].assert_eq(&results);
    assert_eq!(code, 0);
    for pid in workspace.read("pids").lines() {
        // A zombie that nobody has reaped yet is dead all the same, and dying takes a moment.
        while fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z"))
        {
            std::thread::yield_now();
        }
    }
}
