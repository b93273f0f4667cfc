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
fn annex_b_leniencies_keep_their_meaning_and_warn() {
    check(
        &[
            "a{2",
            "a{",
            "{",
            "}",
            "]",
            "a{,3}",
            "a{2, 3}",
            "a{ 2 }",
            "a{2,3,4}",
            "a{}",
            "{a}",
            "a{b,2}",
            "a]}",
            r"\-\_\ \<\>\'\#\é",
            r"[\_\&\~]",
            r"[\d-x]",
            r"[a-\d]",
            r"[\d-\w]",
            "[[:alpha:]]",
            "{{path}}",
        ],
        &expect![[r#"
            a{2  =>  a\{2
                1..2 { -> \{: `{` stands for itself here; write `\{`
            a{  =>  a\{
                1..2 { -> \{: `{` stands for itself here; write `\{`
            {  =>  \{
                0..1 { -> \{: `{` stands for itself here; write `\{`
            }  =>  \}
                0..1 } -> \}: `}` stands for itself here; write `\}`
            ]  =>  \]
                0..1 ] -> \]: `]` stands for itself here; write `\]`
            a{,3}  =>  a\{,3\}
                1..5 {,3} -> \{,3\}: `{,3}` is no quantifier and stands for itself; write `{0,3}` for the quantifier, `\{,3\}` for the characters
            a{2, 3}  =>  a\{2, 3\}
                1..7 {2, 3} -> \{2, 3\}: `{2, 3}` is no quantifier and stands for itself; write `{2,3}` for the quantifier, `\{2, 3\}` for the characters
            a{ 2 }  =>  a\{ 2 \}
                1..6 { 2 } -> \{ 2 \}: `{ 2 }` is no quantifier and stands for itself; write `{2}` for the quantifier, `\{ 2 \}` for the characters
            a{2,3,4}  =>  a\{2,3,4\}
                1..8 {2,3,4} -> \{2,3,4\}: `{2,3,4}` is no quantifier and stands for itself; write `\{2,3,4\}`
            a{}  =>  a\{\}
                1..2 { -> \{: `{` stands for itself here; write `\{`
                2..3 } -> \}: `}` stands for itself here; write `\}`
            {a}  =>  \{a\}
                0..1 { -> \{: `{` stands for itself here; write `\{`
                2..3 } -> \}: `}` stands for itself here; write `\}`
            a{b,2}  =>  a\{b,2\}
                1..2 { -> \{: `{` stands for itself here; write `\{`
                5..6 } -> \}: `}` stands for itself here; write `\}`
            a]}  =>  a\]\}
                1..2 ] -> \]: `]` stands for itself here; write `\]`
                2..3 } -> \}: `}` stands for itself here; write `\}`
            \-\_\ \<\>\'\#\é  =>  \-_ <>'\#é
                0..2 \- -> -: `\-` stands for `-`, which needs no backslash; write `-`
                2..4 \_ -> _: `\_` stands for `_`, which needs no backslash; write `_`
                4..6 \  ->  : `\ ` stands for ` `, which needs no backslash; write ` `
                6..8 \< -> <: `\<` stands for `<`, which needs no backslash; write `<`
                8..10 \> -> >: `\>` stands for `>`, which needs no backslash; write `>`
                10..12 \' -> ': `\'` stands for `'`, which needs no backslash; write `'`
                12..14 \# -> #: `\#` stands for `#`, which needs no backslash; write `#`
                14..17 \é -> é: `\é` stands for `é`, which needs no backslash; write `é`
            [\_\&\~]  =>  [_\&\~]
                1..3 \_ -> _: `\_` stands for `_`, which needs no backslash; write `_`
                3..5 \& -> &: `\&` stands for `&`, which needs no backslash; write `&`
                5..7 \~ -> ~: `\~` stands for `~`, which needs no backslash; write `~`
            [\d-x]  =>  [[0-9]\-x]
                3..4 - -> \-: `-` in `\d-x` stands for itself, as a set cannot end a range; write `\-`
            [a-\d]  =>  [a\-[0-9]]
                2..3 - -> \-: `-` in `a-\d` stands for itself, as a set cannot end a range; write `\-`
            [\d-\w]  =>  [[0-9]\-[0-9A-Za-z_]]
                3..4 - -> \-: `-` in `\d-\w` stands for itself, as a set cannot end a range; write `\-`
            [[:alpha:]]  =>  [\[:alpha:]\]
                10..11 ] -> \]: ECMA-262 has no POSIX classes, so `]` stands for itself here; write the characters, like `[a-z]`, or `\]`
            {{path}}  =>  \{\{path\}\}
                0..1 { -> \{: `{` stands for itself here; write `\{`
                1..2 { -> \{: `{` stands for itself here; write `\{`
                6..7 } -> \}: `}` stands for itself here; write `\}`
                7..8 } -> \}: `}` stands for itself here; write `\}`
        "#]],
    );
}

#[test]
fn lookaround_backreferences_and_inline_flags_are_unsupported() {
    check(
        &[
            "a(?=b)",
            "a(?!b)",
            "(?<=a)b",
            "(?<!a)b",
            r"(a)\1",
            r"\1(a)",
            r"(?<n>a)\k<n>",
            r"\k<n>(?<n>a)",
            "(?i:a)",
            "(?i-ms:a)",
            "(?-i:a)",
            r"\p{Changes_When_NFKC_Casefolded}",
            r"(a)\1(?=b)",
            "x(?=a)(?!b)",
        ],
        &expect![[r#"
            a(?=b)
                Unsupported lookahead 1..4 (?=: the lookahead `(?=...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first
            a(?!b)
                Unsupported negative lookahead 1..4 (?!: the negative lookahead `(?!...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first
            (?<=a)b
                Unsupported lookbehind 0..4 (?<=: the lookbehind `(?<=...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first
            (?<!a)b
                Unsupported negative lookbehind 0..4 (?<!: the negative lookbehind `(?<!...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first
            (a)\1
                Unsupported backreference 3..5 \1: the backreference `\1` is not supported: patterns must match in linear time; write out the texts that it may repeat
            \1(a)
                Unsupported backreference 0..2 \1: the backreference `\1` is not supported: patterns must match in linear time; write out the texts that it may repeat
            (?<n>a)\k<n>
                Unsupported backreference 7..12 \k<n>: the backreference `\k<n>` is not supported: patterns must match in linear time; write out the texts that it may repeat
            \k<n>(?<n>a)
                Unsupported backreference 0..5 \k<n>: the backreference `\k<n>` is not supported: patterns must match in linear time; write out the texts that it may repeat
            (?i:a)
                Unsupported inline flags 0..4 (?i:: the inline flags `(?i:...)` are not supported: ECMA-262 has them only since 2025; spell out the characters, like `[aA]`
            (?i-ms:a)
                Unsupported inline flags 0..7 (?i-ms:: the inline flags `(?i-ms:...)` are not supported: ECMA-262 has them only since 2025; spell out the characters, like `[aA]`
            (?-i:a)
                Unsupported inline flags 0..5 (?-i:: the inline flags `(?-i:...)` are not supported: ECMA-262 has them only since 2025; spell out the characters, like `[aA]`
            \p{Changes_When_NFKC_Casefolded}
                Unsupported unicode property 0..32 \p{Changes_When_NFKC_Casefolded}: the property `\p{Changes_When_NFKC_Casefolded}` is not supported: the matching engine has no data for it; write out the characters in a class
            (a)\1(?=b)
                Unsupported backreference 3..5 \1: the backreference `\1` is not supported: patterns must match in linear time; write out the texts that it may repeat
            x(?=a)(?!b)
                Unsupported lookahead 1..4 (?=: the lookahead `(?=...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first
        "#]],
    );
}

#[test]
fn what_ecma_262_rejects_is_invalid() {
    check(
        &[
            "(",
            "(?:a",
            "a)",
            "(a))",
            "[a",
            "[^",
            "[",
            "\\",
            r"[\",
            "(?",
            "(?x)",
            "(?i)a",
            "(?ii:a)",
            "(?-:a)",
            "(?i-i:a)",
            "(?u:a)",
            "(?P<n>a)",
            "(?P=n)",
            "(?'n'a)",
            "(?>a)",
            "(?|a)",
            "(?#note)a",
            "(?(1)a)",
            "(?<>a)",
            "(?<1a>a)",
            "(?<a",
            "(?<a b>c)",
            r"(?<\x61>a)",
            r"(?<a\u003E>b)",
            "(?<n>a)(?<n>b)",
            "(?<n>a(?<n>b))",
            "(?<n>a|(?<n>b))",
            r"\A\z",
            r"a\z",
            r"a\Z",
            r"\h",
            r"\H",
            r"\R",
            r"\N",
            r"\Qa\E",
            r"\a",
            r"\e",
            r"\U0001F600",
            r"\K",
            r"\y",
            r"\c",
            r"\c1",
            r"[\c]",
            r"\x4",
            r"\x{41}",
            r"\u41",
            r"\u{}",
            r"\u{110000}",
            r"\u{41",
            r"\01",
            r"\1",
            r"(a)\2",
            r"\99999999999999999999",
            r"[\1]",
            r"[\B]",
            r"\k",
            r"\k<n>",
            r"\k<n",
            r"[\k]",
            r"\pL",
            r"\p{",
            r"\p{Greek}",
            r"\p{greek}",
            r"\p{lu}",
            r"\p{Script=greek}",
            r"\p{Block=Greek}",
            r"\p{^Lu}",
            "[z-a]",
            r"[\u{1F600}-é]",
            r"(?=a)[z-a]",
        ],
        &expect![[r#"
            (
                Invalid group 0..1 (: `(` is never closed; write `)` at the group's end, or `\(` for the character
            (?:a
                Invalid group 0..1 (: `(` is never closed; write `)` at the group's end, or `\(` for the character
            a)
                Invalid group 1..2 ): `)` closes no group; write `\)` for the character
            (a))
                Invalid group 3..4 ): `)` closes no group; write `\)` for the character
            [a
                Invalid character class 0..1 [: `[` is never closed; write `]` at the class's end, or `\[` for the character
            [^
                Invalid character class 0..1 [: `[` is never closed; write `]` at the class's end, or `\[` for the character
            [
                Invalid character class 0..1 [: `[` is never closed; write `]` at the class's end, or `\[` for the character
            \
                Invalid escape 0..1 \: the pattern ends in a lone `\`; write `\\` for the character
            [\
                Invalid escape 1..2 \: the pattern ends in a lone `\`; write `\\` for the character
            (?
                Invalid group 0..2 (?: `(?` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?x)
                Invalid group 0..4 (?x): `(?x)` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?i)a
                Invalid group 0..4 (?i): `(?i)` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?ii:a)
                Invalid group 0..5 (?ii:: `(?ii:` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?-:a)
                Invalid group 0..4 (?-:: `(?-:` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?i-i:a)
                Invalid group 0..6 (?i-i:: `(?i-i:` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?u:a)
                Invalid group 0..4 (?u:: `(?u:` opens no group of ECMA-262; write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case
            (?P<n>a)
                Invalid group 0..4 (?P<: `(?P<` opens no group of ECMA-262; write `(?<name>...)` for a named group
            (?P=n)
                Invalid group 0..4 (?P=: `(?P=` opens no group of ECMA-262; write out what the group matches
            (?'n'a)
                Invalid group 0..3 (?': `(?'` opens no group of ECMA-262; write `(?<name>...)` for a named group
            (?>a)
                Invalid group 0..3 (?>: `(?>` opens no group of ECMA-262; write `(?:...)` for a group
            (?|a)
                Invalid group 0..3 (?|: `(?|` opens no group of ECMA-262; write `(?:...)` for a group
            (?#note)a
                Invalid group 0..3 (?#: `(?#` opens no group of ECMA-262; put comments into the configuration file
            (?(1)a)
                Invalid group 0..2 (?: `(?` opens no group of ECMA-262; write `(?:...)` for a group
            (?<>a)
                Invalid group name 0..4 (?<>: a group name is an identifier between `<` and `>`; write it like `(?<name>...)`
            (?<1a>a)
                Invalid group name 0..4 (?<1: a group name is an identifier between `<` and `>`; write it like `(?<name>...)`
            (?<a
                Invalid group name 0..4 (?<a: a group name is an identifier between `<` and `>`; write it like `(?<name>...)`
            (?<a b>c)
                Invalid group name 0..5 (?<a : a group name is an identifier between `<` and `>`; write it like `(?<name>...)`
            (?<\x61>a)
                Invalid group name 0..3 (?<: a group name is an identifier between `<` and `>`; write it like `(?<name>...)`
            (?<a\u003E>b)
                Invalid group name 0..10 (?<a\u003E: a group name is an identifier between `<` and `>`; write it like `(?<name>...)`
            (?<n>a)(?<n>b)
                Invalid group name 7..12 (?<n>: the group name `n` is used twice; choose another name
            (?<n>a(?<n>b))
                Invalid group name 6..11 (?<n>: the group name `n` is used twice; choose another name
            (?<n>a|(?<n>b))
                Invalid group name 7..12 (?<n>: the group name `n` is used twice; choose another name
            \A\z
                Invalid escape 0..2 \A: `\A` is no escape of ECMA-262; write `^` for the start of the text
            a\z
                Invalid escape 1..3 \z: `\z` is no escape of ECMA-262; write `$` for the end of the text
            a\Z
                Invalid escape 1..3 \Z: `\Z` is no escape of ECMA-262; write `$` for the end of the text
            \h
                Invalid escape 0..2 \h: `\h` is no escape of ECMA-262; write `[ \t]` for a blank, `h` for the letter
            \H
                Invalid escape 0..2 \H: `\H` is no escape of ECMA-262; write `[^ \t]` for anything but a blank, `H` for the letter
            \R
                Invalid escape 0..2 \R: `\R` is no escape of ECMA-262; write `(?:\r\n|[\n\r])` for a line break, `R` for the letter
            \N
                Invalid escape 0..2 \N: `\N` is no escape of ECMA-262; write `.` for anything but a line break, `N` for the letter
            \Qa\E
                Invalid escape 0..2 \Q: `\Q` is no escape of ECMA-262; write a backslash before each special character
            \a
                Invalid escape 0..2 \a: `\a` is no escape of ECMA-262; write `\x07` for the bell character, `a` for the letter
            \e
                Invalid escape 0..2 \e: `\e` is no escape of ECMA-262; write `\x1B` for the escape character, `e` for the letter
            \U0001F600
                Invalid escape 0..2 \U: `\U` is no escape of ECMA-262; write `\u{1F600}` for a character code, `U` for the letter
            \K
                Invalid escape 0..2 \K: `\K` is no escape of ECMA-262; write the letter without a backslash, or `\\` for a backslash
            \y
                Invalid escape 0..2 \y: `\y` is no escape of ECMA-262; write the letter without a backslash, or `\\` for a backslash
            \c
                Invalid escape 0..2 \c: `\c` is no escape of ECMA-262; write a letter after it, like `\cJ`, or `\\c` for the characters
            \c1
                Invalid escape 0..2 \c: `\c` is no escape of ECMA-262; write a letter after it, like `\cJ`, or `\\c` for the characters
            [\c]
                Invalid escape 1..3 \c: `\c` is no escape of ECMA-262; write a letter after it, like `\cJ`, or `\\c` for the characters
            \x4
                Invalid escape 0..3 \x4: `\x4` is no escape of ECMA-262; write two hexadecimal digits after it, like `\x0A`, or `\u{1F600}` for a longer code
            \x{41}
                Invalid escape 0..2 \x: `\x` is no escape of ECMA-262; write two hexadecimal digits after it, like `\x0A`, or `\u{1F600}` for a longer code
            \u41
                Invalid escape 0..4 \u41: `\u41` is no escape of ECMA-262; write four hexadecimal digits after it, like `\u00E9`, or a code up to 10FFFF in braces, like `\u{1F600}`
            \u{}
                Invalid escape 0..3 \u{: `\u{` is no escape of ECMA-262; write four hexadecimal digits after it, like `\u00E9`, or a code up to 10FFFF in braces, like `\u{1F600}`
            \u{110000}
                Invalid escape 0..9 \u{110000: `\u{110000` is no escape of ECMA-262; write four hexadecimal digits after it, like `\u00E9`, or a code up to 10FFFF in braces, like `\u{1F600}`
            \u{41
                Invalid escape 0..5 \u{41: `\u{41` is no escape of ECMA-262; write four hexadecimal digits after it, like `\u00E9`, or a code up to 10FFFF in braces, like `\u{1F600}`
            \01
                Invalid escape 0..2 \0: `\0` is no escape of ECMA-262; write `\x` with two hexadecimal digits for a character code
            \1
                Invalid backreference 0..2 \1: `\1` refers to a group that does not exist; write `\x` with two hexadecimal digits for a character code
            (a)\2
                Invalid backreference 3..5 \2: `\2` refers to a group that does not exist; write `\x` with two hexadecimal digits for a character code
            \99999999999999999999
                Invalid backreference 0..21 \99999999999999999999: `\99999999999999999999` refers to a group that does not exist; write `\x` with two hexadecimal digits for a character code
            [\1]
                Invalid escape 1..3 \1: `\1` is no escape of ECMA-262; write `\x` with two hexadecimal digits for a character code
            [\B]
                Invalid escape 1..3 \B: `\B` is no escape of ECMA-262; write the letter without a backslash, or `\\` for a backslash
            \k
                Invalid escape 0..2 \k: `\k` is no escape of ECMA-262; write `k` for the letter
            \k<n>
                Invalid backreference 0..5 \k<n>: `\k<n>` refers to a group that does not exist; declare `(?<n>...)` or remove the reference
            \k<n
                Invalid group name 0..4 \k<n: a group name is an identifier between `<` and `>`; write it like `(?<name>...)`
            [\k]
                Invalid escape 1..3 \k: `\k` is no escape of ECMA-262; write the letter without a backslash, or `\\` for a backslash
            \pL
                Invalid escape 0..2 \p: `\p` is no escape of ECMA-262; write the name of a property in braces, like `\p{Lu}`
            \p{
                Invalid escape 0..3 \p{: `\p{` is no escape of ECMA-262; write the name of a property in braces, like `\p{Lu}`
            \p{Greek}
                Invalid unicode property 0..9 \p{Greek}: `\p{Greek}` names no Unicode property of ECMA-262; write `\p{Script=Greek}`
            \p{greek}
                Invalid unicode property 0..9 \p{greek}: `\p{greek}` names no Unicode property of ECMA-262; write `\p{Script=Greek}`
            \p{lu}
                Invalid unicode property 0..6 \p{lu}: `\p{lu}` names no Unicode property of ECMA-262; write `\p{Lu}`
            \p{Script=greek}
                Invalid unicode property 0..16 \p{Script=greek}: `\p{Script=greek}` names no Unicode property of ECMA-262; write `\p{Script=Greek}`
            \p{Block=Greek}
                Invalid unicode property 0..15 \p{Block=Greek}: `\p{Block=Greek}` names no Unicode property of ECMA-262; write one like `\p{Lu}` or `\p{Script=Greek}`
            \p{^Lu}
                Invalid unicode property 0..7 \p{^Lu}: `\p{^Lu}` names no Unicode property of ECMA-262; write one like `\p{Lu}` or `\p{Script=Greek}`
            [z-a]
                Invalid range 1..4 z-a: the range `z-a` ends below its start; write `a-z`, or `\-` for the hyphen
            [\u{1F600}-é]
                Invalid range 1..13 \u{1F600}-é: the range `\u{1F600}-é` ends below its start; write `é-\u{1F600}`, or `\-` for the hyphen
            (?=a)[z-a]
                Invalid range 6..9 z-a: the range `z-a` ends below its start; write `a-z`, or `\-` for the hyphen
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
fn nested_quantifiers_take_linear_time() {
    let pattern = Pattern::compile("^(a+)+$").unwrap();
    let mut text = "a".repeat(50_000);
    assert!(pattern.is_match(&text));
    text.push('!');
    assert_eq!(pattern.try_is_match(&text), Some(false));
}

#[test]
fn long_patterns_are_too_large() {
    let longest = "abcdefgh".repeat(MAX_SOURCE_LENGTH / 8);
    assert!(Pattern::compile(&longest).unwrap().is_match(&longest));
    let error = Pattern::compile(&format!("{longest}a")).unwrap_err();
    assert_eq!(
        error,
        PatternError {
            kind: PatternErrorKind::TooLarge,
            construct: "pattern".to_owned(),
            message: "the pattern is longer than 4096 bytes; split it into several rules"
                .to_owned(),
            offset: 0..4097,
        }
    );
}

#[test]
fn deep_groups_are_too_large_before_the_engine_sees_them() {
    let nested = |depth: usize| format!("{}x{}", "(a|b".repeat(depth), "c)*".repeat(depth));
    let deepest = Pattern::compile(&nested(50)).unwrap();
    assert!(deepest.is_match(""));
    // With the default limits of the `regex` crate too.
    Regex::new(deepest.rust_source()).unwrap();

    let error = Pattern::compile(&nested(51)).unwrap_err();
    assert_eq!(error.kind, PatternErrorKind::TooLarge);
    assert_eq!(error.offset, 200..201);
    assert_eq!(
        error.to_string(),
        "groups nest more than 50 deep; write the pattern with fewer groups or split it into several rules"
    );
    let error = Pattern::compile(&"(".repeat(MAX_SOURCE_LENGTH)).unwrap_err();
    assert_eq!(error.kind, PatternErrorKind::TooLarge);
}

#[test]
fn hostile_patterns_are_refused_or_compiled_without_blowing_up() {
    for source in [
        "^.{0,40460}$".to_owned(),
        r"\p{L}{1000}".to_owned(),
        r"\p{L}".repeat(MAX_SOURCE_LENGTH / 5),
        "((((((a{9}){9}){9}){9}){9}){9}){9}".to_owned(),
    ] {
        let error = Pattern::compile(&source).unwrap_err();
        assert_eq!(error.kind, PatternErrorKind::TooLarge);
        assert_eq!(
            error.message,
            "the pattern is too large once its repetitions are written out; lower the counts or split it into several rules"
        );
    }
    for source in [
        "(?:){65535}",
        "[]{65535}",
        "(?:a{0}){65535}",
        "(?:^|){9999}",
    ] {
        match Pattern::compile(source) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind, PatternErrorKind::TooLarge, "{source}"),
        }
    }
}

#[test]
fn a_panic_of_the_engine_is_no_answer() {
    assert_eq!(guarded(|| 1), Some(1));
    assert_eq!(guarded(|| -> bool { panic!("engine") }), None);
}

#[test]
fn patterns_are_equal_by_source() {
    let pattern = Pattern::compile(r"\d").unwrap();
    assert_eq!(pattern, pattern.clone());
    assert_ne!(pattern, Pattern::compile("[0-9]").unwrap());
    assert_eq!(format!("{pattern} {pattern:?}"), r#"\d Pattern("\\d")"#);
}
