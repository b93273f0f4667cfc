//! `jp-lsp check --watch`, through the real binary.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;
mod workspace;

use std::{
    fs,
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStdout, Stdio},
};

use camino::Utf8Path;
use pretty_assertions::assert_eq;

use workspace::{command, workspace};

/// The lines of a watch over what the arguments name, in words for people.
fn watch(root: &Utf8Path, arguments: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut watch = command(root, &[&["check", "--watch"], arguments].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    (watch, lines)
}

/// The next line that tells where something was found, or that nothing was.
fn place(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    let mut lines = lines.map(Result::unwrap);
    let line = lines.find(|line| line.contains("--> ") || line.starts_with("0 errors"));
    line.unwrap().trim().to_owned()
}

#[test]
fn a_watch_hears_of_what_was_named_wherever_it_lies() {
    let fixture = "//- .jp/config.toml\n//- loose/l.toml\n//- sub/x/.keep\n";
    let found = "assistant.name = \"A\"\nsummery = 1\n";
    // A file that nothing loads, its successor, and the file again after it was gone.
    let (_home, root) = workspace(fixture);
    let (mut process, mut lines) = watch(&root, &["loose/l.toml"]);
    assert_eq!(place(&mut lines), "0 errors, 0 warnings");
    fs::write(root.join("loose/l.toml"), found).unwrap();
    assert_eq!(place(&mut lines), "--> loose/l.toml:2:1");
    fs::write(root.join("loose/new"), format!("\n{found}")).unwrap();
    fs::rename(root.join("loose/new"), root.join("loose/l.toml")).unwrap();
    assert_eq!(place(&mut lines), "--> loose/l.toml:3:1");
    fs::write(root.join("loose/l.toml"), "").unwrap();
    assert_eq!(place(&mut lines), "0 errors, 0 warnings");
    process.kill().unwrap();
    process.wait().unwrap();
    // Files that are new below a folder.
    let (mut process, mut lines) = watch(&root, &["sub"]);
    assert_eq!(place(&mut lines), "0 errors, 0 warnings");
    fs::write(root.join("sub/.jp.toml"), found).unwrap();
    assert_eq!(place(&mut lines), "--> sub/.jp.toml:2:1");
    fs::remove_file(root.join("sub/.jp.toml")).unwrap();
    assert_eq!(place(&mut lines), "0 errors, 0 warnings");
    fs::create_dir(root.join("sub/x/.jp")).unwrap();
    fs::write(root.join("sub/x/.jp/c.toml"), found).unwrap();
    assert_eq!(place(&mut lines), "--> sub/x/.jp/c.toml:2:1");
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn a_watch_hears_of_new_workspaces_below_a_folder() {
    let (_home, root) = workspace("//- a/.jp/config.toml\n//- b/c/.keep\n");
    let (mut process, mut lines) = watch(&root, &[]);
    assert_eq!(place(&mut lines), "0 errors, 0 warnings");
    fs::create_dir(root.join("b/c/.jp")).unwrap();
    fs::write(root.join("b/c/.jp/config.toml"), "summery = 1\n").unwrap();
    assert_eq!(place(&mut lines), "--> b/c/.jp/config.toml:1:1");
    process.kill().unwrap();
    process.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn a_watch_ends_with_who_reads_it() {
    let (_home, root) = workspace("//- .jp/config.toml\n");
    let (mut process, mut lines) = watch(&root, &[]);
    assert_eq!(place(&mut lines), "0 errors, 0 warnings");
    drop(lines);
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[test]
fn a_watch_reports_what_has_changed() {
    let (_home, root) = workspace("//- .jp/config.toml\nsummery = 1\n");
    let mut watch = command(&root, &["check", "--watch", "--format", "github"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    fs::write(root.join(".jp/config.toml"), "\nsummery = 1\n").unwrap();
    let second = lines.next().unwrap().unwrap();
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert!(
        first.starts_with("::error file=.jp/config.toml,line=1,"),
        "{first}"
    );
    assert!(
        second.starts_with("::error file=.jp/config.toml,line=2,"),
        "{second}"
    );
}
