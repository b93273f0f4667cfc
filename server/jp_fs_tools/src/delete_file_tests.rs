use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::test_support::Workspace;

fn delete(workspace: &Workspace, path: &str) -> String {
    workspace.run("fs_delete_file", json!({"path": path}))
}

#[test]
fn deletes_a_file_and_the_directory_it_leaves_empty() {
    let workspace = Workspace::new(&[("a/b/c.txt", ""), ("top.txt", "")]);
    assert_eq!(
        delete(&workspace, "a/b/c.txt"),
        "File deleted. Removed empty parent directory."
    );
    assert!(workspace.exists("a") && !workspace.exists("a/b"));
    assert_eq!(delete(&workspace, "top.txt"), "File deleted.");
    assert!(workspace.exists(""));
}

#[cfg(unix)]
#[test]
fn deletes_a_link_and_not_what_it_names() {
    let workspace = Workspace::new(&[("real.txt", "payload")]);
    workspace.link("link.txt", "real.txt");
    workspace.link("out.txt", workspace.outside().join("secret.txt"));
    workspace.link("dangling.txt", "/nowhere/at/all");
    for path in ["link.txt", "out.txt", "dangling.txt"] {
        assert_eq!(delete(&workspace, path), "File deleted.", "{path}");
        assert!(!workspace.exists(path), "{path}");
    }
    assert_eq!(workspace.read("real.txt"), "payload");
    assert!(workspace.outside().join("secret.txt").exists());
}

#[cfg(unix)]
#[test]
fn deletes_nothing_but_files() {
    let workspace = Workspace::new(&[("directory/a.txt", "")]);
    workspace.link("out", workspace.outside());
    let _socket = std::os::unix::net::UnixListener::bind(workspace.path("socket")).unwrap();
    for (path, message) in [
        (
            "directory",
            "error: This is a directory, and only files are deleted; a directory that becomes empty goes with its last file.",
        ),
        ("socket", "error: Path is not a regular file."),
        ("ghost.txt", "error: Path points to non-existing entry."),
        (
            "ghost/ghost.txt",
            "error: Path points to non-existing entry.",
        ),
        (".", "error: Path must not be empty."),
        (
            "out/secret.txt",
            "refusal: Path must not escape the workspace root.",
        ),
    ] {
        assert_eq!(delete(&workspace, path), message, "{path}");
    }
    assert!(workspace.outside().join("secret.txt").exists());
}

#[test]
fn needs_delete() {
    let workspace = Workspace::new(&[("vault/key", "x"), ("src/only.rs", "")]).rules([
        FsRule::new(".").with_read(true).with_write(true),
        FsRule::new("vault"),
        FsRule::new("src").with_read(true),
        FsRule::new("src/only.rs").with_delete(true),
    ]);
    assert_eq!(
        delete(&workspace, "vault/key"),
        "refusal: Access denied: cannot delete 'vault/key'. Paths granting delete: [., src/only.rs]. If required, ask \
         the user for explicit access."
    );
    assert!(workspace.exists("vault/key"));
    // The directory stays, since only the file was granted.
    assert_eq!(delete(&workspace, "src/only.rs"), "File deleted.");
    assert!(workspace.exists("src"));
}

#[cfg(unix)]
#[test]
fn asks_about_uncommitted_work() {
    let workspace = Workspace::new(&[
        ("a.txt", "one"),
        ("b.txt", "one"),
        (".gitignore", "*.log\n"),
    ]);
    workspace.git(&["init", "-q"]);
    workspace.git(&["add", "."]);
    workspace.git(&["commit", "-qm", "one"]);
    workspace.write("a.txt", "two");
    workspace.write("new[1].txt", "");
    workspace.write("x.log", "");
    assert_eq!(
        delete(&workspace, "a.txt"),
        "delete_dirty_file [false]: File 'a.txt' has uncommitted changes. Delete anyway?"
    );
    assert_eq!(
        delete(&workspace, "new[1].txt"),
        "delete_dirty_file [false]: File 'new[1].txt' has uncommitted changes. Delete anyway?"
    );
    assert_eq!(delete(&workspace, "b.txt"), "File deleted.");
    assert_eq!(delete(&workspace, "x.log"), "File deleted.");
    let workspace = workspace.answer("delete_dirty_file", false);
    assert_eq!(
        delete(&workspace, "a.txt"),
        "refusal: Not deleted: the file holds work that git does not know. Commit or discard it first."
    );
    let workspace = workspace.answer("delete_dirty_file", true);
    assert_eq!(delete(&workspace, "a.txt"), "File deleted.");
}

#[cfg(unix)]
#[test]
fn asks_if_git_cannot_tell() {
    let workspace = Workspace::new(&[("a.txt", "one"), (".git", "no repository")]);
    assert_eq!(
        delete(&workspace, "a.txt"),
        "delete_dirty_file [false]: File 'a.txt' may have uncommitted changes, git cannot tell (fatal: invalid gitfile \
         format: TMP/workspace/.git). Delete anyway?"
    );
}

#[test]
fn shows_the_call_on_one_line() {
    let workspace = Workspace::new(&[]);
    assert_eq!(
        workspace.format("fs_delete_file", json!({"path": "a\nb\u{1b}"})),
        "fs_delete_file(path: \"a\\nb\\u001b\")"
    );
}
