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

fn ask(marked: &str) -> Option<SignatureHelp> {
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

/// One line for each form, the active one marked, and its active key between brackets.
fn forms(marked: &str) -> String {
    let Some(help) = ask(marked) else {
        return "nothing\n".to_owned();
    };
    let mut out = String::new();
    for (index, signature) in help.signatures.iter().enumerate() {
        let mut label = signature.label.clone();
        let active = signature
            .active_parameter
            .and_then(|active| signature.parameters.get(active));
        if let Some(parameter) = active {
            label.insert(parameter.label.end, '⟩');
            label.insert(parameter.label.start, '⟨');
        }
        let mark = if index == help.active { "> " } else { "  " };
        writeln!(out, "{mark}{label}").expect("a string");
    }
    out
}

#[track_caller]
fn check(marked: &str, expected: &Expect) {
    expected.assert_eq(&forms(marked));
}

fn in_run(rule: &str) -> String {
    format!("{TOOL}\npolicy.run = [\n  {rule}\n  {{ mode = \"ask\" }},\n]\n")
}

#[test]
fn a_rule_has_one_form_for_each_legal_matcher() {
    check(
        &in_run("{ arg = \"/kind\", $0 },"),
        &expect![[r#"
            > { arg = "/kind", ⟨const = "file" | "dir"⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/kind", ⟨enum = ["file" | "dir", …]⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/kind", ⟨pattern = regular expression⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/kind", ⟨prefix = string⟩, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
    check(
        &in_run("{ arg = \"/depth\", mini$0 },"),
        &expect![[r#"
          { arg = "/depth", const = integer, mode = "ask" | "unattended" | "edit" | "skip" }
          { arg = "/depth", enum = [integer, …], mode = "ask" | "unattended" | "edit" | "skip" }
        > { arg = "/depth", ⟨minimum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
          { arg = "/depth", maximum = number, mode = "ask" | "unattended" | "edit" | "skip" }
          { arg = "/depth", exclusive_minimum = number, mode = "ask" | "unattended" | "edit" | "skip" }
          { arg = "/depth", exclusive_maximum = number, mode = "ask" | "unattended" | "edit" | "skip" }
    "#]],
    );
    check(
        &in_run("{ arg = \"/places/path\", prefix = \"$0\" },"),
        &expect![[r#"
              { arg = "/places/path", const = path, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/places/path", enum = [path, …], mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/places/path", pattern = regular expression, mode = "ask" | "unattended" | "edit" | "skip" }
            > { arg = "/places/path", ⟨prefix = path⟩, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
    check(
        &in_run("{ arg = \"/deep\", const = $0 },"),
        &expect![[r#"
        > { arg = "/deep", ⟨const = true | false⟩, mode = "ask" | "unattended" | "edit" | "skip" }
          { arg = "/deep", enum = [true | false, …], mode = "ask" | "unattended" | "edit" | "skip" }
    "#]],
    );
}

#[test]
fn a_rule_without_a_pointer_may_be_the_catch_all() {
    check(
        &in_run("{ $0 },"),
        &expect![[r#"
        > { ⟨arg = pointer⟩, const = value, mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨arg = pointer⟩, enum = [value, …], mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨arg = pointer⟩, pattern = regular expression, mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨arg = pointer⟩, prefix = string, mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨arg = pointer⟩, minimum = number, mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨arg = pointer⟩, maximum = number, mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨arg = pointer⟩, exclusive_minimum = number, mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨arg = pointer⟩, exclusive_maximum = number, mode = "ask" | "unattended" | "edit" | "skip" }
          { ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
    "#]],
    );
    check(
        &in_run("{ mode = \"$0\" },"),
        &expect![[r#"
          { arg = pointer, const = value, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
          { arg = pointer, enum = [value, …], ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
          { arg = pointer, pattern = regular expression, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
          { arg = pointer, prefix = string, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
          { arg = pointer, minimum = number, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
          { arg = pointer, maximum = number, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
          { arg = pointer, exclusive_minimum = number, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
          { arg = pointer, exclusive_maximum = number, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
        > { ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
    "#]],
    );
    check(
        &in_run("$0"),
        &expect![[r#"
            > { ⟨arg = pointer⟩, const = value, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = pointer⟩, enum = [value, …], mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = pointer⟩, pattern = regular expression, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = pointer⟩, prefix = string, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = pointer⟩, minimum = number, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = pointer⟩, maximum = number, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = pointer⟩, exclusive_minimum = number, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = pointer⟩, exclusive_maximum = number, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
        "#]],
    );
}

#[test]
fn the_key_under_the_cursor_is_active() {
    check(
        &in_run("{ arg = \"/ro$0ot\", prefix = \"src\", mode = \"ask\" },"),
        &expect![[r#"
              { ⟨arg = "/root"⟩, const = path, mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = "/root"⟩, enum = [path, …], mode = "ask" | "unattended" | "edit" | "skip" }
              { ⟨arg = "/root"⟩, pattern = regular expression, mode = "ask" | "unattended" | "edit" | "skip" }
            > { ⟨arg = "/root"⟩, prefix = path, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
    check(
        &in_run("{ arg = \"/root\", prefix = \"src\", mode$0 = \"ask\" },"),
        &expect![[r#"
              { arg = "/root", const = path, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
              { arg = "/root", enum = [path, …], ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
              { arg = "/root", pattern = regular expression, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
            > { arg = "/root", prefix = path, ⟨mode = "ask" | "unattended" | "edit" | "skip"⟩ }
        "#]],
    );
    check(
        &in_run("{ arg = \"/root\", prefix = \"src\", mode = \"ask\" $0},"),
        &expect![[r#"
              { arg = "/root", ⟨const = path⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/root", ⟨enum = [path, …]⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/root", ⟨pattern = regular expression⟩, mode = "ask" | "unattended" | "edit" | "skip" }
            > { arg = "/root", prefix = path, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
    check(
        &in_run("{ arg = \"/kind\", enum = [\"file\", $0], mode = \"ask\" },"),
        &expect![[r#"
              { arg = "/kind", const = "file" | "dir", mode = "ask" | "unattended" | "edit" | "skip" }
            > { arg = "/kind", ⟨enum = ["file" | "dir", …]⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/kind", pattern = regular expression, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/kind", prefix = string, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
}

#[test]
fn rules_stand_in_many_forms() {
    let header = "[[conversation.tools.grep.policy.result]]\narg = \"/root\"\npre$0\n";
    check(
        &format!("{TOOL}{header}"),
        &expect![[r#"
          { arg = "/root", const = path, mode = "unattended" | "ask" | "edit" | "skip" }
          { arg = "/root", enum = [path, …], mode = "unattended" | "ask" | "edit" | "skip" }
          { arg = "/root", pattern = regular expression, mode = "unattended" | "ask" | "edit" | "skip" }
        > { arg = "/root", ⟨prefix = path⟩, mode = "unattended" | "ask" | "edit" | "skip" }
    "#]],
    );
    let wrapped = "policy.run = { strategy = \"append\", value = [{ arg = \"/deep\", $0 }] }\n";
    check(
        &format!("{TOOL}{wrapped}"),
        &expect![[r#"
        > { arg = "/deep", ⟨const = true | false⟩, mode = "ask" | "unattended" | "edit" | "skip" }
          { arg = "/deep", ⟨enum = [true | false, …]⟩, mode = "ask" | "unattended" | "edit" | "skip" }
    "#]],
    );
    check(
        "conversation.tools.'*'.policy.run = [{ arg = \"/x\", ä = 1, $0 }]",
        &expect![[r#"
            > { arg = "/x", ⟨const = value⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/x", ⟨enum = [value, …]⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/x", ⟨pattern = regular expression⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/x", ⟨prefix = string⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/x", ⟨minimum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/x", ⟨maximum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/x", ⟨exclusive_minimum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/x", ⟨exclusive_maximum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
    // The bracket is not closed, and a header follows.
    check(
        &format!("{TOOL}policy.run = [{{ arg = \"/deep\", $0\n[assistant]\nname = \"ä😀\"\n"),
        &expect![[r#"
            > { arg = "/deep", ⟨const = true | false⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/deep", ⟨enum = [true | false, …]⟩, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
}

#[test]
fn other_tables_have_the_form_of_the_schema() {
    check(
        &format!("{TOOL}[[conversation.tools.grep.access.fs]]\npath = \".\"\nread = $0\n"),
        &expect![[r#"
            > { path = string, external? = true | false, ⟨read? = true | false⟩, write? = true | false, create? = true | false, update? = true | false, delete? = true | false, execute? = true | false }
        "#]],
    );
    check(
        "extends = [{ path = \"ä😀\", $0 }]",
        &expect![[r#"
            > { path = string, ⟨strategy = "before" | "after"⟩ }
        "#]],
    );
    check(
        &format!("{TOOL}enable = {{ $0 }}"),
        &expect![[r#"
        > { ⟨state? = true | false⟩, allow_toggle? = "any" | "never" | "if_named" | "if_named_or_group" }
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
    let help = ask(&in_run("{ arg = \"/kind\", const = \"$0\" },")).expect("forms");
    let signature = help.signatures.get(help.active).expect("an active form");
    let mut out = format!("{}\n", signature.doc);
    for parameter in &signature.parameters {
        let label = signature.label.get(parameter.label.clone());
        writeln!(out, "--- {}\n{}", label.expect("a part"), parameter.doc).expect("a string");
    }
    expect![[r#"
        The argument equals this value.

        The first rule that matches a call decides it.
        --- arg = "/kind"
        /kind: string.

        - One of "file", "dir"

            what to look for

        --- const = "file" | "dir"
        The argument equals this value.

        - Compared with: string
        - Declared: "file", "dir"
        --- mode = "ask" | "unattended" | "edit" | "skip"
        How the user is involved in a call that matches.

        - ask: A human confirms every call.
        - unattended: Calls run without confirmation.
        - edit: A human edits the arguments before the call runs.
        - skip: Calls are answered without running the tool.
    "#]]
    .assert_eq(&out);
}

#[test]
fn hostile_names_stay_on_their_line() {
    let tool = "[conversation.tools.a]\nsource = \"local\"\n\
        parameters.\"x\\n\\u202e`[y](z)\" = { type = \"string\", enum = [\"\\u001b[31m\"] }\n\
        policy.run = [{ arg = \"/x\\n\\u202e`[y](z)\", $0 }]\n";
    let help = ask(tool).expect("forms");
    for signature in &help.signatures {
        let docs = signature.parameters.iter().map(|parameter| &parameter.doc);
        for text in docs.chain([&signature.doc]) {
            let hostile = text.chars().find(|c| *c != '\n' && c.is_control());
            assert_eq!(hostile, None, "{text:?}");
        }
        let hostile = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!signature.label.contains(hostile), "{signature:?}");
    }
}

#[test]
fn a_parameter_of_several_types_has_the_forms_of_each() {
    check(
        "conversation.tools.a.parameters.u = { type = [\"string\", \"array\"], items.type = \"integer\" }\n\
         conversation.tools.a.policy.run = [{ arg = \"/u\", $0 }]",
        &expect![[r#"
            > { arg = "/u", ⟨const = string | integer⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/u", ⟨enum = [string | integer, …]⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/u", ⟨pattern = regular expression⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/u", ⟨prefix = string⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/u", ⟨minimum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/u", ⟨maximum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/u", ⟨exclusive_minimum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
              { arg = "/u", ⟨exclusive_maximum = number⟩, mode = "ask" | "unattended" | "edit" | "skip" }
        "#]],
    );
}
