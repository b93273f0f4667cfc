use pretty_assertions::assert_eq;

use super::*;

fn rewritten(text: &str) -> String {
    match text.parse::<Timestamp>() {
        Ok(timestamp) => timestamp.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_released_form_survives() {
    assert_eq!(
        rewritten("2026-03-18 13:19:12.069123"),
        "2026-03-18 13:19:12.069123"
    );
    assert_eq!(rewritten("2026-03-11 10:42:16.4"), "2026-03-11 10:42:16.4");
    assert_eq!(rewritten("2026-03-11 10:42:16.0"), "2026-03-11 10:42:16.0");
}

#[test]
fn other_forms_are_read() {
    assert_eq!(rewritten("2026-03-11 10:42:16"), "2026-03-11 10:42:16.0");
    assert_eq!(rewritten("2026-03-11T10:42:16Z"), "2026-03-11 10:42:16.0");
    assert_eq!(
        rewritten("2026-03-11T10:42:16.25+02:00"),
        "2026-03-11 08:42:16.25"
    );
}

#[test]
fn anything_else_is_an_error() {
    assert_eq!(
        rewritten("yesterday"),
        "`yesterday` is no timestamp, write `YYYY-MM-DD HH:MM:SS.ffffff` (UTC) or RFC 3339"
    );
    assert_eq!(
        rewritten("2026-13-11 10:42:16.0"),
        "`2026-13-11 10:42:16.0` is no timestamp, write `YYYY-MM-DD HH:MM:SS.ffffff` (UTC) or RFC 3339"
    );
}

#[test]
fn deciseconds_are_those_of_an_id() {
    let time: Timestamp = "2026-04-10 17:03:38.711874".parse().unwrap();
    assert_eq!(time.deciseconds(), 17_758_406_187);
    assert_eq!(Timestamp::EPOCH.deciseconds(), 0);
    assert_eq!(
        "1960-01-01 00:00:00.0"
            .parse::<Timestamp>()
            .unwrap()
            .deciseconds(),
        0
    );
}
