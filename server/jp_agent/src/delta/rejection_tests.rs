use expect_test::expect;
use jp_tool::{ConfigCapability, Reason};
use pretty_assertions::assert_eq;

use super::*;

fn outside(count: usize) -> Rejection {
    let path = |number| Unauthorized {
        path: format!("a.b{number:02}"),
        capability: ConfigCapability::Write,
        reason: Reason::NoRule,
    };
    Rejection::Unauthorized((1..=count).map(path).collect())
}

#[test]
fn twenty_problems_are_spelled_out_and_the_others_counted() {
    let end = |rejection: &Rejection| {
        let detail = rejection.for_tool().detail;
        let parts: Vec<&str> = detail.split("; ").collect();
        format!(
            "{} parts, the last: {}",
            parts.len(),
            parts[parts.len() - 1]
        )
    };
    expect!["20 parts, the last: `write` is not granted on `a.b20`: no rule matches, and declared rules deny everything else"].assert_eq(&end(&outside(20)));
    expect!["21 parts, the last: and 3 more"].assert_eq(&end(&outside(23)));
    assert_eq!(outside(23).for_tool().fields.len(), 23);
    // The header, twenty problems and what becomes of them.
    assert_eq!(outside(23).notice("t").lines().count(), 22);
}
