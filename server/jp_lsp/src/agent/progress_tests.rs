use expect_test::expect;

use super::*;

#[test]
fn a_report_names_few_tools() {
    let said = |count: usize| {
        let running = (1..=count).map(|number| (number.to_string(), format!("tool_{number}")));
        message(&State {
            running: running.collect(),
            end: None,
        })
    };
    let lines: Vec<String> = [0, 1, 3, 4, 12].into_iter().map(said).collect();
    expect![[r"
        waiting for the model
        running tool_1
        running tool_1, tool_2, tool_3
        running tool_1, tool_2, tool_3 and 1 more
        running tool_1, tool_2, tool_3 and 9 more"]]
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
