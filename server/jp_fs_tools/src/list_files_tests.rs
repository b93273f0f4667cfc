use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::test_support::Workspace;

fn list(workspace: &Workspace, arguments: Value) -> String {
    workspace.run("fs_list_files", arguments)
}

fn files(names: &[&str]) -> String {
    format!("<files>\n{}\n</files>", names.join("\n"))
}

fn sample() -> Workspace {
    Workspace::new(&[
        (".hidden", ""),
        ("docs/guide.md", ""),
        ("docs2/x.md", ""),
        ("rfd/D01-a.md", ""),
        ("rfd/D02-b.txt", ""),
        ("rfd/001-c.md", ""),
        ("src/deep/er.rs", ""),
        ("src/lib.rs", ""),
        ("LICENSE", ""),
    ])
}

#[test]
fn lists_everything_in_order() {
    let everything = files(&[
        ".hidden",
        "LICENSE",
        "docs/guide.md",
        "docs2/x.md",
        "rfd/001-c.md",
        "rfd/D01-a.md",
        "rfd/D02-b.txt",
        "src/deep/er.rs",
        "src/lib.rs",
    ]);
    let workspace = sample();
    for arguments in [
        json!({}),
        json!({"prefixes": ["."]}),
        json!({"prefixes": "", "extensions": null}),
        json!({"prefixes": [], "extensions": []}),
    ] {
        assert_eq!(list(&workspace, arguments), everything);
    }
}

#[test]
fn prefixes_name_directories_files_and_beginnings() {
    let workspace = sample();
    for (prefixes, expected) in [
        (json!(["docs"]), files(&["docs/guide.md"])),
        (json!(["docs/"]), files(&["docs/guide.md"])),
        (json!(["doc"]), files(&["docs/guide.md", "docs2/x.md"])),
        (json!(["rfd/D"]), files(&["rfd/D01-a.md", "rfd/D02-b.txt"])),
        (json!(["src/lib.rs"]), files(&["src/lib.rs"])),
        (
            json!(["src", "src/deep", "LICENSE"]),
            files(&["LICENSE", "src/deep/er.rs", "src/lib.rs"]),
        ),
        (
            json!(["ghost"]),
            "No files found.\n<notes>\n'ghost' names no file or directory.\n</notes>".to_owned(),
        ),
    ] {
        assert_eq!(
            list(&workspace, json!({"prefixes": prefixes})),
            expected,
            "{prefixes}"
        );
    }
}

#[test]
fn extensions_narrow_the_listing() {
    let workspace = sample();
    assert_eq!(
        list(&workspace, json!({"extensions": ["rs", ".txt"]})),
        files(&["rfd/D02-b.txt", "src/deep/er.rs", "src/lib.rs"])
    );
    assert_eq!(
        list(
            &workspace,
            json!({"prefixes": ["rfd/D"], "extensions": "md"})
        ),
        files(&["rfd/D01-a.md"])
    );
    assert_eq!(
        list(&workspace, json!({"extensions": ["zig"]})),
        "No files found."
    );
}

#[test]
fn honours_ignore_files_unless_a_path_is_named() {
    let workspace = Workspace::new(&[
        (".ignore", "docs/dist/\nfixtures/\n"),
        (".gitignore", "kept.txt\n"),
        ("docs/.ignore", "draft.md\n"),
        ("docs/dist/index.html", ""),
        ("docs/draft.md", ""),
        ("docs/guide.md", ""),
        ("fixtures/a.snap", ""),
        ("kept.txt", ""),
    ]);
    assert_eq!(
        list(&workspace, json!({})),
        files(&[
            ".gitignore",
            ".ignore",
            "docs/.ignore",
            "docs/guide.md",
            "kept.txt"
        ])
    );
    assert_eq!(
        list(&workspace, json!({"prefixes": ["docs"]})),
        files(&["docs/.ignore", "docs/guide.md"])
    );
    assert_eq!(
        list(
            &workspace,
            json!({"prefixes": ["docs/dist", "fixtures/a.snap", "docs/draft.md"]})
        ),
        files(&["docs/dist/index.html", "docs/draft.md", "fixtures/a.snap"])
    );
}

#[test]
fn suppressed_paths_stay_out_however_they_are_named() {
    let workspace = Workspace::new(&[
        (".git/HEAD", ""),
        ("a/target/debug/bin", ""),
        ("a/lib.rs", ""),
    ])
    .option("suppress", json!([".git/", "**/target/"]));
    assert_eq!(list(&workspace, json!({})), files(&["a/lib.rs"]));
    assert_eq!(
        list(
            &workspace,
            json!({"prefixes": [".git", ".git/HEAD", "a/target"]})
        ),
        "No files found.\n<notes>\n\
         '.git' is suppressed from this tool's results. If you need it, ask the user to provide it.\n\
         '.git/HEAD' is suppressed from this tool's results. If you need it, ask the user to provide it.\n\
         'a/target' is suppressed from this tool's results. If you need it, ask the user to provide it.\n\
         </notes>"
    );
}

#[cfg(unix)]
#[test]
fn a_link_dodges_no_suppression_and_is_not_listed() {
    let workspace =
        Workspace::new(&[(".git/HEAD", ""), ("real/a", "")]).option("suppress", json!([".git/"]));
    workspace.link("gitlink", ".git");
    workspace.link("alias", "real");
    workspace.link("file-link", "real/a");
    assert_eq!(list(&workspace, json!({})), files(&["real/a"]));
    assert_eq!(
        list(&workspace, json!({"prefixes": ["gitlink/HEAD"]})),
        "No files found.\n<notes>\n'.git/HEAD' is suppressed from this tool's results. If you need it, ask the user to \
         provide it.\n</notes>"
    );
    assert_eq!(
        list(&workspace, json!({"prefixes": ["alias"]})),
        files(&["real/a"])
    );
}

#[test]
fn lists_only_what_may_be_read() {
    let workspace = sample().rules([
        FsRule::new("src").with_read(true),
        FsRule::new("src/deep"),
        FsRule::new("rfd/D01-a.md").with_read(true),
    ]);
    let expected = files(&["rfd/D01-a.md", "src/lib.rs"]);
    assert_eq!(list(&workspace, json!({})), expected);
    assert_eq!(
        list(
            &workspace,
            json!({"prefixes": ["src", "rfd", "docs", "src/deep/er.rs"]})
        ),
        format!(
            "{expected}\n<notes>\n\
             'docs' was left out: this tool may not read it. The user can say what it holds.\n\
             'src/deep/er.rs' was left out: this tool may not read it. The user can say what it holds.\n\
             </notes>"
        )
    );
}

#[cfg(unix)]
#[test]
fn reaches_outside_through_an_approved_mount_only() {
    let workspace = sample();
    workspace.link("fork", workspace.outside());
    assert_eq!(
        list(&workspace, json!({"prefixes": ["fork"]})),
        "refusal: Path must not escape the workspace root."
    );
    let target = workspace.outside();
    let workspace = workspace.rules([FsRule::new("fork")
        .with_external(true)
        .with_approved_target(Some(target))
        .with_read(true)]);
    assert_eq!(
        list(&workspace, json!({"prefixes": ["fork"]})),
        files(&["fork/secret.txt"])
    );
    assert_eq!(
        list(&workspace, json!({"prefixes": ["fork/secret.txt"]})),
        files(&["fork/secret.txt"])
    );
}

#[test]
fn refuses_paths_that_leave_the_workspace() {
    let workspace = sample();
    assert_eq!(
        list(&workspace, json!({"prefixes": ["../outside"]})),
        "refusal: Path must not escape the workspace root."
    );
    assert_eq!(
        list(&workspace, json!({"prefixes": [7]})),
        "error: Invalid arguments: expected a string or a list of strings."
    );
}

#[cfg(unix)]
#[test]
fn names_that_break_lines_are_spelled_out() {
    let workspace = Workspace::new(&[("a\nb\u{1b}.txt", "")]);
    assert_eq!(list(&workspace, json!({})), files(&["a\\nb\\u{1b}.txt"]));
}

#[test]
fn a_flood_of_names_is_cut() {
    let workspace = Workspace::new(&[]);
    for number in 0..5001 {
        workspace.write(&format!("{number:04}"), "");
    }
    let names: Vec<_> = (0..5000).map(|number| format!("{number:04}")).collect();
    assert_eq!(
        list(&workspace, json!({})),
        format!(
            "<files>\n{}\n</files>\n<notes>\nShowing 5000/5001 files. Narrow the listing with `prefixes` or \
             `extensions`.\n</notes>",
            names.join("\n")
        )
    );
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_counted_where_they_were_asked_for() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let workspace = Workspace::new(&[("docs/a.md", ""), ("src/a.rs", "")]);
    let odd = workspace.path("src").join("x");
    std::fs::write(
        odd.as_std_path()
            .with_file_name(OsStr::from_bytes(b"b\xff.rs")),
        "",
    )
    .unwrap();
    assert_eq!(
        list(&workspace, json!({"prefixes": ["docs"]})),
        files(&["docs/a.md"])
    );
    assert_eq!(
        list(&workspace, json!({"prefixes": ["src"]})),
        format!(
            "{}\n<notes>\n1 path could not be read and was skipped.\n</notes>",
            files(&["src/a.rs"])
        )
    );
    let workspace = workspace.option("suppress", json!(["src/"]));
    assert_eq!(list(&workspace, json!({})), files(&["docs/a.md"]));
}

#[cfg(unix)]
#[test]
fn an_ignore_file_is_a_regular_file_of_some_size_or_is_not_applied() {
    use std::{os::unix::fs::symlink, process::Command};

    let huge = "pattern\n".repeat(200_000);
    let workspace = Workspace::new(&[
        ("a.txt", ""),
        ("c/d.txt", ""),
        ("e/.ignore", &huge),
        ("e/f.txt", ""),
    ]);
    let status = Command::new("mkfifo")
        .arg(workspace.path(".ignore"))
        .status();
    assert!(status.unwrap().success());
    symlink("/dev/zero", workspace.path("c/.ignore")).unwrap();
    assert_eq!(
        workspace.run("fs_list_files", serde_json::json!({})),
        "<files>\na.txt\nc/d.txt\ne/.ignore\ne/f.txt\n</files>\n<notes>\n\
         '.ignore' was not applied: it is no regular file of at most 1 MiB and 10000 lines.\n\
         'c/.ignore' was not applied: it is no regular file of at most 1 MiB and 10000 lines.\n\
         'e/.ignore' was not applied: it is no regular file of at most 1 MiB and 10000 lines.\n</notes>"
    );
}
