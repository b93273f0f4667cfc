//! `jp-lsp acp` over its pipes: real lines, the real binary, a scripted model.
//!
//! One file: a client, and what one conversation with it comes to.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "literals of `json!` read best without a borrow at each of them"
)]

mod program;

use std::{
    collections::VecDeque,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use expect_test::expect;
use jp_conversation::Store;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use program::program;

/// A client of ACP that reads what comes and answers nothing by itself.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What came while something else was waited for.
    early: VecDeque<Value>,
    requests: u64,
    folder: TempDir,
}

impl Client {
    /// A client in a workspace with this config, whose models answer from a script; the workspace is trusted.
    fn new(config: &str, script: &str) -> Self {
        Self::with(config, script, json!({}))
    }

    fn with(config: &str, script: &str, capabilities: Value) -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["home", "w/.jp"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("home/script.toml"), script).unwrap();
        fs::write(folder.path().join("w/.jp/config.toml"), config).unwrap();
        let trusted = Self::command(folder.path(), &["trust"]).output().unwrap();
        assert!(trusted.status.success(), "{trusted:?}");
        Self::again(folder, capabilities)
    }

    /// A client in a folder where one was before.
    fn again(folder: TempDir, capabilities: Value) -> Self {
        let mut child = Self::command(folder.path(), &["acp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut client = Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            early: VecDeque::new(),
            requests: 0,
            folder,
        };
        let params = json!({ "protocolVersion": 1, "clientInfo": { "name": "tester", "version": "1" },
            "clientCapabilities": capabilities });
        let initialized = client.call("initialize", params).unwrap();
        assert_eq!(initialized["protocolVersion"], 1);
        client
    }

    fn command(folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        let home = folder.join("home");
        command
            .args(arguments)
            .current_dir(folder.join("w"))
            .env("HOME", &home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_RUNTIME_DIR", home.join("run"))
            .env("JP_GLOBAL_CONFIG_DIR", home.join("config"))
            .env("JP_LSP_TEST_SCRIPT", home.join("script.toml"))
            .env("JP_LSP_MAX_CYCLES", "3");
        command
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    fn send(&mut self, message: Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
    }

    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.output.read_line(&mut line).unwrap() {
            0 => None,
            _ => Some(serde_json::from_str(&line).unwrap()),
        }
    }

    fn request(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request of ours; what comes before it is kept.
    fn response(&mut self, id: u64) -> Result<Value, Value> {
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        let mut message = self.wait(is_it);
        match message.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(message["result"].take()),
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.request(method, params);
        self.response(id)
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.early.iter().position(&is_it) {
            return self.early.remove(index).unwrap();
        }
        loop {
            let message = self.receive().expect("the agent has gone");
            if is_it(&message) {
                return message;
            }
            self.early.push_back(message);
        }
    }

    /// The next request of the agent, with its id.
    fn asked(&mut self, method: &str) -> (Value, Value) {
        let mut message =
            self.wait(|message| message["method"] == method && message["id"] != Value::Null);
        (message["id"].take(), message["params"].take())
    }

    fn answer(&mut self, id: Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    fn pick(&mut self, id: Value, option: &str) {
        self.answer(
            id,
            json!({ "outcome": { "outcome": "selected", "optionId": option } }),
        );
    }

    fn new_session(&mut self) -> String {
        let params = json!({ "cwd": self.workspace(), "mcpServers": [] });
        let created = self.call("session/new", params).unwrap();
        created["sessionId"].as_str().unwrap().to_owned()
    }

    fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.request(
            "session/prompt",
            json!({ "sessionId": session, "prompt": prompt }),
        )
    }

    /// What was told so far, a line each.
    fn told(&mut self) -> String {
        let updates = self
            .early
            .iter()
            .filter(|it| it["method"] == "session/update");
        let lines: Vec<String> = updates.map(|it| line(&it["params"]["update"])).collect();
        self.early.retain(|it| it["method"] != "session/update");
        // Words arrive in pieces.
        let mut told = String::new();
        for line in lines {
            match line.strip_prefix("says ") {
                Some(said)
                    if told
                        .lines()
                        .last()
                        .is_some_and(|last| last.starts_with("says ")) =>
                {
                    told.truncate(told.trim_end_matches('\n').len());
                    told.push_str(said);
                }
                _ => told.push_str(&line),
            }
            told.push('\n');
        }
        told
    }

    /// The kinds of the recorded events of a conversation, and what is said of who decided.
    fn record(&self, session: &str) -> String {
        let stores = self.folder.path().join("home/data/jp-lsp/conversations");
        let stores = fs::read_dir(stores).unwrap();
        let mut stores = stores.map(|it| Store::new(it.unwrap().path().to_str().unwrap()));
        let read = stores.find_map(|store| store.read(session.parse().unwrap()).ok());
        let events: Vec<Value> = read
            .unwrap()
            .events()
            .iter()
            .map(jp_conversation::ConversationEvent::to_json)
            .collect();
        let lines = events.iter().map(|event| {
            let decided = &event["metadata"]["decisions"]["run"];
            let kind = event["type"].as_str().unwrap();
            match decided {
                Value::Null => format!("{kind}\n"),
                decided => {
                    let said = ["outcome", "by", "surface", "client"];
                    let said = said.map(|it| decided[it].as_str().unwrap_or("-"));
                    format!("{kind} {}\n", said.join(" "))
                }
            }
        });
        lines.collect()
    }

    /// Hangs up, and waits for the agent to end.
    fn leave(&mut self) {
        self.input = None;
        while let Some(message) = self.receive() {
            self.early.push_back(message);
        }
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Whoever has left has waited for it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One update in words.
fn line(update: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match update["sessionUpdate"].as_str().unwrap() {
        "agent_message_chunk" => format!("says {}", text(&update["content"]["text"])),
        "agent_thought_chunk" => format!("thinks {}", text(&update["content"]["text"])),
        "user_message_chunk" => format!("user {}", text(&update["content"]["text"])),
        "session_info_update" => format!("title {}", text(&update["title"])),
        kind => format!(
            "{kind} {} {} {}",
            text(&update["toolCallId"]),
            text(&update["title"]),
            text(&update["status"])
        )
        .trim_end()
        .to_owned(),
    }
}

const CONFIG: &str = r#"
[assistant]
model.id = "test/model"

[conversation.tools.'*']
run = "ask"

[conversation.tools.note]
source = "local"
command = { program = "sh", args = ["-c", "echo noted"] }

[conversation.tools.note.parameters.path]
type = "path"

[conversation.tools.note.parameters.content]
type = "string"

[conversation.tools.slow]
source = "local"
run = "unattended"
command = { program = "sleep", args = ["600"] }
"#;

const NOTE: &str = r#"
[[cycles]]
batches = [[
    { reasoning = "A note is wanted." },
    { text = ["I leave ", "a note."] },
    { tool_call = { id = "call_1", name = "note", arguments = { path = "a.md", content = "new\n" } } },
]]

[[cycles]]
batches = [[{ text = "Done." }]]
"#;

#[test]
fn a_call_is_asked_about_with_our_choices_and_runs_when_it_is_allowed() {
    let mut client = Client::new(CONFIG, NOTE);
    let session = client.new_session();
    let prompt = client.prompt(&session, "Leave a note.");
    let (id, mut asked) = client.asked("session/request_permission");
    let root = client.workspace().canonicalize().unwrap();
    let call = asked["toolCall"].take();
    assert_eq!(call["toolCallId"], "call_1");
    assert_eq!(call["title"], "Run local note tool?");
    assert_eq!(
        call["content"][0],
        json!({ "type": "diff", "path": root.join("a.md"), "newText": "new\n" })
    );
    expect![[r#"
        [
          {
            "optionId": "reject",
            "name": "Reject",
            "kind": "reject_once"
          },
          {
            "optionId": "reject-turn",
            "name": "Reject, and other calls that this rule asks for, in this turn",
            "kind": "reject_always"
          },
          {
            "optionId": "approve",
            "name": "Run",
            "kind": "allow_once"
          },
          {
            "optionId": "approve-turn",
            "name": "Run, and other calls that this rule asks for, in this turn",
            "kind": "allow_always"
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&asked["options"]).unwrap());
    client.pick(id, "approve");
    assert_eq!(
        client.response(prompt),
        Ok(json!({ "stopReason": "end_turn" }))
    );
    expect![[r#"
        title Leave a note
        says I leave a note.
        tool_call call_1 note: a.md
        thinks A note is wanted.
        tool_call_update call_1  in_progress
        tool_call_update call_1  completed
        says Done.
    "#]]
    .assert_eq(&client.told());
    client.leave();
    expect![[r#"
        turn_start
        chat_request
        chat_response
        chat_response
        tool_call_request
        tool_call_response allowed person session/request_permission tester
        chat_response
    "#]]
    .assert_eq(&client.record(&session));
}

#[test]
fn a_rejected_call_does_not_run() {
    let mut client = Client::new(CONFIG, NOTE);
    let session = client.new_session();
    let prompt = client.prompt(&session, "Leave a note.");
    let (id, _) = client.asked("session/request_permission");
    client.pick(id, "reject");
    assert_eq!(
        client.response(prompt),
        Ok(json!({ "stopReason": "end_turn" }))
    );
    let told = client.told();
    assert!(told.contains("tool_call_update call_1  failed"), "{told}");
    assert!(!told.contains("in_progress"), "{told}");
}

#[test]
fn a_client_that_asks_nobody_lets_nothing_run() {
    let mut client = Client::new(CONFIG, NOTE);
    let session = client.new_session();
    let prompt = client.prompt(&session, "Leave a note.");
    let (id, _) = client.asked("session/request_permission");
    let error = json!({ "code": -32601, "message": "Method not found" });
    client.send(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    assert_eq!(
        client.response(prompt),
        Ok(json!({ "stopReason": "end_turn" }))
    );
    let record = client.record(&session);
    assert!(
        record.contains("tool_call_response refused nobody - -"),
        "{record}"
    );
}

#[test]
fn a_cancelled_turn_withdraws_what_it_asks() {
    let mut client = Client::new(CONFIG, NOTE);
    let session = client.new_session();
    let prompt = client.prompt(&session, "Leave a note.");
    let (id, _) = client.asked("session/request_permission");
    client.send(
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }),
    );
    let withdrawn = client.wait(|message| message["method"] == "$/cancel_request");
    assert_eq!(withdrawn["params"]["requestId"], id);
    client.answer(id, json!({ "outcome": { "outcome": "cancelled" } }));
    assert_eq!(
        client.response(prompt),
        Ok(json!({ "stopReason": "cancelled" }))
    );
    let told = client.told();
    assert!(
        told.ends_with("tool_call_update call_1  failed\n"),
        "{told}"
    );
}

#[test]
fn a_client_that_vanishes_ends_its_turn_and_approves_nothing() {
    let mut client = Client::new(CONFIG, NOTE);
    let session = client.new_session();
    client.prompt(&session, "Leave a note.");
    client.asked("session/request_permission");
    client.leave();
    let record = client.record(&session);
    assert!(
        record.contains("tool_call_response refused nobody - -"),
        "{record}"
    );
}

#[test]
fn a_running_tool_ends_with_its_client() {
    let script = "[[cycles]]\nbatches = [[{ tool_call = { id = \"call_1\", name = \"slow\" } }]]\n";
    let mut client = Client::new(CONFIG, script);
    let session = client.new_session();
    client.prompt(&session, "Wait.");
    client.wait(|message| message["params"]["update"]["status"] == "in_progress");
    client.leave();
    assert!(client.record(&session).contains("tool_call_response"));
}

#[test]
fn a_signal_ends_the_turn_and_leaves_the_record_whole() {
    use rustix::process::{Pid, Signal, kill_process};

    let script = "[[cycles]]\nbatches = [[{ text = \"I wait.\" }, { tool_call = { id = \"call_1\", name = \"slow\" } }]]\n";
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut client = Client::new(CONFIG, script);
        let session = client.new_session();
        let prompt = client.prompt(&session, "Wait.");
        client.wait(|message| message["params"]["update"]["status"] == "in_progress");
        kill_process(Pid::from_child(&client.child), signal).unwrap();
        assert_eq!(
            client.response(prompt),
            Ok(json!({ "stopReason": "cancelled" }))
        );
        assert_eq!(client.child.wait().unwrap().code(), Some(code));
        expect![[r#"
            turn_start
            chat_request
            chat_response
            tool_call_request
            tool_call_response allowed policy - -
        "#]]
        .assert_eq(&client.record(&session));
        // Nothing holds the conversation any more.
        let mut client = Client::again(
            std::mem::replace(&mut client.folder, TempDir::new().unwrap()),
            json!({}),
        );
        let params = json!({ "sessionId": session, "cwd": client.workspace(), "mcpServers": [] });
        assert!(client.call("session/resume", params).is_ok());
        client.leave();
    }
}

/// A script whose model answers once for each of these lines.
fn answers(lines: &[&str]) -> String {
    let cycles = lines.iter().map(|line| format!("[[cycles]]\n{line}\n"));
    cycles.collect()
}

#[test]
fn a_turn_says_why_it_goes_no_further() {
    const CALL: &str = "batches = [[{ tool_call = { id = \"c\", name = \"look\" } }]]";
    let config = format!(
        "{CONFIG}\n[conversation.tools.look]\nsource = \"local\"\nrun = \"unattended\"\ncommand = {{ program = \"true\" }}\n"
    );
    let cases = [
        (
            answers(&["batches = [[{ text = \"So fa\" }]]\nfinish_reason = \"max_tokens\""]),
            "max_tokens",
        ),
        (answers(&[CALL; 3]), "max_turn_requests"),
        (
            answers(&["batches = [[{ text = \"I wi\" }]]\nfinish_reason = \"refused\""]),
            "refusal",
        ),
        // What was done before stays, and so does the question.
        (
            answers(&[
                CALL,
                "batches = [[{ text = \"I wi\" }]]\nfinish_reason = \"refused\"",
            ]),
            "end_turn",
        ),
        // An answer that is cut off is asked to go on; the last one counts.
        (
            answers(&[
                &format!("{CALL}\nfinish_reason = \"max_tokens\""),
                "batches = [[{ text = \"Done.\" }]]",
            ]),
            "end_turn",
        ),
    ];
    for (script, reason) in cases {
        let mut client = Client::new(&config, &script);
        let session = client.new_session();
        let prompt = client.prompt(&session, "Go.");
        let ended = client.response(prompt);
        assert_eq!(ended, Ok(json!({ "stopReason": reason })), "{script}");
        client.leave();
    }
}

#[test]
fn a_conversation_is_listed_loaded_and_gone_on_with() {
    let script = r#"
[[cycles]]
batches = [[{ text = "Hello." }]]
"#;
    let mut client = Client::new(CONFIG, script);
    let session = client.new_session();
    let empty = client.new_session();
    let prompt = client.prompt(&session, "Who is there?");
    client.response(prompt).unwrap();
    client.leave();
    let folder = std::mem::replace(&mut client.folder, TempDir::new().unwrap());
    let mut client = Client::again(folder, json!({}));
    let listed = client
        .call("session/list", json!({ "cwd": client.workspace() }))
        .unwrap();
    let ids: Vec<&Value> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["sessionId"])
        .collect();
    assert_eq!(
        ids,
        [&json!(session)],
        "one in which nothing was said is gone: {empty}"
    );
    assert_eq!(listed["sessions"][0]["title"], "Who is there?");
    let params = json!({ "sessionId": session, "cwd": client.workspace(), "mcpServers": [] });
    let loaded = client.call("session/load", params).unwrap();
    assert_eq!(loaded["modes"]["currentModeId"], "default");
    expect![[r#"
        user Who is there?
        says Hello.
    "#]]
    .assert_eq(&client.told());
    let prompt = client.prompt(&session, "Again?");
    assert_eq!(
        client.response(prompt),
        Ok(json!({ "stopReason": "end_turn" }))
    );
    let unknown = json!({ "sessionId": "jp-c1", "cwd": client.workspace(), "mcpServers": [] });
    let refused = client.call("session/load", unknown).unwrap_err();
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.starts_with("there is no conversation `jp-c1` in "),
        "{message}"
    );
}

#[test]
fn a_line_that_is_no_text_is_answered_and_ends_nothing() {
    let mut client = Client::new(CONFIG, NOTE);
    let input = client.input.as_mut().unwrap();
    input
        .write_all(b"\n{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"session/list\", \"params\": {\"x\": \"\xff\"}}\n")
        .unwrap();
    let answer = client.wait(|message| message.get("error").is_some());
    assert_eq!(answer["error"]["code"], -32700);
    let line = answer["error"]["data"]["line"].as_str().unwrap();
    assert!(
        line.starts_with("a line is not UTF-8 from its byte 71 on: {"),
        "{line}"
    );
    client.new_session();
    client.leave();
    assert!(client.early.iter().all(|it| it.get("error").is_none()));
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_reason() {
    let mut client = Client::new(CONFIG, NOTE);
    let relative = client
        .call("session/new", json!({ "cwd": "w", "mcpServers": [] }))
        .unwrap_err();
    assert_eq!(relative["message"], "`cwd` is `w`: write an absolute path");
    let session = client.new_session();
    let mut refused = |prompt: Value| {
        let params = json!({ "sessionId": session, "prompt": prompt });
        client.call("session/prompt", params).unwrap_err()["message"].take()
    };
    assert_eq!(refused(json!([])), "the prompt is empty: write what to ask");
    assert_eq!(
        refused(json!([{ "type": "image", "data": "", "mimeType": "image/png" }])),
        "an image cannot be sent to the model: send text, or name a file"
    );
    let params = json!({ "sessionId": session, "modeId": "yolo" });
    let mode = client.call("session/set_mode", params).unwrap_err();
    assert_eq!(
        mode["message"],
        "`yolo` is no mode: write `default` or `no-tools`"
    );
    let params = json!({ "sessionId": session, "configId": "model", "value": "nothing" });
    let model = client
        .call("session/set_config_option", params)
        .unwrap_err();
    assert_eq!(model["code"], -32602);
}

#[test]
fn what_a_workspace_starts_is_asked_about_first() {
    let mut client = Client::new(CONFIG, NOTE);
    let forgotten = Client::command(client.folder.path(), &["trust", "--forget"])
        .output()
        .unwrap();
    assert!(forgotten.status.success());
    let session = client.new_session();
    let prompt = client.prompt(&session, "Leave a note.");
    let (id, asked) = client.asked("session/request_permission");
    let names: Vec<&Value> = asked["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["Reject", "Trust"]);
    client.pick(id, "reject");
    let refused = client.response(prompt).unwrap_err();
    assert_eq!(
        refused["message"],
        "nothing was started: what the config of the workspace starts or sends was not trusted"
    );
    assert_eq!(
        client.told().lines().next_back(),
        Some("tool_call_update trust  failed")
    );
}
