//! The binary as a host starts it.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of a test outside of a test function"
)]

use std::{
    fs,
    io::Write as _,
    process::{Command, Output, Stdio},
};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

fn binary() -> Command {
    Command::new(env!("CARGO_BIN_EXE_jp-fs-tools"))
}

fn with_input(input: &[u8]) -> Output {
    let mut child = binary()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> &str {
    assert!(output.status.success(), "{output:?}");
    str::from_utf8(&output.stdout).unwrap()
}

fn context(root: &TempDir) -> Value {
    json!({
        "action": "run",
        "root": root.path(),
        "access": {"fs": [{"lexical_path": "", "external": false, "approved_target": null, "read": true, "write": null,
                           "create": null, "update": null, "delete": null, "execute": null}], "net": [], "env": []},
        "workspace_id": "otvo8",
        "conversation_id": "17673969718",
    })
}

#[test]
fn jp_gets_an_answer_while_it_keeps_standard_input_open() {
    let lines = [
        ("{\"type\":\"describe\"}\n", "describe"),
        ("{\"type\":\"init\",\"version\":1,\"args\":[]}\n", "exit"),
    ];
    for (line, kind) in lines {
        let mut child = binary()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_str(text(&output)).unwrap();
        assert_eq!(answer["type"], kind);
        let said = [&answer["help"], &answer["reason"]];
        assert!(said.iter().any(|it| {
            it.as_str()
                .is_some_and(|it| it.contains("`jp-fs-tools definitions .jp/mcp/tools`"))
        }));
        drop(input);
    }
}

#[test]
fn serves_a_call_by_arguments_and_by_standard_input() {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("a.txt"), "hello").unwrap();
    let context = context(&root);
    let tool = json!({"name": "fs_read_file", "arguments": {"path": "a.txt"}, "answers": {}, "options": {}});
    let expected = "{\"type\":\"success\",\"content\":\"```txt\\n1: hello\\n```\\n\"}\n";

    let output = binary()
        .args([context.to_string(), tool.to_string()])
        .output()
        .unwrap();
    assert_eq!(text(&output), expected);
    let output = with_input(
        json!({"tool": tool, "context": context})
            .to_string()
            .as_bytes(),
    );
    assert_eq!(text(&output), expected);
}

#[test]
fn every_failure_is_an_outcome() {
    let root = TempDir::new().unwrap();
    let tool = json!({"name": "fs_delete_file", "arguments": {"path": "a.txt"}});
    let output = binary()
        .args([context(&root).to_string(), tool.to_string()])
        .output()
        .unwrap();
    assert_eq!(
        text(&output),
        "{\"type\":\"error\",\"message\":\"Access denied: cannot delete 'a.txt'. Paths granting delete: []. If \
         required, ask the user for explicit access.\",\"trace\":[],\"transient\":false}\n"
    );
    assert_eq!(
        text(&with_input(b"nonsense")),
        "{\"type\":\"error\",\"message\":\"Invalid invocation document: expected ident at line 1 column \
         2\",\"trace\":[],\"transient\":false}\n"
    );
    assert_eq!(
        text(&with_input(b"{\"\xff\"")),
        "{\"type\":\"error\",\"message\":\"Invalid invocation document: invalid unicode code point at line 1 column \
         3\",\"trace\":[],\"transient\":false}\n"
    );
    let output = binary().args(["{}", "{}"]).output().unwrap();
    assert_eq!(
        text(&output),
        "{\"type\":\"error\",\"message\":\"Invalid context document: missing field `root` at line 1 column \
         2\",\"trace\":[],\"transient\":false}\n"
    );
}

#[test]
fn asks_through_the_outcome() {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("a.txt"), "").unwrap();
    let mut context = context(&root);
    context["access"] = Value::Null;
    let tool = json!({"name": "fs_create_file", "arguments": {"path": "a.txt"}});
    let output = binary()
        .args([context.to_string(), tool.to_string()])
        .output()
        .unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(text(&output)).unwrap(),
        json!({
            "type": "needs_input",
            "question": {
                "id": "overwrite_file",
                "text": "File 'a.txt' exists. Overwrite?",
                "context": null,
                "answer_type": {"type": "boolean"},
                "default": false,
            }
        })
    );
}

#[test]
fn prints_and_writes_the_definitions() {
    let printed = binary().arg("definitions").output().unwrap();
    assert_eq!(text(&printed), jp_fs_tools::definitions::document());

    let root = TempDir::new().unwrap();
    let write = || {
        binary()
            .args(["definitions", "tools"])
            .current_dir(root.path())
            .output()
            .unwrap()
    };
    let lines = |word: &str| -> String {
        jp_fs_tools::definitions::ALL
            .iter()
            .map(|definition| format!("{word} tools/{}\n", definition.path))
            .collect()
    };
    assert_eq!(text(&write()), lines("created"));
    assert_eq!(text(&write()), lines("kept"));

    fs::write(root.path().join("file"), "").unwrap();
    let output = binary()
        .args(["definitions", "file"])
        .current_dir(root.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        str::from_utf8(&output.stderr).unwrap(),
        "error: cannot write definitions to `file`: File exists (os error 17)\n"
    );
}

#[test]
fn half_a_call_is_a_usage_error() {
    let output = binary().arg("{}").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Calls a tool of a process that may write files of `blocks` times 512 bytes at most.
#[cfg(unix)]
fn with_limit(root: &TempDir, blocks: u32, tool: &Value) -> Output {
    let context = json!({"action": "run", "root": root.path()});
    Command::new("sh")
        .args(["-c", "ulimit -f \"$0\"; exec \"$@\"", &blocks.to_string()])
        .arg(env!("CARGO_BIN_EXE_jp-fs-tools"))
        .args([context.to_string(), tool.to_string()])
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_write_that_ends_halfway_leaves_the_old_file_and_nothing_else() {
    let root = TempDir::new().unwrap();
    let old = "old line\n".repeat(10_000);
    fs::write(root.path().join("a.txt"), &old).unwrap();
    let new = "new and longer line\n".repeat(5_000);
    let create = |path: &str| {
        json!({"name": "fs_create_file", "arguments": {"path": path, "content": new},
               "answers": {"overwrite_file": true}})
    };
    for path in ["a.txt", "b.txt"] {
        // The system kills a process that writes beyond its limit.
        let output = with_limit(&root, 16, &create(path));
        assert!(!output.status.success(), "{output:?}");
        assert_eq!(fs::read_to_string(root.path().join("a.txt")).unwrap(), old);
    }
    // Where files without a name are unknown, what was left goes with the next write.
    let small = json!({"name": "fs_create_file", "arguments": {"path": "c.txt", "content": "c"}});
    text(&with_limit(&root, 16, &small));
    let mut names: Vec<_> = fs::read_dir(root.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["a.txt", "c.txt"]);
}
