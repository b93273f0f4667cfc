//! What none of the tools changes without a rule that is about it.

use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::test_support::Workspace;

fn files() -> Workspace {
    let workspace = Workspace::new(&[
        ("src/lib.rs", "old\n"),
        (".jp/config.toml", "old\n"),
        (".jp.toml", "old\n"),
        (".git/config", "old\n"),
        (".git/hooks/pre-commit", "old\n"),
        (".vscode/tasks.json", "old\n"),
        (".idea/x.xml", "old\n"),
        (".envrc", "old\n"),
        ("conf/base.toml", "old\n"),
        ("vendor/lib/.git", "gitdir: ../../meta\n"),
        ("meta/HEAD", "old\n"),
        ("meta/objects/x", "old\n"),
        ("meta/refs/x", "old\n"),
    ]);
    workspace.link("hooks", ".git/hooks");
    workspace.protected(&["conf/base.toml"])
}

fn grant() -> FsRule {
    FsRule::new(".").with_read(true).with_write(true)
}

/// What the answer says is protected, or the whole answer.
fn place(answer: &str) -> &str {
    answer
        .strip_prefix("refusal: Access denied")
        .and_then(|rest| rest.split_once("'. '"))
        .and_then(|(_, rest)| rest.split_once("' is protected"))
        .map_or(answer, |(place, _)| place)
}

fn modify(path: &str) -> (&'static str, Value) {
    let patterns = json!([{"old": "old", "new": "new"}]);
    (
        "fs_modify_file",
        json!({"path": path, "patterns": patterns}),
    )
}

fn create(path: &str) -> (&'static str, Value) {
    ("fs_create_file", json!({"path": path, "content": "new\n"}))
}

fn delete(path: &str) -> (&'static str, Value) {
    ("fs_delete_file", json!({"path": path}))
}

fn rename(source: &str, target: &str) -> (&'static str, Value) {
    ("fs_move_file", json!({"source": source, "target": target}))
}

fn refused() -> Vec<((&'static str, Value), &'static str)> {
    vec![
        (modify(".jp/config.toml"), ".jp"),
        (modify(".git/hooks/pre-commit"), ".git"),
        (modify("hooks/pre-commit"), ".git"),
        (modify(".vscode/tasks.json"), ".vscode"),
        (modify("conf/base.toml"), "conf/base.toml"),
        (modify("meta/HEAD"), "meta"),
        (create(".jp/mcp/tools/new.toml"), ".jp"),
        (create("src/.jp.toml"), "src/.jp.toml"),
        (create("src/.JP.toml"), "src/.JP.toml"),
        (create(".jp.yaml"), ".jp.yaml"),
        (create("hooks/post-commit"), ".git"),
        (create("new/deep/.git/hooks/pre-commit"), "new/deep/.git"),
        (create("meta/hooks/pre-commit"), "meta"),
        (create(".envrc"), ".envrc"),
        (create("src/.envrc"), "src/.envrc"),
        (delete(".jp.toml"), ".jp.toml"),
        (delete(".idea/x.xml"), ".idea"),
        (delete("vendor/lib/.git"), "vendor/lib/.git"),
        (delete("conf/base.toml"), "conf/base.toml"),
        (rename(".jp", "src/jp"), ".jp"),
        (rename(".git/config", "src/config"), ".git"),
        (rename("src/lib.rs", ".jp/config.toml"), ".jp"),
        (rename("src/lib.rs", "src/.jp.json"), "src/.jp.json"),
        (rename("src", ".vscode/src"), ".vscode"),
        (rename("src", "lib/.jp"), "lib/.jp"),
        (rename("vendor", "third"), "vendor/lib/.git"),
        (rename("meta", "data"), "meta"),
        (rename("conf", "settings"), "conf/base.toml"),
    ]
}

#[test]
fn neither_a_wide_grant_nor_none_opens_a_protected_place() {
    for workspace in [files(), files().rules([grant()])] {
        for ((tool, arguments), expected) in refused() {
            let answer = workspace.run(tool, arguments.clone());
            assert_eq!(place(&answer), expected, "{tool} {arguments}");
        }
        for path in [".jp/config.toml", ".git/config", "conf/base.toml"] {
            assert_eq!(workspace.read(path), "old\n");
            assert!(
                workspace
                    .run("fs_read_file", json!({"path": path}))
                    .contains("old")
            );
        }
    }
}

#[test]
fn what_would_become_config_or_a_hook_is_not_written() {
    for rules in [vec![], vec![grant()]] {
        let workspace = Workspace::new(&[
            ("src/lib.rs", "old\n"),
            ("made/new.toml", "old\n"),
            (".jp/config.toml", "old\n"),
            (".git/config", "old\n"),
            ("globs/old.txt", "old\n"),
        ]);
        workspace.link(".jp/m", "../shared");
        workspace.link(".jp/deep.toml", "../far/away/deep.toml");
        workspace.link(".git/hooks", "../hooks");
        let workspace = workspace
            .protected(&["conf/new.toml", "globs", "later/globs"])
            .answer("move_dirty_source", true);
        let workspace = match rules.is_empty() {
            true => workspace,
            false => workspace.rules(rules),
        };
        for ((tool, arguments), expected) in [
            (create("conf/new.toml"), "conf/new.toml"),
            (rename("src/lib.rs", "conf/new.toml"), "conf/new.toml"),
            (rename("made", "conf"), "conf/new.toml"),
            (rename("made", "Conf"), "Conf/new.toml"),
            (create("shared/new.toml"), "shared"),
            (create(".jp/m/new.toml"), "shared"),
            (rename("made", "shared"), "shared"),
            (rename("made", "far"), "far/away/deep.toml"),
            (create("far/away/deep.toml"), "far/away/deep.toml"),
            (create("hooks/pre-commit"), "hooks"),
            (create("globs/new.toml"), "globs"),
            (create("later/globs/deep/new.toml"), "later/globs"),
            (rename("made", "later"), "later/globs"),
        ] {
            let answer = workspace.run(tool, arguments.clone());
            assert_eq!(place(&answer), expected, "{tool} {arguments}");
        }
        for path in ["conf/other.toml", "share/new.toml", "later/x", "far/x"] {
            let (tool, arguments) = create(path);
            assert_eq!(
                workspace.run(tool, arguments),
                format!("File '{path}' created. File size: 4")
            );
        }
        let (tool, arguments) = rename("made", "moved");
        assert_eq!(
            workspace.run(tool, arguments),
            "Moved directory 'made' to 'moved'."
        );
    }
}

#[test]
fn the_refusal_says_which_rule_to_write() {
    let (tool, arguments) = create(".jp/mcp/new.toml");
    assert_eq!(
        files().rules([grant()]).run(tool, arguments.clone()),
        "refusal: Access denied: cannot create '.jp/mcp/new.toml'. '.jp' is protected, because config and hooks decide \
         what runs, and a wider grant does not open it. It takes a rule of its own in the tool's `access.fs`: \
         { path = \".jp\", create = true }. If required, ask the user for explicit access."
    );
    assert_eq!(
        files().run(tool, arguments),
        "refusal: Access denied: cannot create '.jp/mcp/new.toml'. '.jp' is protected, because config and hooks decide \
         what runs, and a wider grant does not open it. It takes a rule of its own in the tool's `access.fs`: \
         { path = \".jp\", create = true }, beside { path = \".\", read = true, write = true } for everything else. If \
         required, ask the user for explicit access."
    );
}

#[test]
fn a_rule_of_its_own_opens_a_place() {
    let open = |path: &str| FsRule::new(path).with_write(true);
    let workspace = files()
        .rules([
            grant(),
            open(".jp/mcp"),
            open("src/.envrc"),
            open("vendor/lib/.git"),
            open("third/lib/.git"),
            open("conf/base.toml"),
        ])
        .answer("move_dirty_source", true);
    for ((tool, arguments), expected) in [
        (
            create(".jp/mcp/new.toml"),
            "File '.jp/mcp/new.toml' created. File size: 4",
        ),
        (
            create("src/.envrc"),
            "File 'src/.envrc' created. File size: 4",
        ),
        (
            rename("vendor", "third"),
            "Moved directory 'vendor' to 'third'.",
        ),
        (
            rename("conf", "settings"),
            "Moved directory 'conf' to 'settings'.",
        ),
        (
            create("other/.jpx/a"),
            "File 'other/.jpx/a' created. File size: 4",
        ),
        (
            create(".gitignore"),
            "File '.gitignore' created. File size: 4",
        ),
    ] {
        assert_eq!(workspace.run(tool, arguments), expected);
    }
    let (tool, arguments) = create(".jp/config2.toml");
    assert_eq!(place(&workspace.run(tool, arguments)), ".jp");
}

#[test]
fn an_emptied_protected_directory_stays_without_a_rule_for_it() {
    let workspace = files().rules([grant(), FsRule::new(".vscode/tasks.json").with_delete(true)]);
    let workspace = workspace.answer("delete_dirty_file", true);
    let (tool, arguments) = delete(".vscode/tasks.json");
    assert_eq!(workspace.run(tool, arguments), "File deleted.");
    assert!(workspace.exists(".vscode"));
}

#[test]
fn a_link_gives_way_only_where_it_may_be_removed() {
    let workspace = Workspace::new(&[("a.txt", "a"), ("b.txt", "b")]).rules([
        FsRule::new(".")
            .with_read(true)
            .with_write(true)
            .with_delete(false),
        FsRule::new("a.txt").with_write(true),
    ]);
    workspace.link("link.txt", "b.txt");
    let (tool, arguments) = rename("a.txt", "link.txt");
    assert_eq!(
        workspace.run(tool, arguments),
        "refusal: Access denied: cannot delete 'link.txt'. Paths granting delete: [a.txt]. If required, ask the user for \
         explicit access."
    );
    assert_eq!(workspace.read("link.txt"), "b");
}
