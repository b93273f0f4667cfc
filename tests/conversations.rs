//! Conversations through the real binary: our own, those that `jp` keeps, and the way between them.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

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
name = "Ada"

[conversation.tools.'*'.policy]
run = "unattended"

[conversation.tools.describe_tools]
enable = false

[conversation.tools.ask_user]
enable = false

[conversation.tools.rename]
source = "local"
command = { program = "printf", args = ['{"type":"success","content":"Done.","config":{"assistant":{"name":"Eve"},"conversation":{"tools":{"rename":{"policy":{"result":"ask"}}}}}}'] }
parameters.path = { type = "path" }
policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "unattended" }]

[[conversation.tools.rename.access.config]]
path = "assistant.name"
write = true
apply = "unattended"

[[conversation.tools.rename.access.config]]
path = "conversation.tools.rename.policy"
write = true
apply = "unattended"

[[conversation.tools.rename.access.net]]
host = "docs.rs"
allow = true

[[conversation.tools.rename.access.env]]
name = "HOME"
read = true
"#;

const SCRIPT: &str = r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "rename" } }]]

[[cycles]]
batches = [[{ text = "It is done." }]]
"#;

const WORDS: &str = r#"
[[cycles]]
batches = [[{ text = "I go on." }]]
"#;

impl Machine {
    fn new(config: &str) -> Self {
        let machine = Self {
            home: tempfile::tempdir().unwrap(),
        };
        machine.write("workspace/.jp/config.toml", config);
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

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(program())
            .args(arguments)
            .env("JP_GLOBAL_CONFIG_DIR", self.path("none"))
            .env("JP_LSP_DATA_DIR", self.path("data"))
            .env("XDG_DATA_HOME", self.path("xdg"))
            .env("HOME", self.home.path())
            .env("JP_LSP_TEST_SCRIPT", self.path("script.toml"))
            .current_dir(self.path("workspace"))
            .output()
            .unwrap()
    }

    fn said(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{arguments:?}: {errors}{said}");
        said
    }

    /// Asks, and answers the conversation's id.
    fn query(&self, script: &str, arguments: &[&str]) -> String {
        self.write("script.toml", script);
        let fixed = ["query", "--trust", "--non-interactive", "--format", "json"];
        let lines = self.said(&[&fixed, arguments].concat());
        let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        first
            .get("conversation")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned()
    }

    fn json(&self, path: &Path) -> Value {
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    }
}

#[test]
fn an_export_loads_in_the_released_jp_whatever_the_workspace_uses() {
    let machine = Machine::new(CONFIG);
    let id = machine.query(SCRIPT, &["Rename it."]);
    let output = machine.run(&["conversation", "export", &id, "--to-jp", "exported"]);
    assert_eq!(output.status.code(), Some(0));
    let directory = String::from_utf8(output.stdout).unwrap();
    let directory = Path::new(directory.trim_end());
    let base = machine.json(&directory.join("base_config.json"));
    expect![[r#"
        {
          "assistant": {
            "model": {
              "id": "test/model"
            },
            "name": "Ada"
          },
          "conversation": {
            "tools": {
              "*": {
                "run": "unattended"
              },
              "describe_tools": {
                "enable": {
                  "state": false,
                  "allow_toggle": "any"
                },
                "source": "builtin"
              },
              "rename": {
                "source": "local",
                "command": {
                  "program": "printf",
                  "args": [
                    "{\"type\":\"success\",\"content\":\"Done.\",\"config\":{\"assistant\":{\"name\":\"Eve\"},\"conversation\":{\"tools\":{\"rename\":{\"policy\":{\"result\":\"ask\"}}}}}}"
                  ]
                },
                "parameters": {
                  "path": {
                    "type": "string"
                  }
                },
                "access": {},
                "run": "ask"
              }
            }
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&base).unwrap());
    let events = machine.json(&directory.join("events.json"));
    let delta = events
        .as_array()
        .unwrap()
        .iter()
        .find(|event| event["type"] == "config_delta");
    expect![[
        r#"{"assistant":{"name":"Eve"},"conversation":{"tools":{"rename":{"result":"ask"}}}}"#
    ]]
    .assert_eq(&delta.unwrap()["delta"].to_string());
    expect![[r#"
        jp-lsp: written as "unattended": conversation.tools.*.run: it stands for `policy.run`, which the released `jp` does not know
        jp-lsp: written as "ask": conversation.tools.rename.run: it stands for `policy.run`, which the released `jp` does not know
        jp-lsp: left out: conversation.tools.*.policy: the released `jp` does not know it
        jp-lsp: written as "string": conversation.tools.rename.parameters.path.type: the released `jp` does not know `path`
        jp-lsp: left out: conversation.tools.rename.policy: the released `jp` does not know it
        jp-lsp: left out: conversation.tools.rename.access.config: the released `jp` does not know it
        jp-lsp: left out: conversation.tools.rename.access.net: the released `jp` does not know it
        jp-lsp: left out: conversation.tools.rename.access.env: the released `jp` does not know it
        jp-lsp: written as "ask": conversation.tools.rename.result: it stands for `policy.result`, which the released `jp` does not know
        jp-lsp: left out: conversation.tools.rename.policy: the released `jp` does not know it
        jp-lsp: written as "builtin": conversation.tools.describe_tools.source: the released `jp` requires it
        jp-lsp: left out: conversation.tools.ask_user: missing required value for `conversation.tools.ask_user.source`
    "#]].assert_eq(&String::from_utf8(output.stderr).unwrap());
    // What a workspace of its own with this config would have to say.
    machine.write("workspace/.jp/config.toml", "");
    machine.write("workspace/.jp.json", &base.to_string());
    let said = machine.said(&["check", "--dialect", "released", "--deny", "warnings"]);
    assert_eq!(said, "0 errors, 0 warnings\n");
}

#[test]
fn a_conversation_without_a_config_is_exported_with_what_is_required() {
    let machine = Machine::new("assistant.name = 3\n");
    machine.write("script.toml", WORDS);
    let failed = machine.run(&["query", "--trust", "--non-interactive", "Hello."]);
    assert_eq!(failed.status.code(), Some(1));
    let list = machine.said(&["conversation", "list"]);
    let id = list.split_whitespace().next().unwrap();
    let directory = machine.said(&["conversation", "export", id, "--to-jp", "exported"]);
    let base = machine.json(&Path::new(directory.trim_end()).join("base_config.json"));
    assert_eq!(
        base,
        json!({
            "conversation": { "tools": { "*": { "run": "ask" } } },
            "assistant": { "model": { "id": "no-model-was-set" } },
        })
    );
}

/// A conversation as `jp` keeps it.
fn keep(machine: &Machine, directory: &str, title: &str) {
    let write = |name: &str, value: Value| {
        machine.write(&format!("{directory}/{name}"), &value.to_string());
    };
    write(
        "metadata.json",
        json!({ "title": title, "last_activated_at": "2026-04-10 17:03:38.7" }),
    );
    write(
        "base_config.json",
        json!({
            "assistant": { "model": { "id": { "provider": "anthropic", "name": "opus" } } },
            "conversation": { "tools": { "*": { "run": "ask" } } },
        }),
    );
    write(
        "events.json",
        json!([
            { "timestamp": "2026-04-10 17:03:38.7", "type": "turn_start" },
            { "timestamp": "2026-04-10 17:03:38.8", "type": "chat_request", "content": "Who are you?" },
            { "timestamp": "2026-04-10 17:03:39.0", "type": "chat_response", "message": "I am Ada." },
        ]),
    );
}

#[test]
fn a_conversation_of_jp_is_listed_shown_continued_and_exported() {
    let machine = Machine::new(CONFIG);
    let original = "workspace/.jp/conversations/17758406187-who";
    keep(&machine, original, "Who\u{1b} are you");
    machine.write("workspace/.jp/.id", "abc12\n");
    let private = "xdg/jp/workspace/any-name-abc12/conversations/17758406200";
    keep(&machine, private, "In private");
    expect![[r#"
        jp-c17758406200  2026-04-10 17:03:38.7  In private (kept by jp)
        jp-c17758406187  2026-04-10 17:03:38.7  Who␛ are you (kept by jp)
    "#]]
    .assert_eq(&machine.said(&["conversation", "list"]));
    expect![[r#"
        ## Turn 1

        ### User

        > Who are you?

        ### Assistant

        > I am Ada.
    "#]]
    .assert_eq(&machine.said(&["conversation", "show", "jp-c17758406200"]));

    let before = fs::read(machine.path(original).join("events.json")).unwrap();
    let copy = machine.query(
        WORDS,
        &["--conversation", "jp-c17758406187", "And who am I?"],
    );
    assert_ne!(copy, "jp-c17758406187");
    let shown = machine.said(&["conversation", "show", &copy]);
    expect![[r#"
        ## Turn 1

        ### User

        > Who are you?

        ### Assistant

        > I am Ada.

        ## Turn 2

        ### User

        > And who am I?

        ### Assistant

        > I go on.
    "#]]
    .assert_eq(&shown);
    let after = fs::read(machine.path(original).join("events.json")).unwrap();
    assert_eq!(after, before);
    let names = fs::read_dir(machine.path("workspace/.jp/conversations")).unwrap();
    assert_eq!(names.count(), 1);

    let exported = machine.said(&["conversation", "export", "17758406200", "--to-jp", "out"]);
    assert!(
        exported.trim_end().ends_with("out/17758406200-in-private"),
        "{exported}"
    );
    let events = Path::new(exported.trim_end()).join("events.json");
    assert_eq!(
        machine.json(&events),
        machine.json(&machine.path(private).join("events.json"))
    );
}

#[test]
fn a_turn_that_comes_to_nothing_leaves_no_copy_of_a_conversation_of_jp() {
    let list = "jp-c17758406187  2026-04-10 17:03:38.7  Who are you (kept by jp)\n";
    let query = [
        "query",
        "--non-interactive",
        "--conversation",
        "jp-c17758406187",
    ];
    let hostile = format!("{CONFIG}\n[providers.mcp.evil]\ntype = \"stdio\"\ncommand = \"sh\"\n");
    let keyless = CONFIG.replace("test/model", "anthropic/claude-opus-4-1");
    let failing = "[[cycles]]\nbatches = []\nerror = { message = \"no\" }\n";
    for (what, config, script, words, code) in [
        (
            "refused config",
            "assistant.name = 3\n",
            WORDS,
            ["--trust", "Who?"].as_slice(),
            1,
        ),
        ("no key", &keyless, WORDS, &["--trust", "Who?"], 1),
        ("no model", CONFIG, failing, &["--trust", "Who?"], 1),
        ("no trust", &hostile, WORDS, &["Who?"], 2),
        (
            "a change",
            CONFIG,
            failing,
            &["--trust", "--cfg", "assistant.name=Eve", "Who?"],
            1,
        ),
    ] {
        let machine = Machine::new(config);
        keep(
            &machine,
            "workspace/.jp/conversations/17758406187-who",
            "Who are you",
        );
        machine.write("script.toml", script);
        let failed = machine.run(&[&query, words].concat());
        let error = String::from_utf8(failed.stderr).unwrap();
        assert_eq!(failed.status.code(), Some(code), "{what}: {error}");
        assert!(!error.contains("its copy"), "{what}: {error}");
        assert_eq!(machine.said(&["conversation", "list"]), list, "{what}");
    }
}

#[test]
fn a_copy_in_which_something_was_said_is_kept_when_the_turn_fails() {
    let machine = Machine::new(CONFIG);
    keep(
        &machine,
        "workspace/.jp/conversations/17758406187-who",
        "Who are you",
    );
    machine.write(
        "script.toml",
        "[[cycles]]\nbatches = [[{ text = \"I am\" }]]\nerror = { message = \"no\" }\n",
    );
    let failed = machine.run(&[
        "query",
        "--trust",
        "--non-interactive",
        "--conversation",
        "jp-c17758406187",
        "Who?",
    ]);
    assert_eq!(failed.status.code(), Some(1));
    let error = String::from_utf8(failed.stderr).unwrap();
    assert!(
        error.contains("`jp-c17758406187` belongs to jp and stays as it is; its copy"),
        "{error}"
    );
    let list = machine.said(&["conversation", "list"]);
    assert_eq!(list.lines().count(), 2, "{list}");
}

#[test]
fn an_exported_conversation_is_listed_once() {
    let machine = Machine::new(CONFIG);
    let id = machine.query(WORDS, &["Hello there. How are you?"]);
    machine.said(&[
        "conversation",
        "export",
        &id,
        "--to-jp",
        ".jp/conversations",
    ]);
    let list = machine.said(&["conversation", "list"]);
    assert_eq!(list.lines().count(), 1, "{list}");
    assert!(list.trim_end().ends_with("  Hello there"), "{list}");
}

#[test]
fn the_config_can_say_that_there_are_no_titles() {
    let config = format!("{CONFIG}\n[conversation.title.generate]\nauto = false\n");
    let machine = Machine::new(&config);
    let id = machine.query(WORDS, &["Hello there. How are you?"]);
    let list = machine.said(&["conversation", "list"]);
    assert!(list.starts_with(&id) && !list.contains("Hello"), "{list}");
}

#[test]
fn a_conversation_that_is_nowhere_is_an_error() {
    let machine = Machine::new(CONFIG);
    for arguments in [
        ["conversation", "show", "jp-c17758406187"],
        ["conversation", "show", "nonsense"],
    ] {
        let output = machine.run(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn a_conversation_is_found_renamed_forked_and_deleted() {
    let machine = Machine::new(CONFIG);
    let id = machine.query(WORDS, &["Where is the date?"]);
    machine.query(WORDS, &["--conversation", &id, "And the time?"]);
    let ids = |said: &str| said.replace(&id, "<id>");
    assert_eq!(
        machine.said(&["conversation", "rename", &id, "Dates", "and times"]),
        "Dates and times\n"
    );
    let found = machine.said(&["conversation", "search", "time?"]);
    let found: Vec<&str> = found.lines().map(str::trim).collect();
    assert_eq!(found.get(1), Some(&"And the time?"));
    let fork = machine.said(&["conversation", "fork", &id, "--without-last", "1"]);
    let fork = fork.trim();
    assert_eq!(
        machine
            .said(&["conversation", "show", fork])
            .matches("## Turn")
            .count(),
        1
    );
    let refused = machine.run(&["conversation", "fork", &id, "--without-last", "9"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(
        ids(&String::from_utf8(refused.stderr).unwrap()),
        "jp-lsp: `<id>` has 2 turns, and no more can be left out\n"
    );
    assert_eq!(machine.said(&["conversation", "delete", &id]), "");
    assert_eq!(machine.said(&["conversation", "list"]).lines().count(), 1);

    keep(
        &machine,
        "workspace/.jp/conversations/17758406187-who",
        "Who",
    );
    for words in [
        &["conversation", "delete", "jp-c17758406187"][..],
        &["conversation", "rename", "jp-c17758406187", "x"],
    ] {
        let refused = machine.run(words);
        assert_eq!(
            String::from_utf8(refused.stderr).unwrap(),
            "jp-lsp: `jp-c17758406187` belongs to jp and stays as it is\n"
        );
    }
}
