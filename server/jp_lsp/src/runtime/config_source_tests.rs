use std::fs;

use camino::Utf8PathBuf;
use jp_agent::ConfigSource;
use jp_config::graph::Roots;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::WorkspaceConfig;

fn workspace(text: &str) -> (tempfile::TempDir, WorkspaceConfig) {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
    fs::create_dir(root.join(".jp")).unwrap();
    fs::write(root.join(".jp/config.toml"), text).unwrap();
    (directory, WorkspaceConfig::new(Roots::workspace_only(root)))
}

#[test]
fn a_turn_gets_the_merged_config_and_where_its_rules_stand() {
    let (_directory, config) = workspace(
        "[conversation.tools.t]\nsource = \"local\"\ncommand = \"x\"\nparameters.p.type = \"string\"\npolicy.run = [\n  { arg = \"/p\", const = \"é\", mode = \"skip\" },\n  { mode = \"ask\" },\n]\n",
    );
    let effective = config.effective().unwrap();
    assert_eq!(
        effective.pointer("/conversation/tools/t/policy/run/1"),
        Some(&json!({ "mode": "ask" }))
    );
    let path = ["conversation", "tools", "t", "policy", "run"];
    let rule = config.place(&path, Some(0)).unwrap();
    assert_eq!((rule.start, rule.end), ((5, 2), (5, 44)));
}

#[test]
fn a_config_with_an_error_does_not_load() {
    let (_directory, config) =
        workspace("[conversation.tools.t]\nsource = \"local\"\ncommand = \"x\"\nrn = \"skip\"\n");
    let error = config.effective().unwrap_err().to_string();
    assert!(
        error.ends_with("unknown key `rn`, did you mean `run`?"),
        "{error}"
    );
}

#[test]
#[cfg(unix)]
fn tools_are_told_every_file_that_the_config_is_made_of() {
    let (directory, config) = workspace(
        "extends = [\"../conf/*.toml\", \"../later.toml\"]\nconfig_load_paths = [\"parts\"]\n",
    );
    let root = directory.path();
    for folder in ["real", "parts"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    fs::write(root.join("real/base.toml"), "").unwrap();
    fs::write(root.join("parts/fast.toml"), "[assistant]\nname = \"x\"\n").unwrap();
    std::os::unix::fs::symlink("real", root.join("conf")).unwrap();
    let files = config.files();
    for file in [
        ".jp/config.toml",
        "conf/base.toml",
        "real/base.toml",
        "parts/fast.toml",
        // What would be config if it were there.
        "later.toml",
        "conf",
        "real",
    ] {
        assert!(
            files.iter().any(|path| path == &root.join(file)),
            "{file} in {files:?}"
        );
    }
}

#[test]
fn a_glob_over_the_whole_workspace_closes_nothing() {
    let (directory, config) = workspace("extends = [\"../**/*.toml\", \"../none/*.toml\"]\n");
    let root = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
    let files = config.files();
    assert!(files.contains(&root.join("none")), "{files:?}");
    assert!(
        !files.iter().any(|path| root.starts_with(path)),
        "{files:?}"
    );
}
