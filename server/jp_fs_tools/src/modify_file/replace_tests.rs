use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn literal<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
    Replacement {
        old,
        new,
        is_regex: false,
        replaces_all: true,
        is_case_sensitive: true,
        max_bytes: 10_000,
    }
}

fn regex<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
    Replacement {
        is_regex: true,
        ..literal(old, new)
    }
}

#[test]
fn replaces_literal_text() {
    for (text, old, new, expected) in [
        (
            "hello world\n",
            "hello world",
            "hello universe",
            Ok("hello universe\n"),
        ),
        ("hello world\n", "hello world", "", Ok("\n")),
        ("a\na", "a", "b", Ok("b\nb")),
        (
            "hello world\nhow are you?",
            "world\nhow",
            "you\nwhat",
            Ok("hello you\nwhat are you?"),
        ),
        ("aaa", "aa", "b", Ok("ba")),
        ("a.c abc", "a.c", "$1", Ok("$1 abc")),
        ("abc", "x", "y", Err(Unapplied::NotFound)),
        ("ABC", "abc", "y", Err(Unapplied::NotFound)),
    ] {
        assert_eq!(
            literal(old, new).apply(text),
            expected.map(str::to_owned),
            "{text:?} {old:?}"
        );
    }
}

#[test]
fn replaces_only_the_first_if_asked() {
    let first = |replacement: Replacement<'_>| {
        Replacement {
            replaces_all: false,
            ..replacement
        }
        .apply("a b a")
    };
    assert_eq!(first(literal("a", "x")), Ok("x b a".to_owned()));
    assert_eq!(first(regex("[ab]", "x")), Ok("x b a".to_owned()));
}

#[test]
fn disregards_case_if_asked() {
    let any_case = |replacement: Replacement<'_>| {
        Replacement {
            is_case_sensitive: false,
            ..replacement
        }
        .apply("Foo(1) FOO(2)")
    };
    assert_eq!(
        any_case(literal("foo(", "bar[$0")),
        Ok("bar[$01) bar[$02)".to_owned())
    );
    assert_eq!(
        any_case(regex("foo", "bar")),
        Ok("bar(1) bar(2)".to_owned())
    );
}

#[test]
fn falls_back_to_the_text_without_its_margins() {
    assert_eq!(
        literal("  foo();\n", "  bar();\n").apply("{ foo(); }"),
        Ok("{ bar(); }".to_owned())
    );
    // The margins of `new` stay where they are not those of `old`.
    assert_eq!(
        literal("\nfoo\n", "bar").apply("x foo y"),
        Ok("x bar y".to_owned())
    );
    assert_eq!(literal(" \n ", "x").apply("abc"), Err(Unapplied::NotFound));
}

#[test]
fn falls_back_to_other_blanks_in_a_single_line() {
    assert_eq!(
        literal("let x = 1;", "let x = 2;").apply("let  x\t= 1;\n"),
        Ok("let x = 2;\n".to_owned())
    );
    assert_eq!(
        literal("a b", "c").apply("a  b\na   b\n"),
        Err(Unapplied::Ambiguous(2))
    );
    // The words must stand on one line.
    assert_eq!(literal("a b", "c").apply("a\nb"), Err(Unapplied::NotFound));
    assert_eq!(
        literal("a b\nc d", "c").apply("a  b\nc d"),
        Err(Unapplied::NotFound)
    );
}

#[test]
fn writes_the_line_ends_around_it() {
    assert_eq!(
        literal("a\nb", "x\ny").apply("1\na\r\nb\r\n2"),
        Ok("1\nx\r\ny\r\n2".to_owned())
    );
}

#[test]
fn replaces_with_regular_expressions() {
    for (text, old, new, expected) in [
        (
            "hello world\n",
            r"(\w+)\s\w+",
            "$1 universe",
            "hello universe\n",
        ),
        (
            "fn a_old() fn b_old()",
            r"fn (\w+)_old",
            "fn ${1}_new",
            "fn a_new() fn b_new()",
        ),
        (
            "a b",
            "(?<first>a)",
            "$first$$missing$ ${first}$1$0$$$",
            "a$missing$ aaa$$ b",
        ),
        ("one\ntwo\n", "^", "> ", "> one\n> two\n> "),
        ("one\ntwo\n", "e$", "E", "onE\ntwo\n"),
        ("one\ntwo", r"\Aone[\s\S]*\z", "x", "x"),
        ("a\nb", ".*", "x", "x\nx"),
        ("price", "(?=i)", "-", "pr-ice"),
    ] {
        assert_eq!(
            regex(old, new).apply(text),
            Ok(expected.to_owned()),
            "{old:?}"
        );
    }
    assert_eq!(regex("x+", "y").apply("abc"), Err(Unapplied::NotFound));
}

#[test]
fn a_group_that_does_not_exist_is_no_empty_text() {
    for (old, new, group) in [
        ("(a)", "$1x", "1x"),
        ("(a)", "${2}", "2"),
        ("a", "$1", "1"),
        ("(?<b>a)", "$$b$b$é", "é"),
        ("a", "$99999999999999999999", "99999999999999999999"),
    ] {
        assert_eq!(
            regex(old, new).apply("a"),
            Err(Unapplied::UnknownGroup(group.to_owned())),
            "{new}"
        );
    }
    assert_eq!(literal("a", "$1").apply("a"), Ok("$1".to_owned()));
}

#[test]
fn explains_what_cannot_be_done() {
    assert_eq!(
        regex("a(", "b").apply("a(").unwrap_err().to_string(),
        "invalid regular expression: Parsing error at position 2: Opening parenthesis without closing parenthesis."
    );
    assert_eq!(
        regex(r"^(?=(a+)+$)(a|aa)+\2b$", "x").apply(&"a".repeat(200)),
        Err(Unapplied::TooComplex)
    );
    let text = "a".repeat(1000);
    let long = "b".repeat(11);
    assert_eq!(literal("a", &long).apply(&text), Err(Unapplied::TooLarge));
    assert_eq!(regex("a", &long).apply(&text), Err(Unapplied::TooLarge));
    assert_eq!(literal("a", "bbb").apply(&text), Ok("bbb".repeat(1000)));
}

proptest! {
    /// Where the text holds `old`, a literal replacement is the standard library's.
    #[test]
    fn a_literal_is_replaced_everywhere(text in "[ab \n]{0,30}", old in "[ab]{1,3}", new in "[abc$]{0,3}") {
        prop_assume!(text.contains(&old));
        prop_assert_eq!(literal(&old, &new).apply(&text), Ok(text.replace(&old, &new)));
    }

    /// Whatever happens, everything outside the single place that a fallback found stays.
    #[test]
    fn a_fallback_changes_one_place(text in "[a \t\n]{0,20}", old in "[a ]{1,6}") {
        prop_assume!(!text.contains(&old));
        if let Ok(after) = literal(&old, "X").apply(&text) {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let places = after.matches('X').count();
            prop_assert!(places >= 1);
            let restored = after.replace('X', old.trim());
            prop_assert_eq!(words(&restored), words(&text));
        }
    }

    /// An escaped pattern with an escaped template is a literal replacement.
    #[test]
    fn an_escaped_regex_is_a_literal(text in "[a.*$\n]{0,20}", old in "[a.*$]{1,3}", new in "[a$]{0,3}") {
        prop_assume!(text.contains(&old));
        let pattern = fancy_regex::escape(&old).into_owned();
        let template = new.replace('$', "$$");
        prop_assert_eq!(regex(&pattern, &template).apply(&text), literal(&old, &new).apply(&text));
    }

    /// No pattern, however odd, makes it panic or grow beyond the limit.
    #[test]
    fn never_exceeds_the_limit(text in "\\PC{0,40}", old in "\\PC{1,8}", new in "\\PC{0,8}", is_regex: bool) {
        let replacement = Replacement { is_regex, max_bytes: 60, ..literal(&old, &new) };
        if let Ok(after) = replacement.apply(&text) {
            prop_assert!(after.len() <= 60);
        }
    }
}
