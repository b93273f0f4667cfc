//! A workspace on disk, and the real binary in it.

use std::{fs, process::Command};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use crate::program::program;

/// A workspace of files that start at lines like `//- .jp/config.toml`.
pub(crate) fn workspace(fixture: &str) -> (TempDir, Utf8PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(home.path()).unwrap().join("w");
    for file in fixture.split("//- ").skip(1) {
        let (name, text) = file.split_once('\n').unwrap();
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (home, root)
}

pub(crate) fn command(root: &Utf8Path, arguments: &[&str]) -> Command {
    let home = root.parent().unwrap();
    let mut command = Command::new(program());
    command
        .args(arguments)
        .env("JP_GLOBAL_CONFIG_DIR", home.join("none"))
        .env("JP_LSP_DATA_DIR", home.join("data"))
        .env_remove("JP_LSP_LOG")
        .current_dir(root);
    command
}
