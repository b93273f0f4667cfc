use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn hostile_text_stays_code() {
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code("`"), "`` ` ``");
    assert_eq!(code("[x](command:y)"), "`[x](command:y)`");
    assert_eq!(
        code("a\u{202e}b\nc\u{1b}[0m"),
        "`a\\u{202e}b\\nc\\u{1b}[0m`"
    );
    assert_eq!(code(""), "(empty)");
}

#[test]
fn a_block_cannot_be_left() {
    let mut markup = Markup::new(MarkupKind::Markdown);
    markup.block("text", "```\n<b>");
    assert_eq!(markup.finish(), "````text\n```\n<b>\n````");
}

#[test]
fn plain_text_has_no_markup() {
    let mut markup = Markup::new(MarkupKind::PlainText);
    markup.heading("a.b");
    markup.paragraph("Write `x`.");
    markup.item("one");
    markup.item("two");
    assert_eq!(markup.finish(), "a.b\n\nWrite x.\n\n- one\n- two");
}

proptest! {
    #[test]
    fn code_has_no_control_characters_and_closes_itself(text in "\\PC*|[`\\x00-\\x20]{0,9}") {
        let code = code(&text);
        prop_assert!(!code.chars().any(char::is_control));
        let fence = code.chars().take_while(|c| *c == '`').count();
        let inner = code.trim_matches('`');
        prop_assert!(fence == 0 || longest_run(inner) < fence);
    }
}
