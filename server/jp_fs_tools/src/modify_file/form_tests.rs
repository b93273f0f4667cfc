use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

const CRLF: Form = Form {
    has_mark: false,
    is_crlf: true,
};

#[test]
fn a_mark_and_one_kind_of_line_end_are_no_text() {
    for (stored, text) in [
        ("", ""),
        ("a", "a"),
        ("a\nb", "a\nb"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\r\nb\n", "a\r\nb\n"),
        ("a\rb", "a\rb"),
        ("\u{feff}a\r\n", "a\n"),
        ("\u{feff}", ""),
        ("a\u{feff}", "a\u{feff}"),
    ] {
        let (form, split) = Form::split(stored);
        assert_eq!(split, text, "{stored:?}");
        assert_eq!(form.join(text), stored, "{stored:?}");
    }
}

#[test]
fn patterns_may_spell_a_line_end_either_way() {
    assert_eq!(CRLF.pattern("a\r\nb\nc\r"), "a\nb\nc\r");
    for (regex, expected) in [
        (r"a\r\nb", r"a\nb"),
        (r"a\r?\nb", r"a\r?\nb"),
        (r"\\r\n", r"\\r\n"),
        (r"\\\r\n$", r"\\\n$"),
        ("é\\é\\r\\n\r\n\\", "é\\é\\n\n\\"),
    ] {
        assert_eq!(CRLF.regex(regex), expected, "{regex:?}");
    }
    let plain = Form {
        is_crlf: false,
        ..CRLF
    };
    assert_eq!(plain.regex(r"a\r\nb"), r"a\r\nb");
    assert_eq!(plain.pattern("a\r\n"), "a\r\n");
}

proptest! {
    /// A file that is taken apart and put together is the same file.
    #[test]
    fn nothing_gets_lost(stored in "\u{feff}?[a\r\n]{0,12}") {
        let (form, text) = Form::split(&stored);
        prop_assert_eq!(form.join(&text), stored);
    }
}
