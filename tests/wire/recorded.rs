//! Recorded calls in the editor: above rules, in hovers, behind an edit, and as a list.

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

const CONFIG: &str = r#"//- .jp/config.toml
[conversation.tools.read]
source = "local"
command = { program = "touch", args = ["ran"] }
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "secrets", mode = "skip" },
    { mode = "ask" },
]
"#;

/// A conversation of `jp` with calls of `read`.
fn conversation(paths: &[&str]) -> String {
    let calls = paths.iter().enumerate().map(|(number, path)| {
        json!({
            "timestamp": format!("2020-01-02 03:04:{number:02}.5"), "type": "tool_call_request",
            "id": format!("c{number}"), "name": "read", "arguments": { "path": path },
        })
    });
    Value::from_iter(calls).to_string()
}

/// A desk whose editor shows lenses and hints, with two of three recorded calls below `src`.
fn desk() -> Desk {
    let capabilities = json!({
        "textDocument": { "hover": { "contentFormat": ["plaintext"] } },
        "workspace": {
            "codeLens": { "refreshSupport": true },
            "inlayHint": { "refreshSupport": true },
        },
    });
    let recorded = conversation(&["src/a.rs", "src/b.rs", "docs/`x`\u{1b}[2J"]);
    let name = ".jp/conversations/17636666521-first/events.json";
    let fixture = format!("{CONFIG}//- {name}\n{recorded}");
    let mut desk = Desk::with(&fixture, json!({ "capabilities": capabilities }));
    desk.open(".jp/config.toml");
    desk
}

/// Waits until the server has the editor ask again, for lenses and for hints.
fn refreshed(desk: &mut Desk) {
    for method in ["workspace/codeLens/refresh", "workspace/inlayHint/refresh"] {
        let (id, _) = desk.server.request(method);
        desk.server.respond(&id, Value::Null);
    }
}

fn document(desk: &Desk) -> Value {
    json!({ "textDocument": { "uri": desk.uri(".jp/config.toml") } })
}

/// The lenses that tell of recorded calls, each with its line.
fn lenses(desk: &mut Desk) -> Vec<String> {
    let params = document(desk);
    let lenses = desk.server.call("textDocument/codeLens", params).unwrap();
    let lenses = lenses.as_array().unwrap().iter();
    let told = lenses.filter(|lens| lens["command"]["command"] == "jp.history.show");
    told.map(|lens| {
        let title = lens["command"]["title"].as_str().unwrap();
        // Years go by.
        let (title, _) = title.split_once(", last ").unwrap();
        format!("{}: {title}", lens["range"]["start"]["line"])
    })
    .collect()
}

fn hints(desk: &mut Desk) -> Vec<Value> {
    let mut params = document(desk);
    params["range"] = json!({
        "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 },
    });
    let hints = desk.server.call("textDocument/inlayHint", params).unwrap();
    let hints = hints.as_array().unwrap().iter();
    hints
        .filter(|hint| hint["label"][0]["command"]["command"] == "jp.history.show")
        .map(|hint| hint["label"][0].clone())
        .collect()
}

fn hover(desk: &mut Desk, line: u32) -> String {
    let mut params = document(desk);
    params["position"] = json!({ "line": line, "character": 6 });
    let hover = desk.server.call("textDocument/hover", params).unwrap();
    hover["contents"]["value"].as_str().unwrap().to_owned()
}

/// The document that a command writes, without its place.
fn shown(desk: &mut Desk, argument: Value) -> String {
    let params = json!({ "command": "jp.history.show", "arguments": [argument] });
    let shown = desk
        .server
        .call("workspace/executeCommand", params)
        .unwrap();
    let uri: url::Url = shown["uri"].as_str().unwrap().parse().unwrap();
    std::fs::read_to_string(uri.to_file_path().unwrap()).unwrap()
}

#[test]
fn rules_tell_which_calls_they_decided() {
    let mut desk = desk();
    refreshed(&mut desk);
    assert_eq!(
        lenses(&mut desk),
        ["5: decided 2 of 3 calls", "7: decided 1 of 3 calls"]
    );
    let last = |text: String| text.lines().last().unwrap().to_owned();
    assert_eq!(
        last(hover(&mut desk, 6)),
        "None of the 3 calls on record reached it."
    );
    assert_eq!(hints(&mut desk), Vec::<Value>::new());
    let argument = json!({ "tool": "read", "rule": 2 });
    expect![[r#"
        # `read`: calls that rule 3 decides

        1 of 3 on record, the newest first.

        - 2020-01-02 03:04:02.5 · ask (rule 3) · not on record whether it ran · ``{"path":"docs/`x`\u001b[2J"}``
    "#]]
    .assert_eq(&shown(&mut desk, argument));
    assert!(!desk.path("ran").exists(), "nothing is run");
}

#[test]
fn an_edit_tells_which_calls_it_changes_until_it_is_saved() {
    let mut desk = desk();
    refreshed(&mut desk);
    desk.replace(
        ".jp/config.toml",
        "prefix = \"src\"",
        "prefix = \"src/a.rs\"",
    );
    refreshed(&mut desk);
    let hints_shown = hints(&mut desk);
    assert_eq!(
        hints_shown[0]["value"],
        r#"this edit changes 1 recorded call: 1 unattended -> ask; unattended -> ask: {"path":"src/x"}"#
    );
    assert_eq!(
        lenses(&mut desk),
        ["5: decided 1 of 3 calls", "7: decided 2 of 3 calls"]
    );
    let argument = hints_shown[0]["command"]["arguments"][0].clone();
    expect![[r#"
        # `read`: calls that this edit decides otherwise

        1 of 3 on record, the newest first.

        - 2020-01-02 03:04:01.5 · unattended (rule 1) -> ask (rule 3) · not on record whether it ran · `{"path":"src/b.rs"}`
    "#]]
    .assert_eq(&shown(&mut desk, argument));
    let edited = desk
        .read(".jp/config.toml")
        .replace("\"src\"", "\"src/a.rs\"");
    desk.write(".jp/config.toml", edited);
    desk.tell_changed(&[".jp/config.toml"]);
    refreshed(&mut desk);
    assert_eq!(hints(&mut desk), Vec::<Value>::new());
}

#[test]
fn what_is_recorded_meanwhile_counts() {
    let mut desk = desk();
    refreshed(&mut desk);
    let recorded = conversation(&["src/a.rs", "src/b.rs", "docs/a", "secrets/key"]);
    desk.write(".jp/conversations/17636666521-first/events.json", recorded);
    refreshed(&mut desk);
    assert_eq!(
        lenses(&mut desk),
        [
            "5: decided 2 of 4 calls",
            "6: decided 1 of 4 calls",
            "7: decided 1 of 4 calls"
        ]
    );
}

#[test]
fn a_list_that_cannot_be_made_says_why() {
    let mut desk = desk();
    refreshed(&mut desk);
    let mut failure = |argument: Value| {
        let params = json!({ "command": "jp.history.show", "arguments": [argument] });
        let answer = desk.server.call("workspace/executeCommand", params);
        answer.unwrap_err()["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        failure(json!({ "tool": "raed" })),
        "no tool `raed` is configured; did you mean `read`?"
    );
    assert_eq!(
        failure(json!({ "tool": "read", "workspace": "file:///elsewhere" })),
        "no workspace is open: open a folder that holds `.jp`"
    );
}

#[test]
fn without_a_name_the_first_folder_of_the_editor_is_meant() {
    let fixture = CONFIG.replace("//- .jp", "//- z/.jp");
    let other = "//- a-longer-name/.jp/config.toml\n";
    let examples = "//- z/.jp/policy.tests.toml\n[[case]]\ntool = \"read\"\ncall = { path = \"src/a\" }\nrun = \"unattended\"\n";
    let mut desk = Desk::new(&format!("{fixture}{other}{examples}"));
    let folders = ["z", "a-longer-name"].map(|name| desk.as_folder(name));
    desk.server.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": folders, "removed": [] } }),
    );
    let list = shown(&mut desk, json!({ "tool": "read" }));
    assert_eq!(list.lines().next(), Some("# `read`: calls on record"));
    let tests = desk.server.call("jp/tests", json!({})).unwrap();
    assert_eq!(tests["uri"], desk.uri("z/.jp/policy.tests.toml"));
}
