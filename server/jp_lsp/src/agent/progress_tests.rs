use expect_test::expect;

use super::*;

#[test]
fn a_report_names_few_tools() {
    let said = |count: usize, begun: usize| {
        let calls = (1..=count).map(|number| Called {
            id: number.to_string(),
            tool: format!("tool_{number}"),
            runs: number <= begun,
        });
        message(&State {
            calls: calls.collect(),
            ..State::default()
        })
    };
    let cases = [(0, 0), (1, 1), (3, 3), (4, 4), (12, 12), (2, 0), (3, 1)];
    let lines: Vec<String> = cases
        .into_iter()
        .map(|(count, begun)| said(count, begun))
        .collect();
    expect![[r"
        waiting for the model
        running tool_1
        running tool_1, tool_2, tool_3
        running tool_1, tool_2, tool_3 and 1 more
        running tool_1, tool_2, tool_3 and 9 more
        waiting for the model
        running tool_1"]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn a_title_is_one_short_line() {
    assert_eq!(title("  What\ndoes it do? "), "jp: What does it do?");
    assert_eq!(
        title(&"x".repeat(41)),
        format!("jp: {}\u{2026}", "x".repeat(40))
    );
    assert_eq!(
        title("a\u{1b}[2Jb")
            .chars()
            .filter(|c| c.is_control())
            .count(),
        0
    );
}
