//! What is refused, and what is forgiven.

use super::*;

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
