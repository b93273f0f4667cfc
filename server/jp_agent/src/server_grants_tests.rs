use camino::Utf8Path;
use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::ServerGrants;

fn wrong(table: Value, expected: &Expect) {
    let error = ServerGrants::from_json(&table).unwrap_err();
    let key = error.key.as_deref().unwrap_or("the table");
    expected.assert_eq(&format!("{key}: {error}"));
}

#[test]
fn a_mistake_says_what_to_write() {
    wrong(
        json!(true),
        &expect![
            "the table: `true` says nothing of a server: write a table such as `{ read = [\"docs\"], net = false }`"
        ],
    );
    wrong(
        json!({ "execute": [] }),
        &expect![
            "execute: unknown key `execute`, the keys of a server are `read`, `write` and `net`"
        ],
    );
    wrong(
        json!({ "read": "docs" }),
        &expect![[
            r#"read: `"docs"` is no list of places: write `read = ["docs"]`, with paths below the workspace, absolute ones, or `~/...`"#
        ]],
    );
    wrong(
        json!({ "write": ["out", 1] }),
        &expect![[r#"write: `1` is no place: write a path such as `"docs"` or `"~/.npm"`"#]],
    );
    wrong(
        json!({ "write": ["~"] }),
        &expect![[r#"write: `"~"` is no place: write a path such as `"docs"` or `"~/.npm"`"#]],
    );
    wrong(
        json!({ "net": "api.github.com" }),
        &expect![[
            r#"net: `"api.github.com"` is neither `false` nor a list of hosts: write `net = ["api.github.com"]`"#
        ]],
    );
    wrong(
        json!({ "net": ["a b"] }),
        &expect![[
            r#"net: `"a b"` is no host: write a name such as `"api.github.com"` or `"localhost:8080"`"#
        ]],
    );
    wrong(
        json!({ "net": ["a.example:99999"] }),
        &expect![[
            r#"net: `"a.example:99999"` is no host: write a name such as `"api.github.com"` or `"localhost:8080"`"#
        ]],
    );
}

/// The rules of a table, in a workspace with `docs`, a link `out` that leads away, and a home beside it.
fn rules(table: Value) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    let base = base.canonicalize_utf8().unwrap();
    for place in ["w/docs", "home/cache"] {
        std::fs::create_dir_all(base.join(place)).unwrap();
    }
    std::os::unix::fs::symlink(base.join("home"), base.join("w/out")).unwrap();
    let grants = ServerGrants::from_json(&table).unwrap();
    let access = grants.access(&base.join("w"), Some(&base.join("home")));
    let files = access.policy.fs.iter().map(|rule| {
        let place = match rule.approved_target() {
            Some(target) => format!("outside {}", target.strip_prefix(&base).unwrap()),
            None => rule.path().to_string(),
        };
        let can = |can: bool, word: &str| {
            if can {
                format!(" {word}")
            } else {
                String::new()
            }
        };
        let (read, write) = (can(rule.read(), "read"), can(rule.update(), "write"));
        format!("{place}:{read}{write}")
    });
    let net = access.policy.net.iter();
    let net = net.map(|rule| format!("{} {:?} {}", rule.host, rule.port, rule.allow));
    let lost = access
        .lost
        .iter()
        .map(|(name, why)| format!("{name}: {why}"));
    files.chain(net).chain(lost).collect()
}

#[test]
fn what_is_not_named_is_closed() {
    assert_eq!(
        rules(
            json!({ "read": ["docs", "./docs/../docs"], "write": ["~/cache"], "net": ["a.example", "b.example:8080"] })
        ),
        [
            ".:",
            "docs: read",
            "docs: read",
            "outside home/cache: read write",
            "a.example None true",
            "b.example Some(8080) true",
        ]
    );
    assert_eq!(
        rules(json!({ "read": [], "net": false })),
        [".:", "localhost None false"]
    );
    assert_eq!(rules(json!({ "net": true })), Vec::<String>::new());
    assert_eq!(rules(json!({ "read": ["."] })), [".:", ".: read"]);
}

#[test]
fn a_link_of_the_workspace_opens_nothing_elsewhere() {
    assert_eq!(
        rules(json!({ "read": ["out", "out/cache", "/"] })),
        [
            ".:",
            "read `out`: everything: a link of the workspace leads out of it there",
            "read `out/cache`: everything: a link of the workspace leads out of it there",
            "read `/`: everything: `/` would hold nothing, leave `read` and `write` out instead",
        ]
    );
}
