//! Examples beside rules in the editor: what is wrong with them, which of them hold, and all of them by one request.

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::{Desk, client_watches};

const FIXTURE: &str = r#"//- .jp/config.toml
[conversation.tools.read]
source = "local"
command = { program = "touch", args = ["ran"] }
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { mode = "ask" },
]
//- .jp/policy.tests.toml
[[case]]
name = "sources are read"
tool = "read"
call = { path = "src/a.rs" }
run = "unattended"

[[case]]
tool = "read"
call = { path = "docs" }
run = "ask"
"#;

const FILE: &str = ".jp/policy.tests.toml";

fn desk() -> Desk {
    let mut desk = Desk::new(FIXTURE);
    desk.open(".jp/config.toml");
    desk
}

fn tests(desk: &mut Desk) -> Value {
    let params = json!({ "workspace": desk.uri("") });
    let mut found = desk.server.call("jp/tests", params).unwrap();
    assert_eq!(found["uri"], desk.uri(FILE));
    found["uri"].take();
    found
}

/// The lenses of a file that are about examples, each with its line.
fn lenses(desk: &mut Desk, name: &str) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": desk.uri(name) } });
    let lenses = desk.server.call("textDocument/codeLens", params).unwrap();
    let told = lenses.as_array().unwrap().iter().map(|lens| {
        let title = lens["command"]["title"].as_str().unwrap();
        format!("{}: {title}", lens["range"]["start"]["line"])
    });
    told.filter(|lens| lens.contains("hold") || lens.contains("expected"))
        .collect()
}

#[test]
fn one_request_tells_of_all_examples() {
    let mut desk = desk();
    desk.replace(".jp/config.toml", "\"src\"", "\"lib\"");
    let mut found = tests(&mut desk);
    for case in found["cases"].as_array_mut().unwrap() {
        case["range"] = case["range"]["start"]["line"].take();
    }
    expect![[r#"
        {
          "uri": null,
          "total": 2,
          "held": 1,
          "cases": [
            {
              "title": "sources are read",
              "tool": "read",
              "range": 0,
              "holds": false,
              "message": "run: expected `unattended`, decided `ask` by rule 2 at .jp/config.toml:7"
            },
            {
              "title": "read {\"path\":\"docs\"}",
              "tool": "read",
              "range": 6,
              "holds": true,
              "message": null
            }
          ],
          "mistakes": []
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&found).unwrap());
    assert!(!desk.path("ran").exists(), "nothing is run");
}

#[test]
fn a_workspace_without_examples_has_none() {
    let mut desk = Desk::new("//- .jp/config.toml\n");
    let found = desk.server.call("jp/tests", json!({})).unwrap();
    assert_eq!(found, Value::Null);
}

#[test]
fn lenses_tell_what_holds() {
    let mut desk = desk();
    desk.open(FILE);
    assert_eq!(
        lenses(&mut desk, ".jp/config.toml"),
        ["0: examples: 2 of 2 hold"]
    );
    assert_eq!(lenses(&mut desk, FILE), ["0: 2 of 2 hold"]);
    desk.replace(FILE, "run = \"ask\"", "run = \"skip\"");
    assert_eq!(
        lenses(&mut desk, FILE),
        [
            "0: 1 of 2 hold",
            "6: run: expected `skip`, decided `ask` by rule 2 at .jp/config.toml:7"
        ]
    );
    assert_eq!(
        lenses(&mut desk, ".jp/config.toml"),
        ["0: examples: 1 of 2 hold"]
    );
}

#[test]
fn open_examples_have_diagnostics_that_follow_the_rules() {
    let mut desk = desk();
    desk.open(FILE);
    desk.shows(FILE, &[]);
    // An edit of the rules is seen at the examples.
    desk.replace(".jp/config.toml", "mode = \"ask\"", "mode = \"skip\"");
    assert_eq!(desk.shows_some(FILE).len(), 1);
    desk.replace(".jp/config.toml", "mode = \"skip\"", "mode = \"ask\"");
    desk.shows(FILE, &[]);
    // A mistake is one too.
    desk.replace(FILE, "tool = \"read\"", "tool = \"raed\"");
    let found = desk.shows_some(FILE);
    assert_eq!(found.len(), 1, "{found:?}");
    let mistakes = tests(&mut desk)["mistakes"].clone();
    assert_eq!(
        mistakes[0]["message"],
        "no tool `raed` is configured; did you mean `read`?"
    );
    desk.close(FILE);
    desk.shows(FILE, &[]);
}

#[test]
fn lenses_of_the_config_know_saved_examples_without_reading_them_again() {
    let mut desk = Desk::with(FIXTURE, json!({ "capabilities": client_watches() }));
    desk.open(".jp/config.toml");
    assert_eq!(
        lenses(&mut desk, ".jp/config.toml"),
        ["0: examples: 2 of 2 hold"]
    );
    desk.write(FILE, "");
    desk.replace(".jp/config.toml", "\"src\"", "\"lib\"");
    assert_eq!(
        lenses(&mut desk, ".jp/config.toml"),
        ["0: examples: 1 of 2 hold"]
    );
    desk.tell_changed(&[FILE]);
    assert_eq!(lenses(&mut desk, ".jp/config.toml"), [""; 0]);
}

/// Waits until the server has the editor ask for lenses again.
fn refreshed(desk: &mut Desk) {
    let (id, _) = desk.server.request("workspace/codeLens/refresh");
    desk.server.respond(&id, Value::Null);
}

#[test]
fn lenses_of_the_config_are_asked_for_again_when_examples_alone_change() {
    let mut capabilities = client_watches();
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    let mut desk = Desk::with(FIXTURE, json!({ "capabilities": capabilities }));
    desk.open(".jp/config.toml");
    desk.shows(".jp/config.toml", &[]);
    let config = ".jp/config.toml";
    assert_eq!(lenses(&mut desk, config), ["0: examples: 2 of 2 hold"]);
    desk.write(FILE, "");
    desk.tell_changed(&[FILE]);
    refreshed(&mut desk);
    assert_eq!(lenses(&mut desk, config), [""; 0]);
    desk.open_with(
        FILE,
        "[[case]]\ntool = \"read\"\ncall = { path = \"a\" }\nrun = \"ask\"\n",
    );
    refreshed(&mut desk);
    assert_eq!(lenses(&mut desk, config), ["0: examples: 1 of 1 hold"]);
    desk.replace(FILE, "\"ask\"", "\"skip\"");
    refreshed(&mut desk);
    assert_eq!(lenses(&mut desk, config), ["0: examples: 0 of 1 hold"]);
    desk.shows_some(FILE);
    // Another text that comes to the same is no reason.
    desk.replace(FILE, "\"a\"", "\"b\"");
    desk.shows_some(FILE);
    assert_eq!(lenses(&mut desk, config), ["0: examples: 0 of 1 hold"]);
}

#[cfg(unix)]
#[test]
fn examples_behind_a_link_out_of_an_untrusted_workspace_are_not_read() {
    let mut desk = Desk::new(FIXTURE);
    std::fs::remove_file(desk.path(FILE)).unwrap();
    std::fs::write(desk.home("secret"), "not_toml_but_secret").unwrap();
    std::os::unix::fs::symlink(desk.home("secret"), desk.path(FILE)).unwrap();
    desk.open(".jp/config.toml");
    desk.tell_changed(&[FILE]);
    let params = json!({ "workspace": desk.uri("") });
    let refused = desk.server.call("jp/tests", params).unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("cannot be read"), "{refused}");
    assert!(!refused.contains("not_toml_but_secret"), "{refused}");
}

/// A desk whose editor makes edits, and creates files.
fn editing(fixture: &str) -> Desk {
    let capabilities = json!({
        "textDocument": {
            "hover": { "contentFormat": ["plaintext"] },
            "codeAction": { "codeActionLiteralSupport": {} },
        },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] },
        },
        "window": { "showDocument": { "support": true } },
    });
    let mut desk = Desk::with(fixture, json!({ "capabilities": capabilities }));
    desk.open(".jp/config.toml");
    desk
}

/// Runs a command; the edit that the server asks for, which is made, and what came of it.
fn edited(desk: &mut Desk, command: &str, argument: &Value) -> (Value, Value) {
    let params = json!({ "command": command, "arguments": [argument] });
    let id = desk.server.ask("workspace/executeCommand", params);
    let (edit, params) = desk.server.request("workspace/applyEdit");
    desk.server.respond(&edit, json!({ "applied": true }));
    let (show, shown) = desk.server.request("window/showDocument");
    assert_eq!(shown["uri"], desk.uri(FILE));
    desk.server.respond(&show, json!({ "success": true }));
    let mut result = desk.server.answer(&id).unwrap();
    assert_eq!(result["file"].take(), desk.uri(FILE));
    (params["edit"]["documentChanges"].clone(), result)
}

#[test]
fn a_call_is_saved_as_an_example_of_what_is_decided_now() {
    let mut desk = editing(FIXTURE);
    let argument =
        json!({ "tool": "read", "input": { "path": "src/b" }, "workspace": desk.uri("") });
    let (changes, result) = edited(&mut desk, "jp.tests.save", &argument);
    assert_eq!(
        changes[0]["edits"],
        json!([{
            "range": { "start": { "line": 10, "character": 0 }, "end": { "line": 10, "character": 0 } },
            "newText": "\n[[case]]\ntool = \"read\"\ncall = { path = \"src/b\" }\nrun = \"unattended\"\n",
        }])
    );
    assert_eq!(result, json!({ "file": null, "applied": true, "cases": 1 }));
    assert!(!desk.read(FILE).contains("src/b"), "the person saves it");
}

#[test]
fn the_file_of_the_first_example_is_made() {
    let config = FIXTURE.split("//- .jp/policy").next().unwrap();
    let mut desk = editing(config);
    let input = json!({ "fs": { "capability": "read", "path": "src/b" } });
    let argument = json!({ "tool": "read", "input": input, "kind": "access" });
    let (changes, _) = edited(&mut desk, "jp.tests.save", &argument);
    assert_eq!(changes[0]["kind"], "create");
    assert_eq!(changes[0]["uri"], desk.uri(FILE));
    assert_eq!(
        changes[1]["edits"][0]["newText"],
        "[[case]]\ntool = \"read\"\nfs = { capability = \"read\", path = \"src/b\" }\nallowed = true\n"
    );
    assert!(!desk.path(FILE).exists());
}

#[test]
fn what_cannot_be_saved_is_refused_and_nothing_is_edited() {
    let mut desk = editing(FIXTURE);
    let refused = |desk: &mut Desk, argument: Value| {
        let params = json!({ "command": "jp.tests.save", "arguments": [argument] });
        let answer = desk.server.call("workspace/executeCommand", params);
        answer.unwrap_err()["message"].as_str().unwrap().to_owned()
    };
    let told = [
        refused(&mut desk, json!({ "tool": "raed", "input": {} })),
        refused(&mut desk, json!({ "tool": "read", "input": { "path": 1 } })),
        refused(
            &mut desk,
            json!({ "tool": "read", "input": { "path": "docs" } }),
        ),
        refused(&mut desk, json!({ "tool": "read" })),
    ];
    expect![[r#"
        no tool `raed` is configured; did you mean `read`?
        invalid arguments: `path` must be string, not number
        `.jp/policy.tests.toml` asks this already, in line 7
        the parameters do not fit the method: missing field `input`"#]]
    .assert_eq(&told.join("\n"));
    let mut desk = self::desk();
    let told = refused(
        &mut desk,
        json!({ "tool": "read", "input": { "path": "x" } }),
    );
    expect!["the client makes no edits for a server (`workspace/applyEdit`): write the example by hand, or use `jp-lsp test --generate`"].assert_eq(&told);
}

#[test]
fn the_borders_of_rules_are_offered_where_examples_stand() {
    let mut desk = editing(FIXTURE);
    desk.open(FILE);
    let position = json!({ "line": 7, "character": 0 });
    let params = json!({
        "textDocument": { "uri": desk.uri(FILE) },
        "range": { "start": position, "end": position },
        "context": { "diagnostics": [] },
    });
    let actions = desk.server.call("textDocument/codeAction", params).unwrap();
    assert_eq!(actions.as_array().unwrap().len(), 1);
    let command = &actions[0]["command"];
    assert_eq!(
        command["title"],
        "Add examples at the borders of the rules of `read`"
    );
    let command = command.clone();
    let name = command["command"].as_str().unwrap();
    let (changes, result) = edited(&mut desk, name, &command["arguments"][0]);
    assert_eq!(changes[0]["textDocument"]["version"], 1);
    expect![[r#"

        [[case]]
        tool = "read"
        call = { path = "src/x" }
        run = "unattended"

        [[case]]
        tool = "read"
        call = { path = "x" }
        run = "ask"

        [[case]]
        tool = "read"
        call = { path = "src" }
        run = "unattended"

        [[case]]
        tool = "read"
        call = { path = "src-old" }
        run = "ask"

        [[case]]
        tool = "read"
        call = { path = "" }
        run = "ask"
    "#]]
    .assert_eq(changes[0]["edits"][0]["newText"].as_str().unwrap());
    expect![[r#"{"file":null,"applied":true,"cases":5}"#]].assert_eq(&result.to_string());
}

#[test]
fn what_can_be_written_in_examples_is_what_the_config_declares() {
    let mut desk = desk();
    desk.open(FILE);
    desk.replace(FILE, "tool = \"read\"", "tool = \"\"");
    let params = json!({
        "textDocument": { "uri": desk.uri(FILE) }, "position": { "line": 2, "character": 8 },
    });
    let found = desk.server.call("textDocument/completion", params).unwrap();
    let found = found["items"].as_array().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["label"], "read");
    assert_eq!(
        found[0]["textEdit"],
        json!({
            "range": { "start": { "line": 2, "character": 8 }, "end": { "line": 2, "character": 8 } },
            "newText": "read",
        })
    );
}

#[test]
fn a_path_in_a_call_is_completed_from_the_workspace() {
    let mut desk = desk();
    desk.write("src/lib.rs", "");
    desk.write("src/deep/x.rs", "");
    desk.open(FILE);
    desk.replace(FILE, "src/a.rs", "src/");
    let params = json!({
        "textDocument": { "uri": desk.uri(FILE) }, "position": { "line": 3, "character": 21 },
    });
    let found = desk.server.call("textDocument/completion", params).unwrap();
    let found = found["items"].as_array().unwrap().iter();
    let found: Vec<&str> = found.map(|item| item["label"].as_str().unwrap()).collect();
    assert_eq!(found, ["src", "src/deep", "src/lib.rs"]);
}

#[test]
fn a_hover_tells_what_is_decided_about_a_case() {
    let mut desk = editing(FIXTURE);
    desk.open(FILE);
    desk.replace(FILE, "run = \"ask\"", "run = \"skip\"");
    let hover = |desk: &mut Desk, line: u32| {
        let params = json!({
            "textDocument": { "uri": desk.uri(FILE) }, "position": { "line": line, "character": 3 },
        });
        let hover = desk.server.call("textDocument/hover", params).unwrap();
        hover["contents"]["value"].as_str().unwrap().to_owned()
    };
    expect![[r#"
        This example holds.

        read runs without asking, by rule 1 at .jp/config.toml:6.

          #  matches    rule                                 why                       where
          1  yes        /path starts with "src": unattended  "src/a.rs" fits           .jp/config.toml:6
          2  not tried  every call: ask                      rule 1 decides before it  .jp/config.toml:7"#]].assert_eq(&hover(&mut desk, 3));
    expect![[r#"
        This example fails.

        run: expected `skip`, decided `ask` by rule 2 at .jp/config.toml:7

        read asks before it runs, by rule 2 at .jp/config.toml:7.

          #  matches  rule                                 why                  where
          1  no       /path starts with "src": unattended  "docs" does not fit  .jp/config.toml:6
          2  yes      every call: ask                      it has no condition  .jp/config.toml:7"#]].assert_eq(&hover(&mut desk, 8));
}
