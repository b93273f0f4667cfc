//! What is left of a tool's processes when the tool, the turn or the server has ended.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::Command,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::json;

use crate::desk::Desk;

/// How long a test waits that is about to fail.
const PATIENCE: Duration = Duration::from_secs(60);

/// A desk with one tool, which leaves its group and session behind and orphans what it starts there.
///
/// That holds `up` open for as long as it lives.
fn desk(last: &str) -> Desk {
    let script = format!(
        "setsid sh -c '(setsid sh -c \"trap \\\\\"\\\\\" TERM HUP INT; exec 3>up; echo up >&3; exec sleep 1000\" &) & exit' \
         </dev/null >/dev/null 2>&1 & {last}"
    );
    let config = format!(
        "//- .jp/config.toml\n[assistant]\nmodel.id = \"test/model\"\n\n[conversation.tools.'*']\nrun = \
         \"unattended\"\n\n[conversation.tools.t]\nsource = \"local\"\ncommand = {{ program = \"sh\", args = [\"-c\", \
         '''{script}'''] }}\n"
    );
    let cycles = r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "t" } }]]

[[cycles]]
batches = [[{ text = "Done." }]]
"#;
    let params = json!({ "capabilities": {}, "initializationOptions": { "trusted": true } });
    let mut desk = Desk::with_script(&config, params, Some(cycles));
    desk.server.tolerate("jp/conversation/event");
    let made = Command::new("mkfifo").arg(desk.path("up")).status();
    assert!(made.unwrap().success());
    desk
}

/// What is heard of the orphan: that it is up, and that it is gone.
fn listen(pipe: &Path) -> mpsc::Receiver<&'static str> {
    let (tell, heard) = mpsc::channel();
    let pipe = pipe.to_owned();
    thread::spawn(move || {
        let mut pipe = BufReader::new(File::open(pipe).unwrap());
        pipe.read_line(&mut String::new()).unwrap();
        tell.send("up").unwrap();
        pipe.read_to_end(&mut Vec::new()).unwrap();
        // A test that has failed does not listen any more.
        let _ = tell.send("gone");
    });
    heard
}

fn start(desk: &mut Desk) -> String {
    let query = json!({ "text": "Go.", "conversation": "new" });
    let started = desk.server.call("jp/query/start", query).unwrap();
    started["conversation"].as_str().unwrap().to_owned()
}

#[test]
fn a_tool_does_not_end_its_parent_before_its_orphan() {
    for signal in ["HUP", "INT", "TERM"] {
        // Where the signal has its default, it ends the shell that sends it to itself.
        let mut desk = desk(&format!(
            "until [ -e go ]; do :; done; kill -{signal} $PPID; sh -c \"kill -{signal} \\$\\$; echo > lived\"; echo hi"
        ));
        let heard = listen(&desk.path("up"));
        start(&mut desk);
        assert_eq!(heard.recv_timeout(PATIENCE), Ok("up"));
        desk.write("go", "");
        assert_eq!(heard.recv_timeout(PATIENCE), Ok("gone"), "{signal}");
        assert!(!desk.path("lived").exists(), "{signal}");
    }
}

#[test]
fn an_orphan_in_a_session_of_its_own_ends_with_the_tool() {
    // The tool waits until its orphan is up, which opens the pipe only once somebody listens.
    let mut desk = desk("until [ -e go ]; do :; done; echo hi");
    let heard = listen(&desk.path("up"));
    start(&mut desk);
    assert_eq!(heard.recv_timeout(PATIENCE), Ok("up"));
    desk.write("go", "");
    assert_eq!(heard.recv_timeout(PATIENCE), Ok("gone"));
}

#[test]
fn an_orphan_in_a_session_of_its_own_ends_with_a_cancelled_turn() {
    let mut desk = desk("exec sleep 1000");
    let heard = listen(&desk.path("up"));
    let conversation = start(&mut desk);
    assert_eq!(heard.recv_timeout(PATIENCE), Ok("up"));
    let cancel = json!({ "conversation": conversation });
    desk.server.call("jp/query/cancel", cancel).unwrap();
    assert_eq!(heard.recv_timeout(PATIENCE), Ok("gone"));
}

#[test]
fn an_orphan_in_a_session_of_its_own_ends_with_a_killed_server() {
    let mut desk = desk("exec sleep 1000");
    let heard = listen(&desk.path("up"));
    start(&mut desk);
    assert_eq!(heard.recv_timeout(PATIENCE), Ok("up"));
    desk.server.kill();
    assert_eq!(heard.recv_timeout(PATIENCE), Ok("gone"));
}
