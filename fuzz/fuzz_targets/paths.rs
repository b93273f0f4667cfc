//! No path leads out of the workspace, and a canonical path is a fixed point.
#![no_main]

use std::{fs, os::unix::fs::symlink, sync::LazyLock};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::canonicalize;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static LAYOUT: LazyLock<(TempDir, Utf8PathBuf)> = LazyLock::new(|| {
    let directory = tempfile::tempdir().unwrap();
    let base = Utf8PathBuf::try_from(directory.path().canonicalize().unwrap()).unwrap();
    let root = base.join("w");
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::create_dir(base.join("o")).unwrap();
    for (link, target) in [
        ("l", "a"),
        ("a/u", ".."),
        ("x", "../o"),
        ("d", "../n/m"),
        ("e", "e"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    (directory, root)
});

fuzz_target!(|input: &str| {
    let root = &LAYOUT.1;
    if let Ok(canonical) = canonicalize(root, Utf8Path::new(input)) {
        assert!(canonical.absolute.starts_with(root));
        assert_eq!(
            canonicalize(root, &canonical.relative).as_ref(),
            Ok(&canonical)
        );
        assert_eq!(
            canonicalize(root, &canonical.absolute).as_ref(),
            Ok(&canonical)
        );
    }
});
