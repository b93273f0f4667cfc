use std::io::BufReader;

use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::test_support::Workspace;

fn read(workspace: &Workspace, path: &str) -> String {
    workspace.run("fs_read_file", json!({"path": path}))
}

fn lines(text: &str, start: Option<u64>, end: Option<u64>) -> String {
    Workspace::new(&[("a.txt", text)]).run(
        "fs_read_file",
        json!({"path": "a.txt", "start_line": start, "end_line": end}),
    )
}

#[test]
fn numbers_every_line_and_shows_the_final_line_feed() {
    let workspace = Workspace::new(&[("src/a.rs", "foo\nbar\nbaz\n")]);
    assert_eq!(
        read(&workspace, "src/a.rs"),
        "```rs\n1: foo\n2: bar\n3: baz\n4: \n```\n"
    );
}

#[test]
fn aligns_the_numbers() {
    let text = (1..=10).map(|n| format!("line {n}\n")).collect::<String>();
    assert_eq!(
        lines(&text, Some(9), Some(10)),
        "```txt\n 9: line 9\n10: line 10\n... (truncated after line #10) ...\n```\n"
    );
}

#[test]
fn selects_lines() {
    let text = "foo\nbar\nbaz\n";
    assert_eq!(
        lines(text, Some(2), None),
        "```txt\n2: bar\n3: baz\n4: \n```\n"
    );
    assert_eq!(
        lines(text, None, Some(2)),
        "```txt\n1: foo\n2: bar\n... (truncated after line #2) ...\n```\n"
    );
    assert_eq!(
        lines("foo\nbar\nbaz\n\n", Some(2), Some(2)),
        "```txt\n2: bar\n... (truncated after line #2) ...\n```\n"
    );
    assert_eq!(
        lines("foo\nbar", Some(2), Some(99)),
        "```txt\n2: bar\n```\n"
    );
}

#[test]
fn an_empty_file_is_one_empty_line() {
    assert_eq!(lines("", None, None), "```txt\n1: \n```\n");
    assert_eq!(lines("", Some(1), Some(1)), "```txt\n1: \n```\n");
}

#[test]
fn refuses_ranges_that_name_no_line() {
    let text = "foo\nbar\nbaz\n";
    assert_eq!(
        lines(text, Some(3), Some(2)),
        "error: `start_line` lies behind `end_line`."
    );
    assert_eq!(
        lines(text, Some(0), None),
        "error: `start_line` counts from 1."
    );
    assert_eq!(
        lines(text, None, Some(0)),
        "error: `end_line` counts from 1."
    );
    assert_eq!(
        lines(text, Some(4), None),
        "error: `start_line` lies behind the last line, which is 3."
    );
}

#[test]
fn a_fence_in_the_text_does_not_end_the_block() {
    let workspace = Workspace::new(&[("a.md", "```rs\nx\n```")]);
    assert_eq!(
        read(&workspace, "a.md"),
        "````md\n1: ```rs\n2: x\n3: ```\n````\n"
    );
}

#[test]
fn says_what_is_no_text_file() {
    let workspace = Workspace::new(&[]);
    workspace.write("binary.bin", [0x7f, b'E', b'L', b'F', 0xff, 0xfe]);
    workspace.write("latin1.txt", b"caf\xe9\nplain\n");
    std::fs::create_dir(workspace.path("directory")).unwrap();
    assert_eq!(
        read(&workspace, "binary.bin"),
        "error: File 'binary.bin' is not valid UTF-8 text."
    );
    assert_eq!(
        read(&workspace, "latin1.txt"),
        "error: File 'latin1.txt' is not valid UTF-8 text."
    );
    assert_eq!(
        workspace.run(
            "fs_read_file",
            json!({"path": "latin1.txt", "start_line": 2})
        ),
        "```txt\n2: plain\n3: \n```\n"
    );
    assert_eq!(read(&workspace, "directory"), "error: Path is not a file.");
    assert_eq!(read(&workspace, "missing.txt"), "error: File not found.");
    assert_eq!(
        read(&workspace, "latin1.txt/below"),
        "error: Cannot read 'latin1.txt/below': Not a directory (os error 20)."
    );
}

#[test]
fn a_huge_file_is_read_in_parts() {
    let text = "0123456789\n".repeat(100_000);
    assert_eq!(
        lines(&text, None, None),
        "error: The text is larger than 1048576 bytes. Read it in parts with `start_line` and `end_line`."
    );
    assert_eq!(
        lines(&text, Some(99_999), Some(99_999)),
        "```txt\n99999: 0123456789\n... (truncated after line #99999) ...\n```\n"
    );
}

#[cfg(unix)]
#[test]
fn follows_a_link_within_the_workspace_only() {
    let workspace = Workspace::new(&[("real.txt", "payload")]);
    workspace.link("link.txt", "real.txt");
    workspace.link("dangling.txt", "nowhere.txt");
    workspace.link("out.txt", workspace.outside().join("secret.txt"));
    workspace.link("out", workspace.outside());
    workspace.link("out-dangling.txt", workspace.outside().join("nowhere.txt"));
    assert_eq!(read(&workspace, "link.txt"), "```txt\n1: payload\n```\n");
    assert_eq!(read(&workspace, "dangling.txt"), "error: File not found.");
    for path in [
        "out.txt",
        "out/secret.txt",
        "out-dangling.txt",
        "../outside/secret.txt",
    ] {
        assert_eq!(
            read(&workspace, path),
            "refusal: Path must not escape the workspace root.",
            "{path}"
        );
    }
}

#[cfg(unix)]
#[test]
fn does_not_wait_for_a_pipe_or_a_socket() {
    let workspace = Workspace::new(&[]);
    let _socket = std::os::unix::net::UnixListener::bind(workspace.path("socket")).unwrap();
    assert_eq!(read(&workspace, "socket"), "error: Path is not a file.");
    let status = std::process::Command::new("mkfifo")
        .arg(workspace.path("pipe"))
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(read(&workspace, "pipe"), "error: Path is not a file.");
}

#[test]
fn needs_read() {
    let workspace = Workspace::new(&[("src/a.txt", "x"), (".env", "KEY=1")]).rules([
        FsRule::new(".").with_read(true),
        FsRule::new("docs").with_read(true).with_write(true),
        FsRule::new(".env"),
    ]);
    assert_eq!(read(&workspace, "src/a.txt"), "```txt\n1: x\n```\n");
    assert_eq!(
        read(&workspace, ".env"),
        "refusal: Access denied: cannot read '.env'. Paths granting read: [., docs]. If required, ask the user for \
         explicit access."
    );
}

#[cfg(unix)]
#[test]
fn a_link_does_not_dodge_a_rule() {
    let workspace = Workspace::new(&[("secret/a.txt", "x")])
        .rules([FsRule::new(".").with_read(true), FsRule::new("secret")]);
    workspace.link("alias", "secret");
    assert_eq!(
        read(&workspace, "alias/a.txt"),
        "refusal: Access denied: cannot read 'secret/a.txt'. Paths granting read: [.]. If required, ask the user for \
         explicit access."
    );
}

#[cfg(unix)]
#[test]
fn reads_through_an_approved_mount() {
    let workspace = Workspace::new(&[]);
    workspace.link("fork", workspace.outside());
    let target = workspace.outside();
    let rule = FsRule::new("fork").with_external(true).with_read(true);
    let workspace = workspace.rules([rule.clone()]);
    assert_eq!(
        read(&workspace, "fork/secret.txt"),
        "refusal: Path must not escape the workspace root."
    );
    let workspace = workspace.rules([rule.with_approved_target(Some(target))]);
    assert_eq!(
        read(&workspace, "fork/secret.txt"),
        "```txt\n1: secret\n2: \n```\n"
    );
}

#[test]
fn keeps_what_is_suppressed() {
    let workspace = Workspace::new(&[(".git/HEAD", "ref"), ("a.txt", "x")])
        .option("suppress", json!([".git/"]));
    assert_eq!(
        read(&workspace, ".git/HEAD"),
        "refusal: '.git/HEAD' is suppressed from this tool's results. If you need it, ask the user to provide it."
    );
    assert_eq!(read(&workspace, "a.txt"), "```txt\n1: x\n```\n");
}

#[test]
fn reads_an_absolute_path_below_the_root_only() {
    let workspace = Workspace::new(&[("a.txt", "x")]);
    assert_eq!(
        read(&workspace, workspace.path("a.txt").as_str()),
        "```txt\n1: x\n```\n"
    );
    assert_eq!(
        read(&workspace, "/etc/passwd"),
        "error: Path must be relative."
    );
}

proptest! {
    /// The stream must select what a plain split of the whole text does, however the chunks fall.
    #[test]
    fn selects_what_a_split_selects(
        text in "[a\n]{0,40}",
        start in 1_u64..12,
        length in proptest::option::of(0_u64..12),
        chunk in 1_usize..6,
    ) {
        let range = LineRange { start, end: length.map(|length| start + length) };
        let reader = BufReader::with_capacity(chunk, text.as_bytes());
        let selection = range.select(reader, usize::MAX).unwrap();
        let pieces: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(selection.last, pieces.len() as u64);
        prop_assert_eq!(selection.lines, text.lines().count() as u64);
        if start <= selection.last {
            let wanted: Vec<&str> = pieces
                .iter()
                .zip(1_u64..)
                .filter(|(_, number)| range.contains(*number))
                .map(|(piece, _)| *piece)
                .collect();
            let got = String::from_utf8(selection.bytes).unwrap();
            prop_assert_eq!(got, wanted.join("\n"));
        }
    }
}
