use std::{path::Path, process::Command};

use camino::Utf8PathBuf;
use expect_test::expect;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.com"])
        .args(["-c", "commit.gpgsign=false", "-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", folder)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with one commit, in a folder of its own.
fn repository() -> (TempDir, Utf8PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(home.path()).unwrap();
    let root = path.canonicalize_utf8().unwrap().join("w");
    fs::create_dir(&root).unwrap();
    git(root.as_std_path(), &["init", "-q", "-b", "feature/x"]);
    let commit = ["commit", "-q", "--allow-empty", "-m", "c"];
    git(root.as_std_path(), &commit);
    (home, root)
}

/// Why a repository is not read, before and after a person trusts the workspace.
fn refusals(root: &Utf8Path) -> String {
    let said = [false, true].map(|is_trusted| match OwnRepository::around(root, is_trusted) {
        Ok(_) => "read".to_owned(),
        Err(error) => error.to_string(),
    });
    let home = root.parent().unwrap().as_str();
    said.join("\n").replace(home, "HOME")
}

#[test]
fn the_last_commit_and_where_it_shows() {
    let (_home, root) = repository();
    let folder = root.join("deep/below");
    fs::create_dir_all(&folder).unwrap();
    let own = OwnRepository::around(&folder, false).unwrap();
    assert_eq!(own.top, root);
    let head = git(root.as_std_path(), &["rev-parse", "HEAD"]);
    assert_eq!(own.head().unwrap().to_string(), head);
    let git = root.join(".git");
    let branches = ["refs", "refs/heads", "refs/heads/feature"].map(|name| git.join(name));
    assert_eq!(own.watched(), [vec![git], branches.to_vec()].concat());
}

#[test]
fn what_leads_elsewhere_is_read_where_a_person_trusts_it() {
    let (_home, root) = repository();
    let elsewhere = root.parent().unwrap().join("elsewhere");
    let commondir = "out of its folder";
    fs::rename(root.join(".git"), &elsewhere).unwrap();
    fs::write(root.join(".git"), format!("gitdir: {elsewhere}\n")).unwrap();
    let told = refusals(&root);
    assert!(told.contains(commondir), "{told}");
    expect![[r#"
        the git repository of `HOME/w` cannot be read: it leads out of its folder, where nothing is read before you trust the workspace
        read"#]]
    .assert_eq(&told);
    let (_home, root) = repository();
    let alternates = root.join(".git/objects/info/alternates");
    fs::write(alternates, format!("{elsewhere}/objects\n")).unwrap();
    assert_eq!(refusals(&root), told);
}

#[cfg(unix)]
#[test]
fn a_link_in_a_repository_leads_elsewhere_too() {
    let (_home, root) = repository();
    let told = ["objects", "refs", "objects/pack", "HEAD"].map(|name| {
        let (here, there) = (root.join(".git").join(name), root.join("there"));
        fs::rename(&here, &there).unwrap();
        std::os::unix::fs::symlink(&there, &here).unwrap();
        let told = OwnRepository::around(&root, false).is_ok();
        fs::remove_file(&here).unwrap();
        fs::rename(&there, &here).unwrap();
        told
    });
    assert_eq!(told, [false; 4]);
    assert!(OwnRepository::around(&root, false).is_ok());
}

#[test]
fn files_that_lie_elsewhere_are_never_taken_for_the_working_tree() {
    for (key, value) in [("core.worktree", "/"), ("core.bare", "true")] {
        let (_home, root) = repository();
        git(root.as_std_path(), &["config", key, value]);
        let told = "the git repository of `HOME/w` cannot be read: its files lie elsewhere";
        assert_eq!(refusals(&root), format!("{told}\n{told}"), "{key}");
    }
}

#[test]
fn what_is_no_repository_or_too_large_is_not_read() {
    let told = "the git repository of `HOME/w` cannot be read: it is no repository, or too large";
    let enlarge = |root: &Utf8Path, name: &str, size: u64| {
        let file = fs::File::options()
            .append(true)
            .create(true)
            .open(root.join(".git").join(name));
        file.unwrap().set_len(size).unwrap();
    };
    for (name, size) in [
        ("HEAD", MAXIMUM_REFERENCE),
        ("refs/heads/feature/x", MAXIMUM_REFERENCE),
        ("config", MAXIMUM_CONFIG),
        ("packed-refs", MAXIMUM_REFERENCES),
    ] {
        let (_home, root) = repository();
        enlarge(&root, name, size + 1);
        assert_eq!(refusals(&root), format!("{told}\n{told}"), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_branch_is_not_waited_for() {
    let (_home, root) = repository();
    let branch = root.join(".git/refs/heads/feature/x");
    fs::remove_file(&branch).unwrap();
    let made = Command::new("mkfifo").arg(&branch).output().unwrap();
    assert!(made.status.success());
    let told = "the git repository of `HOME/w` cannot be read: it is no repository, or too large";
    assert_eq!(refusals(&root), format!("{told}\n{told}"));
}

#[test]
fn a_large_object_is_not_unpacked() {
    let (_home, root) = repository();
    let write = |size: usize| {
        fs::write(root.join("large"), vec![0; size]).unwrap();
        let id = git(root.as_std_path(), &["hash-object", "-w", "large"]);
        ObjectId::from_hex(id.as_bytes()).unwrap()
    };
    let small = write(MAXIMUM_LOAD_SIZE / 2);
    let large = write(MAXIMUM_LOAD_SIZE * 2);
    let own = OwnRepository::around(&root, true).unwrap();
    assert!(own.repository.find_object(small).is_ok());
    assert!(own.repository.find_object(large).is_err());
    // Nor from a pack.
    let ids = format!("{small}\n{large}\n");
    fs::write(root.join("ids"), ids).unwrap();
    let pack = "git pack-objects -q --window=0 .git/objects/pack/pack < ids && git prune-packed";
    let status = Command::new("sh")
        .args(["-c", pack])
        .current_dir(&root)
        .output()
        .unwrap();
    assert!(status.status.success());
    let own = OwnRepository::around(&root, true).unwrap();
    assert!(own.repository.find_object(small).is_ok());
    assert!(own.repository.find_object(large).is_err());
}
