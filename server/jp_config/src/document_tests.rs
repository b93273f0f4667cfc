use std::fmt::Write as _;

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::{Document, dump};

fn check(text: &str, expected: &Expect) {
    let document = Document::parse(text);
    expected.assert_eq(&format!(
        "{}---\n{}",
        dump::leaves(&document),
        dump::errors(&document)
    ));
}

const TOOL: &str = r#"inherit = true

[assistant]
name = "jp"

[conversation.tools.a]
source = "local"
command = "just a"

[conversation.tools.a.policy]
run = [
  { arg = "/path", mode = "ask" },
  { mode = "unattended" },
]
enum = ["x", "y"]
after = 1

[[conversation.tools.a.access.fs]]
path = "src"
"#;

/// Replaces one stretch of the sample by a mistake.
fn mistake(from: &str, to: &str) -> String {
    assert_eq!(TOOL.matches(from).count(), 1, "{from}");
    TOOL.replace(from, to)
}

/// What is in the sample and not in the tree of `text`, the other way round, and the errors.
fn damage(text: &str) -> String {
    let whole = dump::leaves(&Document::parse(TOOL));
    let document = Document::parse(text);
    let broken = dump::leaves(&document);
    let mut out = String::new();
    for line in whole.lines().filter(|l| !broken.lines().any(|b| b == *l)) {
        writeln!(out, "  - {line}").unwrap();
    }
    for line in broken.lines().filter(|l| !whole.lines().any(|w| w == *l)) {
        writeln!(out, "  + {line}").unwrap();
    }
    for line in dump::errors(&document).lines() {
        writeln!(out, "  {line}").unwrap();
    }
    out
}

#[test]
fn one_mistake_is_one_error_and_everything_else_stays() {
    let mistakes = [
        (
            "key without `=`",
            mistake("command = \"just a\"", "command"),
        ),
        (
            "key being typed",
            mistake("source = \"local\"", "source = \"local\"\nco"),
        ),
        ("no value", mistake("command = \"just a\"", "command =")),
        (
            "dotted key being typed",
            mistake("after = 1", "after = 1\npolicy."),
        ),
        ("unclosed string", mistake("\"just a\"", "\"just a")),
        ("unclosed literal string", mistake("\"just a\"", "'just a")),
        (
            "unclosed multi-line string",
            mistake("\"just a\"", "\"\"\"just a"),
        ),
        (
            "unclosed multi-line literal string",
            mistake("\"just a\"", "'''just a"),
        ),
        (
            "unclosed array on one line",
            mistake("[\"x\", \"y\"]", "[\"x\", \"y\""),
        ),
        ("array being typed", mistake("[\"x\", \"y\"]", "[")),
        ("unclosed array over lines", mistake("},\n]\n", "},\n")),
        (
            "unclosed array before a header",
            mistake("after = 1", "after = ["),
        ),
        (
            "unclosed inline table",
            mistake("after = 1", "after = { a = 1"),
        ),
        (
            "inline table being typed",
            mistake("name = \"jp\"", "name = {"),
        ),
        (
            "unclosed inline table in an array",
            mistake("mode = \"ask\" },", "mode = \"ask\""),
        ),
        (
            "inline table in an array being typed",
            mistake(
                "{ arg = \"/path\", mode = \"ask\" },",
                "{ arg = \"/path\", mo",
            ),
        ),
        (
            "value in an inline table being typed",
            mistake("mode = \"ask\" },", "mode = "),
        ),
        (
            "unclosed string in an inline table",
            mistake("mode = \"ask\" },", "mode = \"ask },"),
        ),
        (
            "unclosed string within a line",
            mistake("\"/path\", mode", "\"/path, mode"),
        ),
        (
            "key without `=` in an inline table",
            mistake("{ mode = \"unattended\" }", "{ mo }"),
        ),
        (
            "unclosed last inline table",
            mistake("\"unattended\" },", "\"unattended\","),
        ),
        (
            "unclosed inline table before a text",
            mistake("after = 1", "after = [\n    { a = 1,\n    \"b\",\n]"),
        ),
        (
            "unclosed array before a key",
            mistake("after = 1", "after = { a = [\"x\", b = 2 }"),
        ),
        (
            "unclosed array before a comma and a key",
            mistake("after = 1", "after = { a = [\n    \"x\",\n, b = 2 }"),
        ),
        (
            "missing comma in an array",
            mistake("\"ask\" },", "\"ask\" }"),
        ),
        (
            "missing comma in an inline table",
            mistake("\"/path\", mode", "\"/path\" mode"),
        ),
        ("two commas", mistake("\"x\", \"y\"", "\"x\",, \"y\"")),
        ("unclosed header", mistake("[assistant]", "[assistant")),
        (
            "header being typed",
            mistake("[assistant]", "[assistant]\nx = 1\n\n[conversation."),
        ),
        ("bracket only", mistake("[assistant]", "[assistant]\n\n[")),
        ("half-closed array header", mistake(".fs]]", ".fs]")),
        ("word as a value", mistake("after = 1", "after = fals")),
        ("bad number", mistake("after = 1", "after = 1x")),
        ("bad date", mistake("after = 1", "after = 2026-13-01")),
        ("bad escape", mistake("\"just a\"", "\"just \\a\"")),
        (
            "text after a value",
            mistake("after = 1", "after = 1 2 = 3"),
        ),
        ("second `=`", mistake("after = 1", "after == 1")),
        ("missing key", mistake("after = 1", "= 1")),
        ("stray bracket", mistake("after = 1", "after = 1\n}")),
        ("two keys", mistake("after = 1", "after = 1\nafter = 2")),
        (
            "two tables",
            mistake("[assistant]", "[assistant]\n[assistant]"),
        ),
        ("bare star", mistake("tools.a]", "tools.*]")),
    ];
    let mut out = String::new();
    for (name, text) in &mistakes {
        writeln!(out, "{name}\n{}", damage(text)).unwrap();
        assert_eq!(
            Document::parse(text).errors().len(),
            1,
            "{name}: {}",
            damage(text)
        );
    }
    expect_test::expect_file!["document/tolerance.txt"].assert_eq(&out);
}

#[test]
fn merges_what_headers_keys_and_braces_say() {
    check(
        "a.b = 1\n[t]\nx = { y.z = 1, 'q r' = [1, 2.5, {}] }\n[[t.l]]\nk = 1\n[t.l.s]\nv = inf\n[[t.l]]\n[u.v.w]\n[u]\nd = 1979-05-27 07:32:00\n",
        &expect![[r#"
            a.b = 1
            t.x.y.z = 1
            t.x.q r[0] = 1
            t.x.q r[1] = 2.5
            t.x.q r[2] = {}
            t.l[0].k = 1
            t.l[0].s.v = inf
            t.l[1] = {}
            u.v.w = {}
            u.d = 1979-05-27 07:32:00
            ---
        "#]],
    );
}

#[test]
fn what_is_wrong_already_lacks_no_comma_as_well() {
    check(
        "a = [\n  { b = 1, b = 2 }\n  3,\n]\nc = [\n  { b = 1 }\n  3,\n]\n",
        &expect![[r#"
            a[0].b = 1
            a[1] = 3
            c[0].b = 1
            c[1] = 3
            ---
            2: "b": `b` is defined twice: remove one or rename it
              2: "b": `b` is first defined here
            7: "3": missing `,` between array items: write one before this
        "#]],
    );
}

#[test]
fn a_header_ends_an_array_even_where_a_bracket_follows_it() {
    check(
        "x = [\n1,\n[assistant]\n]\n",
        &expect![[r#"
            x[0] = 1
            assistant = {}
            ---
            1: "[": unclosed array: write `]` at its end
            4: "]": unexpected `]`: write `key = value` or a table header
        "#]],
    );
    // What could be an item as well is one, where it is closed.
    check(
        "x = [\n1,\n[2]\n]\n",
        &expect![[r#"
            x[0] = 1
            x[1][0] = 2
            ---
        "#]],
    );
}

#[test]
fn a_key_behind_brackets_that_nothing_closes_is_one_of_its_own() {
    check(
        "x = [\n\"a\"\ny = 1,\n",
        &expect![[r#"
            x[0] = "a"
            y = 1
            ---
            1: "[": unclosed array: write `]` at its end
            3: ",": unexpected `,` after the value: write it on a line of its own
        "#]],
    );
    check(
        "x = { a = 1,\ny = 2\n",
        &expect![[r#"
            x.a = 1
            y = 2
            ---
            1: "{": unclosed inline table: write `}` at its end
        "#]],
    );
    // A comma behind it says that it is an entry.
    check(
        "x = { a = 1,\ny = 2,\n",
        &expect![[r#"
            x.a = 1
            x.y = 2
            ---
            1: "{": unclosed inline table: write `}` at its end
        "#]],
    );
}

#[test]
fn a_table_of_headers_and_a_value_of_the_same_name_do_not_hide_each_other() {
    // The first stands, and a value that is yet to be typed hides nothing.
    check(
        "[a.b]\nx = 1\n[a]\nb = 2\n",
        &expect![[r#"
            a.b.x = 1
            ---
            4: "b": `b` is defined twice: remove one or rename it
              1: "b": `b` is first defined here
        "#]],
    );
    check(
        "[a]\nb =\n[a.b]\nx = 1\n",
        &expect![[r#"
            a.b.x = 1
            ---
            2: "=": missing value: write a value after `=`
        "#]],
    );
}

#[test]
fn a_word_that_lacks_only_quotes_is_mended_with_them() {
    let mended = |text: &str| -> Vec<String> {
        let document = Document::parse(text);
        let errors = document.errors();
        let repairs = errors.iter().map(|error| error.repair.clone());
        repairs
            .map(|repair| repair.map_or_else(|| "-".to_owned(), |it| it.text))
            .collect()
    };
    assert_eq!(mended("a = 10m"), [r#""10m""#]);
    assert_eq!(mended("a = ask"), [r#""ask""#]);
    // Within quotes, a backslash would be an escape.
    assert_eq!(mended(r"a = c:\dir"), ["-"]);
}

#[test]
fn what_a_test_prints_of_a_value_says_where_it_stands() {
    let document = Document::parse("a = [1, 2]\n[[b]]\nc = 3\n[[b]]\n");
    let entries = document
        .root()
        .entries()
        .map(|entry| format!("{entry:?}\n"));
    expect![[r#"
        "a"@0..1 = Array(array of 2@4..10)
        "b"@13..14 = Array(array of 2@11..16)
    "#]]
    .assert_eq(&entries.collect::<String>());
}
