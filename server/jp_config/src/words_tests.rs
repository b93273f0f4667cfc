use pretty_assertions::assert_eq;

use super::{quoted, shorten, shortened};

#[test]
fn a_long_text_is_cut_between_characters() {
    assert_eq!(shortened("", 0), "");
    assert_eq!(shortened("äöü", 3), "äöü");
    assert_eq!(shortened("äöü", 2), "äö…");
    assert_eq!(shortened("äöü", 0), "…");
}

#[test]
fn a_short_text_with_control_characters_is_not_marked_as_cut() {
    assert_eq!(shorten("a\u{85}b\nc"), "a b c");
    assert_eq!(shorten(&"x".repeat(61)), format!("{}…", "x".repeat(60)));
}

#[test]
fn a_quoted_text_is_one_line_that_reads_back() {
    let text = "\"\\\n\t\r\u{1b}\u{7f}ä";
    assert_eq!(quoted(text), r#""\"\\\n\t\u000D\u001B\u007Fä""#);
    let document = format!("a = {}", quoted(text)).parse::<toml_edit::DocumentMut>();
    assert_eq!(document.unwrap()["a"].as_str(), Some(text));
}
