use camino::Utf8Path;
use pretty_assertions::assert_eq;

use super::{DiskChanges, PATHS_KEPT};

fn path(path: &str) -> &Utf8Path {
    Utf8Path::new(path)
}

#[test]
fn a_change_is_seen_at_the_path_and_below_and_nowhere_else() {
    let mut disk = DiskChanges::default();
    disk.touch(path("/w/.jp/mcp"));
    assert_eq!(disk.revision(path("/w/.jp/mcp")), 1);
    assert_eq!(disk.revision(path("/w/.jp/mcp/tools/x.toml")), 1);
    assert_eq!(disk.revision(path("/w/.jp/config.toml")), 0);
    assert_eq!(disk.revision(path("/w/.jp")), 0);
}

#[test]
fn a_directory_lists_anew_when_an_entry_changes() {
    let mut disk = DiskChanges::default();
    disk.touch(path("/w/.jp/a.toml"));
    assert_eq!(disk.listing_revision(path("/w/.jp")), 1);
    assert_eq!(disk.listing_revision(path("/w")), 0);
    disk.touch(path("/w"));
    assert_eq!(disk.listing_revision(path("/w/.jp")), 2);
}

#[test]
fn too_many_paths_count_as_everything() {
    let mut disk = DiskChanges::default();
    let other = path("/other");
    for number in 0..PATHS_KEPT {
        disk.touch(path(&format!("/w/{number}")));
    }
    assert_eq!(disk.revision(other), 0);
    disk.touch(path("/w/one more"));
    assert!(disk.revision(other) > 0);
    assert!(disk.revision(path("/w/one more")) > disk.revision(other));
}
