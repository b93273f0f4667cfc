use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::super::super::Document;
use super::Str;

fn with<T>(literal: &str, look: impl FnOnce(Str<'_>) -> T) -> T {
    let text = format!("key = {literal}\n");
    let document = Document::parse(&text);
    let value = document.root().get("key").unwrap().value();
    let super::super::Node::Str(string) = value else {
        panic!("{literal} is {value:?}");
    };
    assert_eq!(string.text(), literal);
    look(string)
}

/// The source of a stretch of the decoded string.
fn source(literal: &str, part: &str) -> String {
    with(literal, |string| {
        let value = string.value();
        let start = value.find(part).unwrap();
        let span = string.span_of(start..start + part.len());
        let base = string.span().start as usize;
        literal
            .get(span.start as usize - base..span.end as usize - base)
            .unwrap()
            .to_owned()
    })
}

#[test]
fn a_stretch_of_a_string_has_its_source() {
    assert_eq!(source("\"abc\"", "b"), "b");
    assert_eq!(source("'a\\b'", "\\b"), "\\b");
    assert_eq!(source(r#""rm\\s+""#, "s+"), "s+");
    assert_eq!(source(r#""rm\\s+""#, "\\"), "\\\\");
    assert_eq!(source(r#""x\u00e9y""#, "é"), "\\u00e9");
    assert_eq!(source(r#""x\u00e9y""#, "éy"), "\\u00e9y");
    assert_eq!(source("\"\"\"\nfirst\nsecond\"\"\"", "first"), "first");
    assert_eq!(
        source("\"\"\"\r\nfirst\r\nsecond\"\"\"", "second"),
        "second"
    );
    assert_eq!(source("\"\"\"one \\\n   two\"\"\"", "two"), "two");
    assert_eq!(
        source("\"\"\"one \\\n   two\"\"\"", "one two"),
        "one \\\n   two"
    );
    assert_eq!(source("'''\nraw\\'''", "raw\\"), "raw\\");
}

#[test]
fn a_range_beyond_the_string_is_cut() {
    with("\"abc\"", |string| {
        assert_eq!(string.span_of(1..99).range(), 8..10);
        assert_eq!(string.span_of(50..99).range(), 10..10);
        assert_eq!(string.span_of(1..1).range(), 8..8);
        assert_eq!(string.decoded_offset(0), 0);
        assert_eq!(string.decoded_offset(99), 3);
    });
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "é",
        " ",
        "\\n",
        "\\\\",
        "\\\"",
        "\\u00e9",
        "\\x41",
        "\\U0001F600",
        "\\e",
        "\\\n  ",
        "\n",
        "\r\n",
    ])
}

proptest! {
    #[test]
    fn offsets_go_both_ways(pieces in prop::collection::vec(piece(), 0..12)) {
        let literal = format!("\"\"\"x{}\"\"\"", pieces.concat());
        with(&literal, |string| {
            let value = string.value().into_owned();
            let whole = string.span_of(0..value.len());
            prop_assert!(whole.end <= string.span().end - 3);
            for (start, c) in value.char_indices() {
                let span = string.span_of(start..start + c.len_utf8());
                let document = string.node.document.text();
                prop_assert!(document.get(span.range()).is_some_and(|source| !source.is_empty()));
                prop_assert_eq!(string.decoded_offset(span.start), start);
            }
            Ok(())
        })?;
    }
}
