use pretty_assertions::assert_eq;

use super::*;
use crate::test_support::Workspace;

#[test]
fn without_a_repository_there_is_nothing_to_lose() {
    let workspace = Workspace::new(&[("a.txt", "")]);
    assert_eq!(work_state(&workspace.path("a.txt")), WorkState::Clean);
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
        work_state(&workspace.path("a.txt")),
        WorkState::Uncommitted(1)
    );
    assert!(!proof.exists());
    // The monitor does run where it is not switched off.
    workspace.git(&["status"]);
    assert!(proof.exists());
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
    let path = search_path();
    assert!(std::env::split_paths(&path).all(|directory| directory.is_absolute()));
    assert!(std::env::split_paths(&path).count() > 0);
}
