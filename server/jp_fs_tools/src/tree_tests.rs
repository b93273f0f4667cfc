use pretty_assertions::assert_eq;

use super::*;
use crate::test_support::Workspace;

fn place(workspace: &Workspace, path: &str) -> io::Result<Place> {
    Tree::open(&workspace.path(""))?.place(Utf8Path::new(path))
}

#[test]
fn takes_plain_paths_only() {
    let workspace = Workspace::new(&[("a/b", "")]);
    for path in [
        "",
        "..",
        "a/..",
        "../outside/secret.txt",
        "a/../../outside/x",
        "/etc/passwd",
    ] {
        assert_eq!(
            place(&workspace, path).unwrap_err().kind(),
            io::ErrorKind::InvalidInput,
            "{path}"
        );
    }
    assert_eq!(
        place(&workspace, "a/b").unwrap().kind().unwrap(),
        Some(EntryKind::File)
    );
}

#[cfg(unix)]
#[test]
fn follows_no_link_anywhere() {
    let workspace = Workspace::new(&[("real/file", "x")]);
    workspace.link("directory", "real");
    workspace.link("file", "real/file");
    workspace.link("out", workspace.outside());
    assert!(place(&workspace, "directory/file").is_err());
    assert!(place(&workspace, "out/secret.txt").is_err());
    assert!(place(&workspace, "out/new/deep").is_err());
    let tree = Tree::open(&workspace.path("")).unwrap();
    assert!(
        tree.place_with_parents(Utf8Path::new("out/new/deep"))
            .is_err()
    );
    assert!(!workspace.outside().join("new").exists());
    let link = place(&workspace, "file").unwrap();
    assert_eq!(link.kind().unwrap(), Some(EntryKind::Symlink));
    assert!(link.open().is_err());
    assert!(link.read(10).is_err());
}

#[cfg(unix)]
#[test]
fn writes_replace_a_link_and_never_go_through_it() {
    let workspace = Workspace::new(&[]);
    let secret = workspace.outside().join("secret.txt");
    workspace.link("link", &secret);
    let link = place(&workspace, "link").unwrap();
    assert_eq!(
        link.create(b"x").unwrap_err().kind(),
        io::ErrorKind::AlreadyExists
    );
    let permissions = Tree::open(&workspace.outside())
        .and_then(|tree| tree.place(Utf8Path::new("secret.txt")))
        .and_then(|place| place.read(100))
        .unwrap()
        .1;
    assert!(link.overwrite(b"x").is_err());
    link.replace(b"x", &permissions).unwrap();
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret\n");
    assert_eq!(workspace.read("link"), "x");
    assert_eq!(workspace.names(), ["link"]);
}

#[test]
fn reads_up_to_a_limit() {
    let workspace = Workspace::new(&[("a", "12345")]);
    let a = place(&workspace, "a").unwrap();
    assert_eq!(a.read(5).unwrap().0, b"12345");
    assert_eq!(a.read(4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
}

#[test]
fn moves_to_vacant_places_only_unless_told_to_replace() {
    let workspace = Workspace::new(&[("a", "a"), ("b", "b")]);
    let [a, b, c] = ["a", "b", "c"].map(|name| place(&workspace, name).unwrap());
    assert_eq!(
        a.rename_to_vacant(&b).unwrap_err().kind(),
        io::ErrorKind::AlreadyExists
    );
    a.rename_to_vacant(&c).unwrap();
    assert_eq!(workspace.names(), ["b", "c"]);
    c.rename_over(&b).unwrap();
    assert_eq!(workspace.read("b"), "a");
}

#[cfg(unix)]
#[test]
fn a_move_that_fails_leaves_nothing_behind() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let workspace = Workspace::new(&[("from/a", "a")]);
    let [a, b] = ["from/a", "b"].map(|name| place(&workspace, name).unwrap());
    fs::set_permissions(workspace.path("from"), fs::Permissions::from_mode(0o555)).unwrap();
    let moved = a.rename_to_vacant(&b);
    fs::set_permissions(workspace.path("from"), fs::Permissions::from_mode(0o755)).unwrap();
    // Permissions do not stop a privileged user, who moves the file instead.
    let names: &[&str] = if moved.is_err() {
        &["from"]
    } else {
        &["b", "from"]
    };
    assert_eq!(workspace.names(), names);
    assert_eq!(workspace.exists("from/a"), moved.is_err());
}

#[test]
fn overwrites_in_place_where_no_file_can_be_added() {
    let workspace = Workspace::new(&[("a", "longer text")]);
    place(&workspace, "a").unwrap().overwrite(b"short").unwrap();
    assert_eq!(workspace.read("a"), "short");
}

#[test]
fn removes_only_what_is_empty() {
    let workspace = Workspace::new(&[("a/b", "")]);
    let directory = place(&workspace, "a").unwrap();
    assert!(!directory.remove_empty_directory().unwrap());
    place(&workspace, "a/b").unwrap().remove_file().unwrap();
    assert!(directory.remove_empty_directory().unwrap());
    assert!(directory.remove_empty_directory().is_err());
}
