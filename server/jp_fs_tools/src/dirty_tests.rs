use pretty_assertions::assert_eq;

use super::*;
use crate::test_support::Workspace;

#[test]
fn without_a_repository_there_is_nothing_to_lose() {
    let workspace = Workspace::new(&[("a.txt", "")]);
    assert_eq!(
        work_state_at(&workspace.path("a.txt"), None),
        WorkState::Clean
    );
}

#[cfg(unix)]
#[test]
fn runs_no_program_that_the_repository_names() {
    let workspace = Workspace::new(&[("a.txt", "")]);
    workspace.git(&["init", "-q"]);
    let proof = workspace.path("proof");
    workspace.write("monitor.sh", format!("#!/bin/sh\ntouch {proof}\n"));
    workspace.git(&[
        "config",
        "core.fsmonitor",
        workspace.path("monitor.sh").as_str(),
    ]);
    std::fs::set_permissions(
        workspace.path("monitor.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    assert_eq!(
        work_state_at(&workspace.path("a.txt"), None),
        WorkState::Uncommitted(1)
    );
    assert!(!proof.exists());
    // The monitor does run where it is not switched off.
    workspace.git(&["status"]);
    assert!(proof.exists());
}

/// A repository with one committed file that has changed since.
#[cfg(unix)]
fn repository() -> Workspace {
    let workspace = Workspace::new(&[("a.txt", "one\n")]);
    workspace.git(&["init", "-q"]);
    workspace.git(&["add", "a.txt"]);
    workspace.git(&["commit", "-q", "-m", "x"]);
    workspace.write("a.txt", "two\n");
    workspace
}

#[cfg(unix)]
#[test]
fn runs_no_filter_that_the_repository_names() {
    let workspace = repository();
    let proof = workspace.path("proof");
    let program = format!("touch {proof}; cat");
    workspace.git(&["config", "filter.Some Name.clean", &program]);
    workspace.git(&["config", "filter.Some Name.required", "true"]);
    workspace.git(&["config", "filter.second.process", &program]);
    workspace.write(
        ".git/info/attributes",
        "a.txt filter=\"Some Name\"\n* filter=second\n",
    );
    assert_eq!(
        work_state_at(&workspace.path("a.txt"), None),
        WorkState::Uncommitted(1)
    );
    workspace.write(".gitattributes", "*.txt filter=second\n");
    assert_eq!(
        work_state_at(&workspace.path("a.txt"), None),
        WorkState::Uncommitted(1)
    );
    assert!(!proof.exists());
    workspace.git(&["config", "filter.other.clean", &program]);
    workspace.write(".git/info/attributes", "* filter=other\n");
    assert_eq!(
        work_state_at(&workspace.path("a.txt"), None),
        WorkState::Uncommitted(1)
    );
    assert!(!proof.exists());
    // The filter does run where it is not switched off.
    workspace.git(&["status"]);
    assert!(proof.exists());
}

#[cfg(unix)]
#[test]
fn a_filter_that_cannot_be_switched_off_leaves_the_state_unknown() {
    let workspace = repository();
    workspace.git(&["config", "filter.a=b.clean", "cat"]);
    assert_eq!(
        work_state_at(&workspace.path("a.txt"), None),
        WorkState::Unknown("a filter in its config cannot be switched off".to_owned())
    );
}

#[cfg(unix)]
#[test]
fn fetches_nothing_that_the_repository_lacks() {
    let workspace = repository();
    let proof = workspace.path("proof");
    let remote = format!("ext::sh -c touch% {proof}");
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", &remote),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ] {
        workspace.git(&["config", key, value]);
    }
    // The only trees and blobs are those of the one commit; git misses them, and would ask the remote.
    let objects = workspace.path(".git/objects");
    for directory in std::fs::read_dir(&objects).unwrap() {
        let directory = directory.unwrap().path();
        if directory.file_name().is_some_and(|name| name.len() == 2) {
            for object in std::fs::read_dir(&directory).unwrap() {
                let object = object.unwrap().path();
                if !is_commit(&workspace, &object) {
                    std::fs::remove_file(object).unwrap();
                }
            }
        }
    }
    std::fs::remove_file(workspace.path(".git/index")).unwrap();
    assert!(matches!(
        work_state_at(&workspace.path("a.txt"), None),
        WorkState::Unknown(_)
    ));
    assert!(!proof.exists());
    // It does ask where it may.
    let _ = Command::new("git")
        .arg("status")
        .current_dir(workspace.path("."))
        .output()
        .unwrap();
    assert!(proof.exists());
}

/// Whether a loose object is the commit at `HEAD`.
#[cfg(unix)]
fn is_commit(workspace: &Workspace, object: &std::path::Path) -> bool {
    let head = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(workspace.path("."))
        .output()
        .unwrap();
    let head = String::from_utf8(head.stdout).unwrap();
    object
        .file_name()
        .is_some_and(|name| head.trim().ends_with(name.to_str().unwrap()))
}

#[test]
fn says_how_much_is_at_stake() {
    let concern = |state, is_directory| concern("X", &state, is_directory);
    assert_eq!(concern(WorkState::Clean, false), None);
    assert_eq!(
        concern(WorkState::Uncommitted(1), false).unwrap(),
        "X has uncommitted changes."
    );
    assert_eq!(
        concern(WorkState::Uncommitted(1), true).unwrap(),
        "X has 1 uncommitted entry."
    );
    assert_eq!(
        concern(WorkState::Uncommitted(3), true).unwrap(),
        "X has 3 uncommitted entries."
    );
    assert_eq!(
        concern(WorkState::Unknown("no\u{1b}".to_owned()), true).unwrap(),
        "X may have uncommitted changes, git cannot tell (no\\u{1b})."
    );
}

#[test]
fn takes_no_program_from_the_current_directory() {
    let path = search_path(None);
    assert!(std::env::split_paths(&path).all(|directory| directory.is_absolute()));
    assert!(std::env::split_paths(&path).count() > 0);
}

#[cfg(unix)]
#[test]
fn the_search_path_leads_neither_into_the_workspace_nor_anywhere_relative() {
    let workspace = Workspace::new(&[("node_modules/.bin/git", "")]);
    workspace.link("bin", "node_modules/.bin");
    std::os::unix::fs::symlink(workspace.path("bin"), workspace.outside().join("bin")).unwrap();
    let inside = workspace.path("node_modules/.bin");
    let linked = workspace.outside().join("bin");
    let path = format!(":/bin:.:{inside}:{linked}:bin:{}", workspace.outside());
    assert_eq!(
        outside(path.as_ref(), Some(&workspace.path(""))),
        OsString::from(format!("/bin:{}", workspace.outside()))
    );
    assert_eq!(
        outside(path.as_ref(), None),
        OsString::from(format!("/bin:{inside}:{linked}:{}", workspace.outside()))
    );
}
