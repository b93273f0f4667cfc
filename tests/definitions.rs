//! The definitions of the bundled tools are config like any other: they check clean, also with their examples switched on.

#![expect(
    clippy::unwrap_used,
    reason = "a file that cannot be prepared fails the test"
)]

mod program;

use std::{fs, path::Path, process::Command};

use program::program;

const DEFINITIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../jp_fs_tools/definitions/fs");

/// A workspace that extends the definitions, each passed through `edit`.
fn check(edit: impl Fn(&str) -> String) -> String {
    let workspace = tempfile::tempdir().unwrap();
    let tools = workspace.path().join(".jp/tools");
    fs::create_dir_all(&tools).unwrap();
    let config = "extends = [\"tools/*.toml\"]\n\n[conversation.tools.'*']\nrun = \"ask\"\n";
    fs::write(workspace.path().join(".jp/config.toml"), config).unwrap();
    let mut count = 0;
    for entry in fs::read_dir(Path::new(DEFINITIONS)).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        fs::write(tools.join(entry.file_name()), edit(&text)).unwrap();
        count += 1;
    }
    assert_eq!(count, 7);
    let output = Command::new(program())
        .args(["check", "--deny", "warnings", "--format", "github"])
        .current_dir(workspace.path())
        .env("JP_GLOBAL_CONFIG_DIR", workspace.path().join("none"))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn they_check_clean() {
    assert_eq!(check(str::to_owned), "");
}

#[test]
fn their_examples_check_clean_too() {
    let switched_on = |text: &str| {
        let mut lines = Vec::new();
        let mut in_example = false;
        for line in text.lines() {
            let bare = line.strip_prefix("# ").unwrap_or(line);
            in_example = match (line.starts_with('#'), bare.starts_with('[')) {
                (true, true) => true,
                (true, false) => in_example,
                (false, _) => false,
            };
            let is_entry = bare.starts_with('[') || bare.contains(" = ");
            lines.push(if in_example && is_entry { bare } else { line });
        }
        lines.join("\n")
    };
    assert_eq!(check(switched_on), "");
}
