use std::{fmt::Write as _, sync::Arc};

use expect_test::expect;
use jp_config::{graph::Roots, memory::MemoryFiles};

use super::*;

fn show(document: &Document, symbols: &[Symbol], depth: usize, shown: &mut String) {
    for symbol in symbols {
        let text = document.text();
        let name = text.get(symbol.name_span.range()).unwrap_or_default();
        let whole = text.get(symbol.span.range()).unwrap_or_default();
        let indent = "  ".repeat(depth);
        writeln!(
            shown,
            "{indent}{} {:?} {name:?} in {whole:?}",
            symbol.name, symbol.kind
        )
        .expect("a string takes all");
        show(document, &symbol.children, depth + 1, shown);
    }
}

#[test]
fn sections_hold_their_keys() {
    let document = Document::parse(
        "inherit = true\n\n[conversation.tools.\"a b\"] # x\nenable.state = true\npolicy = { run = [{ mode = \"ask\" }] }\n\n[[conversation.tools.a.access.fs]]\npath = 1\n[broken\n",
    );
    let mut shown = String::new();
    show(&document, &document_symbols(&document), 0, &mut shown);
    expect![[r#"
        inherit Boolean "inherit" in "inherit = true"
        conversation.tools."a b" Tool "[conversation.tools.\"a b\"]" in "[conversation.tools.\"a b\"] # x\nenable.state = true\npolicy = { run = [{ mode = \"ask\" }] }"
          enable Table "enable" in "enable.state = true"
            state Boolean "state" in "state = true"
          policy Table "policy" in "policy = { run = [{ mode = \"ask\" }] }"
            run List "run" in "run = [{ mode = \"ask\" }]"
        conversation.tools.a.access.fs List "[[conversation.tools.a.access.fs]]" in "[[conversation.tools.a.access.fs]]\npath = 1"
          path Number "path" in "path = 1"
        broken Table "[broken" in "[broken"
    "#]].assert_eq(&shown);
}

#[test]
fn names_are_found_by_their_characters_in_order() {
    let files = MemoryFiles::from_fixture(
        "//- /w/.jp/config.toml\nextends = [\"b.toml\"]\n[conversation.tools.fs_read]\nrun = \"ask\"\n[conversation.tools.fs_read.parameters.path]\n[providers.llm.aliases]\nfast = \"x/y\"\n//- /w/.jp/b.toml\n[conversation.tools.fs_read]\n",
    );
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let mut shown = String::new();
    for query in ["", "FR", "zz"] {
        for (name, place) in workspace_symbols(&graph, query) {
            writeln!(
                shown,
                "{query}: {name:?} {}:{:?}",
                graph.path(place.file),
                place.span.range()
            )
            .expect("a string takes all");
        }
    }
    expect![[r#"
        : Tool("fs_read") /w/.jp/config.toml:41..48
        : Parameter { tool: "fs_read", path: ["path"] } /w/.jp/config.toml:101..105
        : Alias("fast") /w/.jp/config.toml:131..135
        : Tool("fs_read") /w/.jp/b.toml:20..27
        FR: Tool("fs_read") /w/.jp/config.toml:41..48
        FR: Tool("fs_read") /w/.jp/b.toml:20..27
    "#]]
    .assert_eq(&shown);
}

#[test]
fn what_tells_tables_apart_stands_beside_their_names() {
    let document = Document::parse(
        "[[conversation.tools.a.access.fs]]\nread = true\npath = \"ä\"\n[[conversation.tools.a.policy.run]]\nmode = \"ask\"\narg = '/p'\n[style.code]\ncolor = true\n",
    );
    let details: Vec<Option<String>> = document_symbols(&document)
        .into_iter()
        .flat_map(|symbol| {
            let own = symbol.detail;
            let children = symbol.children.into_iter().map(|child| child.detail);
            std::iter::once(own).chain(children).collect::<Vec<_>>()
        })
        .collect();
    let shown: Vec<&str> = details
        .iter()
        .map(|detail| detail.as_deref().unwrap_or("-"))
        .collect();
    expect![[r#"["\"ä\"", "true", "\"ä\"", "'/p'", "\"ask\"", "'/p'", "-", "true"]"#]]
        .assert_eq(&format!("{shown:?}"));
}
