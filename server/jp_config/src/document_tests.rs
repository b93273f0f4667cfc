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
