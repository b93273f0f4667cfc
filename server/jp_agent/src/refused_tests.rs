use expect_test::{Expect, expect};
use jp_tool::{AccessPolicy, Action, FsRule};

use super::*;

fn check(text: &str, expect: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    for path in ["src", ".jp", "docs"] {
        std::fs::create_dir(root.join(path)).unwrap();
    }
    for path in ["src/a", "docs/b", ".jp/config.toml"] {
        std::fs::write(root.join(path), "").unwrap();
    }
    let access = AccessPolicy {
        fs: vec![
            FsRule::new("src").with_read(true),
            FsRule::new(".jp").with_read(true),
        ]
        .into(),
        ..AccessPolicy::default()
    };
    let context = Context::new(root, Action::Run).with_access(access);
    let text = text.replace("<root>", root.as_str());
    let told = refused("t", &text, &context).join("\n");
    expect.assert_eq(&told);
}

#[test]
fn one_capability_on_one_path_is_told() {
    check(
        "sh: 1: cannot create src/new: Permission denied",
        &expect![[
            r#"`create` on `src/new` is not granted; this rule in `conversation.tools.t.access.fs` would grant it: `{ path = "src/new", read = true, create = true }`"#
        ]],
    );
    check(
        "PermissionError: [Errno 13] Permission denied: '<root>/docs/b'",
        &expect![[
            r#"`read` on `docs/b` is not granted; this rule in `conversation.tools.t.access.fs` would grant it: `{ path = "docs/b", read = true }`"#
        ]],
    );
    check(
        "rm: cannot remove 'src/a': Read-only file system",
        &expect![[
            r#"`delete` on `src/a` is not granted; this rule in `conversation.tools.t.access.fs` would grant it: `{ path = "src/a", read = true, delete = true }`"#
        ]],
    );
    check(
        "Error: EACCES: permission denied, open 'src/a'",
        &expect![[
            r#"`update` on `src/a` is not granted; this rule in `conversation.tools.t.access.fs` would grant it: `{ path = "src/a", read = true, update = true }`"#
        ]],
    );
}

#[test]
fn what_lies_outside_has_no_rule() {
    check(
        "cat: /etc/shadow: Permission denied",
        &expect![["`read` on `/etc/shadow` is not granted: it lies outside of the workspace"]],
    );
}

#[test]
fn words_without_a_path_tell_nothing() {
    check("Permission denied", &expect![[""]]);
    check("cat: docs/b: No such file or directory", &expect![[""]]);
    check("src/a: all is well", &expect![[""]]);
    // Where everything is granted, something else has refused.
    check("ls: src: Permission denied", &expect![[""]]);
}
