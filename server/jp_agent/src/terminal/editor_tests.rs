use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

/// What comes of editing `before` with a script of `sh`, which finds the file in `$1`.
fn edited(script: &str) -> Result<Option<String>, EditorError> {
    let command = json!({ "program": "sh", "args": ["-c", script, "editor"] });
    PreferredEditor::of(&json!({ "editor": { "cmd": command } })).edit("before", ".txt")
}

fn refused(found: Result<Option<String>, EditorError>, expected: Expect) {
    expected.assert_eq(&found.unwrap_err().to_string());
}

#[test]
fn only_what_was_saved_counts() {
    assert_eq!(
        edited(r#"printf after > "$1""#).unwrap().as_deref(),
        Some("after")
    );
    assert_eq!(edited(r#"touch "$1""#).unwrap().as_deref(), Some("before"));
    assert_eq!(edited("true").unwrap(), None);
    let replaced = edited(r#"printf new > "$1.new"; mv "$1.new" "$1""#).unwrap();
    assert_eq!(replaced.as_deref(), Some("new"));
}

#[test]
fn an_editor_that_gives_up_gives_nothing() {
    refused(
        edited(r#"printf half > "$1"; exit 1"#),
        expect!["the editor `sh` ended with exit status: 1: nothing is taken from it"],
    );
    refused(
        edited(r#"printf half > "$1"; kill -9 $$"#),
        expect!["the editor `sh` ended with signal: 9 (SIGKILL): nothing is taken from it"],
    );
    refused(
        edited(r#"rm "$1""#),
        expect!["the file to edit cannot be used: No such file or directory (os error 2)"],
    );
}

#[test]
fn an_editor_that_is_not_there_is_named() {
    let editor = |config| PreferredEditor::of(&json!({ "editor": config })).edit("before", ".txt");
    refused(
        editor(json!({ "cmd": "/nowhere/editor --wait" })),
        expect![
            "no editor can be started (editor.cmd: `/nowhere/editor`: No such file or directory (os error 2)), set `editor.cmd` or `$EDITOR` to a program and its arguments"
        ],
    );
    refused(
        editor(json!({ "cmd": "code '" })),
        expect![
            "`editor.cmd`: the quotes do not match, close them or write a table with `program` and `args`"
        ],
    );
}

#[test]
fn a_string_is_split_and_a_shell_gets_the_file() {
    let edited = |command| {
        let config = json!({ "editor": { "cmd": command } });
        PreferredEditor::of(&config).edit("before", ".txt").unwrap()
    };
    assert_eq!(
        edited(json!(r#"sh -c 'printf "a b" > "$0"'"#)).as_deref(),
        Some("a b")
    );
    let shell = json!({ "program": "printf shell >", "shell": true });
    assert_eq!(edited(shell).as_deref(), Some("shell"));
    let placed = json!({ "program": r#"true && printf "$0" > "$@""#, "shell": true });
    assert_eq!(edited(placed).as_deref(), Some("jp-editor"));
}
