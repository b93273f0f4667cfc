//! A client that stops reading while the assistant speaks.

use std::{fs, process::Command};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::TestServer;

/// How many pieces the answer comes in.
const PIECES: usize = 200_000;

/// How much more memory a client may cost that does not read, in KiB: a few bytes a piece.
const MORE: u64 = 32 << 10;

/// Says an answer in many pieces, and then calls a tool that ends only when the test listens.
fn script() -> String {
    let pieces = "\"ab \",".repeat(PIECES);
    format!(
        "[[cycles]]\nbatches = [[{{ text = [{pieces}] }}, {{ tool_call = {{ id = \"call_1\", name = \"t\" }} }}]]\n\
         [[cycles]]\nbatches = [[{{ text = \"Done.\" }}]]\n"
    )
}

const CONFIG: &str = "[assistant]\nmodel.id = \"test/model\"\n\n[conversation.tools.t]\nsource = \"local\"\nrun = \
     \"unattended\"\ncommand = { program = \"sh\", args = [\"-c\", \"echo up > up; read line < down; echo $line\"] }\n";

fn peak(server: &TestServer) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let peak = status.lines().find_map(|row| row.strip_prefix("VmHWM:"));
    let peak = peak.unwrap().trim().trim_end_matches(" kB");
    peak.parse().unwrap()
}

/// Takes a turn; answers the words that came, how many messages they came in, and the server's peak while the tool ran.
fn take_turn(is_read: bool) -> (String, usize, u64) {
    let folder = TempDir::new().unwrap();
    let (home, root) = (folder.path().join("home"), folder.path().join("w"));
    fs::create_dir_all(root.join(".jp")).unwrap();
    fs::create_dir_all(&home).unwrap();
    fs::write(root.join(".jp/config.toml"), CONFIG).unwrap();
    fs::write(home.join("script.toml"), script()).unwrap();
    for pipe in ["up", "down"] {
        let made = Command::new("mkfifo").arg(root.join(pipe)).status();
        assert!(made.unwrap().success());
    }
    let mut server = TestServer::binary_at_home_unread(&home);
    if is_read {
        server.resume();
    }
    let uri = url::Url::from_file_path(&root).unwrap().to_string();
    let initialize = server.ask(
        "initialize",
        json!({ "capabilities": {}, "workspaceFolders": [{ "uri": uri, "name": "w" }],
            "initializationOptions": { "trusted": true } }),
    );
    server.notify("initialized", json!({}));
    let query = json!({ "text": "Go.", "conversation": "new" });
    let start = server.ask("jp/query/start", query);
    // The answer is complete when its call runs.
    assert_eq!(fs::read_to_string(root.join("up")).unwrap(), "up\n");
    let peak = peak(&server);
    if !is_read {
        server.resume();
    }
    fs::write(root.join("down"), "heard\n").unwrap();
    server.answer(&initialize).unwrap();
    server.answer(&start).unwrap();
    let (mut said, mut messages) = (String::new(), 0);
    loop {
        let event: Value = server.notification("jp/conversation/event")["event"].take();
        match event["type"].as_str().unwrap() {
            "delta_text" => {
                said.push_str(event["text"].as_str().unwrap());
                messages += 1;
            }
            "turn_end" => {
                assert_eq!(event["outcome"], "completed");
                break;
            }
            _ => {}
        }
    }
    server.tolerate("textDocument/publishDiagnostics");
    assert_eq!(server.leave(), 0);
    (said, messages, peak)
}

#[test]
fn a_client_that_does_not_read_costs_no_more_than_the_words() {
    let (heard, messages, read) = take_turn(true);
    assert_eq!(heard, format!("{}Done.", "ab ".repeat(PIECES)));
    assert!(messages > 1);
    let (late, joined, unread) = take_turn(false);
    assert_eq!(late, heard);
    assert!(joined < messages, "{joined} of {messages}");
    assert!(unread < read + MORE, "{unread} KiB and {read} KiB");
}
