use std::sync::Arc;

use expect_test::{Expect, expect};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use serde_json::{Value, json};

use super::{Asked, append, write_case};
use crate::explain::tests::Paths;

const CONFIG: &str = r#"//- /w/.jp/config.toml
[conversation.tools.read]
source = "local"
command = "cat"
parameters.path = { type = "path", required = true }
parameters.words = { type = "array", items.type = "string" }
policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
access.fs = [{ path = "src", read = true }]
"#;

pub(in crate::examples) fn graph(fixture: &str) -> Arc<Graph> {
    let files = MemoryFiles::from_fixture(fixture);
    Arc::new(Graph::load(&Roots::workspace_only("/w"), &files))
}

fn check(tool: &str, asked: Asked, input: &Value, expected: &Expect) {
    let written = write_case(&graph(CONFIG), tool, asked, input, &Paths);
    expected.assert_eq(&written.unwrap_or_else(|error| format!("error: {error}")));
}

#[test]
fn a_call_is_written_with_what_is_decided_now() {
    check(
        "read",
        Asked::Run,
        &json!({ "path": "src/\"a\"", "words": ["a\nb", "é\u{7f}\u{1b}"] }),
        &expect![[r#"
            [[case]]
            tool = "read"
            call = { path = 'src/"a"', words = ["a\nb", "é\u007F\u001b"] }
            run = "unattended"
        "#]],
    );
    check(
        "read",
        Asked::Result,
        &json!({ "path": "x" }),
        &expect![[r#"
            [[case]]
            tool = "read"
            call = { path = "x" }
            result = "unattended"
        "#]],
    );
}

#[test]
fn an_access_is_written_with_whether_it_is_granted() {
    let input = json!({ "fs": { "capability": "read", "path": "src/a" } });
    check(
        "read",
        Asked::Access,
        &input,
        &expect![[r#"
        [[case]]
        tool = "read"
        fs = { capability = "read", path = "src/a" }
        allowed = true
    "#]],
    );
    let input = json!({ "net": "https://example.org/" });
    check(
        "read",
        Asked::Access,
        &input,
        &expect![[r#"
        [[case]]
        tool = "read"
        net = "https://example.org/"
        allowed = true
    "#]],
    );
}

#[test]
fn what_is_not_decided_is_not_written() {
    check(
        "raed",
        Asked::Run,
        &json!({}),
        &expect!["error: no tool `raed` is configured; did you mean `read`?"],
    );
    check(
        "read",
        Asked::Run,
        &json!({ "pat": "x" }),
        &expect![
            "error: invalid arguments: unknown argument `pat`, did you mean `path`; missing argument `path`"
        ],
    );
    let huge = json!({ "path": "x", "words": null });
    check(
        "read",
        Asked::Run,
        &huge,
        &expect![[
            r#"error: TOML cannot say `{"path":"x","words":null}`: `null` and whole numbers of more than 64 bits have no place in it"#
        ]],
    );
}

fn case(path: &str) -> String {
    format!("[[case]]\ntool = \"read\"\ncall = {{ path = \"{path}\" }}\nrun = \"ask\"\n")
}

#[test]
fn a_case_follows_on_what_is_there() {
    let added = |text: &str| {
        let added = append(text, &[case("b")]);
        let added = added.unwrap_or_else(|error| format!("error: {error}"));
        added.replace(&case("b"), "<case>")
    };
    assert_eq!(added(""), "<case>");
    assert_eq!(added("\n"), "<case>");
    assert_eq!(added(&case("a")), "\n<case>");
    assert_eq!(added(case("a").trim_end()), "\n\n<case>");
    assert_eq!(added(&format!("{}\n", case("a"))), "<case>");
    // A mistake that takes nothing in is another matter.
    assert_eq!(added("[[case]]\ntool = 1\n"), "\n<case>");
}

#[test]
fn a_case_that_is_there_or_would_not_be_read_is_not_added() {
    let refused = |text: &str| append(text, &[case("a")]).unwrap_err().to_string();
    let text = format!("# first\n\n{}{}", case("x"), case("a"));
    expect!["`.jp/policy.tests.toml` asks this already, in line 7"].assert_eq(&refused(&text));
    // What is a list already takes no further tables.
    expect!["a case at the end of `.jp/policy.tests.toml` would not be read: mend the mistakes in the file first"].assert_eq(&refused("case = []\n"));
}
