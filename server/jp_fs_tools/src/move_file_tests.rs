use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::test_support::Workspace;

fn rename(workspace: &Workspace, source: &str, target: &str) -> String {
    workspace.run("fs_move_file", json!({"source": source, "target": target}))
}

#[test]
fn moves_a_file() {
    let workspace = Workspace::new(&[("a/b.txt", "hello")]);
    assert_eq!(
        rename(&workspace, "a/b.txt", "c/d/e.txt"),
        "Moved file 'a/b.txt' to 'c/d/e.txt'. Removed empty parent directory."
    );
    assert_eq!(workspace.read("c/d/e.txt"), "hello");
    assert_eq!(workspace.names(), ["c"]);
    assert_eq!(
        rename(&workspace, "c/d/e.txt", "top.txt"),
        "Moved file 'c/d/e.txt' to 'top.txt'. Removed empty parent directory."
    );
    assert_eq!(
        rename(&workspace, "top.txt", "other.txt"),
        "Moved file 'top.txt' to 'other.txt'."
    );
}

#[test]
fn moves_a_directory_with_everything_in_it() {
    let workspace = Workspace::new(&[("old/a.txt", "1"), ("old/nested/b.txt", "2")]);
    assert_eq!(
        rename(&workspace, "old", "vendored/upstream"),
        "Moved directory 'old' to 'vendored/upstream'."
    );
    assert_eq!(workspace.read("vendored/upstream/a.txt"), "1");
    assert_eq!(workspace.read("vendored/upstream/nested/b.txt"), "2");
    assert!(!workspace.exists("old"));
}

#[cfg(unix)]
#[test]
fn moves_a_link_and_not_what_it_names() {
    let workspace = Workspace::new(&[("real.txt", "payload")]);
    workspace.link("link.txt", "real.txt");
    workspace.link("out.txt", workspace.outside().join("secret.txt"));
    assert_eq!(
        rename(&workspace, "link.txt", "moved.txt"),
        "Moved file 'link.txt' to 'moved.txt'."
    );
    assert_eq!(
        rename(&workspace, "out.txt", "still-out.txt"),
        "Moved file 'out.txt' to 'still-out.txt'."
    );
    assert_eq!(
        workspace.path("moved.txt").read_link_utf8().unwrap(),
        "real.txt"
    );
    assert_eq!(
        workspace.names(),
        ["moved.txt", "real.txt", "still-out.txt"]
    );
    assert!(workspace.outside().join("secret.txt").exists());
}

#[cfg(unix)]
#[test]
fn asks_before_it_replaces() {
    let workspace = Workspace::new(&[("a.txt", "a"), ("b.txt", "b")]);
    workspace.link("dangling.txt", "/nowhere");
    for target in ["b.txt", "dangling.txt"] {
        assert_eq!(
            rename(&workspace, "a.txt", target),
            format!("overwrite_file [false]: Target '{target}' exists. Overwrite?")
        );
    }
    let workspace = workspace.answer("overwrite_file", false);
    assert_eq!(
        rename(&workspace, "a.txt", "b.txt"),
        "refusal: Target 'b.txt' already exists."
    );
    let workspace = workspace.answer("overwrite_file", true);
    assert_eq!(
        rename(&workspace, "a.txt", "b.txt"),
        "Moved file 'a.txt' to 'b.txt'."
    );
    assert_eq!(workspace.read("b.txt"), "a");
    assert_eq!(
        rename(&workspace, "b.txt", "dangling.txt"),
        "Moved file 'b.txt' to 'dangling.txt'."
    );
    assert_eq!(workspace.read("dangling.txt"), "a");
}

#[test]
fn refuses_what_makes_no_sense() {
    let workspace = Workspace::new(&[("a.txt", "a"), ("src/x", ""), ("dst/y", "")]);
    for (source, target, message) in [
        ("ghost", "b", "error: Source path 'ghost' does not exist."),
        (
            "a.txt",
            "./a.txt",
            "error: Source and target are the same path.",
        ),
        (
            "a.txt",
            "dst",
            "error: Target path 'dst' is an existing directory.",
        ),
        (
            "a.txt",
            "new/",
            "error: Path ends in '/', which names a directory. Name the file.",
        ),
        ("src", "dst", "error: Target 'dst' already exists."),
        ("src", "a.txt", "error: Target 'a.txt' already exists."),
        (
            "src",
            "src/below/it",
            "error: A directory cannot be moved into itself.",
        ),
        (
            "../a",
            "b",
            "refusal: Path must not escape the workspace root.",
        ),
        (
            "a.txt",
            "../b",
            "refusal: Path must not escape the workspace root.",
        ),
        ("a.txt", "/tmp/b", "error: Path must be relative."),
        ("a.txt", "", "error: Path must not be empty."),
    ] {
        assert_eq!(
            rename(&workspace, source, target),
            message,
            "{source} {target}"
        );
    }
    assert_eq!(workspace.names(), ["a.txt", "dst", "src"]);
    assert!(workspace.exists("src/x") && workspace.exists("dst/y"));
}

#[test]
fn needs_delete_here_and_create_or_update_there() {
    let workspace = Workspace::new(&[("in/a", ""), ("in/b", ""), ("up/a", "")]).rules([
        FsRule::new("in").with_delete(true),
        FsRule::new("new").with_create(true),
        FsRule::new("up").with_update(true),
    ]);
    assert_eq!(
        rename(&workspace, "in/a", "new/a"),
        "Moved file 'in/a' to 'new/a'."
    );
    assert_eq!(
        rename(&workspace, "new/a", "new/b"),
        "refusal: Access denied: cannot delete 'new/a'. Paths granting delete: [in]. If required, ask the user for \
         explicit access."
    );
    assert_eq!(
        rename(&workspace, "in/b", "up/b"),
        "refusal: Access denied: cannot create 'up/b'. Paths granting create: [new]. If required, ask the user for \
         explicit access."
    );
    assert_eq!(
        rename(&workspace, "in/b", "new/a"),
        "refusal: Access denied: cannot update 'new/a'. Paths granting update: [up]. If required, ask the user for \
         explicit access."
    );
    assert_eq!(
        rename(&workspace, "in/b", "up/a"),
        "overwrite_file [false]: Target 'up/a' exists. Overwrite?"
    );
}

#[test]
fn a_directory_takes_nothing_along_that_a_rule_protects() {
    let workspace = Workspace::new(&[("src/secret/key", "k"), ("lib/generated/x", "")]).rules([
        FsRule::new(".").with_write(true),
        FsRule::new("src/secret"),
        FsRule::new("dst/generated").with_update(true),
    ]);
    assert_eq!(
        rename(&workspace, "src", "moved"),
        "refusal: Access denied: cannot delete 'src/secret'. Paths granting delete: [.]. If required, ask the user for \
         explicit access."
    );
    assert_eq!(
        rename(&workspace, "lib", "dst"),
        "refusal: Access denied: cannot create 'dst/generated'. Paths granting create: [.]. If required, ask the user \
         for explicit access."
    );
    assert_eq!(
        rename(&workspace, "lib", "lib2"),
        "Moved directory 'lib' to 'lib2'."
    );
}

#[cfg(unix)]
#[test]
fn asks_about_uncommitted_work() {
    let workspace = Workspace::new(&[("d/a", ""), ("d/b", ""), ("clean/a", "")]);
    workspace.git(&["init", "-q"]);
    workspace.git(&["add", "clean"]);
    workspace.git(&["commit", "-qm", "one"]);
    assert_eq!(
        rename(&workspace, "d", "e"),
        "move_dirty_source [false]: Directory 'd' has 2 uncommitted entries. Move anyway?"
    );
    assert_eq!(
        rename(&workspace, "d/a", "e"),
        "move_dirty_source [false]: File 'd/a' has uncommitted changes. Move anyway?"
    );
    assert_eq!(
        rename(&workspace, "clean", "e"),
        "Moved directory 'clean' to 'e'."
    );
    let workspace = workspace.answer("move_dirty_source", false);
    assert_eq!(
        rename(&workspace, "d", "f"),
        "refusal: Not moved: the source holds work that git does not know. Commit or discard it first."
    );
    let workspace = workspace.answer("move_dirty_source", true);
    assert_eq!(rename(&workspace, "d", "f"), "Moved directory 'd' to 'f'.");
}
