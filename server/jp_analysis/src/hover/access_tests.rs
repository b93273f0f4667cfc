use std::sync::Arc;

use expect_test::{Expect, expect};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};

use jp_tool::Resource;

use crate::{
    explain::words::Style,
    hover::{AccessRule, access_rule_at, hover},
    text::markup::MarkupKind,
};

const MARKDOWN: Style<'_> = Style {
    kind: MarkupKind::Markdown,
    link: &|_, _| None,
};

/// Compares what is said of the rule at the `$0` of a tool's grants, without what the schema says of its key.
#[track_caller]
fn check(access: &str, expected: &Expect) {
    let text = format!(
        "[conversation.tools.t]\nsource = \"local\"\ncommand = \"t\"\n[conversation.tools.t.access]\n{access}\n"
    );
    let offset = text.find("$0").unwrap();
    let mut files = MemoryFiles::default();
    files.insert("/w/.jp/config.toml", &text.replacen("$0", "", 1));
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let file = graph.file_at("/w/.jp/config.toml".into()).unwrap();
    let document = graph.content(file).unwrap().document().unwrap();
    let view = View::new(Arc::clone(&graph));
    let found = hover(&view, file, document, offset, None, MARKDOWN).unwrap();
    let words: Vec<&str> = found
        .text
        .split("\n\n")
        .skip(1)
        .take_while(|part| part.starts_with("Rule ") || part.starts_with("- "))
        .collect();
    expected.assert_eq(&format!("{}\n", words.join("\n")));
}

#[test]
fn a_network_rule_is_read_as_the_urls_that_it_is_about() {
    let rules = |marked: usize| {
        let rules = [
            "{ host = \"docs.rs\", allow = true }",
            "{ host = \"Docs.rs.\", scheme = \"https\", port = 443, path_prefix = \"/serde\" }",
            "{ host = \"docs.rs\", port = 8443, allow = true }",
            "{ host = \"docs.rs\", scheme = \"http\", port = 80, path_prefix = \"/\", allow = true }",
        ];
        let rules = rules.iter().enumerate().map(|(index, rule)| {
            if index == marked {
                rule.replacen("host", "ho$0st", 1)
            } else {
                (*rule).to_owned()
            }
        });
        format!("net = [{}]", rules.collect::<Vec<_>>().join(", "))
    };
    check(
        &rules(0),
        &expect![[r#"
            Rule 1 of 4: `t` may send requests to `docs.rs`.
            - Except to `https://docs.rs:443/serde`, where rule 2 decides.
            - Except to `http://docs.rs:80/`, where rule 4 decides.
        "#]],
    );
    check(
        &rules(1),
        &expect![[r#"
        Rule 2 of 4: `t` may send no requests to `https://docs.rs:443/serde`.
        - It decides alone here, whatever rule 1 (`docs.rs`) says.
    "#]],
    );
    check(
        &rules(2),
        &expect![[r#"
        Rule 3 of 4: `t` may send requests to `docs.rs:8443`.
    "#]],
    );
}

#[test]
fn an_external_rule_waits_for_an_approval() {
    check(
        "fs = [{ path = \"sha$0red\", external = true, read = true }]",
        &expect![[r#"
            Rule 1 of 1: `t` may read files at and below `shared`.
            - It leads outside the workspace, and grants nothing until a person has approved where it leads.
        "#]],
    );
}

#[test]
fn only_a_rule_that_has_a_part_is_asked_about() {
    let asked = |source: &str, marked: &str| {
        let text = format!("[conversation.tools.t]\nsource = \"{source}\"\n{marked}\n");
        let offset = text.find("$0").unwrap();
        let mut files = MemoryFiles::default();
        files.insert("/w/.jp/config.toml", &text.replacen("$0", "", 1));
        let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
        let file = graph.file_at("/w/.jp/config.toml".into()).unwrap();
        let document = graph.content(file).unwrap().document().unwrap();
        let view = View::new(Arc::clone(&graph));
        access_rule_at(&view, file, document, offset)
    };
    let rule = |resource, index, target: &str| {
        Some(AccessRule {
            tool: "t".to_owned(),
            resource,
            index,
            target: target.to_owned(),
        })
    };
    let two = "access.fs = [{ path = \"a\" }, { path = \"b\", re$0ad = true }]";
    assert_eq!(asked("local", two), rule(Resource::Fs, 1, "b"));
    let env = "access.env = [{ na$0me = \"A\" }]";
    assert_eq!(asked("local", env), rule(Resource::Env, 0, "A"));
    assert_eq!(asked("mcp.s", two), None);
    assert_eq!(asked("local", "run = \"a$0sk\""), None);
    assert_eq!(asked("local", "acc$0ess.fs = [{ path = \"a\" }]"), None);
}
