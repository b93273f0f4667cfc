use std::sync::Arc;

use camino::Utf8Path;
use expect_test::{Expect, expect};
use jp_config::{
    document::Document,
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};

use super::complete_example;
use crate::{
    completion::{PathEntry, Paths},
    examples::Examples,
};

const CONFIG: &str = r#"//- /w/.jp/config.toml
[conversation.tools.'*']
run = "ask"
[conversation.tools.read]
source = "local"
command = "cat"
parameters.path = { type = "path", required = true }
parameters.kind = { type = "string", enum = ["file", "dir"] }
parameters.deep = { type = "boolean" }
parameters.edits = { type = "array", items = { type = "object", properties = { old = { type = "string" } } } }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", enum = [".env", "key"], mode = "skip" },
    { mode = "ask" },
]
[conversation.tools.write]
source = "local"
command = "tee"
"#;

/// What lies in `/w` and in `/w/src`; nothing elsewhere.
struct SomeFiles;

impl Paths for SomeFiles {
    fn list(&self, directory: &Utf8Path) -> Vec<PathEntry> {
        let entry = |name: &str, is_directory| PathEntry {
            name: name.to_owned(),
            is_directory,
        };
        match directory.as_str() {
            "/w" => vec![
                entry("notes \"1\".md", false),
                entry("src", true),
                entry(".git", true),
                entry("docs", true),
            ],
            "/w/src" => vec![entry("lib.rs", false)],
            other => panic!("nobody asked for {other}"),
        }
    }
}

/// What is offered at `|`, each with its words, and the text after the first is taken.
fn check(text: &str, expected: &Expect) {
    let files = MemoryFiles::from_fixture(CONFIG);
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let offset = text.find('|').unwrap();
    let text = text.replacen('|', "", 1);
    let found = complete_example(
        &View::new(graph),
        &Document::parse(&text),
        offset,
        &SomeFiles,
    );
    let mut told: Vec<String> = found
        .items
        .iter()
        .map(|item| match &item.detail {
            Some(detail) => format!("{}: {detail}", item.label),
            None => item.label.clone(),
        })
        .collect();
    if let Some(first) = found.items.first() {
        let mut taken = text.clone();
        taken.replace_range(first.edit.span.range(), &first.edit.text);
        told.push(format!("---\n{taken}"));
    }
    expected.assert_eq(&told.join("\n"));
}

#[test]
fn an_empty_file_takes_a_case() {
    check(
        "|",
        &expect![[r#"
        [[case]]: one example: a call or an access, and what is expected of it
        ---
        [[case]]
        tool = "read"
        call = {  }
        run = "ask"
    "#]],
    );
    check(
        "[[ca|]]",
        &expect![[r#"
        case: one example
        ---
        [[case]]"#]],
    );
}

#[test]
fn a_case_takes_the_keys_that_go_with_it() {
    check(
        "[[case]]\ntool = \"read\"\n|",
        &expect![[r#"
        name: what this example shows
        call: the arguments of a call
        run: what is expected to happen to the call
        result: what is expected to happen to its result
        rule: the number of the rule that is expected to decide, from 1
        fs: a file, and what is to be done with it
        net: an address that is to be reached
        env: a variable that is to be read
        config: a config path, and what is to be done with it
        allowed: whether the access is expected to be granted
        [[case]]: one example: a call or an access, and what is expected of it
        ---
        [[case]]
        tool = "read"
        name = """#]],
    );
    check(
        "[[case]]\ncall = {}\n|\nrun = \"ask\"\n",
        &expect![[r#"
        name: what this example shows
        tool: the tool that it is about
        result: what is expected to happen to its result
        rule: the number of the rule that is expected to decide, from 1
        ---
        [[case]]
        call = {}
        name = ""
        run = "ask"
    "#]],
    );
    check(
        "[[case]]\nenv = \"HOME\"\nal|",
        &expect![[r#"
        name: what this example shows
        tool: the tool that it is about
        rule: the number of the rule that is expected to decide, from 1
        allowed: whether the access is expected to be granted
        [[case]]: one example: a call or an access, and what is expected of it
        ---
        [[case]]
        env = "HOME"
        name = """#]],
    );
    check(
        "[[case]]\nfs = { | }",
        &expect![[r#"
        capability: required
        path: required
        ---
        [[case]]
        fs = { capability = "read" }"#]],
    );
}

#[test]
fn a_call_takes_the_arguments_of_its_tool() {
    check(
        "[[case]]\ntool = \"read\"\ncall = { | }",
        &expect![[r#"
        path: path
        kind: string
        deep: boolean
        edits: object
        ---
        [[case]]
        tool = "read"
        call = { path = "" }"#]],
    );
    check(
        "[[case]]\ntool = \"read\"\ncall = { edits = [{ | }] }",
        &expect![[r#"
            old: string
            ---
            [[case]]
            tool = "read"
            call = { edits = [{ old = "" }] }"#]],
    );
    check("[[case]]\ntool = \"other\"\ncall = { | }", &expect![[""]]);
}

#[test]
fn values_are_those_of_the_config() {
    check(
        "[[case]]\ntool = \"|\"",
        &expect![[r#"
        read
        write
        ---
        [[case]]
        tool = "read""#]],
    );
    check(
        "[[case]]\nrun = |",
        &expect![[r#"
        ask
        unattended
        edit
        skip
        ---
        [[case]]
        run = "ask""#]],
    );
    check(
        "[[case]]\nallowed = |",
        &expect![[r#"
        true: boolean
        false: boolean
        ---
        [[case]]
        allowed = true"#]],
    );
    check(
        "[[case]]\nfs = { capability = \"|\" }",
        &expect![[r#"
        read
        create
        update
        delete
        execute
        ---
        [[case]]
        fs = { capability = "read" }"#]],
    );
    check(
        "[[case]]\ntool = \"read\"\ncall = { path = \"|\" }",
        &expect![[r#"
            src: `prefix` of a rule
            .env: `enum` of a rule
            key: `enum` of a rule
            docs
            notes "1".md
            ---
            [[case]]
            tool = "read"
            call = { path = "src" }"#]],
    );
    check(
        "[[case]]\ntool = \"read\"\ncall = { kind = \"|\" }",
        &expect![[r#"
            file: declared
            dir: declared
            ---
            [[case]]
            tool = "read"
            call = { kind = "file" }"#]],
    );
}

#[test]
fn a_path_is_one_of_the_workspace() {
    check(
        "[[case]]\ntool = \"read\"\ncall = { path = \"src/|\" }",
        &expect![[r#"
            src: `prefix` of a rule
            .env: `enum` of a rule
            key: `enum` of a rule
            src/lib.rs
            ---
            [[case]]
            tool = "read"
            call = { path = "src" }"#]],
    );
    check(
        "[[case]]\ntool = \"read\"\ncall = { path = \"../|\" }",
        &expect![[r#"
            src: `prefix` of a rule
            .env: `enum` of a rule
            key: `enum` of a rule
            ---
            [[case]]
            tool = "read"
            call = { path = "src" }"#]],
    );
    check(
        "[[case]]\ntool = \"read\"\nfs = { capability = \"read\", path = \"|\" }",
        &expect![[r#"
            docs
            src
            notes "1".md
            ---
            [[case]]
            tool = "read"
            fs = { capability = "read", path = "docs" }"#]],
    );
    // A file is no kind, and no text in an edit.
    check(
        "[[case]]\ntool = \"read\"\ncall = { edits = [{ old = \"|\" }] }",
        &expect![[r#""#]],
    );
}

#[test]
fn a_rule_is_offered_with_what_it_says() {
    check(
        "[[case]]\ntool = \"read\"\nrule = |",
        &expect![[r#"
        1: { arg = "/path", prefix = "src", mode = "unattended" }
        2: { arg = "/path", enum = [".env", "key"], mode = "skip" }
        3: { mode = "ask" }
        fallback: no rule decides
        ---
        [[case]]
        tool = "read"
        rule = 1"#]],
    );
    check(
        "[[case]]\nrule = |",
        &expect![[r#"
        fallback: no rule decides
        ---
        [[case]]
        rule = "fallback""#]],
    );
}

#[test]
fn each_place_has_an_answer_and_what_is_taken_breaks_nothing() {
    let files = MemoryFiles::from_fixture(CONFIG);
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let view = View::new(graph);
    let text = "[[case]]\ntool = \"read\"\ncall = { path = \"src\", deep = true }\nrun = \"ask\"\n\n[[case]]\ntool = \"read\"\nfs = { capability = \"read\", path = \"x\" }\nallowed = true\n";
    let document = Document::parse(text);
    assert_eq!(Examples::read(text).mistakes, []);
    for offset in 0..=text.len() {
        for item in complete_example(&view, &document, offset, &SomeFiles).items {
            let mut taken = text.to_owned();
            taken.replace_range(item.edit.span.range(), &item.edit.text);
            assert!(
                Document::parse(&taken).errors().is_empty(),
                "{} at {offset}: {taken}",
                item.label
            );
        }
    }
}
