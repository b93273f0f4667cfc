use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser;
use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::{CheckArguments, run_in};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    check: CheckArguments,
}

/// A folder with the given files, as a temporary directory and its path.
fn folder(files: &[(&str, &str)]) -> (TempDir, Utf8PathBuf) {
    let directory = TempDir::new().unwrap();
    let root = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (directory, root)
}

fn check_in(root: &Utf8Path, arguments: &[&str]) -> String {
    let arguments = Arguments::parse_from([&["check"], arguments].concat()).check;
    let mut output = Vec::new();
    match run_in(root, &arguments, false, &mut output) {
        Ok(code) => format!("{}exit {code}\n", String::from_utf8(output).unwrap()),
        Err(error) => format!("{error}\n").replace(root.as_str(), "ROOT"),
    }
}

fn check(files: &[(&str, &str)], arguments: &[&str], expected: &Expect) {
    let (_directory, root) = folder(files);
    expected.assert_eq(&check_in(&root, arguments));
}

const TYPO: (&str, &str) = (
    ".jp/config.toml",
    "[conversation.tools.x]\nsource = \"local\"\ncommand = \"x\"\nsummery = \"🦀\" # x\n",
);

#[test]
fn a_person_sees_the_annotated_source() {
    check(
        &[TYPO],
        &[],
        &expect![[r#"
            error[unknown-key]: unknown key `summery`, did you mean `summary`?
             --> .jp/config.toml:4:1
              |
            4 | summery = "🦀" # x
              | ^^^^^^^

            1 error, 0 warnings
            exit 1
        "#]],
    );
}

#[test]
fn a_script_sees_lines_and_utf16_characters() {
    check(
        &[(
            ".jp/config.toml",
            "style.code = { color = \"🦀\", colour = 1 }\n",
        )],
        &["--format", "json"],
        &expect![[r#"
            [{"path":".jp/config.toml","range":{"start":{"line":0,"character":23},"end":{"line":0,"character":27}},"severity":"error","code":"type-mismatch","message":"invalid type: string `🦀`, expected a boolean","related":[]},{"path":".jp/config.toml","range":{"start":{"line":0,"character":29},"end":{"line":0,"character":35}},"severity":"error","code":"unknown-key","message":"unknown key `colour`, did you mean `color`?","related":[]}]
            exit 1
        "#]],
    );
}

#[test]
fn a_pull_request_is_annotated() {
    check(
        &[TYPO],
        &["--format", "github"],
        &expect![[r#"
            ::error file=.jp/config.toml,line=4,col=1,endLine=4,endColumn=8,title=unknown-key::unknown key `summery`, did you mean `summary`?
            exit 1
        "#]],
    );
}

#[test]
fn a_clean_workspace_is_clean_in_every_format() {
    let clean = (
        ".jp/config.toml",
        "[conversation.tools.'*']\nrun = \"ask\"\n",
    );
    check(&[clean], &["--format", "json"], &expect!["[]\nexit 0\n"]);
    check(&[clean], &["--format", "github"], &expect!["exit 0\n"]);
    check(&[clean], &[], &expect!["0 errors, 0 warnings\nexit 0\n"]);
}

#[test]
fn warnings_fail_only_where_they_are_denied() {
    let missing = (".jp/config.toml", "extends = [\"none.toml\"]\n");
    let (_directory, root) = folder(&[missing]);
    assert!(check_in(&root, &[]).ends_with("0 errors, 1 warning\nexit 0\n"));
    assert!(check_in(&root, &["--deny", "warnings"]).ends_with("exit 1\n"));
}

#[test]
fn only_what_was_asked_for_is_reported() {
    let (_directory, root) = folder(&[
        (".jp/config.toml", "extends = [\"a.toml\"]\nbogus = 1\n"),
        (".jp/a.toml", "wrong = 1\n"),
        (".jp/orphan.toml", "nothing = 1\n"),
    ]);
    let reported = |arguments: &[&str]| {
        let mut lines: Vec<String> =
            check_in(&root, &[arguments, &["--format", "github"]].concat())
                .lines()
                .filter_map(|line| {
                    Some(
                        line.strip_prefix("::error file=")?
                            .split(',')
                            .next()?
                            .to_owned(),
                    )
                })
                .collect();
        lines.dedup();
        lines
    };
    assert_eq!(reported(&[]), [".jp/a.toml", ".jp/config.toml"]);
    assert_eq!(reported(&[".jp/a.toml"]), [".jp/a.toml"]);
    assert_eq!(reported(&[".jp/orphan.toml"]), [".jp/orphan.toml"]);
}

#[test]
fn the_released_dialect_warns_once_a_key() {
    check(
        &[(
            ".jp/config.toml",
            "[conversation.tools.t]\nsource = \"local\"\ncommand = \"x\"\npolicy.run = \"ask\"\n",
        )],
        &["--dialect", "released", "--format", "github"],
        &expect![[r#"
            ::warning file=.jp/config.toml,line=4,col=1,endLine=4,endColumn=7,title=released-jp-rejects::the released `jp` rejects `policy` (RFD D25) and refuses to load the file
            exit 0
        "#]],
    );
}

#[test]
fn what_cannot_be_checked_is_said() {
    check(
        &[],
        &["nowhere"],
        &expect!["`ROOT/nowhere` does not exist\n"],
    );
    check(
        &[("sub/x.toml", "")],
        &["sub"],
        &expect!["no workspace: `ROOT/sub` has no `.jp` folder in it, above it or below it\n"],
    );
    check(
        &[(".jp/config.toml", ""), ("notes.md", "")],
        &["notes.md"],
        &expect!["`ROOT/notes.md` is no config file: name a TOML, JSON or YAML file\n"],
    );
}

#[test]
fn workspaces_below_a_folder_are_found() {
    let (_directory, root) = folder(&[
        ("a/.jp/config.toml", "x = 1\n"),
        ("b/c/.jp/config.toml", "y = 1\n"),
    ]);
    let output = check_in(&root, &["--format", "github"]);
    assert_eq!(output.matches("::error").count(), 2, "{output}");
}

#[test]
fn a_config_file_that_cannot_be_read_is_a_finding() {
    let (_directory, root) = folder(&[(".jp/config.toml/x", "")]);
    let output = check_in(&root, &["--format", "github"]);
    assert!(
        output.contains("the path is a directory, not a config file"),
        "{output}"
    );
    fs::remove_dir_all(root.join(".jp/config.toml")).unwrap();
    fs::write(root.join(".jp/config.toml"), b"a = \"\xff\"\n").unwrap();
    let output = check_in(&root, &["--format", "github"]);
    assert!(
        output.contains("the file is not valid UTF-8 (byte 5)"),
        "{output}"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_looked_into_is_not_free_of_findings() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_directory, root) = folder(&[(".jp/config.toml", "x = 1\n")]);
    for mode in [0o000, 0o444] {
        let jp = root.join(".jp");
        fs::set_permissions(&jp, fs::Permissions::from_mode(mode)).unwrap();
        // Root may look into every folder.
        let is_root = fs::metadata(jp.join("config.toml")).is_ok();
        let output = check_in(&root, &["--format", "github"]);
        fs::set_permissions(&jp, fs::Permissions::from_mode(0o755)).unwrap();
        match is_root {
            true => assert!(output.contains("title=unknown-key"), "{output}"),
            false => assert_eq!(
                output,
                "`ROOT/.jp` cannot be read: Permission denied (os error 13)\n"
            ),
        }
    }
}

#[cfg(unix)]
#[test]
fn a_closed_folder_below_is_told_where_it_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_directory, root) = folder(&[
        (
            ".jp/config.toml",
            "extends = [\"tools/*.toml\", \"tools/a.toml\"]\n",
        ),
        (".jp/tools/a.toml", "x = 1\n"),
    ]);
    let tools = root.join(".jp/tools");
    fs::set_permissions(&tools, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may look into every folder.
    let is_root = fs::read_dir(&tools).is_ok();
    let output = check_in(&root, &["--format", "github"]);
    fs::set_permissions(&tools, fs::Permissions::from_mode(0o755)).unwrap();
    let closed = format!(
        "::the folder `{tools}` may not be looked into, so what it holds is missing here\n"
    );
    let refused = "::the file cannot be read: Permission denied (os error 13)\n";
    match is_root {
        true => assert_eq!(output.matches("title=unknown-key").count(), 1, "{output}"),
        false => assert!(
            output.contains(&closed) && output.contains(refused),
            "{output}"
        ),
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_loops_of_links_are_not_followed() {
    let (_directory, root) = folder(&[
        (
            ".jp/config.toml",
            "extends = [\"d/**/*.toml\", \"pipe.toml\"]\n",
        ),
        (".jp/d/x.toml", ""),
    ]);
    std::os::unix::fs::symlink(root.join(".jp/d"), root.join(".jp/d/loop")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(root.join(".jp/pipe.toml"))
        .status()
        .unwrap();
    assert!(made.success());
    let output = check_in(&root, &["--format", "github"]);
    assert!(
        output.contains("the path is not a regular file"),
        "{output}"
    );
}

/// The most work that a report may be, in bytes printed for each finding.
const ENOUGH: usize = 400;

#[test]
fn a_report_shows_only_the_lines_of_a_finding() {
    let mistakes: String = (0..3_000).map(|index| format!("k{index} = 1\n")).collect();
    let (_directory, root) = folder(&[(".jp/config.toml", &mistakes)]);
    let report = check_in(&root, &[]);
    assert!(report.len() < 1_000 * ENOUGH, "{}", report.len());
    let last: Vec<&str> = report.lines().rev().take(9).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    expect![[r#"

        error[unknown-key]: 2001 more findings in this file: mend those above first
            --> .jp/config.toml:1000:1
             |
        1000 | k999 = 1
             | ^^^^

        1000 errors, 0 warnings
        exit 1"#]]
    .assert_eq(&last.join("\n"));
}

#[test]
fn a_line_too_long_to_read_is_named_by_its_place() {
    let padding = "x".repeat(5_000);
    check(
        &[(
            ".jp/config.toml",
            &format!("editor = {{ name = \"{padding}\", nmae = 1 }}\n"),
        )],
        &[],
        &expect![[r#"
            error[unknown-key]: unknown key `name`, expected one of `cmd`, `envs`, `inline`
            --> .jp/config.toml:1:12

            error[unknown-key]: unknown key `nmae`, expected one of `cmd`, `envs`, `inline`
            --> .jp/config.toml:1:5023

            2 errors, 0 warnings
            exit 1
        "#]],
    );
}

#[test]
fn a_place_of_very_many_lines_is_shown_by_its_first() {
    let lines = "  \"x\",\n".repeat(1_000);
    check(
        &[(".jp/config.toml", &format!("inherit = [\n{lines}]\n"))],
        &[],
        &expect![[r#"
            error[type-mismatch]: invalid type: list, expected a boolean
             --> .jp/config.toml:1:11
              |
            1 | inherit = [
              |           ^

            1 error, 0 warnings
            exit 1
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn the_search_for_workspaces_opens_no_pipe_and_follows_no_link() {
    let (_directory, root) = folder(&[
        ("a/.jp/config.toml", "inherit = true\n"),
        ("b/.jp/config.toml", "inherit = 1\n"),
        ("c/.gitignore", "gone\n!/kept\n"),
        ("c/gone/.jp/config.toml", "inherit = 1\n"),
        ("c/kept/.jp/config.toml", "inherit = 1\n"),
    ]);
    for name in [".ignore", ".gitignore", "a/.ignore"] {
        let made = std::process::Command::new("mkfifo")
            .arg(root.join(name))
            .status();
        assert!(made.unwrap().success());
    }
    std::os::unix::fs::symlink("/dev/zero", root.join("b/.gitignore")).unwrap();
    std::os::unix::fs::symlink(root.join("c/gone"), root.join("d")).unwrap();
    let found = check_in(&root, &["--format", "github"]);
    expect![[r#"
        ::error file=b/.jp/config.toml,line=1,col=11,endLine=1,endColumn=12,title=type-mismatch::invalid type: integer `1`, expected a boolean
        ::error file=c/kept/.jp/config.toml,line=1,col=11,endLine=1,endColumn=12,title=type-mismatch::invalid type: integer `1`, expected a boolean
        exit 1
    "#]].assert_eq(&found);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_workspace_is_not_read() {
    let (_directory, root) = folder(&[
        ("out/secret.toml", "password = \"12345\"\n"),
        ("w/.jp/config.toml", "extends = [\"s*.toml\"]\n"),
    ]);
    std::os::unix::fs::symlink(root.join("out/secret.toml"), root.join("w/.jp/secret.toml"))
        .unwrap();
    let found = check_in(&root.join("w"), &[]);
    expect![[r#"
        info[extends-missing]: this adds nothing from `.jp/secret.toml`: a link out of the workspace is not followed before the workspace is trusted
         --> .jp/config.toml:1:12
          |
        1 | extends = ["s*.toml"]
          |            ^^^^^^^^^

        0 errors, 0 warnings
        exit 0
    "#]].assert_eq(&found);
}

#[test]
fn a_folder_is_checked_with_what_a_turn_there_loads() {
    let files = [
        (
            ".jp/config.toml",
            "extends = [\"../conf/team.toml\"]\nx = 1\n",
        ),
        ("conf/team.toml", "y = 1\n"),
        (".jp.toml", "z = 1\n"),
        ("sub/.jp.toml", "u = 1\n"),
        ("sub/deep/.jp.toml", "v = 1\n"),
        ("other/.jp.toml", "w = 1\n"),
    ];
    let (_directory, root) = folder(&files);
    let found = |folder: &Utf8Path, arguments: &[&str]| -> String {
        let output = check_in(folder, &[arguments, &["--format", "github"]].concat());
        let keys = ["x", "y", "z", "u", "v", "w"].into_iter();
        keys.filter(|key| output.contains(&format!("unknown key `{key}`")))
            .collect()
    };
    assert_eq!(found(&root, &["."]), "xyz");
    assert_eq!(found(&root, &["sub"]), "xyzu");
    assert_eq!(found(&root, &["sub/deep"]), "xyzuv");
    assert_eq!(found(&root, &["sub", "other"]), "xyzuw");
    assert_eq!(found(&root.join("sub/deep"), &[]), "xyzuv");
    assert_eq!(found(&root, &["sub/.jp.toml"]), "u");
}

#[test]
fn fragments_elsewhere_are_no_part_of_a_folder() {
    let files = [
        (".jp/config.toml", "config_load_paths = [\".jp/parts\"]\n"),
        (".jp/parts/a.toml", "[assistant]\nx = 1\n"),
        ("conf/left.toml", "y = 1\n"),
        (
            ".jp.toml",
            "inherit = false\nextends = [\"conf/left.toml\"]\n",
        ),
        ("sub/notes.md", ""),
    ];
    let (_directory, root) = folder(&files);
    let found = |arguments: &[&str]| {
        let output = check_in(&root, &[arguments, &["--format", "github"]].concat());
        ["x", "y"].map(|key| output.contains(&format!("unknown key `{key}`")))
    };
    assert_eq!(found(&["."]), [true, true]);
    assert_eq!(found(&["sub"]), [false, true]);
}
