use camino::Utf8PathBuf;
use indexmap::IndexMap;
use jp_policy::RunMode;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Decision, decide};
use crate::config::TurnConfig;

fn decided(run: Value, arguments: Value) -> (RunMode, Option<usize>) {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::os::unix::fs::symlink("../.git", root.join("src/link")).unwrap();
    std::os::unix::fs::symlink("/", root.join("src/out")).unwrap();
    let mut config = json!({"assistant": {"model": {"id": "test/model"}}, "conversation": {"tools": {"t": {
        "source": "local", "parameters": {"path": {"type": "path"}},
    }}}});
    config["conversation"]["tools"]["t"]["policy"]["run"] = run;
    let config = TurnConfig::resolve(&config, &IndexMap::new()).unwrap();
    let tool = &config.tools["t"];
    let Decision { mode, rule, .. } = decide(
        &tool.run,
        &tool.schema,
        &root,
        arguments.as_object().unwrap(),
    );
    (mode, rule)
}

fn rules() -> Value {
    json!([
        {"arg": "/path", "prefix": ".git", "mode": "skip"},
        {"arg": "/path", "prefix": "src", "mode": "unattended"},
        {"mode": "ask"},
    ])
}

#[test]
fn the_first_rule_that_matches_decides() {
    assert_eq!(
        decided(rules(), json!({"path": "src/a.rs"})),
        (RunMode::Unattended, Some(1))
    );
    assert_eq!(
        decided(rules(), json!({"path": "./src/../.git/config"})),
        (RunMode::Skip, Some(0))
    );
    assert_eq!(decided(rules(), json!({})), (RunMode::Ask, Some(2)));
}

#[test]
fn a_link_cannot_dodge_a_rule() {
    assert_eq!(
        decided(rules(), json!({"path": "src/link/config"})),
        (RunMode::Skip, Some(0))
    );
}

#[test]
fn a_path_out_of_the_workspace_is_never_unattended() {
    for path in ["src/out/etc/passwd", "../x", "/etc/passwd"] {
        assert_eq!(
            decided(json!("unattended"), json!({"path": path})),
            (RunMode::Ask, None),
            "{path}"
        );
    }
    assert_eq!(
        decided(rules(), json!({"path": "src/out/etc"})),
        (RunMode::Ask, None)
    );
    assert_eq!(
        decided(json!("skip"), json!({"path": "../x"})),
        (RunMode::Skip, None)
    );
}
