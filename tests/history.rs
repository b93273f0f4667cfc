//! Recorded calls through the real binary: what was decided, what the rules of today would decide, and rules that are suggested.
//!
//! One file: every command here reads the same recorded calls, which are written at its head.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{fs, path::PathBuf, process::Command};

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use program::program;

/// A person's machine: a home, a workspace in it, and the binary.
struct Machine {
    home: tempfile::TempDir,
}

const CONFIG: &str = r#"
[assistant]
model.id = "test/model"

[conversation.tools.'*'.policy]
run = "ask"

[conversation.tools.describe_tools]
enable = false

[conversation.tools.ask_user]
enable = false

[conversation.tools.read]
source = "local"
command = { program = "printf", args = ["read"] }
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "secrets", mode = "skip" },
    { mode = "ask" },
]

[conversation.tools.shell]
source = "local"
command = { program = "printf", args = ["shell"] }
parameters.command = { type = "string" }
"#;

const SCRIPT: &str = r#"
[[cycles]]
batches = [[
    { tool_call = { id = "c1", name = "read", arguments = { path = "src/a.rs" } } },
    { tool_call = { id = "c2", name = "read", arguments = { path = "secrets/key" } } },
    { tool_call = { id = "c3", name = "read", arguments = { path = "docs/a.md" } } },
    { tool_call = { id = "c4", name = "shell", arguments = { command = "ls" } } },
    { tool_call = { id = "c5", name = "read", arguments = { } } },
]]

[[cycles]]
batches = [[{ text = "Done." }]]
"#;

impl Machine {
    fn new() -> Self {
        let machine = Self {
            home: tempfile::tempdir().unwrap(),
        };
        machine.write("workspace/.jp/config.toml", CONFIG);
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What a command prints, on both streams, without times and folders; and its exit code.
    fn run(&self, arguments: &[&str]) -> (String, i32) {
        let output = Command::new(program())
            .args(arguments)
            .current_dir(self.path("workspace"))
            .env("HOME", self.path("home"))
            .env("XDG_DATA_HOME", self.path("home/data"))
            .env("JP_GLOBAL_CONFIG_DIR", self.path("none"))
            .env("JP_LSP_DATA_DIR", self.path("data"))
            .env("JP_LSP_TEST_SCRIPT", self.path("script.toml"))
            .output()
            .unwrap();
        let mut text = String::from_utf8(output.stdout).unwrap();
        text.push_str(&String::from_utf8(output.stderr).unwrap());
        let home = self.home.path().canonicalize().unwrap();
        let text = text
            .replace(home.to_str().unwrap(), "")
            .replace(self.home.path().to_str().unwrap(), "");
        let times = [
            (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+", "TIME"),
            (r"\d{4}-\d\d-\d\d", "DAY"),
            (r"workspace-[0-9a-f]{12}", "WORKSPACE"),
        ];
        let text = times.into_iter().fold(text, |text, (pattern, word)| {
            let pattern = regex::Regex::new(pattern).unwrap();
            pattern.replace_all(&text, word).into_owned()
        });
        (text, output.status.code().unwrap())
    }

    /// A turn whose calls nobody is there to be asked about.
    fn turn(&self) {
        self.write("script.toml", SCRIPT);
        let (text, code) = self.run(&["query", "--trust", "--non-interactive", "Look."]);
        assert_eq!(code, 0, "{text}");
    }

    fn history(&self, arguments: &[&str]) -> String {
        let (text, code) = self.run(&[&["history"], arguments].concat());
        assert_eq!(code, 0, "{text}");
        text
    }
}

#[test]
fn each_rule_of_today_tells_the_calls_that_it_decides() {
    let machine = Machine::new();
    machine.turn();
    expect![[r#"
        read: 4 calls
          rule 1 (.jp/config.toml:19) unattended: 1 call, last DAY; 1 allowed by the policy
          rule 2 (.jp/config.toml:20) skip: 1 call, last DAY; 1 refused by the policy
          rule 3 (.jp/config.toml:21) ask: 1 call, last DAY; 1 refused, nobody to ask
          arguments that no longer fit the tool: 1 call, last DAY; 1 not on record whether it ran
        shell: 1 call
          rule 1 (.jp/config.toml:6) ask: 1 call, last DAY; 1 refused, nobody to ask
        read 1 conversation of jp-lsp in /data/conversations/WORKSPACE
        read 0 conversations of jp in /workspace/.jp/conversations
    "#]]
    .assert_eq(&machine.history(&[]));
    // Other rules judge the same calls.
    let other = CONFIG.replace(
        r#"{ arg = "/path", prefix = "secrets", mode = "skip" }"#,
        r#"{ arg = "/path", prefix = "docs", mode = "unattended" }"#,
    );
    machine.write("workspace/.jp/config.toml", &other);
    expect![[r#"
        read: 4 calls
          rule 1 (.jp/config.toml:19) unattended: 1 call, last DAY; 1 allowed by the policy
          rule 2 (.jp/config.toml:20) unattended: 1 call, last DAY; 1 refused, nobody to ask
          rule 3 (.jp/config.toml:21) ask: 1 call, last DAY; 1 refused by the policy
          arguments that no longer fit the tool: 1 call, last DAY; 1 not on record whether it ran
          2 calls decided in another mode than when made
        read 1 conversation of jp-lsp in /data/conversations/WORKSPACE
        read 0 conversations of jp in /workspace/.jp/conversations
    "#]]
    .assert_eq(&machine.history(&["--tool", "read"]));
}

#[test]
fn programs_read_the_same_as_json() {
    let machine = Machine::new();
    machine.turn();
    let text = machine.history(&["--tool", "read", "--since", "1d", "--format", "json"]);
    let told: Value = serde_json::from_str(&text).unwrap();
    expect![[r#"
        {
          "calls": 4,
          "since": "TIME",
          "read": [
            {
              "path": "/data/conversations/WORKSPACE",
              "keeper": "jp-lsp",
              "conversations": 1
            },
            {
              "path": "/workspace/.jp/conversations",
              "keeper": "jp",
              "conversations": 0
            }
          ],
          "damaged": {
            "records": 0,
            "conversations": 0
          },
          "leftOut": {
            "largeConversations": 0,
            "largeCalls": 0,
            "links": 0,
            "older": false
          },
          "copies": 0,
          "tools": [
            {
              "tool": "read",
              "calls": 4,
              "problem": null,
              "rules": [
                {
                  "rule": {
                    "index": 0,
                    "path": ".jp/config.toml",
                    "line": 19
                  },
                  "mode": "unattended",
                  "calls": 1,
                  "last": "TIME",
                  "answers": {
                    "allowedByPolicy": 1
                  }
                },
                {
                  "rule": {
                    "index": 1,
                    "path": ".jp/config.toml",
                    "line": 20
                  },
                  "mode": "skip",
                  "calls": 1,
                  "last": "TIME",
                  "answers": {
                    "refusedByPolicy": 1
                  }
                },
                {
                  "rule": {
                    "index": 2,
                    "path": ".jp/config.toml",
                    "line": 21
                  },
                  "mode": "ask",
                  "calls": 1,
                  "last": "TIME",
                  "answers": {
                    "nobody": 1
                  }
                },
                {
                  "rule": null,
                  "mode": "ask",
                  "calls": 0,
                  "last": null,
                  "answers": {}
                }
              ],
              "unfit": {
                "calls": 1,
                "last": "TIME",
                "answers": {
                  "open": 1
                }
              },
              "changed": 0
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&told).unwrap());
}

#[test]
fn what_jp_keeps_counts_and_counts_once() {
    let machine = Machine::new();
    machine.turn();
    let (list, _) = machine.run(&["conversation", "list"]);
    let id = list.split_whitespace().next().unwrap().to_owned();
    let (text, code) = machine.run(&[
        "conversation",
        "export",
        &id,
        "--to-jp",
        ".jp/conversations",
    ]);
    assert_eq!(code, 0, "{text}");
    let told = |machine: &Machine| -> Value {
        let text = machine.history(&["--format", "json"]);
        serde_json::from_str(&text).unwrap()
    };
    let both = told(&machine);
    assert_eq!(both.pointer("/calls"), Some(&json!(5)));
    assert_eq!(both.pointer("/copies"), Some(&json!(5)));
    // The export alone says as much, the decisions too.
    fs::remove_dir_all(machine.path("data")).unwrap();
    let export = told(&machine);
    assert_eq!(export.pointer("/copies"), Some(&json!(0)));
    assert_eq!(export.pointer("/tools"), both.pointer("/tools"));
}

#[test]
fn nothing_on_record_and_nothing_known_are_told_apart() {
    let machine = Machine::new();
    expect![[r#"
        no call is on record
        read 0 conversations of jp-lsp in /data/conversations/WORKSPACE
        read 0 conversations of jp in /workspace/.jp/conversations
    "#]]
    .assert_eq(&machine.history(&[]));
    expect![[r#"
        read: 0 calls
          rule 1 (.jp/config.toml:19) unattended: no call
          rule 2 (.jp/config.toml:20) skip: no call
          rule 3 (.jp/config.toml:21) ask: no call
        read 0 conversations of jp-lsp in /data/conversations/WORKSPACE
        read 0 conversations of jp in /workspace/.jp/conversations
    "#]]
    .assert_eq(&machine.history(&["--tool", "read"]));
    let (text, code) = machine.run(&["history", "--tool", "raed"]);
    assert_eq!(code, 2);
    expect![[r#"
        jp-lsp: no tool `raed` is configured; did you mean `read`?
    "#]]
    .assert_eq(&text);
    let (text, code) = machine.run(&["history", "--since", "soon"]);
    assert_eq!(code, 2);
    expect![[r#"
        error: invalid value 'soon' for '--since <AGE>': write a number of hours, days or weeks such as `12h`, `30d` or `2w`, or a date such as `DAY`

        For more information, try '--help'.
    "#]].assert_eq(&text);
}

#[test]
fn a_tool_that_is_gone_keeps_its_record() {
    let machine = Machine::new();
    machine.turn();
    let rest = CONFIG.split("[conversation.tools.shell]").next().unwrap();
    machine.write("workspace/.jp/config.toml", rest);
    expect![[r#"
        shell: 1 call
          not decided by the config of today: no tool `shell` is configured
        read 1 conversation of jp-lsp in /data/conversations/WORKSPACE
        read 0 conversations of jp in /workspace/.jp/conversations
    "#]]
    .assert_eq(&machine.history(&["--tool", "shell"]));
}

#[test]
fn what_is_on_record_is_told_without_running_and_without_trust() {
    let machine = Machine::new();
    let arguments = json!({"path": "src/\u{1b}[2J\u{202e}x"});
    let event = json!({
        "timestamp": "2026-11-20 10:04:11.5", "type": "tool_call_request",
        "id": "c", "name": "re\u{1b}[2Jad", "arguments": arguments,
    });
    machine.write(
        "workspace/.jp/conversations/17636666521-x/events.json",
        &json!([event, 7]).to_string(),
    );
    machine.write(
        "workspace/.jp/config.toml",
        "[conversation.tools.read]\nsource = \"local\"\ncommand = \"touch ran\"\n",
    );
    expect![[r#"
        re␛[2Jad: 1 call
          not decided by the config of today: no tool `re␛[2Jad` is configured
        read 0 conversations of jp-lsp in /data/conversations/WORKSPACE
        read 1 conversation of jp in /workspace/.jp/conversations
        left out: 1 damaged record
    "#]]
    .assert_eq(&machine.history(&[]));
    assert!(!machine.path("workspace/ran").exists());
}

/// A conversation of `jp`'s with these calls: the tool, its arguments and what a person said.
fn recorded(machine: &Machine, calls: &[(&str, Value, &str)]) {
    let mut events = Vec::new();
    for (second, (tool, arguments, outcome)) in calls.iter().enumerate() {
        let timestamp = format!("2026-11-20 10:00:{second:02}.5");
        let id = format!("c{second}");
        let run = json!({ "mode": "ask", "outcome": outcome, "by": "person" });
        events.push(json!({
            "timestamp": timestamp, "type": "tool_call_request", "id": id, "name": tool, "arguments": arguments,
        }));
        events.push(json!({
            "timestamp": timestamp, "type": "tool_call_response", "id": id, "content": "", "is_error": false,
            "metadata": { "decisions": { "run": run } },
        }));
    }
    machine.write(
        "workspace/.jp/conversations/17636666521-x/events.json",
        &Value::from(events).to_string(),
    );
}

fn suggested(machine: &Machine, tool: &str) -> String {
    let (text, code) = machine.run(&["suggest", "--tool", tool]);
    assert_eq!(code, 0, "{text}");
    text
}

/// The suggestions as a program reads them.
fn told(machine: &Machine, tool: &str) -> Value {
    let (text, code) = machine.run(&["suggest", "--tool", tool, "--format", "json"]);
    assert_eq!(code, 0, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// What a unified diff makes of a text.
fn patched(text: &str, diff: &str) -> String {
    let mut rest = text.lines();
    let mut made = String::new();
    let mut line = 1;
    let mut put = |text: &str| {
        made.push_str(text);
        made.push('\n');
    };
    for change in diff.lines().skip(2) {
        let (sign, text) = change.split_at(1);
        match sign {
            "@" => {
                let start = change.split(['-', ',']).nth(1).unwrap();
                let start: usize = start.parse().unwrap();
                while line < start {
                    put(rest.next().unwrap());
                    line += 1;
                }
            }
            "+" => put(text),
            _ => {
                assert_eq!(rest.next(), Some(text));
                line += 1;
                if sign == " " {
                    put(text);
                }
            }
        }
    }
    rest.for_each(put);
    made
}

fn read(path: &str) -> Value {
    json!({ "path": path })
}

#[test]
fn rules_are_suggested_from_what_a_person_allowed() {
    let machine = Machine::new();
    let calls = [
        ("read", read("docs/api/a.md"), "allowed"),
        ("read", read("docs/api/b.md"), "allowed"),
        ("read", read("docs/c.md"), "allowed"),
        ("read", read("docs/private/d.md"), "refused"),
        ("shell", json!({ "command": "ls" }), "allowed"),
    ];
    recorded(&machine, &calls);
    expect![[r#"
        read: 4 of 4 recorded calls needed a person; refused: 1
        asked about today: 3 that a person allowed, and 0 that ran with nobody on record who allowed them

        1. { arg = "/path", enum = ["docs/api/a.md", "docs/api/b.md", "docs/c.md"], mode = "unattended" }
           covers every call whose `path` is one of `docs/api/a.md`, `docs/api/b.md`, `docs/c.md`, unless an earlier rule decides
           would have answered 3 of 3 approvals
           checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
           goes before rule 3 (.jp/config.toml:21)

        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -19,4 +19,5 @@
             { arg = "/path", prefix = "src", mode = "unattended" },
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", enum = ["docs/api/a.md", "docs/api/b.md", "docs/c.md"], mode = "unattended" },
             { mode = "ask" },
         ]

        2. { arg = "/path", prefix = "docs/api", mode = "unattended" }
           covers every call whose `path` lies in `docs/api`, unless an earlier rule decides
           would have answered 2 of 3 approvals
           also lets run {"path":"docs/api/any/other/file"}
           also lets run {"path":"docs/api/x"}
           checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
           goes before rule 3 (.jp/config.toml:21)

        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -19,4 +19,5 @@
             { arg = "/path", prefix = "src", mode = "unattended" },
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", prefix = "docs/api", mode = "unattended" },
             { mode = "ask" },
         ]

        3. { arg = "/path", const = "docs/api/a.md", mode = "unattended" }
           covers every call whose `path` is `docs/api/a.md`, unless an earlier rule decides
           would have answered 1 of 3 approvals
           checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
           goes before rule 3 (.jp/config.toml:21)

        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -19,4 +19,5 @@
             { arg = "/path", prefix = "src", mode = "unattended" },
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", const = "docs/api/a.md", mode = "unattended" },
             { mode = "ask" },
         ]

        4. { arg = "/path", const = "docs/api/b.md", mode = "unattended" }
           covers every call whose `path` is `docs/api/b.md`, unless an earlier rule decides
           would have answered 1 of 3 approvals
           checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
           goes before rule 3 (.jp/config.toml:21)

        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -19,4 +19,5 @@
             { arg = "/path", prefix = "src", mode = "unattended" },
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", const = "docs/api/b.md", mode = "unattended" },
             { mode = "ask" },
         ]

        withheld: { arg = "/path", prefix = "docs", mode = "unattended" }
           it would let a call run that was refused or edited: {"path":"docs/private/d.md"}
    "#]].assert_eq(&suggested(&machine, "read"));
    expect![[r#"
        shell: 1 of 1 recorded calls needed a person; refused: 0
        asked about today: 1 that a person allowed, and 0 that ran with nobody on record who allowed them

        1. { arg = "/command", const = "ls", mode = "unattended" }
           covers every call whose `command` is `ls`
           would have answered 1 of 1 approvals
           checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
           goes before rule 1 (.jp/config.toml:6)

        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -24,4 +24,8 @@
         [conversation.tools.shell]
         source = "local"
        +policy.run = [
        +    { arg = "/command", const = "ls", mode = "unattended" },
        +    { mode = "ask" },
        +]
         command = { program = "printf", args = ["shell"] }
         parameters.command = { type = "string" }
    "#]].assert_eq(&suggested(&machine, "shell"));
}

#[test]
fn programs_read_suggestions_as_json() {
    let machine = Machine::new();
    let calls = [
        ("read", read("docs/a.md"), "allowed"),
        ("read", read("docs/a.md"), "refused"),
        ("read", read("notes"), "allowed"),
    ];
    recorded(&machine, &calls);
    let told = told(&machine, "read");
    expect![[r#"
        {
          "tool": "read",
          "calls": 3,
          "prompts": 3,
          "approvals": 2,
          "unrecorded": 0,
          "refusals": 1,
          "suggestions": [
            {
              "rule": {
                "arg": "/path",
                "const": "notes",
                "mode": "unattended"
              },
              "toml": "{ arg = \"/path\", const = \"notes\", mode = \"unattended\" }",
              "covers": "every call whose `path` is `notes`, unless an earlier rule decides",
              "answers": {
                "approvals": 1,
                "unrecorded": 0,
                "others": 0
              },
              "admits": [],
              "position": 2,
              "before": {
                "index": 2,
                "path": ".jp/config.toml",
                "line": 21
              },
              "checked": [
                "refusals",
                "scope",
                "reachable",
                "hazards",
                "protected"
              ],
              "change": {
                "path": ".jp/config.toml",
                "diff": "--- a/.jp/config.toml\n+++ b/.jp/config.toml\n@@ -19,4 +19,5 @@\n     { arg = \"/path\", prefix = \"src\", mode = \"unattended\" },\n     { arg = \"/path\", prefix = \"secrets\", mode = \"skip\" },\n+    { arg = \"/path\", const = \"notes\", mode = \"unattended\" },\n     { mode = \"ask\" },\n ]\n"
              }
            }
          ],
          "withheld": []
        }"#]].assert_eq(&serde_json::to_string_pretty(&told).unwrap());
}

#[test]
fn a_suggestion_that_is_written_checks_clean_and_answers() {
    let list = r#"policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "secrets", mode = "skip" },
    { mode = "ask" },
]"#;
    let tables = r#"
[[conversation.tools.read.policy.run]]
arg = "/path"
prefix = "src"
mode = "unattended"

[[conversation.tools.read.policy.run]]
mode = "ask"
"#;
    let forms = [
        ("its own list", list),
        ("on one line", r#"policy.run = [{ mode = "ask" }]"#),
        (
            "without an end",
            r#"policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }]"#,
        ),
        ("empty", "policy.run = []"),
        ("tables", tables),
        ("a mode", "run = \"ask\""),
        ("a mode as policy", "policy.run = \"ask\""),
        ("the defaults", "summary = \"Reads.\""),
    ];
    let mut shown = String::new();
    for (name, form) in forms {
        let machine = Machine::new();
        let config = CONFIG.replace(list, form);
        machine.write("workspace/.jp/config.toml", &config);
        recorded(
            &machine,
            &[
                ("read", read("docs/a.md"), "allowed"),
                ("read", read("docs/b.md"), "allowed"),
            ],
        );
        let (before, _) = machine.run(&["check"]);
        let offered = told(&machine, "read");
        let offers = offered
            .pointer("/suggestions")
            .and_then(Value::as_array)
            .unwrap();
        assert!(!offers.is_empty(), "{name}: {offered}");
        for offer in offers {
            let diff = offer.pointer("/change/diff").and_then(Value::as_str);
            let diff = diff.unwrap_or_else(|| panic!("{name}: {offer}"));
            machine.write("workspace/.jp/config.toml", &patched(&config, diff));
            let (after, _) = machine.run(&["check"]);
            assert!(
                after.lines().count() <= before.lines().count(),
                "{name}: {before}{after}"
            );
            let again = told(&machine, "read");
            let left = again.pointer("/approvals").and_then(Value::as_u64).unwrap();
            let answered = offer
                .pointer("/answers/approvals")
                .and_then(Value::as_u64)
                .unwrap();
            assert_eq!(left + answered, 2, "{name}");
        }
        let diff = offers.first().unwrap().pointer("/change/diff").unwrap();
        // An expectation cannot hold the blank that stands for an empty line of context.
        let diff = diff.as_str().unwrap().replace("\n \n", "\n\n");
        shown.push_str(&format!("== {name}\n{diff}"));
    }
    expect![[r#"
        == its own list
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -19,4 +19,5 @@
             { arg = "/path", prefix = "src", mode = "unattended" },
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" },
             { mode = "ask" },
         ]
        == on one line
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -16,5 +16,5 @@
         command = { program = "printf", args = ["read"] }
         parameters.path = { type = "path", required = true }
        -policy.run = [{ mode = "ask" }]
        +policy.run = [{ arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" }, { mode = "ask" }]
 
         [conversation.tools.shell]
        == without an end
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -16,5 +16,5 @@
         command = { program = "printf", args = ["read"] }
         parameters.path = { type = "path", required = true }
        -policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }]
        +policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" }]
 
         [conversation.tools.shell]
        == empty
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -16,5 +16,5 @@
         command = { program = "printf", args = ["read"] }
         parameters.path = { type = "path", required = true }
        -policy.run = []
        +policy.run = [{ arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" }]
 
         [conversation.tools.shell]
        == tables
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -23,4 +23,9 @@
 
         [[conversation.tools.read.policy.run]]
        +arg = "/path"
        +enum = ["docs/a.md", "docs/b.md"]
        +mode = "unattended"
        +
        +[[conversation.tools.read.policy.run]]
         mode = "ask"
 
        == a mode
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -16,5 +16,8 @@
         command = { program = "printf", args = ["read"] }
         parameters.path = { type = "path", required = true }
        -run = "ask"
        +policy.run = [
        +    { arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" },
        +    { mode = "ask" },
        +]
 
         [conversation.tools.shell]
        == a mode as policy
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -16,5 +16,8 @@
         command = { program = "printf", args = ["read"] }
         parameters.path = { type = "path", required = true }
        -policy.run = "ask"
        +policy.run = [
        +    { arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" },
        +    { mode = "ask" },
        +]
 
         [conversation.tools.shell]
        == the defaults
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -14,4 +14,8 @@
         [conversation.tools.read]
         source = "local"
        +policy.run = [
        +    { arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" },
        +    { mode = "ask" },
        +]
         command = { program = "printf", args = ["read"] }
         parameters.path = { type = "path", required = true }
    "#]].assert_eq(&shown);
}

#[test]
fn protected_files_are_no_part_of_a_suggestion() {
    let machine = Machine::new();
    machine.write("workspace/lib/vendored/.git/config", "");
    let calls = [
        ("read", read("lib/a.rs"), "allowed"),
        ("read", read("lib/b.rs"), "allowed"),
        ("read", read(".envrc"), "allowed"),
        ("read", read(".envrc"), "allowed"),
    ];
    recorded(&machine, &calls);
    expect![[r#"
        read: 4 of 4 recorded calls needed a person; refused: 0
        asked about today: 4 that a person allowed, and 0 that ran with nobody on record who allowed them

        1. { arg = "/path", const = "lib/a.rs", mode = "unattended" }
           covers every call whose `path` is `lib/a.rs`, unless an earlier rule decides
           would have answered 1 of 4 approvals
           checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
           goes before rule 3 (.jp/config.toml:21)

        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -19,4 +19,5 @@
             { arg = "/path", prefix = "src", mode = "unattended" },
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", const = "lib/a.rs", mode = "unattended" },
             { mode = "ask" },
         ]

        withheld: { arg = "/path", enum = [".envrc", "lib/a.rs", "lib/b.rs"], mode = "unattended" }
           it would let a call reach `.envrc`: {"path":".envrc"}

        withheld: { arg = "/path", const = ".envrc", mode = "unattended" }
           it would let a call reach `.envrc`: {"path":".envrc"}

        withheld: { arg = "/path", prefix = "lib", mode = "unattended" }
           it would let a call reach `lib/vendored/.git/any`: {"path":"lib/vendored/.git/any"}
    "#]].assert_eq(&suggested(&machine, "read"));
}

#[test]
fn what_cannot_be_said_in_one_line_is_withheld_and_shortened() {
    let machine = Machine::new();
    let command = format!("echo '\u{1b}[2J\u{202e}\n{}'", "long ".repeat(100));
    recorded(
        &machine,
        &[("shell", json!({ "command": command }), "allowed")],
    );
    expect![[r#"
        shell: 1 of 1 recorded calls needed a person; refused: 0
        asked about today: 1 that a person allowed, and 0 that ran with nobody on record who allowed them
        nothing to suggest

        withheld: { arg = "/command", const = "echo '\u001b[2J\u{202e}\nlong long long long long long long long long long long long long long long long long long long long long l…
           what it covers cannot be said in one line
    "#]].assert_eq(&suggested(&machine, "shell"));
}

#[test]
fn nothing_to_suggest_is_no_error_and_no_tool_is_one() {
    let machine = Machine::new();
    expect![[r#"
        read: 0 of 0 recorded calls needed a person; refused: 0
        asked about today: 0 that a person allowed, and 0 that ran with nobody on record who allowed them
        nothing to suggest
    "#]].assert_eq(&suggested(&machine, "read"));
    let (text, code) = machine.run(&["suggest", "--tool", "raed"]);
    assert_eq!(code, 2);
    expect![[r#"
        jp-lsp: no tool `raed` is configured; did you mean `read`?
    "#]]
    .assert_eq(&text);
}
