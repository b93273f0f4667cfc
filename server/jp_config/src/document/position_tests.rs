use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::super::{Document, PathSegment, Place, Position};

fn describe(position: &Position<'_>) -> String {
    let mut out = String::new();
    for segment in &position.path {
        match segment {
            PathSegment::Key(key) => write!(out, ".{key}").unwrap(),
            PathSegment::Index(index) => write!(out, "[{index}]").unwrap(),
        }
    }
    let place = match position.place {
        Place::Comment(_) => "comment".to_owned(),
        Place::Header {
            key,
            segment,
            segments,
        } => format!("header {:?} {}/{segments}", key.text(), segment + 1),
        Place::Key {
            key,
            segment,
            segments,
            has_equals,
        } => format!(
            "key {:?} {}/{segments}{}",
            key.text(),
            segment + 1,
            if has_equals { "" } else { " without `=`" }
        ),
        Place::Missing(scalar) => format!("missing {:?}", scalar.text()),
        Place::String { string, offset } => format!("string {:?} byte {offset}", string.value()),
        Place::Value(node) => format!("{:?}", node.kind()).to_lowercase(),
        Place::Array { index, .. } => format!("array item {index}"),
        Place::Inline => "inline table".to_owned(),
        Place::Blank { empty_line } => if empty_line { "empty line" } else { "blank" }.to_owned(),
    };
    format!("{out}: {place}, table {:?}", position.table)
}

/// Says what is at each `|` of a text.
fn check(marked: &str, expected: &Expect) {
    let text = marked.replace('|', "");
    let document = Document::parse(&text);
    let mut out = String::new();
    let mut before = 0;
    for (count, (at, _)) in marked.match_indices('|').enumerate() {
        let offset = at - count;
        let position = document.at(offset);
        writeln!(out, "{offset}: {}", describe(&position)).unwrap();
        assert!(offset >= before);
        before = offset;
    }
    expected.assert_eq(&out);
}

#[test]
fn in_headers() {
    check(
        "|[|con|versation|.tools.'a b'|]| # |c\n[[x.y]]\n[[x.|y]]|\n[x.y.|z]",
        &expect![[r#"
            0: .conversation: header "conversation" 1/3, table Root table@0..0
            1: .conversation: header "conversation" 1/3, table Root table@0..0
            4: .conversation: header "conversation" 1/3, table Root table@0..0
            13: .conversation: header "conversation" 1/3, table Root table@0..0
            25: .conversation.tools.a b: header "a b" 3/3, table Root table@0..0
            26: .conversation.tools.a b: blank, table Header table@0..26
            29: .conversation.tools.a b: comment, table Header table@0..26
            43: .x.y: header "y" 2/2, table Root table@0..0
            46: .x.y[1]: blank, table ArrayElement table@39..46
            52: .x.y[1].z: header "z" 3/3, table Root table@0..0
        "#]],
    );
}

#[test]
fn in_headers_being_typed() {
    check(
        "[|\n[conversation.|\n[[a|\n[a.b|]",
        &expect![[r#"
        1: .: header "" 1/1, table Root table@0..0
        16: .conversation.: header "" 2/2, table Root table@0..0
        20: .a: header "a" 1/1, table Root table@0..0
        25: .a[0].b: header "b" 2/2, table Root table@0..0
    "#]],
    );
}

#[test]
fn on_keys() {
    check(
        "[t]\n|ke|y| = 1\na.|b.c| = 2\nx|\ny.|\n|'q|' = 1",
        &expect![[r#"
            4: .t.key: key "key" 1/1, table Header table@0..3
            6: .t.key: key "key" 1/1, table Header table@0..3
            7: .t.key: key "key" 1/1, table Header table@0..3
            14: .t.a.b: key "b" 2/3, table Header table@0..3
            17: .t.a.b.c: key "c" 3/3, table Header table@0..3
            23: .t.x: key "x" 1/1 without `=`, table Header table@0..3
            26: .t.y.: key "" 2/2 without `=`, table Header table@0..3
            27: .t.q: key "q" 1/1, table Header table@0..3
            29: .t.q: key "q" 1/1, table Header table@0..3
        "#]],
    );
}

#[test]
fn in_values() {
    check(
        "a = |tr|ue|\nb = \"x|\\u00e9|y|\"\nc =| |\nd = |\"op|en|\ne = fa|\n",
        &expect![[r#"
            4: .a: boolean, table Root table@0..0
            6: .a: boolean, table Root table@0..0
            8: .a: boolean, table Root table@0..0
            15: .b: string "xéy" byte 1, table Root table@0..0
            21: .b: string "xéy" byte 3, table Root table@0..0
            22: .b: string "xéy" byte 4, table Root table@0..0
            27: .c: missing "", table Root table@0..0
            28: .c: missing "", table Root table@0..0
            33: .d: string "open" byte 0, table Root table@0..0
            36: .d: string "open" byte 2, table Root table@0..0
            38: .d: string "open" byte 4, table Root table@0..0
            45: .e: missing "fa", table Root table@0..0
        "#]],
    );
}

#[test]
fn in_arrays_and_inline_tables() {
    check(
        "[[t]]\nrun = [|\n  {| arg = \"/p|\", | mode = |},\n  |{ mo| },|\n|]|\nx = { a.b = [1, |2, |] | }",
        &expect![[r#"
            13: .t[0].run: array item 0, table ArrayElement table@0..5
            17: .t[0].run[0]: inline table, table Inline table@16..39
            27: .t[0].run[0].arg: string "/p" byte 2, table Inline table@16..39
            30: .t[0].run[0]: inline table, table Inline table@16..39
            38: .t[0].run[0].mode: missing "", table Inline table@16..39
            43: .t[0].run[1]: table, table Inline table@43..49
            47: .t[0].run[1].mo: key "mo" 1/1 without `=`, table Inline table@43..49
            50: .t[0].run: array item 2, table ArrayElement table@0..5
            51: .t[0].run: array item 2, table ArrayElement table@0..5
            52: .t[0].run: array, table ArrayElement table@0..5
            69: .t[0].x.a.b[1]: integer, table Inline table@57..76
            72: .t[0].x.a.b: array item 2, table Inline table@57..76
            74: .t[0].x: inline table, table Inline table@57..76
        "#]],
    );
}

#[test]
fn between_statements() {
    check(
        "|\n[a]\n|\n  |\nx = 1| |\n# co|mment|\n\n|[b]\n|",
        &expect![[r#"
            0: : empty line, table Root table@0..0
            5: .a: empty line, table Header table@1..4
            8: .a: empty line, table Header table@1..4
            14: .a.x: integer, table Header table@1..4
            15: .a: blank, table Header table@1..4
            20: .a: comment, table Header table@1..4
            25: .a: comment, table Header table@1..4
            27: .b: header "b" 1/1, table Root table@0..0
            31: .b: empty line, table Header table@27..30
        "#]],
    );
}

#[test]
fn in_unclosed_brackets() {
    check(
        "[a]\nx = [1, |\n\ny = { b = |\n[c]\n",
        &expect![[r#"
            12: .a.x: array item 1, table Header table@0..3
            24: .a.y.b: missing "", table Inline table@18..23
        "#]],
    );
}
