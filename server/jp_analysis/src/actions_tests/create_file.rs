//! Files that `extends` names and that do not exist.

use super::*;

/// The titles at the `$0`, and the paths of what they create.
#[track_caller]
fn check_created(marked: &str, expected: &Expect) {
    let mut out = String::new();
    for action in offered(marked).1 {
        let path = action
            .creates
            .as_ref()
            .map_or("-", |file| file.path.as_str());
        writeln!(out, "{}: {path}", action.title).unwrap();
        assert!(action.creates.is_none() || action.edits.is_empty());
    }
    expected.assert_eq(&out);
}

#[test]
fn a_file_that_is_named_and_missing_is_created() {
    check_created(
        "extends = [\"tools/$0missing.toml\"]\n",
        &expect![[r#"
        Remove this entry: -
        Create `.jp/tools/missing.toml`: /w/.jp/tools/missing.toml
        Allow `extends-missing` here: -
    "#]],
    );
    check_created(
        "extends = [\"a.toml\", { path = \"../$0shared/b.toml\", strategy = \"after\" }]\n",
        &expect![[r#"
            Remove this entry: -
            Create `shared/b.toml`: /w/shared/b.toml
            Allow `extends-missing` here: -
        "#]],
    );
}

#[test]
fn no_file_is_created_outside_the_workspace_or_of_another_format() {
    for named in [
        "../../$0x.toml",
        "/etc/$0x.toml",
        "$0x.json",
        "$0x.yaml",
        "$0x",
        "tools/$0*.toml",
        "$0tools/",
        "$0a\\nb.toml",
        "$0a\\u202eb.toml",
        "$0config.toml",
    ] {
        has_none(&format!("extends = [\"{named}\"]\n"), "Create");
    }
}
