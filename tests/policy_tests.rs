//! Examples beside rules, `jp-lsp test`, through the real binary.
//!
//! One file: every case is a run in the same workspace.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]
#![cfg(unix)]

mod program;

use std::{fs, process::Command};

use camino::Utf8PathBuf;
use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::Value;
use tempfile::TempDir;

use program::program;

const CONFIG: &str = r#"
[conversation.tools.'*']
run = "ask"

[conversation.tools.edit]
source = "local"
command = "edit"
parameters.path = { type = "path", required = true }
parameters.line = { type = "integer" }
policy.run = [
    { arg = "/path", prefix = "secret", mode = "skip" },
    { arg = "/path", prefix = "src", mode = "unattended" },
    { mode = "ask" },
]
policy.result = "ask"
access.fs = [{ path = "src", read = true }]
access.net = [{ host = "example.org", allow = true }]
access.env = [{ name = "HOME", read = true }]
access.config = [{ path = "assistant.name", write = true }]
"#;

/// A workspace with a link from `src` to `secret`, and examples.
struct Workspace {
    home: TempDir,
}

impl Workspace {
    fn new(config: &str) -> Self {
        let made = Self {
            home: tempfile::tempdir().unwrap(),
        };
        for directory in [".jp", "src", "secret"] {
            fs::create_dir_all(made.root().join(directory)).unwrap();
        }
        std::os::unix::fs::symlink("../secret", made.root().join("src/link")).unwrap();
        fs::write(made.root().join(".jp/config.toml"), config).unwrap();
        made
    }

    fn with(examples: &str) -> Self {
        let made = Self::new(CONFIG);
        fs::write(made.root().join(".jp/policy.tests.toml"), examples).unwrap();
        made
    }

    fn root(&self) -> Utf8PathBuf {
        let home = Utf8PathBuf::from_path_buf(self.home.path().canonicalize().unwrap());
        home.unwrap().join("w")
    }

    /// What standard output, standard error and the exit code say.
    fn said(&self, arguments: &[&str]) -> (String, String, i32) {
        let output = Command::new(program())
            .args(arguments)
            .env("JP_GLOBAL_CONFIG_DIR", self.home.path().join("none"))
            .env("JP_LSP_DATA_DIR", self.home.path().join("data"))
            .env("HOME", self.home.path())
            .current_dir(self.root().join("src"))
            .output()
            .unwrap();
        let shown = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(self.root().as_str(), "<root>")
        };
        let code = output.status.code().unwrap();
        (shown(output.stdout), shown(output.stderr), code)
    }

    fn check(&self, arguments: &[&str], expected: &Expect) {
        let (output, error, code) = self.said(arguments);
        expected.assert_eq(&format!("{output}{error}exit {code}\n"));
    }
}

const HOLDING: &str = r#"[[case]]
name = "secrets are never read, not even through a link"
tool = "edit"
call = { path = "src/link/key" }
run = "skip"
result = "ask"
rule = 1

[[case]]
tool = "edit"
call = { path = "src/a" }
run = "unattended"

[[case]]
tool = "edit"
call = { path = "../x" }
run = "ask"
rule = 3

[[case]]
tool = "edit"
fs = { capability = "read", path = "src/a" }
allowed = true
rule = 1

[[case]]
tool = "edit"
fs = { capability = "read", path = "src/link/key" }
allowed = false
rule = 0

[[case]]
tool = "edit"
net = "https://example.org/a"
allowed = true

[[case]]
tool = "edit"
env = "PATH"
allowed = false

[[case]]
tool = "edit"
config = { capability = "write", path = "assistant.name" }
allowed = true
"#;

#[test]
fn examples_that_hold_are_told_one_by_one() {
    Workspace::with(HOLDING).check(
        &["test"],
        &expect![[r#"
        .jp/policy.tests.toml:1: holds: secrets are never read, not even through a link
        .jp/policy.tests.toml:9: holds: edit {"path":"src/a"}
        .jp/policy.tests.toml:14: holds: edit {"path":"../x"}
        .jp/policy.tests.toml:20: holds: edit fs read src/a
        .jp/policy.tests.toml:26: holds: edit fs read src/link/key
        .jp/policy.tests.toml:32: holds: edit net https://example.org/a
        .jp/policy.tests.toml:37: holds: edit env PATH
        .jp/policy.tests.toml:42: holds: edit config write assistant.name
        8 of 8 hold
        exit 0
    "#]],
    );
}

#[test]
fn an_example_that_fails_says_what_is_decided_and_where() {
    let workspace = Workspace::with(
        r#"[[case]]
name = "the right mode by another rule"
tool = "edit"
call = { path = "src/a" }
run = "unattended"
rule = 3

[[case]]
tool = "edit"
call = { path = "secret/a", line = 3 }
run = "ask"
result = "skip"

[[case]]
tool = "edit"
fs = { capability = "read", path = "secret/a" }
allowed = true

[[case]]
tool = "edit"
env = "HOME"
allowed = true
rule = "fallback"

[[case]]
tool = "edit"
call = { path = "src/a" }
run = "unattended"
"#,
    );
    workspace.check(
        &["test"],
        &expect![[r#"
        .jp/policy.tests.toml:1: fails: the right mode by another rule
          run: expected `unattended` by rule 3, decided `unattended` by rule 2 at .jp/config.toml:12
        .jp/policy.tests.toml:8: fails: edit {"path":"secret/a","line":3}
          run: expected `ask`, decided `skip` by rule 1 at .jp/config.toml:11
          result: expected `skip`, decided `ask` by rule 1 at .jp/config.toml:15
        .jp/policy.tests.toml:14: fails: edit fs read secret/a
          allowed: expected `allowed`, decided `not allowed` by no rule
        .jp/policy.tests.toml:19: fails: edit env HOME
          allowed: expected `allowed` by no rule, decided `allowed` by rule 1 at .jp/config.toml:18
        .jp/policy.tests.toml:25: holds: edit {"path":"src/a"}
        1 of 5 hold
        exit 1
    "#]],
    );
    workspace.check(&["test", "--format", "junit"], &expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="jp-lsp test" tests="5" failures="4">
          <testsuite name=".jp/policy.tests.toml" tests="5" failures="4">
            <testcase classname="edit" name="the right mode by another rule" file=".jp/policy.tests.toml" line="1">
              <failure type="failure" message="run: expected `unattended` by rule 3, decided `unattended` by rule 2 at .jp/config.toml:12">.jp/policy.tests.toml:1: run: expected `unattended` by rule 3, decided `unattended` by rule 2 at .jp/config.toml:12</failure>
            </testcase>
            <testcase classname="edit" name="edit {&quot;path&quot;:&quot;secret/a&quot;,&quot;line&quot;:3}" file=".jp/policy.tests.toml" line="8">
              <failure type="failure" message="run: expected `ask`, decided `skip` by rule 1 at .jp/config.toml:11; result: expected `skip`, decided `ask` by rule 1 at .jp/config.toml:15">.jp/policy.tests.toml:8: run: expected `ask`, decided `skip` by rule 1 at .jp/config.toml:11&#10;result: expected `skip`, decided `ask` by rule 1 at .jp/config.toml:15</failure>
            </testcase>
            <testcase classname="edit" name="edit fs read secret/a" file=".jp/policy.tests.toml" line="14">
              <failure type="failure" message="allowed: expected `allowed`, decided `not allowed` by no rule">.jp/policy.tests.toml:14: allowed: expected `allowed`, decided `not allowed` by no rule</failure>
            </testcase>
            <testcase classname="edit" name="edit env HOME" file=".jp/policy.tests.toml" line="19">
              <failure type="failure" message="allowed: expected `allowed` by no rule, decided `allowed` by rule 1 at .jp/config.toml:18">.jp/policy.tests.toml:19: allowed: expected `allowed` by no rule, decided `allowed` by rule 1 at .jp/config.toml:18</failure>
            </testcase>
            <testcase classname="edit" name="edit {&quot;path&quot;:&quot;src/a&quot;}" file=".jp/policy.tests.toml" line="25"/>
          </testsuite>
        </testsuites>
        exit 1
    "#]]);
    let (json, _, code) = workspace.said(&["test", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(code, 1);
    assert_eq!((&json["total"], &json["held"]), (&5.into(), &1.into()));
    expect![[r#"
        {
          "name": null,
          "title": "edit env HOME",
          "tool": "edit",
          "question": "env",
          "path": ".jp/policy.tests.toml",
          "line": 19,
          "holds": false,
          "checks": [
            {
              "aspect": "allowed",
              "holds": false,
              "expected": {
                "allowed": true,
                "rule": "fallback"
              },
              "message": "expected `allowed` by no rule, decided `allowed` by rule 1 at .jp/config.toml:18",
              "decided": {
                "allowed": true,
                "rule": {
                  "number": 1,
                  "path": ".jp/config.toml",
                  "line": 18
                }
              }
            }
          ]
        }
    "#]].assert_eq(&format!("{:#}\n", json["cases"][3]));
}

#[test]
fn every_mistake_is_told_at_once_with_its_place() {
    let workspace = Workspace::with(
        r#"cases = 1
[[case]]
tool = "edti"
call = { path = "a" }
run = "ask"

[[case]]
tool = "edit"
call = { paht = "a", line = "x", when = 2026-01-01 }
run = "aks"
rule = -1

[[case]]
tool = "edit"
call = { paht = "a", line = "x", zzz = 1 }
run = "ask"

[[case]]
tool = "edit"
fs = { capability = "write", pth = "a" }
allowed = "yes"
resutl = "ask"

[[case]]
name = 3
call = "src/a"
env = "HOME"

[[case]]
tool = "nothing-like-it"
net = "https://"
run = "ask"

[[case]]
tool = "edit"
net = "no address"
allowed = true

[[case]]
tool = "edit"
config = { capability = "write", path = "asistant.name" }
allowed = true

[[case]]
tool = "edit

[[case]]
"#,
    );
    workspace.check(&["test"], &expect![[r#"
        .jp/policy.tests.toml:1:1: error: unknown key `cases`: a file of examples has nothing but `[[case]]` tables
        .jp/policy.tests.toml:3:8: error: no tool `edti` is configured; did you mean `edit`?
        .jp/policy.tests.toml:9:41: error: JSON has no dates, so no call can have one: write it as a text, `"2026-01-01"`
        .jp/policy.tests.toml:10:7: error: unknown mode `aks`, did you mean `ask`?
        .jp/policy.tests.toml:11:8: error: `rule` is the number of the rule that decides, counted from 1: write `rule = 2`, or `rule = "fallback"` where none decides
        .jp/policy.tests.toml:15:8: error: missing argument `path`: `edit` requires it, so write `path = …`
        .jp/policy.tests.toml:15:17: error: unknown argument `paht`, did you mean `path`?
        .jp/policy.tests.toml:15:29: error: `line` must be integer, not string
        .jp/policy.tests.toml:15:40: error: unknown argument `zzz`: `edit` takes `path`, `line`
        .jp/policy.tests.toml:20:6: error: `fs` has no `path`: write `fs = { capability = "read", path = "src/lib.rs" }`
        .jp/policy.tests.toml:20:21: error: unknown capability `write`, expected one of `read`, `create`, `update`, `delete`, `execute`; in a rule `write` stands for `create`, `update` and `delete`: ask about one of them
        .jp/policy.tests.toml:20:30: error: unknown key `pth`, did you mean `path`?
        .jp/policy.tests.toml:21:11: error: `allowed` is `true` or `false`, without quotes
        .jp/policy.tests.toml:22:1: error: unknown key `resutl`, did you mean `result`?
        .jp/policy.tests.toml:24:1: error: this case has no `tool`: write the tool that is called, such as `tool = "fs_read_file"`
        .jp/policy.tests.toml:25:8: error: `name` is a text: write `name = "what this case shows"`
        .jp/policy.tests.toml:26:1: error: nothing is expected of this call: write `run = "ask"` or `result = "unattended"`, or both
        .jp/policy.tests.toml:26:8: error: `call` is a table of arguments: write `call = { path = "src/lib.rs" }`, or `call = {}` for none
        .jp/policy.tests.toml:27:1: error: a case asks one thing, and this one asks `call` already: give `env` a `[[case]]` of its own
        .jp/policy.tests.toml:31:1: error: nothing is expected of this `net`: write `allowed = true` or `allowed = false`
        .jp/policy.tests.toml:32:1: error: `run` goes with `call`: of `net` write `allowed = true` or `allowed = false`
        .jp/policy.tests.toml:36:7: error: `no address` is not an absolute URL (relative URL without a base); write one such as `https://example.com/path`
        .jp/policy.tests.toml:41:41: error: no config path `asistant.name`: there is no key `asistant`; did you mean `assistant`?
        .jp/policy.tests.toml:44:1: error: this case asks nothing: write `call = { … }` and `run = "ask"`, or one of `fs`, `net`, `env` and `config` and `allowed = true`
        .jp/policy.tests.toml:45:8: error: unclosed string: write `"` at its end
        .jp/policy.tests.toml:47:1: error: this case asks nothing: write `call = { … }` and `run = "ask"`, or one of `fs`, `net`, `env` and `config` and `allowed = true`
        .jp/policy.tests.toml:47:1: error: this case has no `tool`: write the tool that is called, such as `tool = "fs_read_file"`
        jp-lsp: 27 mistakes in `.jp/policy.tests.toml`, so nothing is tested
        exit 2
    "#]]);
    let (json, _, code) = workspace.said(&["test", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(code, 2);
    assert_eq!(json.get("holds"), Some(&Value::Bool(false)));
    let mistakes = json.get("mistakes").unwrap().as_array().unwrap();
    assert!(mistakes.len() > 10, "{mistakes:#?}");
    let (junit, _, code) = workspace.said(&["test", "--format", "junit"]);
    assert_eq!(code, 2);
    let failures = junit.matches("<failure type=\"error\"").count();
    assert_eq!(failures, mistakes.len());
}

#[test]
fn what_is_no_table_of_cases_is_a_mistake() {
    Workspace::with("[case]\ntool = \"edit\"\n").check(&["test"], &expect![[r#"
        .jp/policy.tests.toml:1:2: error: `case` is a list of tables: write `[[case]]`, with two brackets
        jp-lsp: 1 mistake in `.jp/policy.tests.toml`, so nothing is tested
        exit 2
    "#]]);
    Workspace::with("case = [1]\n").check(
        &["test"],
        &expect![[r#"
        .jp/policy.tests.toml:1:9: error: a case is a table: write `[[case]]`, and its keys below it
        jp-lsp: 1 mistake in `.jp/policy.tests.toml`, so nothing is tested
        exit 2
    "#]],
    );
    Workspace::with("").check(
        &["test"],
        &expect![[r#"
        0 of 0 hold
        exit 0
    "#]],
    );
}

#[test]
fn a_file_that_is_not_there_and_bad_usage_exit_with_two() {
    let workspace = Workspace::new(CONFIG);
    workspace.check(&["test"], &expect![[r#"
        jp-lsp: no examples: `<root>/.jp/policy.tests.toml` does not exist; write what you expect into it, such as `[[case]]` with `tool = "NAME"`, `call = { path = "src" }` and `run = "ask"`
        exit 2
    "#]]);
    workspace.check(
        &["test", "nowhere"],
        &expect![[r#"
        jp-lsp: `nowhere` is no directory: name the workspace, or a directory in it
        exit 2
    "#]],
    );
    let (_, _, code) = workspace.said(&["test", "--format", "sarif"]);
    assert_eq!(code, 2);
    let (_, _, code) = workspace.said(&["test", "..", "--workspace", ".."]);
    assert_eq!(code, 2);
    let path = workspace.root().join(".jp/policy.tests.toml");
    fs::write(&path, b"name = \"\xff\"\n").unwrap();
    workspace.check(
        &["test"],
        &expect![[r#"
        jp-lsp: `<root>/.jp/policy.tests.toml` cannot be read: the file is not valid UTF-8 (byte 8)
        exit 2
    "#]],
    );
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    workspace.check(&["test"], &expect![[r#"
        jp-lsp: `<root>/.jp/policy.tests.toml` cannot be read: the path is a directory, not a config file
        exit 2
    "#]]);
}

#[test]
fn a_workspace_is_named_by_a_directory_or_an_option() {
    let workspace = Workspace::with(HOLDING);
    let here = workspace.said(&["test"]);
    assert_eq!(workspace.said(&["test", ".."]), here);
    assert_eq!(workspace.said(&["test", "--workspace", ".."]), here);
}

#[test]
fn rules_that_cannot_be_decided_with_fail_their_examples() {
    let workspace = Workspace::new(
        "[conversation.tools.edit]\nsource = \"local\"\ncommand = \"edit\"\nparameters.path.type = \"path\"\n\
         policy.run = [{ arg = \"/path\", prefix = 3, mode = \"ask\" }]\n",
    );
    fs::write(
        workspace.root().join(".jp/policy.tests.toml"),
        "[[case]]\ntool = \"edit\"\ncall.path = \"a\"\nrun = \"ask\"\n",
    )
    .unwrap();
    workspace.check(&["test"], &expect![[r#"
        .jp/policy.tests.toml:1: fails: edit {"path":"a"}
          run: expected `ask`, cannot be decided: the policy of `edit` cannot be used: rule 1: `prefix` on `/path` takes a string, not the number `3`
        0 of 1 hold
        jp-lsp: no turn starts with this config: tool `edit`, rule 1 of policy.run, .jp/config.toml:5: invalid type: integer `3`, expected a string; write `"3"`
        exit 1
    "#]]);
    let broken = expect![[r#"
        jp-lsp: the policy of `edit` cannot be used: rule 1: `prefix` on `/path` takes a string, not the number `3`
        exit 2
    "#]];
    workspace.check(&["test", "--generate"], &broken);
}

#[test]
fn what_a_terminal_would_obey_is_spelled_out() {
    let workspace = Workspace::with(
        "[[case]]\nname = \"a\\u001b[2J\\nb\"\ntool = \"edit\"\ncall.path = \"src/a\"\nrun = \"ask\"\n\
         [[case]]\ntool = \"edit\"\ncall.path = \"\\u202ea\\u001b\"\nrun = \"ask\"\n",
    );
    let (output, _, code) = workspace.said(&["test"]);
    assert_eq!(code, 1);
    let hidden = |character: char| character != '\n' && character.is_control();
    assert!(!output.contains(hidden), "{output:?}");
    assert!(!output.contains('\u{202e}'), "{output:?}");
    assert_eq!(output.lines().count(), 4, "{output}");
}

#[test]
fn examples_are_no_config() {
    let workspace = Workspace::with(HOLDING);
    let config = format!("config_load_paths = [\".jp\"]\n{CONFIG}");
    fs::write(workspace.root().join(".jp/config.toml"), config).unwrap();
    for arguments in [&["check", ".."][..], &["check", "../.jp/policy.tests.toml"]] {
        let (output, error, _) = workspace.said(arguments);
        assert!(!output.contains("policy.tests"), "{output}{error}");
    }
    let (output, _, code) = workspace.said(&["test"]);
    assert_eq!(code, 0, "{output}");
}

/// What stands between fences of a kind on the page, in order.
fn fenced(page: &str, kind: &str) -> Vec<String> {
    let opening = format!("```{kind}\n");
    let blocks = page.split(&opening).skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_worked_example_of_the_page_is_what_happens() {
    let page = include_str!("../docs/EXAMPLES.md");
    let toml = fenced(page, "toml");
    let workspace = Workspace::new(&toml[0]);
    let path = workspace.root().join(".jp/policy.tests.toml");
    fs::write(path, &toml[1]).unwrap();
    let (output, error, code) = workspace.said(&["test"]);
    assert_eq!((error.as_str(), code), ("", 1));
    let shown = format!("$ jp-lsp test\n{output}");
    assert_eq!(fenced(page, "console"), [shown]);
    let (output, _, _) = workspace.said(&["test", "--format", "json"]);
    let told: Value = serde_json::from_str(&output).unwrap();
    let page: Value = serde_json::from_str(&fenced(page, "json")[0]).unwrap();
    assert_eq!(told["cases"][1], page["cases"][0]);
}

#[test]
fn borders_are_printed_as_cases_that_hold_and_follow_on_what_is_there() {
    let workspace = Workspace::with(
        "[[case]]\ntool = \"edit\"\ncall = { path = \"src\" }\nrun = \"unattended\"",
    );
    let (added, told, code) = workspace.said(&["test", "--generate", "--tool", "edit"]);
    assert_eq!(code, 0);
    expect![[r#"
        jp-lsp: 7 examples at the borders of the rules of `edit`; 1 there already
    "#]]
    .assert_eq(&told);
    expect![[r#"


        [[case]]
        tool = "edit"
        call = { path = "secret/x" }
        run = "skip"

        [[case]]
        tool = "edit"
        call = { path = "src/x" }
        run = "unattended"

        [[case]]
        tool = "edit"
        call = { path = "x" }
        run = "ask"

        [[case]]
        tool = "edit"
        call = { path = "secret" }
        run = "skip"

        [[case]]
        tool = "edit"
        call = { path = "secret-old" }
        run = "ask"

        [[case]]
        tool = "edit"
        call = { path = "src-old" }
        run = "ask"

        [[case]]
        tool = "edit"
        call = { path = "" }
        run = "ask"
    "#]]
    .assert_eq(&added);
    let path = workspace.root().join(".jp/policy.tests.toml");
    let text = fs::read_to_string(&path).unwrap() + &added;
    fs::write(&path, text).unwrap();
    let (_, _, code) = workspace.said(&["test"]);
    assert_eq!(code, 0, "all of them hold");
    // Then there is nothing left to add, for any tool.
    let (added, told, code) = workspace.said(&["test", "--generate"]);
    assert_eq!((added.as_str(), code), ("", 0));
    expect![[r#"
        jp-lsp: 0 examples at the borders of the rules of `edit`; 8 there already
    "#]]
    .assert_eq(&told);
}

#[test]
fn without_borders_nothing_is_generated() {
    let workspace =
        Workspace::new("[conversation.tools.edit]\nsource = \"local\"\ncommand = \"x\"\n");
    workspace.check(
        &["test", "--generate"],
        &expect![[r#"
        jp-lsp: no tool has a rule with a condition: there is no border to try
        exit 2
    "#]],
    );
    workspace.check(
        &["test", "--generate", "--tool", "edit"],
        &expect![[r#"
        jp-lsp: no rule of `edit` has a condition: there is no border to try
        exit 2
    "#]],
    );
    workspace.check(
        &["test", "--generate", "--tool", "edti"],
        &expect![[r#"
        jp-lsp: no tool `edti` is configured; did you mean `edit`?
        exit 2
    "#]],
    );
    let (_, _, code) = workspace.said(&["test", "--tool", "edit"]);
    assert_eq!(code, 2, "`--tool` goes with `--generate`");
}

#[test]
fn the_defaults_of_tools_are_no_tool() {
    Workspace::with("[[case]]\ntool = \"*\"\ncall = {}\nrun = \"ask\"\n")
        .check(&["test"], &expect![[r#"
            .jp/policy.tests.toml:2:8: error: no tool `*` is configured: write the name of a table below `conversation.tools`
            jp-lsp: 1 mistake in `.jp/policy.tests.toml`, so nothing is tested
            exit 2
        "#]]);
}
