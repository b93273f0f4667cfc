use std::sync::Arc;

use expect_test::expect;
use jp_config::{
    document::Span,
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use pretty_assertions::assert_eq;

use super::*;
use crate::{
    Analysis, Dialect, Options,
    actions::actions,
    completion::{NoPaths, complete},
    explain::{PolicyQuestion, view_of_tool, words},
};

fn model(text: &str) -> ModelId {
    ModelId::parse(text).unwrap()
}

fn graph(text: &str) -> Arc<Graph> {
    let mut files = MemoryFiles::default();
    files.insert("/w/.jp/config.toml", text);
    Arc::new(Graph::load(&Roots::workspace_only("/w"), &files))
}

#[test]
fn a_starter_is_clean_for_the_released_jp_too() {
    for name in [DEFAULT_MODEL, "ollama/llama3.2:3b", "openrouter/a/b"] {
        let dialect = Dialect::Released;
        let analysis = Analysis::new(graph(&starter(&model(name))), Options { dialect });
        let found: Vec<_> = analysis
            .all_diagnostics()
            .flat_map(|(_, findings)| findings.iter().map(|finding| &finding.message))
            .collect();
        assert_eq!(found, Vec::<&String>::new(), "{name}");
    }
}

#[test]
fn nothing_of_a_starter_runs_without_asking() {
    let graph = graph(&starter(&model(DEFAULT_MODEL)));
    let view = view_of_tool(&graph, "changed_files").unwrap();
    let found = crate::explain::PolicyExplainer::new(&view, "changed_files", PolicyQuestion::Run);
    let rules = found.unwrap().overview();
    expect![[r#"{"rules":[{"index":0,"mode":"ask","reachedBy":{}}]}"#]]
        .assert_eq(&rules.to_string());
    let said = words::config(
        &crate::explain::config(&view, "assistant.model.id").unwrap(),
        words::Style::PLAIN,
    );
    expect![[r#"assistant.model.id is "anthropic/claude-sonnet-4-5", from .jp/config.toml:3."#]]
        .assert_eq(&said);
}

#[test]
fn an_empty_file_offers_the_starter_first_and_the_schema_last() {
    let labels = |text: &str| -> Vec<String> {
        let graph = graph(text);
        let view = View::new(Arc::clone(&graph));
        let file = graph.layers[0].file;
        let document = graph.content(file).unwrap().document().unwrap();
        let found = complete(&view, file, document, 0, Options::default(), &NoPaths);
        found.items.into_iter().map(|item| item.label).collect()
    };
    let empty = labels("");
    assert_eq!(empty.first().unwrap(), "starter config");
    let place = |label: &str| empty.iter().position(|it| it == label);
    assert!(place("[assistant]") < place("inherit"), "{empty:?}");
    assert_eq!(empty.last().unwrap(), "#:schema");
    assert!(!labels("assistant.name = \"a\"\n").contains(&"starter config".to_owned()));
}

#[test]
fn an_empty_file_has_an_action_that_writes_the_starter() {
    let titles = |text: &str| -> Vec<(String, String)> {
        let analysis = Analysis::new(graph(text), Options::default());
        let graph = analysis.graph();
        let view = View::new(Arc::clone(graph));
        let file = graph.layers[0].file;
        let found = actions(&analysis, &view, file, Span::new(0, 0));
        let found = found.into_iter();
        found
            .map(|action| (action.title, action.edits[0].text.clone()))
            .collect()
    };
    let written = starter(&model(DEFAULT_MODEL));
    assert_eq!(
        titles("\n  \n"),
        [("Write a starter config".to_owned(), written)]
    );
    assert_eq!(titles("# mine\n"), []);
}
