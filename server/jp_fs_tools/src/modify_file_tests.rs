use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::test_support::Workspace;

fn modify(workspace: &Workspace, arguments: Value) -> String {
    workspace.run("fs_modify_file", arguments)
}

fn replace(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "patterns": [{"old": old, "new": new}], "replace_using_regex": false})
}

fn approved(files: &[(&str, &str)]) -> Workspace {
    Workspace::new(files).answer("apply_changes", true)
}

const DIFF: &str =
    "```diff\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-hello world\n+hello there\n bye\n```\n";

#[test]
fn shows_the_patch_and_applies_it_when_told_to() {
    let files = [("a.txt", "hello world\nbye\n")];
    let arguments = replace("a.txt", "world", "there");
    let workspace = Workspace::new(&files);
    assert_eq!(
        modify(&workspace, arguments.clone()),
        format!("apply_changes [true]: Do you want to apply the patch shown above?\n{DIFF}")
    );
    let workspace = workspace.answer("apply_changes", false);
    assert_eq!(
        modify(&workspace, arguments.clone()),
        "refusal: Nothing was written: the person saw this patch and said no. Another patch can be proposed."
    );
    assert_eq!(workspace.read("a.txt"), "hello world\nbye\n");
    let workspace = workspace.answer("apply_changes", true);
    assert_eq!(
        modify(&workspace, arguments),
        format!("File modified successfully:\n\n{DIFF}")
    );
    assert_eq!(workspace.read("a.txt"), "hello there\nbye\n");
    assert_eq!(workspace.names(), ["a.txt"]);
}

#[test]
fn applies_patterns_in_order_over_several_files() {
    let workspace = approved(&[("a", "one\n"), ("b", "one\n"), ("c", "two\n")]);
    assert_eq!(
        modify(
            &workspace,
            json!({
                "path": "a",
                "patterns": [
                    {"old": "one", "new": "two"},
                    {"old": "tw(o)", "new": "${1}ut", "regex": true, "paths": ["a", "./c"]},
                    {"old": "one", "new": "1", "paths": "b"},
                ],
            })
        ),
        "Files modified successfully:\n\n\
         ```diff\n--- a\n+++ a\n@@ -1 +1 @@\n-one\n+out\n```\n\n\
         ```diff\n--- c\n+++ c\n@@ -1 +1 @@\n-two\n+out\n```\n\n\
         ```diff\n--- b\n+++ b\n@@ -1 +1 @@\n-one\n+1\n```\n"
    );
    assert_eq!(workspace.read("a"), "out\n");
    assert_eq!(workspace.read("b"), "1\n");
    assert_eq!(workspace.read("c"), "out\n");
}

#[test]
fn honours_the_call_level_switches() {
    let workspace = approved(&[("a", "x X x\n")]);
    modify(
        &workspace,
        json!({"path": "a", "patterns": [{"old": "X", "new": "y"}], "replace_all": false, "case_sensitive": false}),
    );
    assert_eq!(workspace.read("a"), "y X x\n");
    modify(
        &workspace,
        json!({"path": "a", "patterns": [{"old": "[xX]", "new": "z"}, {"old": "[z]", "new": "-", "regex": false}],
               "replace_using_regex": true}),
    );
    assert_eq!(workspace.read("a"), "y z z\n");
}

#[test]
fn reports_patterns_that_were_not_found() {
    let workspace = approved(&[("a.txt", "hello world\nbye\n")]);
    let patterns = json!([{"old": "world", "new": "there"}, {"old": "missing\nlines", "new": ""}]);
    assert_eq!(
        modify(&workspace, json!({"path": "a.txt", "patterns": patterns})),
        format!(
            "File modified successfully:\n\n{DIFF}\nPatterns that were not applied:\n- #2 (`missing`) in 'a.txt': not \
             found.\n"
        )
    );
    let long = "y".repeat(70);
    assert_eq!(
        modify(
            &workspace,
            json!({"path": "a.txt", "patterns": [{"old": "x", "new": ""}, {"old": long, "new": ""}]})
        ),
        format!(
            "error: Nothing was modified.\nPatterns that were not applied:\n- #1 (`x`) in 'a.txt': not found.\n- #2 \
             (`{}...`) in 'a.txt': not found.\n",
            "y".repeat(60)
        )
    );
    // A broken pattern stops the others too.
    let patterns = json!([{"old": "hello", "new": "bye"}, {"old": "a(", "new": "", "regex": true}]);
    assert_eq!(
        modify(&workspace, json!({"path": "a.txt", "patterns": patterns})),
        "error: Nothing was modified.\nPatterns that were not applied:\n- #2 (`a(`) in 'a.txt': invalid regular \
         expression: Parsing error at position 2: Opening parenthesis without closing parenthesis.\n"
    );
    assert_eq!(
        modify(
            &workspace,
            json!({"path": "a.txt", "patterns": [{"old": "b", "new": "c"}, {"old": "c", "new": "b"}]})
        ),
        "error: The patterns leave the files as they are. Nothing was modified."
    );
}

#[test]
fn refuses_patterns_that_make_no_sense() {
    let workspace = approved(&[("a", "x")]);
    for (arguments, message) in [
        (
            json!({"path": "a", "patterns": []}),
            "error: No patterns provided.",
        ),
        (
            json!({"path": "a", "patterns": [{"old": "", "new": "x"}]}),
            "error: Pattern #1 has an empty `old`; write the text to replace.",
        ),
        (
            json!({"path": "a", "patterns": [{"old": "x", "new": "x"}]}),
            "error: Pattern #1 has identical `old` and `new`.",
        ),
        (
            json!({"path": "a", "patterns": [{"old": "x", "new": "y", "paths": []}]}),
            "error: Pattern #1 has an empty `paths`; name a file or leave it out.",
        ),
        (
            json!({"patterns": [{"old": "x", "new": "y", "paths": ["a"]}, {"old": "x", "new": "y"}]}),
            "error: Pattern #2 has no target files; set its `paths`, or the call's `path`.",
        ),
        (
            json!({"path": "a"}),
            "error: Invalid arguments: missing field `patterns`.",
        ),
    ] {
        assert_eq!(modify(&workspace, arguments), message);
    }
    assert_eq!(workspace.read("a"), "x");
}

#[cfg(unix)]
#[test]
fn modifies_text_files_only() {
    let workspace = approved(&[("real.txt", "x"), ("directory/a", "")]);
    workspace.write("binary", [0xff, b'x']);
    workspace.write("huge", "x".repeat(16 * 1024 * 1024 + 1));
    workspace.link("link.txt", "real.txt");
    workspace.link("dangling.txt", "nowhere");
    workspace.link("out.txt", workspace.outside().join("secret.txt"));
    for (path, message) in [
        ("binary", "error: File 'binary' is not valid UTF-8 text."),
        (
            "huge",
            "error: File 'huge' is larger than 16777216 bytes and cannot be modified.",
        ),
        ("directory", "error: Path is not a file."),
        ("ghost", "error: File not found."),
        ("dangling.txt", "error: File not found."),
        (
            "out.txt",
            "refusal: Path must not escape the workspace root.",
        ),
        ("..", "refusal: Path must not escape the workspace root."),
        (".", "error: Path must not be empty."),
    ] {
        assert_eq!(
            modify(&workspace, replace(path, "x", "y")),
            message,
            "{path}"
        );
    }
    // A link is followed to the file that it names, and stays a link.
    modify(&workspace, replace("link.txt", "x", "y"));
    assert_eq!(workspace.read("real.txt"), "y");
    assert!(
        workspace
            .path("link.txt")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
}

#[cfg(unix)]
#[test]
fn keeps_the_permissions_and_respects_a_read_only_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let workspace = approved(&[("run.sh", "x"), ("b", "x")]);
    let mode = |path: &str, mode| {
        std::fs::set_permissions(workspace.path(path), std::fs::Permissions::from_mode(mode))
            .unwrap();
    };
    mode("run.sh", 0o751);
    modify(&workspace, replace("run.sh", "x", "y"));
    let metadata = workspace.path("run.sh").metadata().unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o751);

    mode("run.sh", 0o444);
    assert_eq!(
        modify(
            &workspace,
            json!({"patterns": [{"old": "x", "new": "z", "paths": ["b"]}, {"old": "y", "new": "z", "paths": ["run.sh"]}]})
        ),
        "error: Cannot modify 'run.sh': the file is read-only."
    );
    assert_eq!(workspace.read("b"), "x");
}

#[test]
fn needs_update_on_every_file() {
    let workspace = approved(&[("src/a", "x"), ("docs/b", "x")]).rules([
        FsRule::new(".").with_read(true),
        FsRule::new("src").with_update(true),
    ]);
    assert_eq!(
        modify(
            &workspace,
            json!({"patterns": [{"old": "x", "new": "y", "paths": ["src/a", "docs/b"]}]})
        ),
        "refusal: Access denied: cannot update 'docs/b'. Paths granting update: [src]. If required, ask the user for \
         explicit access."
    );
    assert_eq!(workspace.read("src/a"), "x");
    assert_eq!(
        workspace.format("fs_modify_file", replace("docs/b", "x", "y")),
        "refusal: Access denied: cannot update 'docs/b'. Paths granting update: [src]. If required, ask the user for \
         explicit access."
    );
    assert_eq!(
        modify(&workspace, replace("src/a", "x", "y")),
        "File modified successfully:\n\n```diff\n--- src/a\n+++ src/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of \
         file\n+y\n\\ No newline at end of file\n```\n"
    );
}

#[test]
fn asks_about_broad_replacements() {
    let text: String = (0..10).map(|n| format!("line {n}\n")).collect();
    let workspace = approved(&[("a", &text), ("b", "one\n")]);
    let output = modify(&workspace, replace("a", "line", "row"));
    assert_eq!(
        output.lines().next(),
        Some("broad_replacement [false]: More than half of the lines change in 'a'. Apply anyway?")
    );
    let catch_all = json!({"path": "b", "patterns": [{"old": "^.*$", "new": "x"}], "replace_using_regex": true});
    assert_eq!(
        modify(&workspace, catch_all.clone()),
        "broad_replacement [false]: A pattern matches anything, in 'b'. Apply anyway?\n\
         ```diff\n--- b\n+++ b\n@@ -1 +1,2 @@\n-one\n+x\n+x\n\\ No newline at end of file\n```\n"
    );
    let workspace = workspace.answer("broad_replacement", false);
    assert_eq!(
        modify(&workspace, catch_all),
        "refusal: The replacement is too broad. Use patterns that match only what has to change."
    );
    let workspace = workspace.answer("broad_replacement", true);
    modify(&workspace, replace("a", "line", "row"));
    assert_eq!(workspace.read("a"), text.replace("line", "row"));
}

#[cfg(unix)]
#[test]
fn asks_about_uncommitted_work() {
    let workspace = approved(&[("a", "x\n"), ("b", "x\n"), ("c", "x\n")]);
    workspace.git(&["init", "-q"]);
    workspace.git(&["add", "."]);
    workspace.git(&["commit", "-qm", "one"]);
    workspace.write("a", "x y\n");
    workspace.write("b", "x y\n");
    let all = json!({"patterns": [{"old": "x", "new": "z", "paths": ["a", "b", "c"]}]});
    assert_eq!(
        modify(&workspace, all.clone()),
        "modify_dirty_file [false]: File 'a' has uncommitted changes. File 'b' has uncommitted changes. Modify anyway?"
    );
    let workspace = workspace.answer("modify_dirty_file", false);
    assert_eq!(
        modify(&workspace, all.clone()),
        "refusal: Not changed: the file holds work that git does not know. Commit or discard it first."
    );
    assert_eq!(workspace.read("c"), "x\n");
    let workspace = workspace.answer("modify_dirty_file", true);
    modify(&workspace, all);
    assert_eq!(workspace.read("c"), "z\n");
}

#[test]
fn small_changes_need_no_question_under_heuristics() {
    let text: String = (0..100).map(|n| format!("line {n}.\n")).collect();
    let workspace =
        Workspace::new(&[("a", &text)]).option("apply_changes_trigger", json!("heuristics"));
    assert_eq!(
        modify(&workspace, replace("a", "line 5.", "row 5."))
            .lines()
            .next(),
        Some("File modified successfully:")
    );
    assert_eq!(
        modify(&workspace, replace("a", "line 4", "row 4"))
            .lines()
            .next(),
        Some("apply_changes [true]: Do you want to apply the patch shown above?")
    );
    let workspace = workspace.option("apply_changes_trigger", json!(true));
    assert_eq!(
        modify(&workspace, replace("a", "line 6.", "row 6.")),
        "refusal: Invalid option `apply_changes_trigger`: write `\"always\"` or `\"heuristics\"`."
    );
}

#[test]
fn shows_a_person_what_is_really_there() {
    let workspace = Workspace::new(&[("a.txt", "x\n")]);
    let arguments = replace("a.txt", "x", "\u{1b}[8m```\u{202e}");
    let diff = "````diff\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-x\n+\\u{1b}[8m```\\u{202e}\n````\n";
    assert_eq!(
        workspace.format("fs_modify_file", arguments.clone()),
        format!("Modify file 'a.txt':\n\n{diff}")
    );
    assert_eq!(
        modify(&workspace, arguments),
        format!("apply_changes [true]: Do you want to apply the patch shown above?\n{diff}")
    );
}

#[test]
fn keeps_a_byte_order_mark_and_the_line_ends() {
    for (stored, patterns, expected) in [
        (
            "a\r\nb\r\n",
            json!([{"old": "a", "new": "a\nx"}]),
            "a\r\nx\r\nb\r\n",
        ),
        (
            "a\r\nb\r\n",
            json!([{"old": "a\nb", "new": "x\r\ny"}]),
            "x\r\ny\r\n",
        ),
        ("a\r\nb\r\n", json!([{"old": "a\r\n", "new": ""}]), "b\r\n"),
        (
            "a\r\nb\r\n",
            json!([{"old": "(.)$", "new": "$1;", "regex": true}]),
            "a;\r\nb;\r\n",
        ),
        (
            "a\r\nb\r\n",
            json!([{"old": r"a\r\nb", "new": "x\ny", "regex": true}]),
            "x\r\ny\r\n",
        ),
        (
            "\u{feff}a\r\nb",
            json!([{"old": r"\Aa", "new": "x", "regex": true}]),
            "\u{feff}x\r\nb",
        ),
        (
            "a\r\nb\nc\n",
            json!([{"old": "b\nc", "new": "x\ny"}]),
            "a\r\nx\ny\n",
        ),
    ] {
        let workspace = approved(&[("a", stored)]);
        let output = modify(&workspace, json!({"path": "a", "patterns": patterns}));
        assert_eq!(workspace.read("a"), expected, "{patterns}: {output}");
        assert!(!output.contains('\u{feff}'), "{output}");
    }
}

#[test]
fn a_file_that_is_named_twice_is_modified_once() {
    let workspace = approved(&[("a", "x\n")]);
    modify(
        &workspace,
        json!({"patterns": [{"old": "x", "new": "xx", "paths": ["a", "./a", "a"]}]}),
    );
    assert_eq!(workspace.read("a"), "xx\n");
}

#[test]
fn a_person_reads_a_long_diff_whole_and_the_model_its_beginning() {
    let text = "x".repeat(100_000);
    let workspace = approved(&[("a", &text)]);
    assert!(
        workspace
            .format("fs_modify_file", replace("a", "x", "y"))
            .len()
            > 200_000
    );
    let output = modify(&workspace, replace("a", "x", "y"));
    assert!(
        output.contains("\n... (cut after 65536 of 200"),
        "{}",
        output.len()
    );
    assert!(output.len() < 70_000, "{}", output.len());
    assert_eq!(workspace.read("a"), text.replace('x', "y"));
}
