//! The runtime through the real binary, in a terminal that nobody sits at.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const SAMPLE: &str = include_str!("../server/jp_lsp/src/commands/demo/config.toml");

/// The binary, at home in a folder of its own.
fn binary(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jp-lsp"));
    command
        .env("JP_GLOBAL_CONFIG_DIR", home.join("none"))
        .env("JP_LSP_DATA_DIR", home.join("data"))
        .env_remove("JP_LSP_TEST_SCRIPT");
    command
}

#[test]
fn the_demonstration_shows_the_whole_thing() {
    let home = tempfile::tempdir().unwrap();
    let output = binary(home.path()).arg("demo").output().unwrap();
    assert!(output.status.success());
    expect![[r#"
        == 1. A typo in a grant is found as it is typed

        error[unknown-key]: unknown key `aply`, did you mean `apply`?
          --> .jp/config.toml:29:1
           |
        29 | aply = "ask"
           | ^^^^

        1 error, 0 warnings

        == 2. The fix is typed, and the config is clean

        0 errors, 0 warnings

        == 3. A turn: the model asks, a tool proposes a config change

        you        Switch to a stronger model, but ask me first.
        assistant  I ask before I switch.
        call       ask_user {"answer_type":"boolean","question":"Switch to the stronger model?"}
        prompt     Switch to the stronger model?
                   | Assistant asks: Switch to the stronger model?
                   answered: true
        result     {"answer_type":"boolean","answer":true}
        call       switch_model {"alias":"strong"}
        prompt     Run local switch_model tool?
                   | alias: strong
                   approved
        prompt     Apply the config change proposed by switch_model?
                   | ⟳ Configuration delta proposed by tool 'switch_model':
                   | assistant.model.id.provider: "test" → "test"
                   | assistant.model.id.name: "quick" → "strong"
                   approved
        result     The model is strong.
        applied    {"assistant":{"model":{"id":{"provider":"test","name":"strong"}}}}
        assistant  Done: this is the stronger model speaking.

        model of the next cycle: {"provider":"test","name":"strong"} (the file still says "quick")
    "#]]
    .assert_eq(&String::from_utf8(output.stdout).unwrap());
}

/// What a query prints, without the times.
fn query(script: &str) -> (Vec<Value>, i32) {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("workspace");
    fs::create_dir_all(workspace.join(".jp")).unwrap();
    fs::write(workspace.join(".jp/config.toml"), SAMPLE).unwrap();
    let file = home.path().join("script.toml");
    fs::write(&file, script).unwrap();
    let output = binary(home.path())
        .args(["query", "--non-interactive", "--format", "json", "Switch."])
        .env("JP_LSP_TEST_SCRIPT", file)
        .current_dir(&workspace)
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events = lines.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let event = line.get_mut("event").unwrap();
        event.as_object_mut().unwrap().shift_remove("timestamp");
        event.take()
    });
    (events.collect(), output.status.code().unwrap())
}

#[test]
fn nobody_to_ask_means_no() {
    let (events, code) = query(
        r#"
[[cycles]]
batches = [[
    { tool_call = { id = "call_1", name = "ask_user", arguments = { question = "Sure?", answer_type = "boolean" } } },
    { tool_call = { id = "call_2", name = "switch_model", arguments = { alias = "strong" } } },
    { tool_call = { id = "call_3", name = "switch_model", arguments = { alias = "quick" } } },
]]

[[cycles]]
batches = [[{ text = "I stop here." }]]
"#,
    );
    let refused: Vec<&Value> = events
        .iter()
        .filter(|event| {
            let kind = event.get("type").unwrap();
            kind == "tool_call_response" || kind == "inquiry_response" || kind == "config_delta"
        })
        .collect();
    expect![[r#"
        [
          {
            "type": "inquiry_response",
            "outcome": "cancelled",
            "id": "call_1.answer.1",
            "reason": "no_prompt_backend"
          },
          {
            "type": "tool_call_response",
            "id": "call_1",
            "content": "ask_user cannot run because no interactive terminal is available. Do not retry this tool call in this turn; continue without user input or explain what information is missing.",
            "is_error": true
          },
          {
            "type": "tool_call_response",
            "id": "call_2",
            "content": "Tool 'switch_model' was not run because it needs approval and nobody is available to give it. Do not retry this tool call in this turn; continue without it or explain what is missing.",
            "is_error": true
          },
          {
            "type": "tool_call_response",
            "id": "call_3",
            "content": "Tool 'switch_model' failed to produce a valid config delta after 3 attempts.\nLast error: nobody was there to confirm the change.",
            "is_error": true
          }
        ]"#]].assert_eq(&serde_json::to_string_pretty(&refused).unwrap());
    assert_eq!(
        events.last(),
        Some(&json!({ "type": "turn_end", "outcome": "completed" }))
    );
    assert_eq!(code, 0);
}

#[test]
fn an_answer_that_ends_early_runs_nothing() {
    let (events, code) = query(
        r#"
[[cycles]]
truncated = true
batches = [[{ tool_call = { id = "call_1", name = "switch_model", arguments = { alias = "quick" } } }]]
"#,
    );
    let kinds: Vec<&Value> = events
        .iter()
        .map(|event| event.get("type").unwrap())
        .collect();
    assert_eq!(kinds, ["turn_start", "chat_request", "turn_end"]);
    assert_eq!(code, 1);
}

#[test]
fn a_query_outside_of_a_workspace_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let output = binary(home.path())
        .args(["query", "hi"])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("jp-lsp: no workspace: `"), "{said}");
}

#[test]
fn a_time_for_tools_that_is_none_is_refused() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".jp")).unwrap();
    for time in ["soon", "0", "-1"] {
        let output = binary(home.path())
            .args(["query", "hi"])
            .env("JP_LSP_TOOL_TIMEOUT_SECS", time)
            .current_dir(home.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!(
                "jp-lsp: `JP_LSP_TOOL_TIMEOUT_SECS` is `{time}`, write a whole number of seconds such as `600`\n"
            )
        );
    }
}

/// An external rule counts for `explain` as it counts for a run: where `jp` has recorded an approval.
#[cfg(target_os = "linux")]
#[test]
fn an_approved_mount_is_explained() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let workspace = home.join("workspace");
    let user = home.join("xdg/jp/workspace/any-name-abc12");
    for directory in [&workspace.join(".jp"), &user, &home.join("shared")] {
        fs::create_dir_all(directory).unwrap();
    }
    std::os::unix::fs::symlink("../shared", workspace.join("shared")).unwrap();
    fs::write(workspace.join(".jp/.id"), "# The id.\nabc12\n").unwrap();
    fs::write(
        workspace.join(".jp/config.toml"),
        "[conversation.tools.t]\nsource = \"local\"\n\
         access.fs = [{ path = \"shared\", external = true, read = true }]\n",
    )
    .unwrap();
    fs::write(
        home.join("question"),
        r#"{"fs":{"capability":"read","path":"shared/a"}}"#,
    )
    .unwrap();
    let explained = || {
        let output = binary(&home)
            .args(["explain", "access", "--tool", "t"])
            .env("XDG_DATA_HOME", home.join("xdg"))
            .current_dir(&workspace)
            .stdin(fs::File::open(home.join("question")).unwrap())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    expect![[r#"
        {"allowed":false,"rule":null,"target":"shared/a","reason":"path escapes the workspace: shared/a"}
    "#]]
    .assert_eq(&explained());
    let approvals =
        json!({"mounts": [{"rule_path": "shared", "canonical_target": home.join("shared")}]});
    fs::write(user.join("approvals.json"), approvals.to_string()).unwrap();
    expect![[r#"
        {"allowed":true,"rule":{"index":0,"path":".jp/config.toml","line":2},"target":"shared/a","reason":"the rule grants it"}
    "#]]
    .assert_eq(&explained());
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    use std::io::Read as _;
    let home = tempfile::tempdir().unwrap();
    let mut child = binary(home.path())
        .arg("schema")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    let mut errors = child.stderr.take().unwrap();
    errors.read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    assert_eq!(child.wait().unwrap().code(), Some(141));
}
