use pretty_assertions::assert_eq;

use super::*;

#[test]
fn a_block_outlasts_every_fence_in_it() {
    assert_eq!(fenced("rs", "a"), "```rs\na\n```\n");
    assert_eq!(fenced("", "a\n"), "```\na\n```\n");
    assert_eq!(fenced("", "`````"), "``````\n`````\n``````\n");
}

#[test]
fn only_plain_extensions_become_a_language() {
    assert_eq!(language(Some("c++")), "c++");
    assert_eq!(language(Some("a`b")), "");
    assert_eq!(language(Some("a\nb")), "");
    assert_eq!(language(None), "");
}

#[test]
fn numbers_are_aligned() {
    let text = "x\n".repeat(10);
    let numbered = numbered(&text);
    assert_eq!(numbered.lines().next(), Some(" 1: x"));
    assert_eq!(numbered.lines().last(), Some("10: x"));
}

#[test]
fn what_a_terminal_would_obey_is_spelled_out() {
    assert_eq!(
        visible("a\u{1b}[31mred\u{202e}\r\n\tb\u{7}"),
        "a\\u{1b}[31mred\\u{202e}\\r\n\tb\\u{7}"
    );
    assert_eq!(visible_line("a\nb\tc"), "a\\nb\\tc");
}

#[test]
fn what_nobody_sees_is_spelled_out() {
    assert_eq!(
        visible("a\u{61c}b\u{200b}c\u{2028}d\u{e0041}e\u{feff}"),
        "a\\u{61c}b\\u{200b}c\\u{2028}d\\u{e0041}e\\u{feff}"
    );
    assert_eq!(visible("👩\u{200d}🚀"), "👩\u{200d}🚀");
}

#[test]
fn a_long_text_is_cut_between_characters() {
    assert_eq!(head("été", 5), "été");
    assert_eq!(head("été", 4), "ét\n... (cut after 3 of 5 bytes) ...\n");
}
