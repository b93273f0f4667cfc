use jp_tool::{AccessPolicy, Action, FsRule};
use pretty_assertions::assert_eq;
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::json;

use super::*;
use crate::test_support::Workspace;

fn context(workspace: &Workspace) -> Context {
    Context::new(workspace.path(""), Action::Run)
}

#[test]
fn paths_have_to_be_sane() {
    let workspace = Workspace::new(&[]);
    let context = context(&workspace);
    let session = OpenWorkspace::open(&context).unwrap();
    let deep = |depth: usize| vec!["d"; depth].join("/");
    let plain = |input: &str| session.plain(input).map_err(|error| error.to_string());
    for (input, expected) in [
        ("a//./b/../c", Ok("a/c")),
        (".", Ok("")),
        ("./a/", Ok("a")),
        (deep(20).as_str(), Ok(deep(20).as_str())),
        (
            deep(21).as_str(),
            Err("Path must be at most 20 components long."),
        ),
        ("x".repeat(100).as_str(), Ok("x".repeat(100).as_str())),
        (
            format!("a/{}", "x".repeat(101)).as_str(),
            Err("Individual path components must be at most 100 bytes long."),
        ),
        ("", Err("Path must not be empty.")),
        ("a\0b", Err("Path must not contain a NUL byte.")),
        ("..", Err("Path must not escape the workspace root.")),
        ("a/../../b", Err("Path must not escape the workspace root.")),
        ("/etc", Err("Path must be relative.")),
        (workspace.path("a/b").as_str(), Ok("a/b")),
        (
            workspace.path("a/../../b").as_str(),
            Err("Path must not escape the workspace root."),
        ),
    ] {
        assert_eq!(
            plain(input),
            expected.map(Utf8PathBuf::from).map_err(str::to_owned),
            "{input}"
        );
    }
}

#[test]
fn a_root_has_to_be_usable() {
    let message = |root: &str| {
        OpenWorkspace::open(&Context::new(root, Action::Run))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message("relative"),
        "Cannot open the workspace root 'relative': write an absolute path."
    );
    assert_eq!(
        message("/nowhere/at/all"),
        "Cannot open the workspace root '/nowhere/at/all': No such file or directory (os error 2)."
    );
}

#[test]
fn a_policy_that_cannot_be_understood_grants_nothing() {
    let workspace = Workspace::new(&[]);
    let context = context(&workspace).with_access(AccessPolicy {
        fs: vec![FsRule::new("../x").with_read(true)].into(),
        ..AccessPolicy::default()
    });
    let error = OpenWorkspace::open(&context).unwrap_err();
    assert!(matches!(error, Error::Policy(_)) && !error.is_transient());
}

#[cfg(unix)]
#[test]
fn an_entry_is_the_link_and_a_target_what_it_names() {
    let workspace = Workspace::new(&[("real/a", "")]);
    workspace.link("alias", "real");
    workspace.link("real/link", "a");
    let context = context(&workspace);
    let session = OpenWorkspace::open(&context).unwrap();
    let entry = |input| session.entry(input).map(|target| target.path).unwrap();
    let target = |input| session.resolved(input).map(|target| target.path).unwrap();
    assert_eq!(entry("alias"), "alias");
    assert_eq!(target("alias"), "real");
    assert_eq!(entry("alias/link"), "real/link");
    assert_eq!(target("alias/link"), "real/a");
    assert_eq!(entry("alias/new"), "real/new");
    assert_eq!(entry("missing/new"), "missing/new");
}

#[cfg(unix)]
#[test]
fn a_link_swapped_in_after_the_check_is_not_followed() {
    let workspace = Workspace::new(&[("inside/secret.txt", "harmless")]);
    let context = context(&workspace);
    let session = OpenWorkspace::open(&context).unwrap();
    let target = session
        .target(Capability::Read, "inside/secret.txt")
        .unwrap();
    std::fs::rename(workspace.path("inside"), workspace.path("elsewhere")).unwrap();
    workspace.link("inside", workspace.outside());
    assert!(target.place().is_err());
    assert!(target.place_with_parents().is_err());

    std::fs::remove_file(workspace.path("inside")).unwrap();
    std::fs::create_dir(workspace.path("inside")).unwrap();
    workspace.link("inside/secret.txt", workspace.outside().join("secret.txt"));
    assert!(target.place().unwrap().open().is_err());
}

#[cfg(unix)]
#[test]
fn the_tools_work_in_an_approved_mount_as_far_as_it_is_granted() {
    let workspace = Workspace::new(&[]).answer("apply_changes", true);
    workspace.link("fork", workspace.outside());
    std::fs::remove_file(workspace.outside().join("secret.txt")).unwrap();
    let target = workspace.outside();
    let rule = FsRule::new("fork")
        .with_external(true)
        .with_approved_target(Some(target));
    let workspace = workspace.rules([rule.clone().with_read(true)]);
    let create = |workspace: &Workspace| {
        workspace.run(
            "fs_create_file",
            json!({"path": "fork/new/a.txt", "content": "one\n"}),
        )
    };
    assert_eq!(
        create(&workspace),
        "refusal: Access denied: cannot create 'fork/new/a.txt'. Paths granting create: []. If required, ask the user \
         for explicit access."
    );
    let workspace = workspace.rules([rule.with_read(true).with_write(true)]);
    assert_eq!(
        create(&workspace),
        "File 'fork/new/a.txt' created. File size: 4"
    );
    assert_eq!(
        workspace.run(
            "fs_modify_file",
            json!({"path": "fork/new/a.txt", "patterns": [{"old": "one", "new": "two"}]})
        ),
        "File modified successfully:\n\n```diff\n--- fork/new/a.txt\n+++ fork/new/a.txt\n@@ -1 +1 @@\n-one\n+two\n```\n"
    );
    assert_eq!(
        workspace.run(
            "fs_grep_files",
            json!({"pattern": "two", "paths": ["fork"]})
        ),
        "fork/new/a.txt:1:two\n"
    );
    // What leads out of the mount stays out of reach.
    std::os::unix::fs::symlink("/etc", workspace.outside().join("etc")).unwrap();
    assert_eq!(
        workspace.run("fs_read_file", json!({"path": "fork/etc/passwd"})),
        "refusal: Path must not escape the workspace root."
    );
    assert_eq!(
        workspace.run("fs_delete_file", json!({"path": "fork/new/a.txt"})),
        "File deleted."
    );
    assert!(workspace.outside().join("new").exists());
}

/// However a path is put together, it ends up inside or is refused.
#[cfg(unix)]
#[test]
fn no_path_leads_outside() {
    let workspace = Workspace::new(&[("a/a", ""), ("a/deep/a", "")]);
    workspace.link("out", workspace.outside());
    workspace.link("up", "..");
    workspace.link("a/up", "../..");
    workspace.link("loop", "loop");
    workspace.link("deep", "a/deep");
    let context = context(&workspace);
    let session = OpenWorkspace::open(&context).unwrap();
    let names = [
        "a",
        "up",
        "out",
        "loop",
        "deep",
        "new",
        "..",
        ".",
        "",
        "/",
        "\0",
        "outside",
        "secret.txt",
        "é",
        "a b",
    ];
    let parts = proptest::collection::vec(proptest::sample::select(names.to_vec()), 0..8);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(2000));
    let result = runner.run(&parts, |parts| {
        let input = parts.join("/");
        let targets = [session.resolved(&input), session.entry(&input)];
        for target in targets.into_iter().flatten() {
            prop_assert!(!target.is_mount);
            prop_assert!(target.absolute.starts_with(&session.root));
            prop_assert_eq!(session.root.join(&target.path), target.absolute.clone());
            let parent = target.absolute.parent().unwrap();
            if target.absolute != session.root && parent.exists() {
                prop_assert_eq!(parent.canonicalize_utf8().unwrap(), parent);
            }
        }
        Ok(())
    });
    assert_eq!(result, Ok(()));
}
