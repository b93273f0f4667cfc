use camino::Utf8PathBuf;
use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::json;
use tempfile::TempDir;

use super::*;

fn arguments(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn an_id_that_is_used_again_is_another_call() {
    let mut calls = Calls::default();
    assert_eq!(calls.begin("call_1"), "call_1");
    assert_eq!(calls.end("call_1").as_deref(), Some("call_1"));
    assert_eq!(calls.end("call_1"), None);
    assert_eq!(calls.begin("call_1"), "call_1#2");
    assert_eq!(calls.shown("call_1"), Some("call_1#2"));
    assert_eq!(calls.end_all(), ["call_1#2"]);
    assert_eq!(calls.shown("call_1"), None);
}

#[test]
fn a_call_that_did_not_run_is_no_success_and_shows_no_change() {
    let mut calls = Calls::default();
    for has_run in [true, false] {
        calls.begin("call_1");
        calls.changes_file("call_1");
        if has_run {
            calls.run("call_1");
        }
        let fields = calls.finish("call_1", "said", false).unwrap().fields;
        let status = match has_run {
            true => ToolCallStatus::Completed,
            false => ToolCallStatus::Failed,
        };
        assert_eq!(fields.status, Some(status));
        assert_eq!(fields.content.is_none(), has_run);
    }
}

#[test]
fn a_call_names_its_files_but_none_outside_the_workspace() {
    let folder = TempDir::new().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    let given = arguments(&json!({ "paths": ["src/a.rs", "../b.rs", "/etc/passwd"], "path": 3 }));
    let call = begun(("call_1", "fs_modify_file"), Some(&given), &root, None);
    assert_eq!(call.title, "fs_modify_file: src/a.rs and 2 more");
    assert_eq!(call.kind, ToolKind::Edit);
    let places: Vec<_> = call.locations.iter().map(|it| it.path.clone()).collect();
    assert_eq!(places, [root.join("src/a.rs").into_std_path_buf()]);
}

#[test]
fn what_tools_say_hides_nothing_and_loads_nothing() {
    let call = begun(("call_1", "a\u{202e}b\nc"), None, Utf8Path::new("/w"), None);
    assert_eq!(call.title, "a\\u{202e}b c");
    let ended = ended("call_1", "![x](http://evil)\u{1b}[2J\n```\n", false, false);
    let fields = serde_json::to_value(&ended.fields.content).unwrap();
    expect![[r#"
        ````
        ![x](http://evil)␛[2J
        ```
        ````
    "#]]
    .assert_eq(fields[0]["content"]["text"].as_str().unwrap());
}

#[test]
fn a_diff_stays_where_the_change_was_made() {
    let kept = ended("call_1", "done", false, true);
    assert_eq!(kept.fields.content, None);
    let failed = ended("call_1", "no such file", true, true);
    assert_eq!(failed.fields.status, Some(ToolCallStatus::Failed));
    assert!(failed.fields.content.is_some());
}
