use pretty_assertions::assert_eq;

use super::*;
use crate::test_support::Workspace;

fn place(workspace: &Workspace, path: &str) -> io::Result<Entry> {
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
    let original = Tree::open(&workspace.outside())
        .and_then(|tree| tree.place(Utf8Path::new("secret.txt")))
        .and_then(|place| place.read(100))
        .unwrap()
        .1;
    link.replace(b"x", &original).unwrap();
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
fn removes_only_what_is_empty() {
    let workspace = Workspace::new(&[("a/b", "")]);
    let directory = place(&workspace, "a").unwrap();
    assert!(!directory.remove_empty_directory().unwrap());
    place(&workspace, "a/b").unwrap().remove_file().unwrap();
    assert!(directory.remove_empty_directory().unwrap());
    assert!(directory.remove_empty_directory().is_err());
}

/// What becomes of replacing `a` with `new`.
#[cfg(unix)]
fn replaced(workspace: &Workspace) -> Result<(), String> {
    let place = place(workspace, "a").unwrap();
    let (_, original) = place.read(100).unwrap();
    place
        .replace(b"new", &original)
        .map_err(|error| error.to_string())
}

#[cfg(unix)]
#[test]
fn a_replacement_is_the_same_file_but_for_its_content() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let workspace = Workspace::new(&[("a", "old")]);
    let path = workspace.path("a");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
    // Whoever is no superuser has nobody to give the file to.
    let given = std::os::unix::fs::chown(&path, Some(65534), Some(65534)).is_ok();
    #[cfg(target_os = "linux")]
    let marked = rustix::fs::setxattr(
        path.as_str(),
        "user.mark",
        b"kept",
        rustix::fs::XattrFlags::empty(),
    )
    .is_ok();
    replaced(&workspace).unwrap();
    assert_eq!(workspace.read("a"), "new");
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o604);
    use std::os::unix::fs::MetadataExt as _;
    assert_eq!((metadata.uid(), metadata.gid()) == (65534, 65534), given);
    #[cfg(target_os = "linux")]
    {
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(path.as_str(), "user.mark", &mut value[..]).ok();
        assert_eq!(length, marked.then_some(4));
    }
    assert_eq!(workspace.names(), ["a"]);
}

#[cfg(unix)]
#[test]
fn what_would_become_another_file_is_left_alone() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    for mode in [0o4755, 0o2755] {
        let workspace = Workspace::new(&[("a", "old")]);
        fs::set_permissions(workspace.path("a"), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(
            replaced(&workspace).unwrap_err(),
            "it runs with the rights of its owner or group, which new content must not; take the set-user-id and \
             set-group-id bits away first"
        );
        assert_eq!(workspace.read("a"), "old");
    }
    let workspace = Workspace::new(&[("a", "old")]);
    fs::hard_link(workspace.path("a"), workspace.outside().join("b")).unwrap();
    assert_eq!(
        replaced(&workspace).unwrap_err(),
        "it has 2 names (hard links), which would not all get the new content; replace it with a copy of its own first"
    );
    assert_eq!(workspace.read("a"), "old");
    assert_eq!(workspace.names(), ["a"]);
}

#[cfg(unix)]
#[test]
fn a_move_does_not_replace_the_file_of_another_user() {
    let workspace = Workspace::new(&[("a", "mine"), ("b", "theirs")]);
    let [a, b] = ["a", "b"].map(|name| place(&workspace, name).unwrap());
    let given = std::os::unix::fs::chown(workspace.path("b"), Some(65534), None).is_ok();
    let moved = a.rename_over(&b);
    assert_eq!(moved.is_err(), given);
    assert_eq!(workspace.read("b"), if given { "theirs" } else { "mine" });
}

#[cfg(unix)]
#[test]
fn what_a_killed_writer_left_goes_with_the_next_write() {
    let workspace = Workspace::new(&[
        (".jp-fs-tools-4711-0.tmp", "half"),
        (".jp-fs-tools-4711-1.tmp", "in use"),
        (".jp-fs-tools-x-1.tmp", "somebody's"),
    ]);
    let writer = std::fs::File::open(workspace.path(".jp-fs-tools-4711-1.tmp")).unwrap();
    writer.lock().unwrap();
    place(&workspace, "new").unwrap().create(b"x").unwrap();
    assert_eq!(
        workspace.names(),
        [".jp-fs-tools-4711-1.tmp", ".jp-fs-tools-x-1.tmp", "new"]
    );
}
