use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use pretty_assertions::assert_eq;

use super::near_file;
use crate::memory::MemoryFiles;

const FILES: [&str; 6] = [
    "/w/.jp/config.toml",
    "/w/.jp/tools/grep.toml",
    "/w/.jp/tools/notes.md",
    "/w/.jp/tools/web/fetch.yaml",
    "/w/.jp/a.toml",
    "/w/shared/base.toml",
];

fn near(written: &str) -> Option<String> {
    let mut files = MemoryFiles::default();
    for path in FILES {
        files.insert(path, "");
    }
    let taken = HashSet::from([Utf8PathBuf::from("/w/.jp/config.toml")]);
    near_file(
        &files,
        Utf8Path::new("/w/.jp"),
        Utf8Path::new("/w"),
        Utf8Path::new(written),
        &taken,
    )
}

#[test]
fn a_slip_in_any_part_of_a_path_is_found() {
    let cases = [
        ("tools/grpe.toml", Some("tools/grep.toml")),
        ("tool/grep.toml", Some("tools/grep.toml")),
        ("tool/grpe.toml", Some("tools/grep.toml")),
        ("./tools/grep", Some("./tools/grep.toml")),
        ("tools/grep.yaml", Some("tools/grep.toml")),
        ("tools/web/fetch.toml", Some("tools/web/fetch.yaml")),
        ("../shred/base.toml", Some("../shared/base.toml")),
        (".jp/tools/grep.toml", Some("tools/grep.toml")),
        ("shared/base.toml", Some("../shared/base.toml")),
    ];
    for (written, expected) in cases {
        assert_eq!(near(written).as_deref(), expected, "{written}");
    }
}

#[test]
fn another_name_is_no_slip() {
    for written in [
        "b.toml",
        "tools/notes.toml",
        "confg.toml",
        "none/none.toml",
        "",
    ] {
        assert_eq!(near(written), None, "{written}");
    }
}
