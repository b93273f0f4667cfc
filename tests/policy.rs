//! What a policy decides, through the real binary.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{fs, path::Path, process::Command};

use expect_test::expect;
use serde_json::{Value, json};

use program::program;

/// The bundled tool that takes paths in two places.
const MODIFY: &str = include_str!("../server/jp_fs_tools/definitions/fs/modify_file.toml");

/// What is decided about calls of `fs_modify_file` with a policy: mode, number of the rule from 1, and that of each path.
fn explained(policy: &str, calls: &[Value]) -> String {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    fs::create_dir_all(root.join(".jp/tools")).unwrap();
    fs::write(root.join(".jp/tools/modify_file.toml"), MODIFY).unwrap();
    let config = format!(
        "extends = [\"tools/*.toml\"]\n[conversation.tools.fs_modify_file.policy]\n{policy}\n"
    );
    fs::write(root.join(".jp/config.toml"), config).unwrap();
    answers(root, calls)
        .iter()
        .map(|answer| {
            let each = answer["paths"].as_array().into_iter().flatten();
            let each: String = each
                .map(|path| format!(", {} {}", path["value"].as_str().unwrap(), decision(path)))
                .collect();
            format!("{}{each}\n", decision(answer))
        })
        .collect()
}

fn decision(decided: &Value) -> String {
    let mode = decided["mode"].as_str().unwrap();
    match decided["rule"]["index"].as_u64() {
        Some(index) => format!("{mode} by rule {}", index + 1),
        None => format!("{mode} by none"),
    }
}

fn answers(root: &Path, calls: &[Value]) -> Vec<Value> {
    let questions: String = calls.iter().map(|call| format!("{call}\n")).collect();
    fs::write(root.join("questions"), questions).unwrap();
    let output = Command::new(program())
        .args(["explain", "policy", "--tool", "fs_modify_file"])
        .env("JP_GLOBAL_CONFIG_DIR", root.join("none"))
        .current_dir(root)
        .stdin(fs::File::open(root.join("questions")).unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Calls that write `secret.cfg`, or would if a rule on another path spoke for it; the last one is harmless.
fn calls() -> Vec<Value> {
    let pattern = |paths: Value| json!({"old": "a", "new": "b", "paths": paths});
    vec![
        json!({"path": "secret.cfg", "patterns": [{"old": "a", "new": "b"}]}),
        json!({"path": "src/a.rs", "patterns": [pattern(json!(["secret.cfg"]))]}),
        json!({"path": "secret.cfg", "patterns": [pattern(json!(["src/a.rs"])), {"old": "a", "new": "b"}]}),
        json!({"patterns": [pattern(json!(["src/a.rs", "secret.cfg"]))]}),
        json!({"patterns": [pattern(json!(["src/a.rs"])), pattern(json!(["secret.cfg"]))]}),
        json!({"path": "src/a.rs", "patterns": [{"old": "a", "new": "b"}]}),
    ]
}

#[test]
fn a_policy_on_one_path_speaks_for_no_other() {
    expect![[r#"
        ask by rule 2
        ask by rule 2, src/a.rs unattended by rule 1, secret.cfg ask by rule 2
        ask by rule 2, secret.cfg ask by rule 2, src/a.rs ask by rule 2
        ask by rule 2, src/a.rs ask by rule 2, secret.cfg ask by rule 2
        ask by rule 2, src/a.rs ask by rule 2, secret.cfg ask by rule 2
        unattended by rule 1
    "#]]
    .assert_eq(&explained(
        r#"run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]"#,
        &calls(),
    ));
    expect![[r#"
        ask by rule 2
        ask by rule 2, src/a.rs ask by rule 2, secret.cfg ask by rule 2
        ask by rule 2, secret.cfg ask by rule 2, src/a.rs unattended by rule 1
        ask by rule 2, src/a.rs unattended by rule 1, secret.cfg ask by rule 2
        ask by rule 2, src/a.rs unattended by rule 1, secret.cfg ask by rule 2
        ask by rule 2
    "#]].assert_eq(&explained(
        r#"run = [{ arg = "/patterns/paths", prefix = "src", mode = "unattended" }, { mode = "ask" }]"#,
        &calls(),
    ));
    expect![[r#"
        skip by rule 1
        edit by rule 3, src/a.rs unattended by rule 2, secret.cfg edit by rule 3
        skip by rule 1, secret.cfg skip by rule 1, src/a.rs unattended by rule 4
        edit by rule 3, src/a.rs unattended by rule 4, secret.cfg edit by rule 3
        edit by rule 3, src/a.rs unattended by rule 4, secret.cfg edit by rule 3
        unattended by rule 2
    "#]]
    .assert_eq(&explained(
        r#"run = [
            { arg = "/path", prefix = "secret.cfg", mode = "skip" },
            { arg = "/path", prefix = "src", mode = "unattended" },
            { arg = "/patterns/paths", prefix = "secret.cfg", mode = "edit" },
            { mode = "unattended" },
        ]"#,
        &calls(),
    ));
}

/// What is said of a policy in JSON: by `check`, and by `explain` about a call.
fn judged(run: &Value) -> (String, String) {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    fs::create_dir_all(root.join(".jp")).unwrap();
    fs::write(root.join(".jp/modify_file.toml"), MODIFY).unwrap();
    fs::write(
        root.join(".jp/config.toml"),
        "extends = [\"modify_file.toml\", \"rules.json\"]\n",
    )
    .unwrap();
    let rules = json!({"conversation": {"tools": {"fs_modify_file": {"policy": {"run": run}}}}});
    fs::write(root.join(".jp/rules.json"), rules.to_string()).unwrap();
    fs::write(root.join("questions"), "{\"path\":\"a\",\"patterns\":[]}\n").unwrap();
    let output = |arguments: &[&str]| {
        Command::new(program())
            .args(arguments)
            .env("JP_GLOBAL_CONFIG_DIR", root.join("none"))
            .current_dir(root)
            .stdin(fs::File::open(root.join("questions")).unwrap())
            .output()
            .unwrap()
    };
    let checked = String::from_utf8(output(&["check", "."]).stdout).unwrap();
    let errors = checked
        .lines()
        .filter(|line| line.starts_with("error") && !line.contains("assistant.model"))
        .map(|line| format!("{line}\n"))
        .collect();
    let explained = output(&["explain", "policy", "--tool", "fs_modify_file"]);
    let said = [explained.stdout, explained.stderr].concat();
    (errors, String::from_utf8(said).unwrap())
}

#[test]
fn a_null_in_a_rule_never_makes_it_match_more() {
    let (errors, explained) = judged(&json!([{"arg": null, "prefix": null, "mode": "unattended"}]));
    expect![[r#"
        error[type-mismatch]: `conversation.tools.fs_modify_file.policy.run.0.arg`: invalid type: null, expected a JSON Pointer such as `/path`; leave the key out to set nothing
        error[type-mismatch]: `conversation.tools.fs_modify_file.policy.run.0.prefix`: invalid type: null, expected a string; leave the key out to set nothing
    "#]].assert_eq(&errors);
    expect![[r#"
        {"error":"the policy of `fs_modify_file` cannot be used: rule 1: `arg` is `null`; leave the key out, or write a value","refused":{"path":".jp/rules.json","line":1,"tool":"fs_modify_file","rule":{"list":"policy.run","index":0},"message":"`conversation.tools.fs_modify_file.policy.run.0.arg`: invalid type: null, expected a JSON Pointer such as `/path`; leave the key out to set nothing"}}
        jp-lsp: no turn starts with this config: tool `fs_modify_file`, rule 1 of policy.run, .jp/rules.json:1: `conversation.tools.fs_modify_file.policy.run.0.arg`: invalid type: null, expected a JSON Pointer such as `/path`; leave the key out to set nothing
    "#]].assert_eq(&explained);
    let (errors, explained) = judged(&json!([{"mode": null}]));
    expect![[r#"
        error[missing-required]: `conversation.tools.fs_modify_file.policy.run.0.mode`: missing required value for `conversation.tools.fs_modify_file.policy.run.0.mode`
    "#]].assert_eq(&errors);
    expect![[r#"
        {"error":"the policy of `fs_modify_file` cannot be used: rule 1: the rule has no `mode`; add one of `ask`, `unattended`, `edit`, `skip`","refused":{"path":".jp/rules.json","line":1,"tool":"fs_modify_file","rule":{"list":"policy.run","index":0},"message":"`conversation.tools.fs_modify_file.policy.run.0.mode`: missing required value for `conversation.tools.fs_modify_file.policy.run.0.mode`"}}
        jp-lsp: no turn starts with this config: tool `fs_modify_file`, rule 1 of policy.run, .jp/rules.json:1: `conversation.tools.fs_modify_file.policy.run.0.mode`: missing required value for `conversation.tools.fs_modify_file.policy.run.0.mode`
    "#]].assert_eq(&explained);
    let (errors, explained) = judged(&json!({"value": [null], "strategy": "append"}));
    expect![[r#"
        error[type-mismatch]: `conversation.tools.fs_modify_file.policy.run.value.0`: invalid type: null, expected a table with `mode`; leave the key out to set nothing
    "#]].assert_eq(&errors);
    expect![[r#"
        {"error":"the policy of `fs_modify_file` cannot be used: rule 1: a rule is a table, like `{ mode = \"ask\" }`","refused":{"path":".jp/rules.json","line":1,"tool":"fs_modify_file","message":"`conversation.tools.fs_modify_file.policy.run.value.0`: invalid type: null, expected a table with `mode`; leave the key out to set nothing"}}
        jp-lsp: no turn starts with this config: tool `fs_modify_file`, .jp/rules.json:1: `conversation.tools.fs_modify_file.policy.run.value.0`: invalid type: null, expected a table with `mode`; leave the key out to set nothing
    "#]].assert_eq(&explained);
    let (errors, explained) = judged(&json!([{"arg": "/path", "const": null, "mode": "skip"}]));
    expect![[r#"
        error[matcher-value-type]: `const` on `/path` takes a path, not null
    "#]]
    .assert_eq(&errors);
    expect![[r#"
        {"error":"the policy of `fs_modify_file` cannot be used: rule 1: `const` on `/path` takes a path, not null","refused":{"path":".jp/rules.json","line":1,"tool":"fs_modify_file","rule":{"list":"policy.run","index":0},"message":"`const` on `/path` takes a path, not null"}}
        jp-lsp: no turn starts with this config: tool `fs_modify_file`, rule 1 of policy.run, .jp/rules.json:1: `const` on `/path` takes a path, not null
    "#]].assert_eq(&explained);
}

/// A tool that can be explained, beside one with a rule that no config may hold.
const REFUSED: &str = r#"config_load_paths = [".jp/parts"]
[assistant]
model.id = "test/model"

[conversation.tools.good]
source = "local"
command = "echo {{tool}}"
policy.run = [{ mode = "skip" }]

[conversation.tools.bad]
source = "local"
command = "echo {{tool}}"
"#;

/// What `explain` says of a call of the good tool, and what a turn says.
fn refused(bad: &str, fragment: &str) -> String {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    fs::create_dir_all(root.join(".jp/parts")).unwrap();
    fs::write(root.join(".jp/config.toml"), format!("{REFUSED}{bad}")).unwrap();
    fs::write(root.join(".jp/parts/more.toml"), fragment).unwrap();
    fs::write(root.join("questions"), "{}\n").unwrap();
    fs::write(
        root.join("script.toml"),
        "cycles = [{ batches = [[{ text = \"Hi.\" }]] }]\n",
    )
    .unwrap();
    let output = |arguments: &[&str]| {
        let output = Command::new(program())
            .args(arguments)
            .env("JP_GLOBAL_CONFIG_DIR", root.join("none"))
            .env("JP_LSP_DATA_DIR", root.join("data"))
            .env("JP_LSP_TEST_SCRIPT", root.join("script.toml"))
            .current_dir(root)
            .stdin(fs::File::open(root.join("questions")).unwrap())
            .output()
            .unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let explained = output(&["explain", "policy", "--tool", "good"]);
    let turn = output(&["query", "--non-interactive", "--trust", "Hello."]);
    format!("{explained}{turn}")
}

#[test]
fn where_a_turn_refuses_the_config_an_explanation_says_so() {
    let misspelt = "policy.run = [\n  { mode = \"ask\" },\n  { mod = \"ask\" },\n]\n";
    expect![[r#"
        {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":8},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}],"refused":{"path":".jp/config.toml","line":15,"tool":"bad","rule":{"list":"policy.run","index":1},"message":"missing required value for `conversation.tools.bad.policy.run.1.mode`"}}
        jp-lsp: no turn starts with this config: tool `bad`, rule 2 of policy.run, .jp/config.toml:15: missing required value for `conversation.tools.bad.policy.run.1.mode`
        jp-lsp: the turn failed: tool `bad`, rule 2 of policy.run, .jp/config.toml:15: missing required value for `conversation.tools.bad.policy.run.1.mode`
    "#]].assert_eq(&refused(misspelt, ""));
    let covered = "policy.run = [\n  { mode = \"ask\" },\n  { mode = \"skip\" },\n]\n";
    expect![[r#"
        {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":8},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}],"refused":{"path":".jp/config.toml","line":15,"tool":"bad","rule":{"list":"policy.run","index":1},"message":"this rule never decides: rule 1 (the catch-all) decides every call it matches, with `ask` instead of `skip`"}}
        jp-lsp: no turn starts with this config: tool `bad`, rule 2 of policy.run, .jp/config.toml:15: this rule never decides: rule 1 (the catch-all) decides every call it matches, with `ask` instead of `skip`
        jp-lsp: the turn failed: tool `bad`, rule 2 of policy.run, .jp/config.toml:15: this rule never decides: rule 1 (the catch-all) decides every call it matches, with `ask` instead of `skip`
    "#]].assert_eq(&refused(covered, ""));
    // Only the fragment knows the parameter, and a turn has no fragment.
    let elsewhere = "policy.run = [{ arg = \"/path\", prefix = \"src\", mode = \"ask\" }]\n";
    let fragment = "[conversation.tools.bad.parameters.path]\ntype = \"path\"\n";
    expect![[r#"
        {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":8},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}],"refused":{"path":".jp/config.toml","line":13,"tool":"bad","rule":{"list":"policy.run","index":0},"message":"`/path` does not resolve: there is no parameter `path`; there are none"}}
        jp-lsp: no turn starts with this config: tool `bad`, rule 1 of policy.run, .jp/config.toml:13: `/path` does not resolve: there is no parameter `path`; there are none
        jp-lsp: the turn failed: tool `bad`, rule 1 of policy.run, .jp/config.toml:13: `/path` does not resolve: there is no parameter `path`; there are none
    "#]].assert_eq(&refused(elsewhere, fragment));
    expect![[r#"
        {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":8},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
        Hi.
    "#]].assert_eq(&refused("", "x = 1\n"));
}
