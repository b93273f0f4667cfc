#[path = "pattern_tests/limits.rs"]
mod limits;
#[path = "pattern_tests/refused.rs"]
mod refused;

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::*;

/// Checks a pattern a line against `source  =>  translation`, or its error, followed by its warnings.
fn check(sources: &[&str], expected: &Expect) {
    let mut actual = String::new();
    for source in sources {
        actual.push_str(source);
        match Pattern::compile(source) {
            Ok(pattern) => {
                assert_eq!(pattern.as_str(), *source);
                actual.push_str(&format!("  =>  {}\n", pattern.rust_source()));
                for warning in pattern.warnings() {
                    let PatternWarning {
                        construct,
                        replacement,
                        message,
                        offset,
                    } = warning;
                    assert_eq!(source.get(offset.clone()).unwrap(), construct);
                    actual.push_str(&format!(
                        "    {offset:?} {construct} -> {replacement}: {message}\n"
                    ));
                }
            }
            Err(PatternError {
                kind,
                construct,
                message,
                offset,
            }) => {
                let text = source.get(offset.clone()).unwrap();
                actual.push_str(&format!(
                    "\n    {kind:?} {construct} {offset:?} {text}: {message}\n"
                ));
            }
        }
    }
    expected.assert_eq(&actual);
}

fn matches(source: &str, text: &str) -> bool {
    Pattern::compile(source).unwrap().is_match(text)
}

#[test]
fn characters_and_groups() {
    check(
        &[
            "",
            "git status",
            "a|b||",
            "(a)(?:b)(?<name>c)",
            "(?<größe_1>a)",
            r"(?<\u0061\u{62}>a)",
            "(?<n>a)|(?<n>b)",
            "a-b&&c~~d#e<f>",
            "^$",
            "a.b",
        ],
        &expect![[r#"
              =>  
            git status  =>  git status
            a|b||  =>  a|b||
            (a)(?:b)(?<name>c)  =>  (?:a)(?:b)(?:c)
            (?<größe_1>a)  =>  (?:a)
            (?<\u0061\u{62}>a)  =>  (?:a)
            (?<n>a)|(?<n>b)  =>  (?:a)|(?:b)
            a-b&&c~~d#e<f>  =>  a\-b\&\&c\~\~d\#e<f>
            ^$  =>  ^$
            a.b  =>  a[^\n\r\x{2028}\x{2029}]b
        "#]],
    );
}

#[test]
fn invisible_characters_are_escaped_in_the_translation() {
    let pattern = Pattern::compile("é\u{301}\u{1F600}\t\u{200B}").unwrap();
    assert_eq!(pattern.rust_source(), r"é\x{301}\x{1F600}\x{9}\x{200B}");
}

#[test]
fn escapes() {
    check(
        &[
            r"\d\D\w\W",
            r"\s",
            r"\S",
            r"\bfoo\B",
            r"\t\n\v\f\r\0",
            r"\cA\cj\cZ",
            r"\x41\xe9\x0a",
            r"\u0041\u{41}\u{00001F600}",
            r"\uD83D\uDE00",
            r"\uD83D",
            r"\uDE00\uD83D",
            r"\u{D83D}\u{DE00}",
            r"\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/",
            r"\p{Lu}\P{L}\p{General_Category=Decimal_Number}",
            r"\p{Number}\p{gc=Nd}\p{punct}",
            r"\p{Script=Greek}\p{sc=Grek}\p{scx=Hira}",
            r"\p{Alphabetic}\P{ASCII}\p{Any}\p{space}",
            r"\p{Cs}\P{Surrogate}",
        ],
        &expect![[r#"
            \d\D\w\W  =>  [0-9][^0-9][0-9A-Za-z_][^0-9A-Za-z_]
            \s  =>  [\x{9}-\x{D} \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]
            \S  =>  [^\x{9}-\x{D} \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]
            \bfoo\B  =>  (?-u:\b)foo(?:(?:\b|\B)(?-u:\B))
            \t\n\v\f\r\0  =>  \x{9}\x{A}\x{B}\x{C}\x{D}\x{0}
            \cA\cj\cZ  =>  \x{1}\x{A}\x{1A}
            \x41\xe9\x0a  =>  Aé\x{A}
            \u0041\u{41}\u{00001F600}  =>  AA\x{1F600}
            \uD83D\uDE00  =>  \x{1F600}
            \uD83D  =>  [^\x{0}-\x{10FFFF}]
            \uDE00\uD83D  =>  [^\x{0}-\x{10FFFF}][^\x{0}-\x{10FFFF}]
            \u{D83D}\u{DE00}  =>  [^\x{0}-\x{10FFFF}][^\x{0}-\x{10FFFF}]
            \^\$\\\.\*\+\?\(\)\[\]\{\}\|\/  =>  \^\$\\\.\*\+\?\(\)\[\]\{\}\|/
            \p{Lu}\P{L}\p{General_Category=Decimal_Number}  =>  \p{gc=Lu}\P{gc=L}\p{gc=Decimal_Number}
            \p{Number}\p{gc=Nd}\p{punct}  =>  \p{gc=Number}\p{gc=Nd}\p{gc=punct}
            \p{Script=Greek}\p{sc=Grek}\p{scx=Hira}  =>  \p{sc=Greek}\p{sc=Grek}\p{scx=Hira}
            \p{Alphabetic}\P{ASCII}\p{Any}\p{space}  =>  \p{Alphabetic}\P{ASCII}\p{Any}\p{space}
            \p{Cs}\P{Surrogate}  =>  [^\x{0}-\x{10FFFF}][\x{0}-\x{10FFFF}]
        "#]],
    );
}

#[test]
fn classes() {
    check(
        &[
            "[]",
            "[^]",
            "[abc]",
            "[^a-z_]",
            "[a&&b]",
            "[[a]",
            "[a--]",
            "[+--]",
            "[--a]",
            "[---]",
            "[--]",
            "[-a]",
            "[a-]",
            "[a-c-e]",
            "[~~#]",
            "[^^]",
            "[.*+?(){}|$/]",
            r"[\d\W\s]",
            r"[\b\0\cA\-\]\x41-\x43]",
            r"[\u{1F600}-\uD83D\uDE4F]",
            r"[\uD800-\uDFFF]",
            r"[^\uD800-\uDFFF]",
            r"[a-\uD900]",
            r"[\uD900-\u{10FFFF}]",
            r"[\u0000-\uFFFF]",
            r"[\p{L}\P{Lu}\p{Cs}]",
        ],
        &expect![[r#"
            []  =>  [^\x{0}-\x{10FFFF}]
            [^]  =>  [\x{0}-\x{10FFFF}]
            [abc]  =>  [abc]
            [^a-z_]  =>  [^a-z_]
            [a&&b]  =>  [a\&\&b]
            [[a]  =>  [\[a]
            [a--]
                Invalid range 1..4 a--: the range `a--` ends below its start; write `--a`, or `\-` for the hyphen
            [+--]  =>  [\+-\-]
            [--a]  =>  [\--a]
            [---]  =>  [\-]
            [--]  =>  [\-\-]
            [-a]  =>  [\-a]
            [a-]  =>  [a\-]
            [a-c-e]  =>  [a-c\-e]
            [~~#]  =>  [\~\~\#]
            [^^]  =>  [^\^]
            [.*+?(){}|$/]  =>  [\.\*\+\?\(\)\{\}\|\$/]
            [\d\W\s]  =>  [[0-9][^0-9A-Za-z_][\x{9}-\x{D} \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]]
            [\b\0\cA\-\]\x41-\x43]  =>  [\x{8}\x{0}\x{1}\-\]A-C]
            [\u{1F600}-\uD83D\uDE4F]  =>  [\x{1F600}-\x{1F64F}]
            [\uD800-\uDFFF]  =>  [^\x{0}-\x{10FFFF}]
            [^\uD800-\uDFFF]  =>  [\x{0}-\x{10FFFF}]
            [a-\uD900]  =>  [a-\x{D7FF}]
            [\uD900-\u{10FFFF}]  =>  [\x{E000}-\x{10FFFF}]
            [\u0000-\uFFFF]  =>  [\x{0}-\x{FFFF}]
            [\p{L}\P{Lu}\p{Cs}]  =>  [\p{gc=L}\P{gc=Lu}[^\x{0}-\x{10FFFF}]]
        "#]],
    );
}

#[test]
fn quantifiers() {
    check(
        &[
            "a*b+c?",
            "a*?b+?c??",
            "a{2}b{2,}c{2,3}",
            "a{2}?b{2,}?c{2,3}?",
            "a{007}",
            "a{0}",
            "[a]{2}(b){3}.{4}",
            r"\u{1F600}*",
            "a{3,2}",
            "a{65536}",
            "a{99999999999999999999}",
            "a{2,99999999999999999999}",
            "a{99999999999999999999,2}",
            "a{65535}",
            "(?:(?:a{100}){100}){100}",
            "*a",
            "a|+",
            "(?)",
            "(?:?)",
            "{2}",
            "a|{2,}",
            "^*",
            "${2}",
            r"\b+",
            r"\B?",
            "a**",
            "a++",
            "a{2}+",
            "a*??",
            "a{1}{2}",
            "(?=a)*",
        ],
        &expect![[r#"
            a*b+c?  =>  a*b+c?
            a*?b+?c??  =>  a*?b+?c??
            a{2}b{2,}c{2,3}  =>  a{2}b{2,}c{2,3}
            a{2}?b{2,}?c{2,3}?  =>  a{2}?b{2,}?c{2,3}?
            a{007}  =>  a{7}
            a{0}  =>  a{0}
            [a]{2}(b){3}.{4}  =>  [a]{2}(?:b){3}[^\n\r\x{2028}\x{2029}]{4}
            \u{1F600}*  =>  \x{1F600}*
            a{3,2}
                Invalid quantifier 1..6 {3,2}: `{3,2}` ends below its start; write `{2,3}`
            a{65536}
                TooLarge quantifier 1..8 {65536}: `{65536}` repeats more than 65535 times; write a lower count, or `*` or `+` for any
            a{99999999999999999999}
                TooLarge quantifier 1..23 {99999999999999999999}: `{99999999999999999999}` repeats more than 65535 times; write a lower count, or `*` or `+` for any
            a{2,99999999999999999999}
                TooLarge quantifier 1..25 {2,99999999999999999999}: `{2,99999999999999999999}` repeats more than 65535 times; write a lower count, or `*` or `+` for any
            a{99999999999999999999,2}
                Invalid quantifier 1..25 {99999999999999999999,2}: `{99999999999999999999,2}` ends below its start; write `{2,99999999999999999999}`
            a{65535}
                TooLarge pattern 0..8 a{65535}: the pattern is too large once its repetitions are written out; lower the counts or split it into several rules
            (?:(?:a{100}){100}){100}
                TooLarge pattern 0..24 (?:(?:a{100}){100}){100}: the pattern is too large once its repetitions are written out; lower the counts or split it into several rules
            *a
                Invalid quantifier 0..1 *: `*` has nothing to repeat; write `\*` to match it as text
            a|+
                Invalid quantifier 2..3 +: `+` has nothing to repeat; write `\+` to match it as text
            (?)
                Invalid group 0..3 (?): `(?)` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?:?)
                Invalid quantifier 3..4 ?: `?` has nothing to repeat; write `\?` to match it as text
            {2}
                Invalid quantifier 0..3 {2}: `{2}` has nothing to repeat; write `\{2}` to match it as text
            a|{2,}
                Invalid quantifier 2..6 {2,}: `{2,}` has nothing to repeat; write `\{2,}` to match it as text
            ^*
                Invalid quantifier 1..2 *: `^` asserts a position and cannot be repeated; remove `*`
            ${2}
                Invalid quantifier 1..4 {2}: `$` asserts a position and cannot be repeated; remove `{2}`
            \b+
                Invalid quantifier 2..3 +: `\b` asserts a position and cannot be repeated; remove `+`
            \B?
                Invalid quantifier 2..3 ?: `\B` asserts a position and cannot be repeated; remove `?`
            a**
                Invalid quantifier 2..3 *: `*` has nothing to repeat after `*`; keep one of the two
            a++
                Invalid quantifier 2..3 +: `++` is a possessive quantifier, which ECMA-262 does not have; write `+`
            a{2}+
                Invalid quantifier 4..5 +: `{2}+` is a possessive quantifier, which ECMA-262 does not have; write `{2}`
            a*??
                Invalid quantifier 3..4 ?: `?` has nothing to repeat after `*?`; keep one of the two
            a{1}{2}
                Invalid quantifier 4..7 {2}: `{2}` has nothing to repeat after `{1}`; keep one of the two
            (?=a)*
                Invalid quantifier 5..6 *: `(?=a)` asserts a position and cannot be repeated; remove `*`
        "#]],
    );
}

#[test]
fn the_translation_means_what_ecma_262_means() {
    // Each text is one that the `regex` crate decides otherwise for the pattern as written.
    for (pattern, text, expected) in [
        (r"^\d$", "\u{663}", false),
        (r"^\w$", "é", false),
        (r"^\s$", "\u{FEFF}", true),
        (r"^\s$", "\u{85}", false),
        (r"^\S$", "\u{85}", true),
        ("^.$", "\r", false),
        ("^.$", "\u{2028}", false),
        ("^.$", "\u{1F600}", true),
        (r"\b", "é", false),
        (r"a\b", "aé", true),
        (r"^\B$", "", true),
        (r"a\B.", "aé", false),
        (r"[^_]{2}|\B", "b\u{A0}B", true),
        ("^[a&&b]$", "&", true),
        ("^[^]$", "\n", true),
        ("[]", "a", false),
        (r"^\uD83D\uDE00$", "\u{1F600}", true),
        (r"\uD83D", "\u{1F600}", false),
        ("^a$", "a\n", false),
        ("^b", "a\nb", false),
        (r"rm\s+-rf", "sudo rm  -rf /", true),
        ("a{,2}", "a{,2}", true),
        ("^a{,2}$", "aa", false),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} on {text:?}");
    }
}

#[test]
fn patterns_are_equal_by_source() {
    let pattern = Pattern::compile(r"\d").unwrap();
    assert_eq!(pattern, pattern.clone());
    assert_ne!(pattern, Pattern::compile("[0-9]").unwrap());
    assert_eq!(format!("{pattern} {pattern:?}"), r#"\d Pattern("\\d")"#);
}
