use std::fmt::Write as _;

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use crate::content::{Content, ContentFormat};

fn read(text: &str) -> String {
    match Content::parse(ContentFormat::Yaml, text) {
        Content::Data(Ok(value)) => value.to_string(),
        Content::Data(Err(error)) => format!("line {}: {}", error.line + 1, error.message),
        Content::Toml(_) => panic!("YAML was read as TOML"),
    }
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&read(text));
}

#[test]
fn own_keys_and_earlier_sources_win() {
    check(
        "a: &a { x: 1, y: 1 }\nb: &b { y: 2, z: 2 }\nc:\n  z: 3\n  <<: [*a, *b]\n",
        &expect![[r#"{"a":{"x":1,"y":1},"b":{"y":2,"z":2},"c":{"z":3,"x":1,"y":1}}"#]],
    );
    check(
        "- <<: { x: { <<: { y: 1 } } }\n",
        &expect![[r#"[{"x":{"y":1}}]"#]],
    );
}

#[test]
fn a_merge_key_in_what_is_merged_stays_a_key() {
    check(
        "a: { <<: { <<: { x: 1 }, y: 2 } }\n",
        &expect![[r#"{"a":{"<<":{"x":1},"y":2}}"#]],
    );
}

#[test]
fn only_mappings_are_merged() {
    let message = "invalid YAML: `<<` takes a mapping, or a list of mappings";
    for source in ["1", "", "[1]", "[[{ x: 1 }]]", "~"] {
        assert_eq!(
            read(&format!("a:\n  <<: {source}\n")),
            format!("line 2: {message}")
        );
    }
    assert_eq!(
        read("a: { <<: { x: 1 } }\nb: { <<: 1 }\n"),
        format!("line 1: {message}")
    );
    check(
        "a:\n  <<: { x: 1 }\n  <<: { y: 1 }\n",
        &expect![
            "line 3: invalid YAML: error: line 3 column 3: duplicate mapping key: <<, set DuplicateKeyPolicy in Options if acceptable"
        ],
    );
}

#[test]
fn thousands_of_nested_merges_are_one_look_at_each() {
    let merges = 3_000;
    let mut nested = String::new();
    for number in 0..merges {
        let _ = write!(nested, "{{ k{number}: 1 }}, ");
    }
    let text = format!(
        "a: {}[{nested}]{}\n",
        "{ b: { <<: ".repeat(20),
        " } }".repeat(20)
    );
    let value: serde_json::Value = serde_json::from_str(&read(&text)).expect("it is data");
    let innermost = (0..20).fold(&value["a"], |inner, _| &inner["b"]);
    assert_eq!(
        innermost.as_object().map(serde_json::Map::len),
        Some(merges)
    );
}
