use super::*;

fn before(text: &str) -> String {
    let now = "2026-11-22 12:00:00".parse().unwrap();
    let since = text.parse::<Since>();
    since.map_or_else(
        |error| error.to_string(),
        |since| since.before(now).to_string(),
    )
}

#[test]
fn ages_and_days_are_read() {
    assert_eq!(before("30d"), "2026-10-23 12:00:00.0");
    assert_eq!(before("12h"), "2026-11-22 00:00:00.0");
    assert_eq!(before("2w"), "2026-11-08 12:00:00.0");
    assert_eq!(before("0d"), "2026-11-22 12:00:00.0");
    assert_eq!(before("2026-11-01"), "2026-11-01 00:00:00.0");
    assert_eq!(before("99999999999d"), "1970-01-01 00:00:00.0");
}

#[test]
fn anything_else_is_said_to_be_wrong() {
    for text in [
        "",
        "d",
        "30",
        "-1d",
        "+1d",
        "1.5d",
        "30 d",
        "soon",
        "2026-13-01",
        "99999999999999999999w",
    ] {
        assert_eq!(before(text), SinceError.to_string(), "{text}");
    }
}
