use camino::Utf8PathBuf;
use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::approved_targets;

fn check(text: &str, expected: Expect) {
    let directory = TempDir::new().unwrap();
    let file = Utf8PathBuf::try_from(directory.path().join("approvals.json")).unwrap();
    std::fs::write(&file, text).unwrap();
    let read = match approved_targets(Some(&file)) {
        Ok(targets) => targets
            .iter()
            .map(|(path, target)| format!("{path} -> {target}\n"))
            .collect(),
        Err(error) => format!("{error}\n"),
    };
    expected.assert_eq(&read.replace(directory.path().to_str().unwrap(), "<data>"));
}

#[test]
fn the_file_of_jp_is_read() {
    check(
        r#"{
          "mounts": [
            {"rule_path": "shared", "canonical_target": "/srv/shared", "approved_at": "2026-01-02T03:04:05Z"},
            {"rule_path": "a/b", "canonical_target": "/srv/b", "approved_at": "2026-01-02T03:04:05Z", "note": 1}
          ],
          "later": []
        }"#,
        expect![[r#"
            a/b -> /srv/b
            shared -> /srv/shared
        "#]],
    );
}

#[test]
fn of_two_approvals_for_one_path_the_first_counts() {
    check(
        r#"{"mounts": [{"rule_path": "a", "canonical_target": "/1"}, {"rule_path": "a", "canonical_target": "/2"}]}"#,
        expect![[r#"
            a -> /1
        "#]],
    );
}

#[test]
fn a_file_that_cannot_be_read_approves_nothing() {
    check(
        r#"{"mounts": [{"rule_path": "a", "canonical_target": "/1"}, {"rule_path": "b"}]}"#,
        expect![[r#"
            `<data>/approvals.json` approves nothing: missing field `canonical_target` at line 1 column 76; repair or remove it
        "#]],
    );
    check(
        "",
        expect![[r#"
            `<data>/approvals.json` approves nothing: EOF while parsing a value at line 1 column 0; repair or remove it
        "#]],
    );
    check(
        &" ".repeat((1 << 20) + 1),
        expect![[r#"
            `<data>/approvals.json` approves nothing: it has more than 1048576 bytes; repair or remove it
        "#]],
    );
}

#[test]
fn without_a_file_nothing_is_approved() {
    let directory = TempDir::new().unwrap();
    let missing = Utf8PathBuf::try_from(directory.path().join("none")).unwrap();
    assert!(approved_targets(Some(&missing)).unwrap().is_empty());
    assert!(approved_targets(None).unwrap().is_empty());
    let folder = Utf8PathBuf::try_from(directory.path().to_owned()).unwrap();
    assert_eq!(
        approved_targets(Some(&folder)).unwrap_err().to_string(),
        format!("`{folder}` approves nothing: it is no file; repair or remove it")
    );
}
