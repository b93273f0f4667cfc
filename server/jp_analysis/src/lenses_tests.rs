use std::sync::Arc;

use expect_test::expect;
use jp_config::{
    graph::{FileId, Graph, Roots},
    memory::MemoryFiles,
};

use super::*;

#[test]
fn tools_whose_rules_look_at_arguments_have_lenses() {
    let files = MemoryFiles::from_fixture(
        r#"//- /w/.jp/config.toml
[conversation.tools.read]
source = "local"
parameters.path.type = "path"
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", const = "src/a", mode = "ask" },
    { mode = "ask" },
]
[conversation.tools.plain]
run = "ask"
[[conversation.tools.single.policy.result]]
arg = "/x"
const = 1
mode = "ask"
"#,
    );
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let document = graph
        .content(FileId(0))
        .and_then(|content| content.document());
    let document = document.expect("TOML");
    let shown: Vec<String> = lenses(&View::new(Arc::clone(&graph)), document)
        .into_iter()
        .map(|lens| {
            let text = document
                .text()
                .get(lens.span.range())
                .expect("a valid span");
            format!("{} | {text} | {:?}", lens.title, lens.explains)
        })
        .collect();
    expect![[r#"
        3 rules, explain a call… | read | LensTarget { tool: "read", question: Run, input: None }
        1 rule, explain a call… | single | LensTarget { tool: "single", question: Result, input: None }"#]].assert_eq(&shown.join("\n"));
}
