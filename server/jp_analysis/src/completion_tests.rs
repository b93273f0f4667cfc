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
use crate::{Analysis, Options, fixture::analyse, hover::markup::MarkupKind};

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

fn in_policy(line: &str) -> String {
    format!("{TOOL}\n[conversation.tools.grep.policy]\n{line}\n")
}

#[test]
fn a_rule_has_the_matchers_of_its_parameter() {
    check(
        &in_policy("run = [{ arg = \"/depth\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
            const -> const = ${1:0}
            enum -> enum = [$1]
            minimum -> minimum = ${1:0}
            maximum -> maximum = ${1:0}
            exclusive_minimum -> exclusive_minimum = ${1:0}
            exclusive_maximum -> exclusive_maximum = ${1:0}
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", prefix = \"f\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", mode = \"ask\"$0 }]"),
        &expect![[""]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", mode = \"ask\" $0 }]"),
        &expect![[r#"
            const -> , const = ${1|"file","dir"|}
            enum -> , enum = [${1|"file","dir"|}]
            prefix -> , prefix = "$1"
            pattern -> , pattern = '$1'
        "#]],
    );
}

#[test]
fn pointers_come_from_the_parameters() {
    check(
        &in_policy("run = [{ arg = \"$0\", mode = \"ask\" }]"),
        &expect![[r#"
            /kind
            /root
            /depth
            /deep
            /patterns/paths
            /patterns/text
            /patterns
        "#]],
    );
    let asked = ask(&in_policy("run = [{ arg = \"$0\" }]"));
    let details: Vec<_> = asked
        .found
        .items
        .iter()
        .filter_map(|item| item.detail.as_deref())
        .collect();
    assert_eq!(
        details,
        [
            "string",
            "path",
            "integer",
            "boolean",
            "path, any element",
            "string, any element",
            "object, any element"
        ]
    );
    check(
        &format!("{TOOL}\n[[conversation.tools.grep.policy.run]]\narg = $0"),
        &expect![[r#"
            /kind -> "/kind"
            /root -> "/root"
            /depth -> "/depth"
            /deep -> "/deep"
            /patterns/paths -> "/patterns/paths"
            /patterns/text -> "/patterns/text"
            /patterns -> "/patterns"
        "#]],
    );
}

#[test]
fn matcher_values_come_from_the_parameter() {
    check(
        &in_policy("run = [{ arg = \"/kind\", const = \"$0\", mode = \"ask\" }]"),
        &expect![[r#"
            file
            dir
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", enum = [\"file\" $0], mode = \"ask\" }]"),
        &expect![[r#"
            dir -> , "dir"
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/deep\", const = $0, mode = \"ask\" }]"),
        &expect![[r#"
            true
            false
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/patterns/paths\", prefix = \"src/$0\", mode = \"ask\" }]"),
        &expect![[r#"
            src/bin/
            src/lib.rs
        "#]],
    );
}

#[test]
fn parameters_may_stand_in_another_file() {
    let fixture = "//- /w/.jp/config.toml\nextends = [\"tools/*.toml\"]\n\
        [conversation.tools.read.policy]\nrun = [{ arg = \"/$0\", mode = \"ask\" }]\n\
        //- /w/.jp/tools/read.toml\n[conversation.tools.read.parameters.path]\ntype = \"path\"\n";
    check(
        fixture,
        &expect![[r#"
        /path
    "#]],
    );
}

#[test]
fn keys_leave_out_what_is_there_and_begin_with_what_is_required() {
    check(
        "[[conversation.tools.a.access.config]]\nwrite = true\n$0",
        &expect![[r#"
            path -> path = "$1"
            read -> read = ${1|true,false|}
            delete -> delete = ${1|true,false|}
            apply -> apply = "${1|ask,unattended|}"
        "#]],
    );
    check(
        "[conversation.tools]\na = { source = \"local\", co$0 }",
        &expect![[r#"
            enable -> enable = ${1|true,false,"on","off","explicit","always"|}
            command -> command = "$1"
            summary -> summary = "$1"
            description -> description = "$1"
            examples -> examples = "$1"
            parameters -> parameters = { $1 \}
            run -> run = "${1|ask,unattended,edit,skip|}"
            format -> format = "${1|ask,unattended|}"
            result -> result = "${1|unattended,ask,edit,skip|}"
            policy -> policy = { $1 \}
            cancellation_response -> cancellation_response = "$1"
            style -> style = { $1 \}
            questions -> questions = { $1 \}
            options -> options = { $1 \}
            access -> access = { $1 \}
        "#]],
    );
}

#[test]
fn a_key_before_an_equals_sign_is_only_renamed() {
    check_accepted(
        "[assistant]\nna$0 = \"x\"",
        "name",
        &expect![[r#"
            [assistant]
            name = "x""#]],
    );
    check_accepted(
        "[conversation.tools.a]\npolicy.ru$0",
        "run",
        &expect![[r#"
            [conversation.tools.a]
            policy.run = "ask""#]],
    );
    check_accepted(
        "[conversation.tools.a]\npolicy.$0",
        "result",
        &expect![[r#"
            [conversation.tools.a]
            policy.result = "unattended""#]],
    );
}

#[test]
fn a_header_may_stand_where_no_statement_follows() {
    check_accepted(
        "[conversation.tools.a]\nsource = \"local\"\n\nacc$0\n",
        "[[conversation.tools.a.access.fs]]",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"

            [[conversation.tools.a.access.fs]]
            path = "."

        "#]],
    );
    has(
        "[conversation.tools.a]\n$0\nsource = \"local\"",
        &["access", "summary"],
        &["[[conversation.tools.a.access.fs]]"],
    );
}

#[test]
fn headers_are_completed_by_segments() {
    check(
        "[conversation.tools.a.policy]\n[[conversation.tools.a.acc$0",
        &expect![[r#"
            access.fs -> access.fs]]
            access.net -> access.net]]
            access.env -> access.env]]
            access.config -> access.config]]
        "#]],
    );
    has(
        "[$0",
        &["assistant", "conversation", "conversation.tools"],
        &["extends"],
    );
    has("[$0]", &["assistant"], &[]);
    has("[[$0", &["conversation.attachments"], &["assistant"]);
    has(
        "[conversation.tools.a]\nsource = \"local\"\n[conversation.tools.$0]",
        &["a.policy", "'*'", "<tool>"],
        &["a"],
    );
    check_accepted(
        "[conver$0.tools.a]",
        "conversation",
        &expect!["[conversation.tools.a]"],
    );
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
fn insecure_allow_comes_last_where_it_has_no_effect() {
    let at = |path: &str| {
        format!("[[conversation.tools.a.access.config]]\npath = \"{path}\"\nwrite = $0")
    };
    assert_eq!(
        labels(&at("assistant.model")),
        ["true", "false", "insecure_allow"]
    );
    let asked = ask(&at("assistant.model"));
    assert_eq!(
        asked.found.items.last().unwrap().detail.as_deref(),
        Some("no effect: the path is not sensitive")
    );
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
fn the_first_line_may_name_the_schema() {
    has("$0\n[assistant]", &["#:schema"], &[]);
    has("#:sch$0\n[assistant]", &["#:schema"], &[]);
    has("# note$0\n[assistant]", &[], &["#:schema"]);
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

/// The mistakes of a text; of its keys that stand twice only where that counts.
fn errors(text: &str, with_duplicates: bool) -> usize {
    let errors = Document::parse(text).errors().into_iter();
    errors
        .filter(|error| with_duplicates || error.kind != SyntaxErrorKind::DuplicateKey)
        .count()
}

/// Accepts every item at a place of a text, and holds each to the rules for all edits.
fn hold_at(analysis: &Analysis, id: FileId, text: &str, offset: usize) {
    let line = text.get(..offset).unwrap().rsplit('\n').next().unwrap();
    let rest = text.get(offset..).unwrap().split('\n').next().unwrap();
    // Another name for a table that has entries already may well collide with another table's.
    let is_fresh = line.trim().is_empty() && rest.trim().is_empty();
    let before = errors(text, is_fresh);
    for item in at(analysis, id, offset).items {
        let span = item.edit.span;
        assert!(
            span.start as usize <= offset && offset <= span.end as usize,
            "{item:?} does not touch {offset}"
        );
        let replaced = text.get(span.range()).expect("the span lies on characters");
        assert!(!replaced.contains('\n'), "{item:?}");
        let after = accepted(text, &item);
        assert!(
            errors(&after, is_fresh) <= before,
            "accepting {item:?} at {offset} broke:\n{after}\n{:?}",
            Document::parse(&after).errors()
        );
    }
}

fn hold_everywhere(text: &str, step: usize) {
    let mut files = MemoryFiles::default();
    files.insert(CONFIG, text);
    let analysis = analyse(&files);
    let id = file(&analysis, CONFIG);
    for offset in (0..=text.len()).step_by(step) {
        if text.is_char_boundary(offset) {
            hold_at(&analysis, id, text, offset);
        }
    }
}

const SAMPLES: &[&str] = &[
    TOOL,
    "inherit = true\nextends = [\"a.toml\", { path = \"b.toml\", strategy = \"after\" }]\n\n[assistant]\nname = \"ü\"\nmodel = { id = \"haiku\" }\n\n[conversation]\n\n[conversation.tools.'*']\nrun = \"ask\"\n",
    "[conversation.tools.a]\nenable = { state = true }\npolicy.run = [\n  { arg = \"/x\", const = 1, mode = \"ask\" }, # é\n  { mode = \"ask\" }\n]\naccess = { fs = [{ path = \".\", read = true }], config = [] }\n\n[[conversation.tools.a.access.net]]\nhost = \"x\"\n",
    "[conversation.tools.a\nsource = \"local\ncommand =\nenable = tr\npolicy.\n[[conversation.tools.a.acc\nx = { a = 1, \n[conversation.\n[\n",
];

#[test]
fn accepted_items_never_break_the_text() {
    for sample in SAMPLES {
        hold_everywhere(sample, 1);
    }
}

#[test]
fn accepted_items_never_break_a_truncated_text() {
    for sample in SAMPLES {
        for end in (0..sample.len()).filter(|end| sample.is_char_boundary(*end)) {
            let text = sample.get(..end).unwrap();
            let mut files = MemoryFiles::default();
            files.insert(CONFIG, text);
            let analysis = analyse(&files);
            hold_at(&analysis, file(&analysis, CONFIG), text, end);
        }
    }
}

#[test]
fn a_string_that_is_not_closed_is_no_key() {
    assert_eq!(
        labels("[conversation.tools.a]\n\"\"\"$0\nsource = \"local\"\n"),
        Vec::<String>::new()
    );
}

#[test]
fn the_tables_of_the_entry_before_come_first() {
    let tool = "[conversation.tools.a.parameters.path]\ntype = \"path\"\n";
    check(
        &format!("{tool}[[$0"),
        &expect![[r#"
        conversation.tools.a.policy.run -> conversation.tools.a.policy.run]]
        conversation.tools.a.policy.result -> conversation.tools.a.policy.result]]
        conversation.tools.a.access.fs -> conversation.tools.a.access.fs]]
        conversation.tools.a.access.net -> conversation.tools.a.access.net]]
        conversation.tools.a.access.env -> conversation.tools.a.access.env]]
        conversation.tools.a.access.config -> conversation.tools.a.access.config]]
        extends -> extends]]
        assistant.system_prompt_sections -> assistant.system_prompt_sections]]
        assistant.instructions -> assistant.instructions]]
        conversation.attachments -> conversation.attachments]]
        conversation.compaction.rules -> conversation.compaction.rules]]
    "#]],
    );
    check(
        &format!("{tool}[[conversation.to$0]]\n[conversation.tools.b]\n"),
        &expect![[r#"
            tools.a.policy.run
            tools.a.policy.result
            tools.a.access.fs
            tools.a.access.net
            tools.a.access.env
            tools.a.access.config
        "#]],
    );
    has(
        &format!("{tool}[conversation.tools.a.$0"),
        &["policy"],
        &["a.policy"],
    );
    has(
        &format!("{tool}[assistant.$0"),
        &["model"],
        &["conversation.tools.a.policy"],
    );
}

#[test]
fn a_template_names_what_the_tool_declares() {
    let tool = |command: &str| {
        format!(
            "[conversation.tools.find]\nsource = \"local\"\ncommand = {command}\nparameters.path = {{ type = \"path\" }}\nparameters.\"max-depth\" = {{ type = \"integer\" }}\nquestions.sure = {{ target = \"user\" }}\n"
        )
    };
    check(
        &tool("\"ä find {{tool.ar$0\""),
        &expect![[r#"
        tool -> tool}}
        context -> context}}
        tool.name -> tool.name}}
        tool.arguments -> tool.arguments}}
        tool.answers -> tool.answers}}
        tool.options -> tool.options}}
        context.action -> context.action}}
        context.root -> context.root}}
        context.workspace_id -> context.workspace_id}}
        context.conversation_id -> context.conversation_id}}
        tool.arguments.path -> tool.arguments.path}}
        tool.answers.sure -> tool.answers.sure}}
    "#]],
    );
    check_accepted(
        &tool("\"ä find {{tool.ar$0gs --depth 3\""),
        "tool.arguments.path",
        &expect![[r#"
            [conversation.tools.find]
            source = "local"
            command = "ä find {{tool.arguments.path}} --depth 3"
            parameters.path = { type = "path" }
            parameters."max-depth" = { type = "integer" }
            questions.sure = { target = "user" }
        "#]],
    );
    check_accepted(
        &tool("{ program = \"find\", args = [\"{{ $0 }}\"] }"),
        "tool.arguments.path",
        &expect![[r#"
            [conversation.tools.find]
            source = "local"
            command = { program = "find", args = ["{{ tool.arguments.path }}"] }
            parameters.path = { type = "path" }
            parameters."max-depth" = { type = "integer" }
            questions.sure = { target = "user" }
        "#]],
    );
    has(&tool("\"find {{tool}} $0\""), &[], &["tool.name"]);
    has("assistant.name = \"{{$0\"", &[], &["tool.name"]);
}

#[test]
fn a_header_is_told_from_a_key_by_its_brackets() {
    has(
        "[conversation.tools.find]\n$0\n",
        &[
            "enable",
            "[conversation.tools.find.enable]",
            "[[conversation.tools.find.access.fs]]",
            "[conversation.tools.find.parameters.<parameter>]",
        ],
        &["access.fs"],
    );
}

#[test]
fn a_model_that_is_being_typed_is_none() {
    let found = labels("[assistant.model]\nid = \"anthropic/$0\"\n");
    let typed = found.iter().filter(|label| *label == "anthropic/");
    assert_eq!(typed.count(), 1);
}

/// A tool with parameters of several types at once, and others inside of them.
const MIXED: &str = r#"
[conversation.tools.mix]
source = "local"
command = "mix"
[conversation.tools.mix.parameters]
maybe = { type = ["integer", "null"] }
either = { type = ["boolean", "path"] }
level = { type = "integer", enum = [1, 2], summary = "how deep" }
tags = { type = "array", items = { type = "string", enum = ["x", "y"] } }
packages = { type = "array", items = { type = ["string", "object"], properties.name.type = "string" } }
"a/b~c" = { type = "object", properties.inner.properties.on.type = "boolean" }
[conversation.tools.mix.policy]
"#;

fn in_mixed(line: &str) -> String {
    format!("{MIXED}{line}\n")
}

#[test]
fn pointers_lead_to_every_value_that_a_rule_can_match() {
    check(
        &in_mixed("run = [{ arg = \"$0\" }]"),
        &expect![[r#"
            /maybe
            /either
            /level
            /tags
            /packages
            /packages/name
            /a~1b~0c/inner/on
            /a~1b~0c
            /a~1b~0c/inner
        "#]],
    );
    let asked = ask(&in_mixed("run = [{ arg = \"$0\" }]"));
    let items = asked.found.items.iter();
    let details: Vec<_> = items.filter_map(|item| item.detail.as_deref()).collect();
    assert_eq!(
        details,
        [
            "integer or null",
            "path or boolean",
            "integer",
            "string, any element",
            "string or object, any element",
            "string, any element",
            "boolean",
            "object",
            "object",
        ]
    );
}

#[test]
fn matchers_go_with_every_type_of_an_argument() {
    check(
        &in_mixed("run = [{ arg = \"/maybe\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
            const -> const = ${1:0}
            enum -> enum = [$1]
            minimum -> minimum = ${1:0}
            maximum -> maximum = ${1:0}
            exclusive_minimum -> exclusive_minimum = ${1:0}
            exclusive_maximum -> exclusive_maximum = ${1:0}
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/either\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
            const -> const = "$1"
            enum -> enum = [$1]
            prefix -> prefix = "$1"
            pattern -> pattern = '$1'
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/packages\", mode = \"ask\", $0 }]"),
        &expect![[r#"
            const -> const = "$1"
            enum -> enum = [$1]
            prefix -> prefix = "$1"
            pattern -> pattern = '$1'
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/a~1b~0c\", mode = \"ask\", $0 }]"),
        &expect![[r#"
            const -> const = { $1 \}
            enum -> enum = [$1]
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/a~1b~0c/inner/on\", mode = \"ask\", $0 }]"),
        &expect![[r#"
            const -> const = ${1|true,false|}
            enum -> enum = [$1]
        "#]],
    );
    let asked = ask(&in_mixed("run = [{ arg = \"/tags\", mode = \"ask\", $0 }]"));
    let first = asked.found.items.first().unwrap();
    assert_eq!(first.detail.as_deref(), Some("string"));
}

#[test]
fn bounds_and_elements_come_from_the_declared_values() {
    check(
        &in_mixed("run = [{ arg = \"/level\", minimum = $0 }]"),
        &expect![[r#"
            1
            2
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/tags\", enum = [\n  \"x\", # ä\n  $0\n] }]"),
        &expect![[r#"
            y -> "y"
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/tags\", enum = [\"x\", \"$0x\"] }]"),
        &expect![[r#"
            y
        "#]],
    );
    check(
        "conversation.tools.a.parameters.p = { type = [\"string\", $0] }",
        &expect![[r#"
            path -> "path"
            integer -> "integer"
            number -> "number"
            boolean -> "boolean"
            array -> "array"
            object -> "object"
            null -> "null"
        "#]],
    );
}

#[test]
fn rules_are_made_for_the_tool() {
    check(
        &in_mixed("run = $0"),
        &expect![[r#"
            ask -> "ask"
            unattended -> "unattended"
            edit -> "edit"
            skip -> "skip"
            [{ arg, const, mode }, { mode }] -> [{ arg = "${1|/maybe,/either,/level,/tags,/packages,/packages/name,/a~1b~0c/inner/on|}", const = ${2:0}, mode = "${3|ask,unattended,edit,skip|}" \}, { mode = "${4|ask,unattended,edit,skip|}" \}]
            [ … ] -> [{ mode = "${1|ask,unattended,edit,skip|}" \}]
        "#]],
    );
    check(
        &in_policy("result = [$0]"),
        &expect![[r#"
        { arg, prefix, mode } -> { arg = "${1|/kind,/root,/patterns/paths,/patterns/text|}", prefix = "$2", mode = "${3|ask,unattended,edit,skip|}" \}
        { mode } -> { mode = "${1|unattended,ask,edit,skip|}" \}
    "#]],
    );
}

#[test]
fn a_parameter_has_what_its_type_takes() {
    let at = |entries: &str| format!("conversation.tools.a.parameters.p = {{ {entries} }}");
    has(
        &at("type = \"array\", $0"),
        &["items", "enum"],
        &["properties", "type"],
    );
    has(
        &at("type = [\"string\", \"object\"], $0"),
        &["properties"],
        &["items"],
    );
    has(&at("$0"), &["type", "items", "properties"], &[]);
    check_accepted(
        &at("type = \"boolean\", def$0"),
        "default",
        &expect![[r#"conversation.tools.a.parameters.p = { type = "boolean", default = true }"#]],
    );
    check_accepted(
        &at("type = \"array\", def$0"),
        "default",
        &expect![[r#"conversation.tools.a.parameters.p = { type = "array", default = [] }"#]],
    );
    assert_eq!(
        labels(&at("type = \"boolean\", default = $0")),
        ["true", "false"]
    );
    assert_eq!(
        labels(&at("enum = [\"ä\", 2, true], default = $0")),
        ["ä", "2", "true"]
    );
}

#[test]
fn access_is_for_local_tools() {
    let at = |source: &str| format!("[conversation.tools.a]\nsource = \"{source}\"\n$0");
    let access = ["[[conversation.tools.a.access.fs]]"];
    has(&at("local"), &access, &[]);
    has(&at("mcp.github"), &["run"], &access);
    has(&at("builtin"), &["run"], &access);
    has(
        "[conversation.tools.a]\nsource = \"builtin\"\n[conversation.tools.a.$0]",
        &["policy"],
        &["access"],
    );
    has(
        "conversation.tools.a = { source = \"mcp.x\", $0 }",
        &["policy"],
        &["access"],
    );
}

#[test]
fn a_key_that_takes_a_plain_value_is_offered_where_headers_are() {
    check_accepted("ext$0", "extends", &expect!["extends = []"]);
    check_accepted(
        "[conversation]\nattach$0",
        "attachments",
        &expect![[r#"
        [conversation]
        attachments = []"#]],
    );
    check_accepted(
        "[providers.llm.aliases]\n$0",
        "<alias>",
        &expect![[r#"
        [providers.llm.aliases]
        alias = """#]],
    );
    has(
        "[conversation.labels]\n$0",
        &["<label>"],
        &["strategy", "discard_when_merged"],
    );
    has(
        "[conversation]\nlabels = { value = { a = \"b\" }, $0 }",
        &["strategy"],
        &["value"],
    );
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
fn of_many_names_those_that_go_with_what_is_typed_are_offered() {
    let tools: String = (0..300)
        .map(|number| format!("[conversation.tools.tool_{number:03}]\nsource = \"local\"\n"))
        .collect();
    for (typed, wanted, most) in [
        ("", "tool_000", 200),
        ("tool_299", "tool_299", 4),
        ("l29", "tool_290", 50),
        ("TOOL_0", "tool_099", 200),
    ] {
        let asked = ask(&format!(
            "[assistant]\ntool_choice = \"{typed}$0\"\n{tools}"
        ));
        let items = &asked.found.items;
        assert!(items.iter().any(|item| item.label == wanted), "{typed}");
        assert!(items.len() <= most, "{typed}");
        assert!(asked.found.is_incomplete);
    }
    for (typed, wanted) in [
        ("", "tool_000"),
        ("tool_299", "tool_299"),
        ("TOOL_29", "tool_297"),
    ] {
        let asked = ask(&format!("{tools}[conversation.tools.{typed}$0"));
        let items = &asked.found.items;
        // The table that is there already is offered by its parts.
        let below = format!("{wanted}.policy");
        assert!(
            items
                .iter()
                .any(|item| item.label == wanted || item.label == below),
            "{typed}: {items:#?}"
        );
        assert!(asked.found.is_incomplete, "{typed}");
    }
}

#[test]
fn a_name_that_is_being_typed_is_not_offered() {
    has(
        "[conversation.tools.grep]\nsource = \"local\"\n[conversation.tools.gr$0\n",
        &["grep.policy"],
        &["gr", "gr.policy"],
    );
    has("[assist$0]\nname = \"x\"", &["assistant"], &["assist"]);
}

#[test]
fn a_byte_order_mark_and_a_comment_are_no_statements() {
    has("\u{feff}$0", &["#:schema", "inherit", "[assistant]"], &[]);
    has("\u{feff}ass$0", &["[assistant]"], &["assistant"]);
    check_accepted(
        "[conversation.tools.a]\n$0 # ä\nsource = \"local\"",
        "run",
        &expect![[r#"
            [conversation.tools.a]
            run = "ask" # ä
            source = "local""#]],
    );
    has("[assistant]\nname = \"x\" $0 # ä", &[], &["model"]);
    has("[assistant] $0 # ä", &[], &["name"]);
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
fn a_table_of_the_entry_before_is_offered_once() {
    let mut found =
        labels("[conversation.tools.a.parameters.path]\ntype = \"path\"\n[conversation.tools.$0");
    let count = found.len();
    found.sort();
    found.dedup();
    assert_eq!(found.len(), count);
}

#[test]
fn a_path_that_a_value_must_equal_is_in_normal_form() {
    check(
        &in_policy("run = [{ arg = \"/root\", const = \"$0\", mode = \"ask\" }]"),
        &expect![[r#"
            .jp
            docs
            src
            Cargo.toml
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/root\", enum = [\"src\", \"src/$0\"], mode = \"ask\" }]"),
        &expect![[r#"
            src/bin
            src/lib.rs
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/level\", enum = [1, $0] }]"),
        &expect![[r#"
            2
        "#]],
    );
}

#[test]
fn a_segment_is_replaced_by_one_under_which_the_next_can_stand() {
    assert_eq!(labels("assis$0.\"name\" = \"x\""), ["assistant", "user"]);
    assert_eq!(labels("[conver$0.tools.a]"), ["conversation"]);
    assert_eq!(
        labels("[[conversation.tools.a.poli$0.run]]\nmode = \"ask\""),
        ["policy"]
    );
    // Where nothing fits, the next segment is what is wrong.
    has("[conver$0.toolz.a]", &["conversation"], &[]);
    has("[assistant]\nmod$0.idd = \"x\"", &["model"], &[]);
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
