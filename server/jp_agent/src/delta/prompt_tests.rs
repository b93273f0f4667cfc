use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

/// What a prompt shows of a system prompt that a tool proposes.
fn after(system_prompt: &str) -> String {
    let base = CycleConfig::new(&json!({}));
    let config = json!({"assistant": {"system_prompt": system_prompt}});
    let leaves = LeafSet::read(&base, Some(&config), &[]).unwrap();
    prompt(&leaves, &base, &[]).after
}

#[test]
fn a_line_is_shown_as_far_as_a_person_reads_it() {
    let whole = after(&"x".repeat(MAXIMUM_LINE - "system_prompt = \"\"".len()));
    assert_eq!(
        whole.lines().map(|line| line.chars().count()).max(),
        Some(MAXIMUM_LINE)
    );
    assert!(!whole.contains("more characters"), "{whole}");
    let cut = after(&"x".repeat(MAXIMUM_LINE));
    let last: Vec<&str> = cut
        .lines()
        .filter_map(|line| line.split_once('…'))
        .map(|(_, more)| more)
        .collect();
    assert_eq!(last, [" # and 18 more characters"]);
}

#[test]
fn a_document_is_shown_as_far_as_a_person_reads_it() {
    let lines = |count: usize| vec!["x"; count].join("\n");
    let shown = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        format!("{} lines, then {}", lines.len() - 1, lines[lines.len() - 1])
    };
    expect![[r#"391 lines, then x""""#]].assert_eq(&shown(&after(&lines(390))));
    expect!["400 lines, then # and 102 more lines"].assert_eq(&shown(&after(&lines(500))));
}

#[test]
fn each_rule_of_a_list_stands_on_a_line_of_its_own() {
    let rules = json!([{"path": "docs", "read": true}]);
    let base =
        CycleConfig::new(&json!({"conversation": {"tools": {"t": {"access": {"fs": rules}}}}}));
    let change = json!({"value": [{"path": "src", "read": true}], "strategy": "append"});
    let config = json!({"conversation": {"tools": {"t": {"access": {"fs": change}}}}});
    let leaves = LeafSet::read(&base, Some(&config), &[]).unwrap();
    let prompt = prompt_of_rule(&leaves, &base, &[]);
    expect![[r#"
        [conversation.tools.t.access]
        fs = [
          { path = "docs", read = true },
        ]
    "#]]
    .assert_eq(&prompt.before);
    expect![[r#"
        [conversation.tools.t.access]
        fs = [
          { path = "docs", read = true },
          { path = "src", read = true },
        ]
    "#]]
    .assert_eq(&prompt.after);
}
