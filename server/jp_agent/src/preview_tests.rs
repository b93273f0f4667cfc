use expect_test::{Expect, expect};
use jp_conversation::ConversationId;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::prompt::PromptTool;

fn request(
    root: &str,
    arguments: Value,
    argv: Option<&[&str]>,
    rendered: Option<&str>,
) -> PromptRequest {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    PromptRequest {
        note: None,
        conversation: ConversationId::from_deciseconds(17_636_666_521),
        root: root.into(),
        tool: PromptTool {
            name: "tool".to_owned(),
            call_id: "call_1".to_owned(),
            source: "local".to_owned(),
        },
        rule: None,
        subject: PromptSubject::Run {
            arguments,
            argv: argv.map(|argv| argv.iter().map(ToString::to_string).collect()),
            rendered: rendered.map(ToOwned::to_owned),
        },
    }
}

fn workspace() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    let root = directory.path().to_str().unwrap().to_owned();
    (directory, root)
}

/// The preview of a call, its kind in the first line.
fn check(request: &PromptRequest, expected: Expect) -> Preview {
    let preview = Preview::of(request).unwrap();
    let text = preview.text.clone().unwrap();
    expected.assert_eq(&format!("{:?}\n{text}", preview.kind));
    preview
}

#[test]
fn a_file_that_is_written_is_compared_with_what_is_there() {
    let (_directory, root) = workspace();
    let arguments = json!({"path": "a.txt", "content": "one\n2\nthree\n", "mode": "fast"});
    let preview = check(
        &request(&root, arguments.clone(), None, None),
        expect![[r#"
            Diff
            mode: fast

            --- a.txt
            +++ a.txt
            @@ -1,3 +1,3 @@
             one
            -two
            +2
             three
        "#]],
    );
    assert_eq!(preview.before.as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!(preview.after.as_deref(), Some("one\n2\nthree\n"));
    assert_eq!(preview.arguments.map(Value::Object), Some(arguments));
}

#[test]
fn replacements_that_fit_word_for_word_show_the_file() {
    let (_directory, root) = workspace();
    let arguments = json!({"path": "a.txt", "patterns": [{"old": "two", "new": "2"}, {"old": "three\n", "new": ""}]});
    let preview = check(
        &request(&root, arguments, None, None),
        expect![[r#"
            Diff
            --- a.txt
            +++ a.txt
            @@ -1,3 +1,2 @@
             one
            -two
            -three
            +2
        "#]],
    );
    assert_eq!(preview.after.as_deref(), Some("one\n2\n"));
}

#[test]
fn replacements_that_the_tool_has_to_look_for_claim_nothing_about_the_file() {
    let (_directory, root) = workspace();
    for arguments in [
        json!({"path": "a.txt", "old_string": "nowhere", "new_string": "2"}),
        json!({"path": "a.txt", "patterns": [{"old": "nowhere", "new": "2", "regex": true}]}),
        json!({"path": "../../etc/hostname", "old": "nowhere", "new": "2"}),
        json!({"path": "missing.txt", "old": "nowhere", "new": "2"}),
    ] {
        let preview = Preview::of(&request(&root, arguments, None, None)).unwrap();
        assert_eq!(preview.kind, PreviewKind::Diff);
        assert_eq!((preview.before, preview.after), (None, None));
        assert!(preview.text.unwrap().ends_with("-nowhere\n+2\n"));
    }
}

#[test]
fn a_file_outside_the_workspace_is_not_read() {
    let (_directory, root) = workspace();
    let inner = format!("{root}/inner");
    std::fs::create_dir(&inner).unwrap();
    std::os::unix::fs::symlink(format!("{root}/a.txt"), format!("{inner}/link")).unwrap();
    for path in ["../a.txt", "link"] {
        let arguments = json!({"path": path, "content": "new\n"});
        let preview = Preview::of(&request(&inner, arguments, None, None)).unwrap();
        assert_eq!(preview.before, None, "{path}");
        assert!(!preview.text.unwrap().contains("one"), "{path}");
    }
}

#[test]
fn a_command_shows_its_exact_words() {
    check(
        &request(
            "/",
            json!({"branch": "main; rm -rf ~"}),
            Some(&["git", "push", "main; rm -rf ~", "it's\u{202e}x"]),
            None,
        ),
        expect![[r#"
            Command
            git push 'main; rm -rf ~' "it's\u{202e}x""#]],
    );
}

#[test]
fn a_command_that_carries_documents_shows_the_arguments_instead() {
    check(
        &request(
            "/",
            json!({"query": "x", "nested": {"list": [1, {"deep": true}], "empty": {}}, "body": "a\nb\n"}),
            Some(&["just", "serve-tools", "{\"action\":\"run\"}", "{}"]),
            None,
        ),
        expect![[r#"
            Arguments
            query: x
            nested.list #1: 1
            nested.list #2.deep: true
            nested.empty: {}
            body:
              | a
              | b"#]],
    );
}

#[test]
fn what_the_formatter_says_is_shown_without_its_escapes() {
    check(
        &request(
            "/",
            json!({"x": 1}),
            None,
            Some(
                "\u{1b}[31mred\u{1b}[0m \u{1b}]8;;http://evil\u{7}link\u{1b}]8;;\u{7}\u{7}\u{200b}end",
            ),
        ),
        expect![[r#"
            Text
            red link\u{200b}end"#]],
    );
}

#[test]
fn hidden_characters_are_spelled_out_in_names_and_values() {
    check(
        &request(
            "/",
            json!({"a\u{202e}b": "c\u{0}d\u{2066}", "path\u{200b}": "x"}),
            None,
            None,
        ),
        expect![[r#"
            Arguments
            a\u{202e}b: c␀d\u{2066}
            path\u{200b}: x"#]],
    );
}

#[test]
fn long_texts_are_cut_and_say_so() {
    let lines: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
    let preview = Preview::of(&request("/", json!({"content": lines}), None, None)).unwrap();
    assert!(preview.truncated);
    let text = preview.text.unwrap();
    assert!(
        text.ends_with("  | line 39\n  | \u{2026} 9960 lines more"),
        "{text}"
    );
    let wide = "x".repeat(EDIT_LIMIT + 1);
    let preview = Preview::of(&request("/", json!({"content": wide}), None, None)).unwrap();
    assert!(preview.truncated);
    assert_eq!(preview.arguments, None);
    assert!(preview.text.unwrap().len() < 3 * TEXT_LIMIT);
    let many: Vec<u32> = (0..100_000).collect();
    let preview = Preview::of(&request("/", json!({"list": many}), None, None)).unwrap();
    assert!(preview.truncated);
    assert!(preview.text.unwrap().lines().count() <= LINE_LIMIT + 1);
}

#[test]
fn a_line_that_is_cut_counts_what_is_missing() {
    assert_eq!(
        bounded("abcdef\nsecond\n", 3, 10),
        ("abc\u{2026}\n\u{2026} 2 lines cut".to_owned(), true)
    );
    assert_eq!(
        bounded("a\nb\nc", 100, 2),
        ("a\nb\n\u{2026} 1 line more".to_owned(), true)
    );
    assert_eq!(bounded("a\nb", 100, 2), ("a\nb".to_owned(), false));
    assert_eq!(bounded("a\nb\n", 100, 2), ("a\nb\n".to_owned(), false));
}
