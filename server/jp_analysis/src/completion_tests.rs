#[path = "completion_tests/broken.rs"]
mod broken;
#[path = "completion_tests/keys.rs"]
mod keys;
#[path = "completion_tests/policy.rs"]
mod policy;

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use expect_test::{Expect, expect};
use jp_config::{
    document::{Document, SyntaxErrorKind},
    graph::FileId,
    memory::MemoryFiles,
    view::View,
};
use pretty_assertions::assert_eq;

use super::{Completions, Doc, Item, PathEntry, Paths, complete, documentation};
use crate::{Analysis, Options, fixture::analyse, text::markup::MarkupKind};

const CONFIG: &str = "/w/.jp/config.toml";

/// A few directories.
struct Tree(&'static [&'static str]);

impl Paths for Tree {
    fn list(&self, directory: &Utf8Path) -> Vec<PathEntry> {
        let mut entries = std::collections::BTreeSet::new();
        for path in self.0 {
            let Ok(rest) = Utf8Path::new(path).strip_prefix(directory) else {
                continue;
            };
            let mut parts = rest.components();
            if let Some(first) = parts.next() {
                entries.insert(PathEntry {
                    name: first.as_str().to_owned(),
                    is_directory: parts.next().is_some(),
                });
            }
        }
        entries.into_iter().collect()
    }
}

const TOOL: &str = r#"
[conversation.tools.grep]
source = "local"
command = "grep"
enable = true

[conversation.tools.grep.parameters.kind]
type = "string"
enum = ["file", "dir"]
summary = "what to look for"

[conversation.tools.grep.parameters.root]
type = "path"

[conversation.tools.grep.parameters.depth]
type = "integer"

[conversation.tools.grep.parameters.deep]
type = "boolean"

[conversation.tools.grep.parameters.patterns]
type = "array"
items.type = "object"
items.properties.paths = { type = "array", items.type = "path" }
items.properties.text = { type = "string" }
"#;

const TREE: Tree = Tree(&[
    "/w/.env",
    "/w/.jp/config.toml",
    "/w/.jp/tools/read.toml",
    "/w/.jp/tools/notes.md",
    "/w/Cargo.toml",
    "/w/docs/größe.md",
    "/w/src/lib.rs",
    "/w/src/bin/main.rs",
]);

fn file(analysis: &Analysis, path: &str) -> FileId {
    let graph = analysis.graph();
    graph
        .file_at(Utf8Path::new(path))
        .expect("a file of the graph")
}

struct Asked {
    text: String,
    found: Completions,
}

/// Asks at the `$0` of a fixture; a fixture without a file name is the workspace's config.
fn ask(marked: &str) -> Asked {
    let marked = if marked.starts_with("//- ") {
        marked.to_owned()
    } else {
        format!("//- {CONFIG}\n{marked}")
    };
    let with_mark = MemoryFiles::from_fixture(&marked);
    let path: Utf8PathBuf = with_mark
        .paths()
        .find(|path| with_mark.text(path).unwrap().contains("$0"))
        .expect("the fixture has a cursor")
        .to_owned();
    let offset = with_mark.text(&path).unwrap().find("$0").unwrap();
    let files = MemoryFiles::from_fixture(&marked.replacen("$0", "", 1));
    let analysis = analyse(&files);
    let id = file(&analysis, path.as_str());
    Asked {
        text: files.text(&path).unwrap().to_owned(),
        found: at(&analysis, id, offset),
    }
}

fn at(analysis: &Analysis, id: FileId, offset: usize) -> Completions {
    let graph = analysis.graph();
    let fragment = graph
        .fragments
        .iter()
        .position(|fragment| fragment.layers.iter().any(|layer| layer.file == id));
    let view = match fragment {
        Some(index) => View::with_fragment(graph.clone(), index),
        None => View::new(graph.clone()),
    };
    let document = graph.content(id).unwrap().document().unwrap();
    complete(&view, id, document, offset, Options::default(), &TREE)
}

fn accepted(text: &str, item: &Item) -> String {
    let mut text = text.to_owned();
    text.replace_range(item.edit.span.range(), &item.edit.text);
    text
}

/// Compares the labels with what each writes.
#[track_caller]
fn check(marked: &str, expected: &Expect) {
    let mut out = String::new();
    for item in ask(marked).found.items {
        let text = item.edit.snippet.as_ref().unwrap_or(&item.edit.text);
        let text = text.replace('\n', "⏎");
        if text == item.label {
            writeln!(out, "{}", item.label).unwrap();
        } else {
            writeln!(out, "{} -> {text}", item.label).unwrap();
        }
    }
    expected.assert_eq(&out);
}

/// Compares the text after an item was accepted, without places to fill in.
#[track_caller]
fn check_accepted(marked: &str, label: &str, expected: &Expect) {
    let asked = ask(marked);
    let item = asked.found.items.iter().find(|item| item.label == label);
    let item = item.unwrap_or_else(|| panic!("no `{label}` in {:#?}", asked.found.items));
    expected.assert_eq(&accepted(&asked.text, item));
}

fn labels(marked: &str) -> Vec<String> {
    let items = ask(marked).found.items.into_iter();
    items.map(|item| item.label).collect()
}

fn has(marked: &str, wanted: &[&str], unwanted: &[&str]) {
    let labels = labels(marked);
    for label in wanted {
        assert!(
            labels.iter().any(|other| other == label),
            "no {label} in {labels:?}"
        );
    }
    for label in unwanted {
        assert!(
            !labels.iter().any(|other| other == label),
            "{label} in {labels:?}"
        );
    }
}

#[test]
fn values_of_every_kind() {
    check(
        "[conversation.tools.a]\nsource = \"$0\"\n[providers.mcp.github]\ncommand = \"x\"",
        &expect![[r#"
            local
            builtin
            mcp.github
            mcp.github.search
        "#]],
    );
    check(
        "assistant.tool_choice = '$0'\n[conversation.tools.a]\n[conversation.tools.'b c']",
        &expect![[r#"
            auto
            none
            required
            a
            b c
        "#]],
    );
    check(
        "[providers.llm.aliases]\nhaiku = \"anthropic/claude-haiku-4-5\"\n[assistant.model]\nid = \"ha$0\"",
        &expect![[r#"
            haiku
            anthropic/claude-haiku-4-5
            anthropic/
            cerebras/
            deepseek/
            google/
            llamacpp/
            ollama/
            openai/
            openrouter/
            xai/
            anthropic/claude-sonnet-5
        "#]],
    );
    check(
        "conversation.tools.a.access.fs = [{ path = \"$0\" }]",
        &expect![[r#"
        .
        .jp/
        docs/
        src/
        Cargo.toml
    "#]],
    );
    check(
        "conversation.tools.a.access.fs = [{ path = \"docs/$0\" }]",
        &expect![[r#"
        docs/größe.md
    "#]],
    );
    check(
        "extends = [\"tools/$0\"]",
        &expect![[r#"
        tools/read.toml
    "#]],
    );
    check(
        "config_load_paths = [\".jp/$0\"]",
        &expect![[r#"
        .jp/tools
    "#]],
    );
}

#[test]
fn config_paths_have_stars_only_for_maps() {
    let at = |path: &str| {
        format!(
            "[conversation.tools.a]\nsource = \"local\"\n[[conversation.tools.a.access.config]]\npath = \"{path}\""
        )
    };
    check(
        &at("assistant.model.$0"),
        &expect![[r#"
        assistant.model.id
        assistant.model.parameters
    "#]],
    );
    has(
        &at("conversation.tools.$0"),
        &["conversation.tools.*", "conversation.tools.a"],
        &["*"],
    );
    has(&at("$0"), &["assistant", "conversation"], &["*"]);
}

#[test]
fn insecure_allow_is_offered_where_it_has_an_effect() {
    let at = |path: &str| {
        format!("[[conversation.tools.a.access.config]]\npath = \"{path}\"\nwrite = $0")
    };
    assert_eq!(labels(&at("assistant.model")), ["true", "false"]);
    for list in ["", "value = "] {
        let asked = ask(&format!(
            "conversation.tools.a.access.config = {}[{{ path = \"conversation.tools.*.access\", write = $0 }}]{}",
            if list.is_empty() {
                ""
            } else {
                "{ strategy = \"append\", value = "
            },
            if list.is_empty() { "" } else { " }" },
        ));
        let items = asked.found.items.iter();
        let details: Vec<_> = items.filter_map(|item| item.detail.as_deref()).collect();
        assert_eq!(
            details,
            [
                "boolean",
                "needed here: the path is sensitive",
                "not enough: the path is sensitive"
            ]
        );
    }
    let asked = ask(&at("conversation.tools.*.access"));
    let item = asked.found.items.get(1).unwrap();
    let doc = documentation(item.doc.as_ref().unwrap(), MarkupKind::Markdown);
    assert_eq!(
        doc.as_deref(),
        Some("Returned values may also reach sensitive paths, such as the access rules of a tool.")
    );
}

#[test]
fn quotes_stay_as_they_are_typed() {
    for (typed, written) in [
        ("\"un$0\"", "\"unattended\""),
        ("'un$0'", "'unattended'"),
        ("\"un$0", "\"unattended\""),
        ("\"$0ask\"", "\"unattended\""),
        ("una$0", "\"unattended\""),
        ("$0", "\"unattended\""),
    ] {
        let asked = ask(&format!(
            "[conversation.tools.a]\nresult = {typed}\nrun = \"ask\""
        ));
        let item = asked
            .found
            .items
            .iter()
            .find(|item| item.label == "unattended")
            .unwrap();
        assert_eq!(
            accepted(&asked.text, item),
            format!("[conversation.tools.a]\nresult = {written}\nrun = \"ask\""),
            "{typed}"
        );
    }
    check_accepted(
        "conversation.tools.a.policy = { run = [{ mode = \"as$0 }] }",
        "ask",
        &expect![[r#"conversation.tools.a.policy = { run = [{ mode = "ask" }] }"#]],
    );
    check_accepted(
        "conversation.tools.a.enable = \"$0\"",
        "true",
        &expect!["conversation.tools.a.enable = true"],
    );
}

#[test]
fn elements_bring_their_commas() {
    let at = |list: &str| format!("[conversation.tools.a]\npolicy.run = {list}");
    for (list, written) in [
        ("[$0]", "[{ mode = \"ask\" }]"),
        (
            "[{ mode = \"skip\" } $0]",
            "[{ mode = \"skip\" } , { mode = \"ask\" }]",
        ),
        (
            "[$0 { mode = \"skip\" }]",
            "[{ mode = \"ask\" },  { mode = \"skip\" }]",
        ),
        (
            "[\n  { mode = \"skip\" }, # x\n  $0\n]",
            "[\n  { mode = \"skip\" }, # x\n  { mode = \"ask\" }\n]",
        ),
    ] {
        let asked = ask(&at(list));
        let item = asked
            .found
            .items
            .iter()
            .find(|item| item.label == "{ mode }")
            .unwrap();
        assert_eq!(accepted(&asked.text, item), at(written), "{list}");
    }
}

#[test]
fn documentation_is_found_again() {
    let asked = ask("[conversation.tools.a]\n$0\n");
    let run = asked
        .found
        .items
        .iter()
        .find(|item| item.label == "run")
        .unwrap();
    let doc = documentation(run.doc.as_ref().unwrap(), MarkupKind::Markdown).unwrap();
    assert!(doc.contains("`ask`"), "{doc}");
    let every = asked.found.items.iter().filter(|item| item.doc.is_some());
    for item in every {
        assert!(
            documentation(item.doc.as_ref().unwrap(), MarkupKind::Markdown).is_some(),
            "{item:?}"
        );
    }
}

#[test]
fn a_model_that_is_being_typed_is_none() {
    let found = labels("[assistant.model]\nid = \"anthropic/$0\"\n");
    let typed = found.iter().filter(|label| *label == "anthropic/");
    assert_eq!(typed.count(), 1);
}

#[test]
fn nothing_is_offered_that_leads_back_to_itself() {
    has(
        "[providers.llm.aliases]\na = \"$0\"\nb = \"a\"\nc = \"openai/gpt-5\"",
        &["c"],
        &["a", "b", "haiku"],
    );
    has("extends = [\"$0\"]", &["tools/"], &["config.toml"]);
}

#[test]
fn the_default_is_marked_and_offered_beside_other_forms() {
    let details = |marked: &str| -> Vec<String> {
        let items = ask(marked).found.items.into_iter();
        items
            .map(|item| format!("{}: {}", item.label, item.detail.unwrap_or_default()))
            .collect()
    };
    assert_eq!(
        details("[style.code]\ncolor = $0"),
        ["true: boolean (default)", "false: boolean"]
    );
    assert_eq!(
        details("[style.typewriter]\ntext_delay = \"$0\""),
        ["3ms: default"]
    );
}

#[test]
fn examples_name_only_what_the_config_has() {
    has(
        "[conversation.tools.a]\nsource = \"$0\"\n[providers.mcp.other]\ncommand = \"x\"",
        &["mcp.other"],
        &["mcp.github.search"],
    );
}

#[test]
fn plain_documentation_has_no_markup() {
    let path = ["conversation", "tools", "a", "policy", "run"];
    let doc = Doc::Schema {
        path: path.map(ToOwned::to_owned).to_vec(),
        variant: None,
    };
    let text = documentation(&doc, MarkupKind::PlainText).unwrap();
    expect![[r#"
        Whether a human is asked before the tool runs: a mode, or rules of which the first match decides.

        A call that no rule matches asks.
        It wins over the tool's run.
        A later layer's rules stand instead of these.

        Type: one of ask, unattended, edit, skip, or a list of tables

            "ask""#]].assert_eq(&text);
}

#[test]
fn write_is_proposed_as_far_as_the_path_takes_it() {
    let at =
        |path: &str| format!("[[conversation.tools.a.access.config]]\npath = \"{path}\"\nwri$0");
    let snippet = |marked: &str| {
        let items = ask(marked).found.items.into_iter();
        let mut writes = items.filter(|item| item.label == "write");
        writes.next().and_then(|item| item.edit.snippet)
    };
    assert_eq!(
        snippet(&at("assistant.model")).as_deref(),
        Some("write = ${1|true,false|}")
    );
    assert_eq!(
        snippet(&at("conversation.tools")).as_deref(),
        Some("write = ${1|false,\"insecure_allow\"|}")
    );
    assert_eq!(
        snippet("conversation.tools.a.access.config = [{ wri$0 }]").as_deref(),
        Some("write = ${1|true,false,\"insecure_allow\"|}")
    );
}
