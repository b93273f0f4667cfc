use std::fmt::Write as _;

use camino::Utf8Path;
use expect_test::{Expect, expect};
use jp_config::memory::MemoryFiles;

use super::*;
use crate::{fixture::analyse, navigation::view_of_file};

const CONFIG: &str = "/w/.jp/config.toml";

const TOOL: &str = r#"[conversation.tools.grep]
source = "local"
parameters.kind = { type = "string", enum = ["file", "dir"], summary = "what to look for" }
parameters.root = { type = "path", required = true }
parameters.depth = { type = "integer" }
parameters.deep = { type = "boolean" }
parameters.places = { type = "array", items = { type = "object", properties.path.type = "path" } }
"#;

fn ask(marked: &str) -> Option<Signature> {
    let offset = marked.find("$0").expect("a cursor");
    let mut files = MemoryFiles::default();
    files.insert(CONFIG, &marked.replacen("$0", "", 1));
    let analysis = analyse(&files);
    let graph = analysis.graph();
    let file = graph.file_at(Utf8Path::new(CONFIG)).expect("a file");
    let document = graph.content(file).and_then(|content| content.document());
    signature_help(
        &view_of_file(graph, file),
        document.expect("TOML"),
        offset,
        MarkupKind::PlainText,
    )
}

/// The form with its active key between brackets, and the lines below it.
fn forms(marked: &str) -> String {
    let Some(signature) = ask(marked) else {
        return "nothing\n".to_owned();
    };
    let mut label = signature.label.clone();
    let active = signature
        .active_parameter
        .and_then(|active| signature.parameters.get(active));
    if let Some(parameter) = active {
        label.insert(parameter.label.end, '⟩');
        label.insert(parameter.label.start, '⟨');
    }
    let doc = active.map_or("", |parameter| &parameter.doc);
    let lines = [label.as_str(), doc, &signature.doc];
    let shown: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let shown = shown.join("\n");
    assert!(shown.lines().count() <= 3, "{shown}");
    format!("{shown}\n")
}

#[track_caller]
fn check(marked: &str, expected: &Expect) {
    expected.assert_eq(&forms(marked));
}

fn in_run(rule: &str) -> String {
    format!("{TOOL}\npolicy.run = [\n  {rule}\n  {{ mode = \"ask\" }},\n]\n")
}

#[test]
fn a_rule_lists_the_legal_matchers_until_one_is_written() {
    check(
        &in_run("{ arg = \"/kind\", $0 },"),
        &expect![[r#"
            { arg = "/kind", ⟨const | enum | pattern | prefix⟩, mode }
            How the argument is compared: const, enum, pattern, prefix
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        &in_run("{ arg = \"/depth\", mini$0 },"),
        &expect![[r#"
            { arg = "/depth", ⟨minimum = number⟩, mode }
            The argument is at least this number.
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        &in_run("{ arg = \"/places/path\", prefix = \"$0\" },"),
        &expect![[r#"
            { arg = "/places/path", ⟨prefix = path⟩, mode }
            The argument starts with this text; on a path parameter, with these whole components.
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        &in_run("{ arg = \"/deep\", const = $0 },"),
        &expect![[r#"
            { arg = "/deep", ⟨const = true | false⟩, mode }
            The argument equals this value.
            The first rule that matches a call decides it.
        "#]],
    );
}

#[test]
fn a_rule_without_a_pointer_may_be_the_catch_all() {
    check(
        &in_run("{ $0 },"),
        &expect![[r#"
            { ⟨arg = pointer⟩, const | enum | pattern | prefix | …, mode }
            Arguments: /kind, /root, /depth, /deep, …
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        &in_run("{ mode = \"$0\" },"),
        &expect![[r#"
            { ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
            How the user is involved in a call that matches.
            Matches every call that no earlier rule matches.
        "#]],
    );
    check(
        &in_run("$0"),
        &expect![[r#"
            { ⟨arg = pointer⟩, const | enum | pattern | prefix | …, mode }
            Arguments: /kind, /root, /depth, /deep, …
            The first rule that matches a call decides it.
        "#]],
    );
}

#[test]
fn the_key_under_the_cursor_is_active() {
    check(
        &in_run("{ arg = \"/ro$0ot\", prefix = \"src\", mode = \"ask\" },"),
        &expect![[r#"
            { ⟨arg = "/root"⟩, prefix = path, mode }
            /root: path.
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        &in_run("{ arg = \"/root\", prefix = \"src\", mode$0 = \"ask\" },"),
        &expect![[r#"
            { arg = "/root", prefix = path, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
            How the user is involved in a call that matches.
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        &in_run("{ arg = \"/root\", prefix = \"src\", mode = \"ask\" $0},"),
        &expect![[r#"
            { arg = "/root", prefix = path, mode }
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        &in_run("{ arg = \"/kind\", enum = [\"file\", $0], mode = \"ask\" },"),
        &expect![[r#"
            { arg = "/kind", ⟨enum = ["file" | "dir", …]⟩, mode }
            The argument equals one of these values.
            The first rule that matches a call decides it.
        "#]],
    );
}

#[test]
fn rules_stand_in_many_forms() {
    let header = "[[conversation.tools.grep.policy.result]]\narg = \"/root\"\npre$0\n";
    check(
        &format!("{TOOL}{header}"),
        &expect![[r#"
            { arg = "/root", ⟨prefix = path⟩, mode }
            The argument starts with this text; on a path parameter, with these whole components.
            The first rule that matches a call decides it.
        "#]],
    );
    let wrapped = "policy.run = { strategy = \"append\", value = [{ arg = \"/deep\", $0 }] }\n";
    check(
        &format!("{TOOL}{wrapped}"),
        &expect![[r#"
            { arg = "/deep", ⟨const | enum⟩, mode }
            How the argument is compared: const, enum
            The first rule that matches a call decides it.
        "#]],
    );
    check(
        "conversation.tools.'*'.policy.run = [{ arg = \"/x\", ä = 1, $0 }]",
        &expect![[r#"
            { arg = "/x", ⟨const | enum | pattern | prefix | …⟩, mode }
            How the argument is compared: const, enum, pattern, prefix, minimum, maximum, exclusive_minimum, exclusive_maximum
            The first rule that matches a call decides it.
        "#]],
    );
    // The bracket is not closed, and a header follows.
    check(
        &format!("{TOOL}policy.run = [{{ arg = \"/deep\", $0\n[assistant]\nname = \"ä😀\"\n"),
        &expect![[r#"
            { arg = "/deep", ⟨const | enum⟩, mode }
            How the argument is compared: const, enum
            The first rule that matches a call decides it.
        "#]],
    );
}

#[test]
fn other_tables_have_the_form_of_the_schema() {
    check(
        &format!("{TOOL}[[conversation.tools.grep.access.fs]]\npath = \".\"\nread = $0\n"),
        &expect![[r#"
            { path = string, external?, ⟨read? = true | false⟩, write?, create?, update?, delete?, execute? }
            Grants reading files and listing directories. Default: false.
            A rule for one path and everything below it; it applies in full, and inherits nothing.
        "#]],
    );
    check(
        "extends = [{ path = \"ä😀\", $0 }]",
        &expect![[r#"
            { path = string, ⟨strategy = "before" | "after"⟩ }
            Whether the file loads before or after the declaring one; a table must say it.
        "#]],
    );
    check(
        &format!("{TOOL}enable = {{ $0 }}"),
        &expect![[r#"
            { ⟨state? = true | false⟩, allow_toggle? }
            Whether the assistant sees the tool.
            Whether the assistant sees the tool, and how the command line may switch it (RFD 081).
        "#]],
    );
}

#[test]
fn nothing_is_said_where_no_form_is() {
    for marked in [
        "$0",
        "[assistant]\nname = \"$0\"",
        "[assist$0ant]",
        "[conversation.tools.a]\nsource = \"$0\"",
        "conversation.tools.a.options = { x = { $0 } }",
        "conversation.tools.a = { so$0 }",
        "extends = [{ path = \"a\" }] # $0",
    ] {
        assert_eq!(ask(marked), None, "{marked}");
    }
}

#[test]
fn a_form_says_what_its_keys_mean() {
    let signature = ask(&in_run("{ arg = \"/kind\", const = \"$0\" },")).expect("a form");
    let mut out = format!("{}\n", signature.doc);
    for parameter in &signature.parameters {
        let label = signature.label.get(parameter.label.clone());
        writeln!(out, "--- {}\n{}", label.expect("a part"), parameter.doc).expect("a string");
    }
    expect![[r#"
        The first rule that matches a call decides it.
        --- arg = "/kind"
        /kind: string. One of "file", "dir"
        --- const = "file" | "dir"
        The argument equals this value.
        --- mode
        How the user is involved in a call that matches.
    "#]]
    .assert_eq(&out);
}

#[test]
fn hostile_names_stay_on_their_line() {
    let tool = "[conversation.tools.a]\nsource = \"local\"\n\
        parameters.\"x\\n\\u202e`[y](z)\" = { type = \"string\", enum = [\"\\u001b[31m\"] }\n\
        policy.run = [{ arg = \"/x\\n\\u202e`[y](z)\", $0 }]\n";
    let signature = ask(tool).expect("a form");
    let docs = signature.parameters.iter().map(|parameter| &parameter.doc);
    for text in docs.chain([&signature.doc, &signature.label]) {
        let hostile = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!text.contains(hostile), "{text:?}");
    }
}

#[test]
fn a_parameter_of_several_types_has_the_matchers_of_each() {
    check(
        "conversation.tools.a.parameters.u = { type = [\"string\", \"array\"], items.type = \"integer\" }\n\
         conversation.tools.a.policy.run = [{ arg = \"/u\", $0 }]",
        &expect![[r#"
            { arg = "/u", ⟨const | enum | pattern | prefix | …⟩, mode }
            How the argument is compared: const, enum, pattern, prefix, minimum, maximum, exclusive_minimum, exclusive_maximum
            The first rule that matches a call decides it.
        "#]],
    );
}
