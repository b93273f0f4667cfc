use expect_test::{Expect, expect};
use jp_tool::{AccessPolicy, Action, FsRule};

use super::*;

fn in_context<T>(text: &str, ask: impl FnOnce(&str, &Context) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    for path in ["src", ".jp", "docs", "src/closed"] {
        std::fs::create_dir(root.join(path)).unwrap();
    }
    for path in ["src/a", "docs/b", ".jp/config.toml", "src/closed/c"] {
        std::fs::write(root.join(path), "").unwrap();
    }
    let access = AccessPolicy {
        fs: vec![
            FsRule::new("src").with_read(true),
            FsRule::new(".jp").with_read(true),
            FsRule::new("src/closed"),
        ]
        .into(),
        ..AccessPolicy::default()
    };
    let context = Context::new(root, Action::Run).with_access(access);
    let text = text.replace("<root>", root.as_str());
    ask(&text, &context)
}

fn check(text: &str, expect: &Expect) {
    let told = in_context(text, |text, context| refused("t", text, context).words);
    expect.assert_eq(&told.join("\n"));
}

#[test]
fn the_grant_that_is_missing_is_told_to_programs() {
    let missing = |text: &str| {
        let missing = in_context(text, |text, context| refused("t", text, context).missing);
        serde_json::to_string(&missing).unwrap()
    };
    assert_eq!(
        missing("sh: 1: cannot create src/new: Permission denied"),
        r#"[{"access":"fs","capability":"create","path":"src/new","rule":{"path":"src/new","read":true,"create":true}}]"#
    );
    assert_eq!(
        missing("cat: /etc/shadow: Permission denied"),
        r#"[{"access":"fs","capability":"read","path":"/etc/shadow","rule":null}]"#
    );
    assert_eq!(missing("cat: src/a: No such file or directory"), "[]");
}

/// The rules that a person could be offered.
fn offered(text: &str, expect: &Expect) {
    let rules = in_context(text, |text, context| {
        let mut refusals = refused("t", text, context).refusals;
        refusals.extend(denied(text, context));
        let rules = refusals
            .iter()
            .map(|refusal| in_toml(&refusal.rule(context)));
        rules.collect::<Vec<_>>()
    });
    expect.assert_eq(&rules.join("\n"));
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

#[test]
fn a_file_is_offered_to_a_person() {
    let read = expect![[r#"{ path = "docs/b", read = true }"#]];
    offered("cat: docs/b: Permission denied", &read);
    offered("access denied: read on docs/b", &read);
    offered(
        "Access denied: cannot read './docs/../docs/b'. Paths granting read: [src].",
        &read,
    );
    offered(
        "Access denied: cannot update 'src/a'. Paths granting update: [].",
        &expect![[r#"{ path = "src/a", read = true, update = true }"#]],
    );
    offered(
        "Access denied: cannot create 'src/ne\"w'. Paths granting create: [].",
        &expect![[r#"{ path = 'src/ne"w', read = true, create = true }"#]],
    );
}

#[test]
fn what_is_wider_or_protected_or_granted_is_not_offered() {
    let nothing = expect![[""]];
    for text in [
        // A rule about a folder opens all that is in it.
        "ls: cannot open directory 'docs': Permission denied",
        "Access denied: cannot read 'docs'. Paths granting read: [src].",
        "Access denied: cannot read '.'. Paths granting read: [src].",
        // Config decides what runs.
        "sh: 1: cannot create .jp/config.toml: Permission denied",
        "Access denied: cannot update '.jp/config.toml'. Paths granting update: [].",
        "access denied: create on .envrc",
        // A rule closes it.
        "Access denied: cannot read 'src/closed/c'. Paths granting read: [src].",
        // A tool that lies.
        "Access denied: cannot read 'src/a'. Paths granting read: [].",
        "Access denied: cannot read '../outside'. Paths granting read: [].",
        "Access denied: cannot create 'docs/b'. Paths granting create: [].",
        "Access denied: cannot delete 'docs/none'. Paths granting delete: [].",
        "Access denied: cannot own 'docs/b'. Paths granting own: [].",
        "Access denied: cannot read 'docs/b'",
        "access denied: read",
    ] {
        offered(text, &nothing);
    }
    let long = "x".repeat(300);
    offered(&format!("access denied: create on docs/{long}"), &nothing);
}
