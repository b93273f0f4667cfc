use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

const MAXIMUM_NAMES: usize = 1000;

fn folder(paths: &[&str]) -> (TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().to_owned();
    for path in paths {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    (folder, root)
}

fn found(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let found = below(root, MAXIMUM_NAMES).workspaces;
    found
        .into_iter()
        .map(|path| path.strip_prefix(root).unwrap().to_owned())
        .collect()
}

#[test]
fn workspaces_are_found_nearest_first_and_one_inside_another_too() {
    let (_kept, root) = folder(&[
        ".jp",
        "packages/site/.jp",
        "packages/app/.jp/tools",
        "packages/app/plugins/one/.jp",
        "zoo/.jp",
        "empty",
    ]);
    let expected = [
        "zoo",
        "packages/app",
        "packages/site",
        "packages/app/plugins/one",
    ];
    assert_eq!(found(&root), expected.map(Utf8PathBuf::from));
    fs::write(root.join("empty/.jp"), "a file").unwrap();
    assert_eq!(found(&root).len(), 4);
}

#[test]
fn what_others_wrote_is_not_looked_into_and_no_link_is_followed() {
    let (_kept, root) = folder(&[
        "node_modules/x/.jp",
        "target/x/.jp",
        "vendor/x/.jp",
        "app/.jp",
    ]);
    fs::write(root.join(".gitignore"), "/vendor/\n").unwrap();
    let (_elsewhere, outside) = folder(&["x/.jp"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, root.join("other")).unwrap();
        std::os::unix::fs::symlink(&root, root.join("app/circle")).unwrap();
        assert!(!lies_below(&root.join("other/x"), &root));
    }
    assert_eq!(found(&root), ["app"]);
    assert!(lies_below(&root.join("app"), &root));
    assert!(lies_below(&root.join("node_modules/x"), &root));
    assert!(!lies_below(&root, &root));
    assert!(!lies_below(&outside, &root));
    assert!(!lies_below(&root.join("app/../../elsewhere"), &root));
}

#[test]
fn a_search_ends_however_many_names_there_are() {
    let (_kept, root) = folder(&["app/.jp", "many", "many/deep/.jp"]);
    for number in 0..MAXIMUM_NAMES {
        fs::write(root.join(format!("many/{number:06}")), "").unwrap();
    }
    assert_eq!(found(&root), ["app"]);
    assert!(!below(&root, MAXIMUM_NAMES).is_whole);
    assert!(below(&root.join("app"), MAXIMUM_NAMES).is_whole);
}

#[test]
fn a_search_ends_where_too_much_says_what_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    for name in ["a", "b", "c"] {
        fs::create_dir_all(root.join(name).join(".jp")).unwrap();
        let rules = "*x*y*\n".repeat(40_000);
        fs::write(root.join(name).join(".gitignore"), rules).unwrap();
    }
    let found = below(root, MAXIMUM_NAMES);
    assert!(!found.is_whole);
    assert!(found.workspaces.len() < 3);
}
