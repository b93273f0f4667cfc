use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::test_support::Workspace;

fn create(workspace: &Workspace, path: &str) -> String {
    workspace.run(
        "fs_create_file",
        json!({"path": path, "content": "hello\n"}),
    )
}

#[test]
fn creates_a_file_and_its_directories() {
    let workspace = Workspace::new(&[]);
    assert_eq!(
        create(&workspace, "a/b/c.txt"),
        "File 'a/b/c.txt' created. File size: 6"
    );
    assert_eq!(workspace.read("a/b/c.txt"), "hello\n");
    assert_eq!(
        workspace.run("fs_create_file", json!({"path": "empty"})),
        "File 'empty' created. File size: 0"
    );
    assert_eq!(workspace.names(), ["a", "empty"]);
}

#[test]
fn asks_before_it_replaces() {
    let workspace = Workspace::new(&[("a.txt", "old")]);
    assert_eq!(
        create(&workspace, "a.txt"),
        "overwrite_file [false]: File 'a.txt' exists. Overwrite?"
    );
    let workspace = workspace.answer("overwrite_file", false);
    assert_eq!(
        create(&workspace, "a.txt"),
        "refusal: Path points to existing file."
    );
    assert_eq!(workspace.read("a.txt"), "old");
    let workspace = workspace.answer("overwrite_file", "yes");
    assert_eq!(
        create(&workspace, "a.txt"),
        "error: Invalid answer to `overwrite_file`: write `true` or `false`."
    );
    let workspace = workspace.answer("overwrite_file", true);
    assert_eq!(
        create(&workspace, "a.txt"),
        "File 'a.txt' created. File size: 6"
    );
    assert_eq!(workspace.read("a.txt"), "hello\n");
    assert_eq!(workspace.names(), ["a.txt"]);
}

#[cfg(unix)]
#[test]
fn a_replacement_keeps_the_permissions() {
    use std::os::unix::fs::PermissionsExt as _;

    let workspace = Workspace::new(&[("run.sh", "old")]).answer("overwrite_file", true);
    let path = workspace.path("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    create(&workspace, "run.sh");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o750);

    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o440)).unwrap();
    assert_eq!(
        create(&workspace, "run.sh"),
        "error: Cannot overwrite 'run.sh': the file is read-only."
    );
}

#[cfg(unix)]
#[test]
fn takes_no_place_that_is_taken_by_something_else() {
    let workspace = Workspace::new(&[("real.txt", "real")]);
    std::fs::create_dir(workspace.path("directory")).unwrap();
    workspace.link("link.txt", "real.txt");
    workspace.link("dangling.txt", workspace.outside().join("new.txt"));
    workspace.link("out", workspace.outside());
    let _socket = std::os::unix::net::UnixListener::bind(workspace.path("socket")).unwrap();
    for (path, message) in [
        ("directory", "error: Path is an existing directory."),
        (
            "new/",
            "error: Path ends in '/', which names a directory. Name the file.",
        ),
        (
            "new/.",
            "error: Path ends in '/', which names a directory. Name the file.",
        ),
        (
            "link.txt",
            "error: Path is an existing symlink. Name the file that it points to.",
        ),
        (
            "dangling.txt",
            "error: Path is an existing symlink. Name the file that it points to.",
        ),
        ("socket", "error: Path exists and is not a regular file."),
        (
            "out/new.txt",
            "refusal: Path must not escape the workspace root.",
        ),
        (
            "real.txt/new.txt",
            "error: Cannot create 'real.txt/new.txt': Not a directory (os error 20).",
        ),
    ] {
        assert_eq!(create(&workspace, path), message, "{path}");
    }
    assert_eq!(workspace.read("real.txt"), "real");
    assert!(!workspace.outside().join("new.txt").exists());
}

#[cfg(unix)]
#[test]
fn a_question_is_one_line_whatever_the_file_is_called() {
    let workspace = Workspace::new(&[("a\n\u{202e}b", "")]);
    assert_eq!(
        create(&workspace, "a\n\u{202e}b"),
        "overwrite_file [false]: File 'a\\n\\u{202e}b' exists. Overwrite?"
    );
}

#[test]
fn needs_create_for_a_fresh_file_and_update_for_an_existing_one() {
    let workspace = Workspace::new(&[("docs/old.md", "x"), ("src/old.rs", "x")]).rules([
        FsRule::new("docs").with_create(true),
        FsRule::new("src").with_update(true),
    ]);
    assert_eq!(
        create(&workspace, "docs/new.md"),
        "File 'docs/new.md' created. File size: 6"
    );
    assert_eq!(
        create(&workspace, "docs/old.md"),
        "refusal: Access denied: cannot update 'docs/old.md'. Paths granting update: [src]. If required, ask the user \
         for explicit access."
    );
    assert_eq!(
        create(&workspace, "src/new.rs"),
        "refusal: Access denied: cannot create 'src/new.rs'. Paths granting create: [docs]. If required, ask the user \
         for explicit access."
    );
    assert_eq!(
        create(&workspace, "src/old.rs"),
        "overwrite_file [false]: File 'src/old.rs' exists. Overwrite?"
    );
}

#[test]
fn shows_the_content_with_line_numbers() {
    let workspace = Workspace::new(&[]);
    assert_eq!(
        workspace.format(
            "fs_create_file",
            json!({"path": "src/a.rs", "content": "fn a() {}\n\u{1b}[2J```\n"})
        ),
        "Create file 'src/a.rs' with content:\n\n````rs\n1: fn a() {}\n2: \\u{1b}[2J```\n````\n"
    );
    assert_eq!(
        workspace.format("fs_create_file", json!({"path": "a\nb"})),
        "Create empty file 'a\\nb'"
    );
    assert!(workspace.names().is_empty());
}
