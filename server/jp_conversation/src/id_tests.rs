use pretty_assertions::assert_eq;

use super::*;

#[test]
fn every_spelling_is_read() {
    let id = ConversationId::from_deciseconds(17_758_406_187);
    for text in [
        "jp-c17758406187",
        "17758406187",
        "17758406187-missing-date",
        "jp-c17758406187-x",
    ] {
        assert_eq!(text.parse::<ConversationId>().unwrap(), id);
    }
    assert_eq!(id.to_string(), "jp-c17758406187");
    assert_eq!(id.directory_name(), "17758406187");
}

#[test]
fn what_could_name_another_directory_is_refused() {
    for text in [
        "",
        "jp-c",
        "..",
        "+1",
        "007",
        "1/../2",
        "new",
        "99999999999999999999",
    ] {
        assert_eq!(
            text.parse::<ConversationId>().unwrap_err().to_string(),
            format!("`{text}` is no conversation id, write it as `jp-c17636257527`")
        );
    }
}

#[test]
fn released_names_carry_a_slug() {
    let id = ConversationId::from_deciseconds(1);
    assert_eq!(id.released_directory_name(None), "1");
    assert_eq!(
        id.released_directory_name(Some("  Missing date, in `--version`!")),
        "1-missing-date-in-version"
    );
    assert_eq!(id.released_directory_name(Some("日本")), "1");
    assert_eq!(
        id.released_directory_name(Some(&"ab".repeat(50))),
        format!("1-{}", "ab".repeat(30))
    );
}
