use expect_test::expect;

use super::*;

#[test]
fn files_are_named_relative_to_what_names_them() {
    let text = r#"
extends = ["../x.toml", "tools/*.toml", { path = "y.toml", strategy = "after" }]
[[conversation.tools.a.access.fs]]
path = "docs/README.md"
[assistant]
name = "not.toml"
"#;
    let document = Document::parse(text);
    let shown: Vec<String> = links(&document, "/w/.jp/config.toml".into(), "/w".into())
        .into_iter()
        .map(|link| format!("{:?} -> {}", text.get(link.span.range()), link.target))
        .collect();
    expect![[r#"
        Some("../x.toml") -> /w/x.toml
        Some("y.toml") -> /w/.jp/y.toml
        Some("docs/README.md") -> /w/docs/README.md"#]]
    .assert_eq(&shown.join("\n"));
}
