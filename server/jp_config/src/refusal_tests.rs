use expect_test::expect;

use super::{Refusal, RuleNumber, Subject};

fn refusal(tool: Option<&str>, rule: Option<usize>, line: Option<u32>) -> Refusal {
    Refusal {
        subject: tool.map(|tool| Subject {
            tool: tool.to_owned(),
            rule: rule.map(|index| RuleNumber { list: "run", index }),
        }),
        place: line.map(|line| (".jp/config.toml".into(), line)),
        problem: "`x` is wrong".to_owned(),
    }
}

#[test]
fn what_is_known_is_said() {
    let all = [
        refusal(Some("edit"), Some(1), Some(12)),
        refusal(Some("edit"), None, Some(12)),
        refusal(Some("*"), Some(0), Some(3)),
        refusal(None, None, Some(1)),
        refusal(Some("edit"), Some(1), None),
        refusal(None, None, None),
    ];
    let text: String = all
        .iter()
        .map(|refusal| format!("{refusal}\n{}\n", refusal.to_json()))
        .collect();
    expect![[r#"
        tool `edit`, rule 2 of policy.run, .jp/config.toml:12: `x` is wrong
        {"path":".jp/config.toml","line":12,"tool":"edit","rule":{"list":"policy.run","index":1},"message":"`x` is wrong"}
        tool `edit`, .jp/config.toml:12: `x` is wrong
        {"path":".jp/config.toml","line":12,"tool":"edit","message":"`x` is wrong"}
        tool defaults `'*'`, rule 1 of policy.run, .jp/config.toml:3: `x` is wrong
        {"path":".jp/config.toml","line":3,"tool":"*","rule":{"list":"policy.run","index":0},"message":"`x` is wrong"}
        .jp/config.toml:1: `x` is wrong
        {"path":".jp/config.toml","line":1,"message":"`x` is wrong"}
        tool `edit`, rule 2 of policy.run: `x` is wrong
        {"tool":"edit","rule":{"list":"policy.run","index":1},"message":"`x` is wrong"}
        `x` is wrong
        {"message":"`x` is wrong"}
    "#]]
    .assert_eq(&text);
}
