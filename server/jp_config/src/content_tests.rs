use expect_test::{Expect, expect};
use serde_json::Value;

use super::{Content, ContentFormat};

fn check(format: ContentFormat, text: &str, expected: &Expect) {
    let shown = match Content::parse(format, text) {
        Content::Data(Ok(value)) => value.to_string(),
        Content::Data(Err(error)) => format!("line {}: {error}", error.line),
        Content::Toml(document) => format!("toml with {} errors", document.errors().len()),
    };
    expected.assert_eq(&shown);
}

#[test]
fn json_may_have_comments_and_trailing_commas() {
    check(
        ContentFormat::Json,
        "{ // run\n  \"a\": [1, 2,],\n}",
        &expect![[r#"{"a":[1,2]}"#]],
    );
}

#[test]
fn an_empty_data_file_is_an_empty_table() {
    check(ContentFormat::Json, " \n", &expect!["{}"]);
    check(ContentFormat::Yaml, "# nothing\n", &expect!["{}"]);
}

#[test]
fn yaml_merge_keys_are_applied() {
    check(
        ContentFormat::Yaml,
        "base: &base\n  run: ask\nother:\n  <<: *base\n  result: skip\n",
        &expect![[r#"{"base":{"run":"ask"},"other":{"result":"skip","run":"ask"}}"#]],
    );
}

#[test]
fn json5_is_refused_as_jp_does() {
    check(
        ContentFormat::Json5,
        "{a: 1}",
        &expect!["line 0: `jp` cannot read JSON5 config; write it as TOML, JSON or YAML"],
    );
}

#[test]
fn a_broken_json_file_says_where() {
    let Content::Data(Err(error)) = Content::parse(ContentFormat::Json, "{\n  \"a\": tru\n}")
    else {
        panic!("broken JSON was accepted");
    };
    assert_eq!(error.line, 1);
}

#[test]
fn hostile_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        check(
            ContentFormat::Json,
            &text,
            &expect!["line 0: invalid JSON: nested deeper than 128 levels"],
        );
        // What comes one after another is not nested.
        let text = format!("[{}1", format!("{open}1{close},").repeat(200));
        let Content::Data(Err(error)) = Content::parse(ContentFormat::Json, &text) else {
            panic!("an array that does not end");
        };
        assert!(!error.message.contains("nested"), "{error}");
    }
    let text = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    assert!(matches!(
        Content::parse(ContentFormat::Yaml, &text),
        Content::Data(Err(_))
    ));
}

#[test]
fn a_byte_order_mark_is_not_content() {
    let Content::Data(Ok(Value::Object(map))) = Content::parse(ContentFormat::Json, "\u{feff}{}")
    else {
        panic!("the mark was read as content");
    };
    assert!(map.is_empty());
}

#[test]
fn broken_data_says_whether_it_means_to_be_config() {
    let names = |format, text: &str| match Content::parse(format, text) {
        Content::Data(Err(error)) => error.names_config,
        _ => panic!("{text} can be read"),
    };
    for text in [
        "{\"assistant\":",
        "{ a: 1, 'style' : [",
        "\"extends\": [\"x\"] }",
    ] {
        assert!(names(ContentFormat::Json, text), "{text}");
    }
    for text in [
        "{",
        "{\"compilerOptions\":",
        "{\"a\": \"assistant\" b: 1",
        "{ \"x.style\": ",
    ] {
        assert!(!names(ContentFormat::Json, text), "{text}");
    }
    assert!(names(ContentFormat::Yaml, "style:\n  code: ["));
    assert!(!names(ContentFormat::Yaml, "on: [\n  push: style"));
    // Each colon of a line is looked at by itself, however long the line is.
    let entries = "{ \u{e9}: 1 }, ".repeat(20_000);
    assert!(!names(ContentFormat::Yaml, &format!("a: [{entries}")));
    assert!(names(
        ContentFormat::Yaml,
        &format!("a: [{entries}\nstyle: ")
    ));
    assert!(!names(
        ContentFormat::Yaml,
        &format!("a: [{entries} style: ")
    ));
}

#[test]
fn yaml_has_no_escape_for_half_a_character() {
    check(
        ContentFormat::Yaml,
        "a: b\nuser:\n  name: \"\\ud834\\udd1e\"\n",
        &expect![
            r"line 2: invalid YAML: `\ud834` is half of a character; write the character, or `\U` and its 8 hexadecimal digits"
        ],
    );
    for fine in [
        r#"user: { name: "\u00e9" }"#,
        r#"user: { name: "\U0001D11E" }"#,
        r#"user: { name: "\\ud834" }"#,
        r"user: { name: '\ud834' }",
        r"user: { name: \ud834 }",
        "# \\ud834\nuser: { name: a }",
    ] {
        let read = Content::parse(ContentFormat::Yaml, fine);
        assert!(matches!(read, Content::Data(Ok(_))), "{fine}");
    }
    // Of a long line only what is half of a character is looked at again.
    let long = format!("a: \"{}\"\n", "\\u00e9".repeat(50_000));
    assert!(matches!(
        Content::parse(ContentFormat::Yaml, &long),
        Content::Data(Ok(_))
    ));
}
