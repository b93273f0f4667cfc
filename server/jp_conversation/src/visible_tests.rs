use pretty_assertions::assert_eq;

use super::*;

#[test]
fn plain_text_is_not_copied() {
    let text = "fn main() {\n\tprintln!(\"é 日本 👩‍💻\");\n}\n";
    assert!(matches!(visible(text), Cow::Borrowed(shown) if shown == text));
}

#[test]
fn what_hides_is_spelled_out() {
    assert_eq!(visible("a\u{202e}b\u{2066}c"), "a\\u{202e}b\\u{2066}c");
    assert_eq!(visible("\u{1b}[2J\u{7}x\u{0}"), "␛[2J␇x␀");
    assert_eq!(visible("\u{7f}\u{9b}31m"), "␡\\u{9b}31m");
    assert_eq!(visible("a\r\nb\rc"), "a\nb␍c");
    assert_eq!(
        visible("x\u{e0041}\u{200b}\u{feff}"),
        "x\\u{e0041}\\u{200b}\\u{feff}"
    );
}
