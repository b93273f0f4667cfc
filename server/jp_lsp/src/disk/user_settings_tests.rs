use expect_test::{Expect, expect, expect_file};
use jp_agent::ServerGrants;
use pretty_assertions::assert_eq;

use super::{UserSettings, json_schema, parse};

fn check(text: &str, expected: &Expect) {
    let told = parse(text).1.into_iter().map(|mistake| {
        let before = text.get(..mistake.span.start as usize).unwrap();
        let line = before.matches('\n').count() + 1;
        format!("{line}: {}", mistake.message)
    });
    expected.assert_eq(&told.collect::<Vec<_>>().join("\n"));
}

#[test]
fn grants_of_servers_are_read() {
    let read = |text| match parse(text) {
        (set, mistakes) if mistakes.is_empty() => set,
        (_, mistakes) => panic!("{mistakes:?}"),
    };
    let set = read("[sandbox.mcp.a]\nread = [\"docs\"]\n[sandbox.mcp.b]\nnet = false\n");
    let grants = |read: Option<&str>, net: Option<Vec<_>>| ServerGrants {
        read: read.map(|place| vec![place.to_owned()]),
        write: None,
        net,
    };
    let expected = [
        ("a".to_owned(), grants(Some("docs"), None)),
        ("b".to_owned(), grants(None, Some(Vec::new()))),
    ];
    assert_eq!(set.servers, expected.into());
    assert_eq!(read(""), UserSettings::default());
    assert_eq!(read("[sandbox]\n"), UserSettings::default());
    assert!(read("[sandbox]\nprivate_tmp = true\n[sandbox.mcp.a]\nnet = false\n").private_tmp);
    assert!(!read("sandbox.private_tmp = false\n").private_tmp);
}

#[test]
fn mistakes_are_said_with_their_line() {
    check(
        "[sandbox",
        &expect!["1: unclosed table header: write `]` after the name"],
    );
    check(
        "\n[severity]\n",
        &expect![
            "2: unknown key `severity`, write `private_tmp` in `[sandbox]`, or a table `[sandbox.mcp.NAME]` for each server"
        ],
    );
    check(
        "sandbox.private_tmp = \"yes\"\n",
        &expect!["1: `private_tmp` is a switch, write `true` or `false`"],
    );
    check(
        "private_tmp = true\n",
        &expect![
            "1: unknown key `private_tmp`, write `private_tmp` in `[sandbox]`, or a table `[sandbox.mcp.NAME]` for each server"
        ],
    );
    check(
        "sandbox.mode = \"off\"\n",
        &expect![
            "1: unknown key `mode`, write `private_tmp` in `[sandbox]`, or a table `[sandbox.mcp.NAME]` for each server"
        ],
    );
    check(
        "[sandbox.mcp.a]\nnet = false\nreed = []\n",
        &expect!["3: unknown key `reed`, the keys of a server are `read`, `write` and `net`"],
    );
    check(
        "sandbox.mcp.a = 1.5\n",
        &expect![[
            r#"1: `1.5` says nothing of a server: write a table such as `{ read = ["docs"], net = false }`"#
        ]],
    );
}

#[test]
fn every_mistake_is_said() {
    check(
        "other = 1\n[sandbox.mcp.a]\nread = \"docs\"\n[sandbox.mcp.b]\nnet = [\"a b\"]\n[sandbox.mcp]\nc =\n",
        &expect![[r#"
            1: unknown key `other`, write `private_tmp` in `[sandbox]`, or a table `[sandbox.mcp.NAME]` for each server
            3: `"docs"` is no list of places: write `read = ["docs"]`, with paths below the workspace, absolute ones, or `~/...`
            5: `"a b"` is no host: write a name such as `"api.github.com"` or `"localhost:8080"`
            7: missing value: write a value after `=`"#]],
    );
}

#[test]
fn the_json_schema_is_up_to_date() {
    let text = serde_json::to_string_pretty(json_schema()).unwrap() + "\n";
    expect_file!["../../../../schemas/user-settings.schema.json"].assert_eq(&text);
}
