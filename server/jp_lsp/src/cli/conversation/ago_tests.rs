use expect_test::expect;

use super::*;

#[test]
fn a_moment_is_told_by_its_distance() {
    let now: Timestamp = "2026-03-20 12:00:00.0".parse().unwrap();
    let moments = [
        "2026-03-20 12:02:00.0",
        "2026-03-20 12:00:30.0",
        "2026-03-20 11:59:00.1",
        "2026-03-20 11:59:00.0",
        "2026-03-20 11:00:00.1",
        "2026-03-20 11:00:00.0",
        "2026-03-19 12:00:00.1",
        "2026-03-19 12:00:00.0",
        "2026-02-19 12:00:00.0",
        "2026-02-18 12:00:00.0",
        "1970-01-01 00:00:00.0",
    ];
    let told = moments.map(|moment| ago(moment.parse().unwrap(), now));
    expect![[r#"
        2026-03-20
        just now
        just now
        1 minute ago
        59 minutes ago
        1 hour ago
        23 hours ago
        1 day ago
        29 days ago
        2026-02-18
        1970-01-01"#]]
    .assert_eq(&told.join("\n"));
}
