#![cfg(unix)]

use std::{fs, os::unix::fs::symlink};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::graph::{
    FileKind, Files as _, Graph, GraphProblemKind, MAXIMUM_ENTRIES, MAXIMUM_SIZE, ReadProblem,
    Roots,
};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::{DiskFiles, read_at_most, read_text};

/// A folder with a workspace `w` and a place `out` beside it.
fn folder() -> (TempDir, Utf8PathBuf) {
    let directory = TempDir::new().unwrap();
    let root = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
    write(&root.join("w/.jp/config.toml"), "inherit = true\n");
    write(&root.join("out/far.toml"), "inherit = true\n");
    (directory, root)
}

fn write(path: &Utf8Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn untrusted(root: &Utf8Path) -> DiskFiles {
    DiskFiles::untrusted(&Roots::workspace_only(root.join("w")))
}

fn names(root: &Utf8Path, paths: &[Utf8PathBuf]) -> Vec<String> {
    let relative = |path: &Utf8PathBuf| path.strip_prefix(root).unwrap().to_string();
    paths.iter().map(relative).collect()
}

#[test]
fn a_file_is_read_up_to_its_limit() {
    let (_directory, root) = folder();
    let path = root.join("w/.jp/config.toml");
    fs::write(&path, "x".repeat(10)).unwrap();
    assert_eq!(read_at_most(&path, 10), Ok("x".repeat(10)));
    assert_eq!(read_at_most(&path, 9), Err(ReadProblem::TooLarge));
    fs::write(&path, "x".repeat(MAXIMUM_SIZE)).unwrap();
    assert_eq!(read_text(&path).map(|text| text.len()), Ok(MAXIMUM_SIZE));
    fs::write(&path, "x".repeat(MAXIMUM_SIZE + 1)).unwrap();
    assert_eq!(read_text(&path), Err(ReadProblem::TooLarge));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_system_makes_up_is_no_longer_than_another() {
    // A regular file of 0 bytes that goes on for hundreds of gigabytes.
    let endless = Utf8Path::new("/proc/self/pagemap");
    assert_eq!(fs::metadata(endless).unwrap().len(), 0);
    assert_eq!(read_text(endless), Err(ReadProblem::TooLarge));
    let (_directory, root) = folder();
    let link = root.join("w/.jp/link.toml");
    symlink(endless, &link).unwrap();
    assert_eq!(read_text(&link), Err(ReadProblem::TooLarge));
    let files = DiskFiles::trusted();
    assert_eq!(files.read(&link).map(|_| ()), Err(ReadProblem::TooLarge));
    // Reading it cost as much as a file of the largest size.
    assert_eq!(
        files.bytes.get(),
        DiskFiles::trusted().bytes.get() - MAXIMUM_SIZE
    );
}

#[test]
fn a_pipe_or_device_is_never_opened() {
    let (_directory, root) = folder();
    let pipe = root.join("w/.jp/pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(read_text(&pipe), Err(ReadProblem::NotAFile));
    // Opening does not wait either, for a pipe that took a file's place after the look.
    assert!(super::read::open(&pipe).is_ok());
    assert_eq!(
        read_text(Utf8Path::new("/dev/zero")),
        Err(ReadProblem::NotAFile)
    );
    assert_eq!(read_text(&root), Err(ReadProblem::Directory));
    assert_eq!(read_text(&root.join("none")), Err(ReadProblem::Missing));
}

#[test]
fn one_load_reads_only_so_much() {
    let (_directory, root) = folder();
    let path = root.join("w/.jp/config.toml");
    fs::write(&path, "#".repeat(MAXIMUM_SIZE)).unwrap();
    let files = DiskFiles::trusted();
    let read = |_| files.read(&path).map(|_| ());
    let expected = [Ok(()), Ok(()), Ok(()), Ok(()), Err(ReadProblem::TooMuch)];
    assert_eq!((0..5).map(read).collect::<Vec<_>>(), expected);
}

#[test]
fn links_out_of_the_workspace_wait_for_trust() {
    let (_directory, root) = folder();
    let link = root.join("w/.jp/link.toml");
    symlink(root.join("out/far.toml"), &link).unwrap();
    symlink(root.join("out"), root.join("w/.jp/more")).unwrap();
    let through = root.join("w/.jp/more/far.toml");
    for path in [&link, &through] {
        let files = untrusted(&root);
        assert_eq!(files.kind(path), FileKind::LinkOutside);
        assert_eq!(files.read(path).map(|_| ()), Err(ReadProblem::LinkOutside));
        assert_eq!(DiskFiles::trusted().kind(path), FileKind::File);
        assert_eq!(DiskFiles::trusted().read(path).map(|_| ()), Ok(()));
    }
    let base = root.join("w/.jp");
    let listing = untrusted(&root).glob(&base, "**/*.toml");
    assert_eq!(names(&root, &listing.paths), ["w/.jp/config.toml"]);
    assert_eq!(
        names(&root, &listing.links),
        ["w/.jp/link.toml", "w/.jp/more"]
    );
    let listing = DiskFiles::trusted().glob(&base, "**/*.toml");
    assert_eq!(
        names(&root, &listing.paths),
        [
            "w/.jp/config.toml",
            "w/.jp/link.toml",
            "w/.jp/more/far.toml"
        ]
    );
    assert_eq!(listing.links, Vec::<Utf8PathBuf>::new());
    let listing = untrusted(&root).walk(&base.join("more"));
    assert_eq!(names(&root, &listing.paths), Vec::<String>::new());
    assert_eq!(names(&root, &listing.links), ["w/.jp/more"]);
}

#[test]
fn links_that_stay_in_the_workspace_are_followed() {
    let (_directory, root) = folder();
    write(&root.join("w/shared/a.toml"), "inherit = true\n");
    symlink("../shared/a.toml", root.join("w/.jp/a.toml")).unwrap();
    symlink("../shared", root.join("w/.jp/shared")).unwrap();
    let files = untrusted(&root);
    assert_eq!(files.kind(&root.join("w/.jp/a.toml")), FileKind::File);
    let listing = files.glob(&root.join("w/.jp"), "**/*.toml");
    assert_eq!(
        names(&root, &listing.paths),
        ["w/.jp/a.toml", "w/.jp/config.toml", "w/.jp/shared/a.toml"]
    );
    // A workspace that is itself reached through a link is one all the same.
    symlink(root.join("w"), root.join("alias")).unwrap();
    let files = DiskFiles::untrusted(&Roots::workspace_only(root.join("alias")));
    assert_eq!(files.kind(&root.join("alias/.jp/a.toml")), FileKind::File);
}

#[test]
fn the_persons_own_links_are_followed() {
    let (_directory, root) = folder();
    write(&root.join("home/jp/config.toml"), "inherit = true\n");
    symlink(root.join("out/far.toml"), root.join("home/jp/link.toml")).unwrap();
    let mut roots = Roots::workspace_only(root.clone());
    roots.user_global = Some(root.join("home/jp"));
    let files = DiskFiles::untrusted(&roots);
    let listing = files.walk(&root.join("home/jp"));
    assert_eq!(
        names(&root, &listing.paths),
        ["home/jp/config.toml", "home/jp/link.toml"]
    );
}

#[test]
fn a_named_file_elsewhere_is_no_link() {
    let (_directory, root) = folder();
    let files = untrusted(&root);
    assert_eq!(files.kind(&root.join("out/far.toml")), FileKind::File);
    assert_eq!(files.read(&root.join("out/far.toml")).map(|_| ()), Ok(()));
}

#[test]
fn circles_of_links_are_looked_through_once() {
    let (_directory, root) = folder();
    let base = root.join("w/.jp");
    for directory in 0..20 {
        let directory = base.join(format!("d{directory:02}"));
        fs::create_dir(&directory).unwrap();
        for link in 0..20 {
            symlink(
                format!("../d{link:02}"),
                directory.join(format!("l{link:02}")),
            )
            .unwrap();
        }
    }
    write(&base.join("d07/x.toml"), "");
    let files = untrusted(&root);
    let listing = files.glob(&base, "**/x.toml");
    assert_eq!(names(&root, &listing.paths), ["w/.jp/d07/x.toml"]);
    assert_eq!(listing.directories.len(), 21);
    // 20 directories and a file at the top, 20 links in each, and the file.
    assert_eq!(MAXIMUM_ENTRIES - files.entries.get(), 21 + 20 * 20 + 1);
}

#[test]
fn all_looks_of_a_load_share_one_limit() {
    let (_directory, root) = folder();
    let base = root.join("w/.jp");
    for index in 0..9 {
        write(&base.join(format!("t/{index}.toml")), "");
    }
    let files = untrusted(&root);
    files.entries.set(15);
    let first = files.glob(&base, "t/*.toml");
    assert_eq!((first.paths.len(), first.is_cut), (9, false));
    let second = files.glob(&base, "t/*.toml");
    assert_eq!((second.paths.len(), second.is_cut), (6, true));
    let third = files.walk(&base);
    assert_eq!((third.paths.len(), third.is_cut), (0, true));
}

#[test]
fn what_a_load_leaves_out_is_said_where_it_is_asked_for() {
    let (_directory, root) = folder();
    symlink(root.join("out"), root.join("w/.jp/more")).unwrap();
    symlink(root.join("out/far.toml"), root.join("w/.jp/far.toml")).unwrap();
    write(
        &root.join("w/.jp/config.toml"),
        "extends = [\"more/*.toml\", \"far.toml\", \"f*.toml\"]\nconfig_load_paths = [\".jp/more\"]\n",
    );
    let roots = Roots::workspace_only(root.join("w"));
    let graph = Graph::load(&roots, &DiskFiles::untrusted(&roots));
    assert_eq!(graph.files.len(), 1);
    let said: Vec<String> = graph
        .problems
        .iter()
        .map(|problem| match &problem.kind {
            GraphProblemKind::LinkOutside { path, more } => {
                let span = problem.span.unwrap();
                format!("{} {} +{more}", span.start, path.file_name().unwrap())
            }
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        said,
        [
            "11 more +0",
            "26 far.toml +0",
            "38 far.toml +0",
            "69 more +0"
        ]
    );
}
