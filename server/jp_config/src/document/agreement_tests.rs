//! The tree and the verdict agree with `toml_edit`, which `jp`'s own reader shares its parser with.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{Document, Node, SyntaxError, SyntaxErrorKind, dump};

/// A value that two trees can be compared by.
#[derive(Debug, Eq, PartialEq)]
enum Value {
    Table(BTreeMap<String, Value>),
    Array(Vec<Value>),
    Str(String),
    Integer(i64),
    Float(u64),
    Boolean(bool),
    Datetime(toml_datetime::Datetime),
    Missing,
}

fn float(value: f64) -> Value {
    Value::Float(if value.is_nan() { 0 } else { value.to_bits() })
}

fn ours(node: Node<'_>) -> Value {
    match node {
        Node::Table(table) => Value::Table(
            table
                .entries()
                .map(|entry| (entry.key().to_owned(), ours(entry.value())))
                .collect(),
        ),
        Node::Array(array) => Value::Array(array.items().map(ours).collect()),
        Node::Str(string) => Value::Str(string.value().into_owned()),
        Node::Integer(_) => Value::Integer(node.as_i64().unwrap()),
        Node::Float(_) => float(node.as_f64().unwrap()),
        Node::Boolean(_) => Value::Boolean(node.as_bool().unwrap()),
        Node::Datetime(scalar) => Value::Datetime(scalar.text().parse().unwrap()),
        Node::Missing(_) => Value::Missing,
    }
}

fn theirs(item: &toml_edit::Item) -> Value {
    match item {
        toml_edit::Item::None => Value::Missing,
        toml_edit::Item::Value(value) => theirs_value(value),
        toml_edit::Item::Table(table) => Value::Table(
            table
                .iter()
                .map(|(key, item)| (key.to_owned(), theirs(item)))
                .collect(),
        ),
        toml_edit::Item::ArrayOfTables(array) => Value::Array(
            array
                .iter()
                .map(|table| theirs(&toml_edit::Item::Table(table.clone())))
                .collect(),
        ),
    }
}

fn theirs_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(string) => Value::Str(string.value().clone()),
        toml_edit::Value::Integer(integer) => Value::Integer(*integer.value()),
        toml_edit::Value::Float(number) => float(*number.value()),
        toml_edit::Value::Boolean(boolean) => Value::Boolean(*boolean.value()),
        toml_edit::Value::Datetime(datetime) => Value::Datetime(*datetime.value()),
        toml_edit::Value::Array(array) => Value::Array(array.iter().map(theirs_value).collect()),
        toml_edit::Value::InlineTable(table) => Value::Table(
            table
                .iter()
                .map(|(key, value)| (key.to_owned(), theirs_value(value)))
                .collect(),
        ),
    }
}

/// Whether an error is about a segment of a dotted key that names an array of tables.
fn reaches_into_array(text: &str, error: &SyntaxError) -> bool {
    let after = text
        .get(error.span.end as usize..)
        .unwrap_or_default()
        .trim_start();
    let first = error.related.as_ref().map(|(span, _)| span.start as usize);
    let line = first.and_then(|start| text.get(..start)?.rsplit('\n').next());
    error.kind == SyntaxErrorKind::DuplicateKey
        && after.starts_with('.')
        && line.is_some_and(|line| line.trim_start().starts_with("[["))
}

/// Compares verdict and tree; returns whether the text is valid.
fn agree(text: &str) -> bool {
    let document = Document::parse(text);
    let errors = document.errors();
    match toml_edit::Document::parse(text) {
        // It lets a dotted key reach into an array of tables, which TOML forbids.
        Ok(_)
            if !errors.is_empty() && errors.iter().all(|error| reaches_into_array(text, error)) =>
        {
            false
        }
        Ok(expected) => {
            assert_eq!(errors, [], "{text}");
            let root = Node::Table(document.root());
            assert_eq!(ours(root), theirs(expected.as_item()), "{text}");
            true
        }
        Err(error) => {
            assert!(!errors.is_empty(), "accepted:\n{text}\n{error}");
            false
        }
    }
}

const VALID: &[&str] = &[
    "",
    "\u{feff}a = 1",
    "# only a comment",
    "a = 1 # comment",
    "a.b.c = 1\na.b.d = 2",
    "\"a.b\".'c d' = 1",
    "\"\" = 1",
    "1.2 = 3",
    "-_- = 1",
    "a = { b = 1, c.d = 2, }",
    "a = {\n  b = 1, # why\n  c = [\n 1,\n ],\n}",
    "a = {\nb = 1,\nc = 2\n}\nd = 1",
    "a = [\n[1],\n[\"x\"]\n]\n[b]\n",
    "a = [[], [[]], [[[1]]]]",
    "a = \"\\e\\x41\\u00e9\\U0001F600\\\\\\\"\"",
    "a = \"\"\"\n  x \\\n   y\"\"\"",
    "a = \"\"\"\"quoted\"\"\"\"",
    "a = ''''quoted''''",
    "a = '''\r\nx\r\n'''\r\n[b]\r\n",
    "a = 0xDEAD_beef\nb = 0o17\nc = 0b11\nd = -9223372036854775808\ne = +1_000",
    "a = 1e6\nb = -0.0\nc = inf\nd = -nan\ne = 6.02_2e+2_3",
    "a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00.5-07:00\nc = 07:32\nd = 1979-05-27",
    "[a.b]\n[a]\nx = 1",
    "[[a]]\n[[a.b]]\n[a.b.c]\n[[a]]\n[[a.b]]",
    "[fruit]\napple.color = 1\napple.taste.sweet = true\n[fruit.apple.texture]\nx = 1",
    "[fruit.apple.texture]\nx = 1\n[fruit]\napple.color = 1",
    "[ a . \"b\" ]\n[[ c . d ]]",
    "  [a]\n\tb = 1",
    "a = \"[b]\"\nb = '''\n[c]\n'''",
];

const INVALID: &[&str] = &[
    "a",
    "a =",
    "= 1",
    "a = 1 b = 2",
    "a = 1\na = 2",
    "a.b = 1\na = 2",
    "a = 1\na.b = 2",
    "a = {}\na.b = 1",
    "a = { b = 1, b = 2 }",
    "a = { b.c = 1, b = 2 }",
    "a = {}\n[a]",
    "a = {}\n[a.b]",
    "a = []\n[[a]]",
    "a = [{}]\n[a.b]",
    "[a]\n[a]",
    "[a]\n[[a]]",
    "[[a]]\n[a]",
    "[a.b]\n[[a]]",
    "[a]\nb.c = 1\n[a.b]",
    "[a.b]\n[a]\nb.c = 1",
    "[[a.b]]\n[a]\nb.c = 1",
    "[a]\nb = 1\n[a.b]",
    "[a.b]\n[a]\nb = 1",
    "[fruit.apple.texture]\n[fruit]\napple.color = 1\n[fruit.apple]",
    "[a",
    "[[a]",
    "[a]]",
    "[]",
    "[a.]",
    "[.a]",
    "[a..b]",
    "[a] b = 1",
    "[*]",
    "a.* = 1",
    "a = [1, 2",
    "a = [1 2]",
    "a = [,]",
    "a = { b = 1",
    "a = { , }",
    "a = { b = 1 c = 2 }",
    "a = \"x",
    "a = 'x",
    "a = \"\"\"x",
    "a = \"\"\"x\\\"\"\"",
    "a = '''x",
    "a = \"\\q\"",
    "a = \"\\x4\"",
    "a = \"\\ud800\"",
    "a = \"\u{1}\"",
    "a = '\u{7f}'",
    "# \u{0}",
    "a\u{0} = 1",
    "a = 1\rb = 2",
    "a = 01",
    "a = 1_",
    "a = 0x",
    "a = 0X1",
    "a = 9223372036854775808",
    "a = 1.",
    "a = .5",
    "a = 1e400",
    "a = True",
    "a = 1979-13-01",
    "a = 1979-02-30",
    "a = 25:00:00",
    "\"\"\"a\"\"\" = 1",
    "a = ]",
    "a = }",
    "ö = 1",
    "a = 1 \u{feff}",
];

#[test]
fn known_texts_are_judged_alike() {
    for text in VALID {
        assert!(agree(text), "{text}");
    }
    for text in INVALID {
        assert!(!agree(text), "{text}");
    }
}

#[test]
fn nesting_is_limited_alike_for_arrays_and_keys() {
    let arrays = |depth: usize| format!("a = {}{}", "[".repeat(depth), "]".repeat(depth));
    let keys = |depth: usize| format!("{} = 1", vec!["a"; depth].join("."));
    for depth in [1, 40, 79, 80] {
        agree(&keys(depth));
    }
    assert!(agree(&arrays(60)));
    assert!(agree(&keys(80)));
    assert!(!agree(&arrays(120)));
    assert!(!agree(&keys(81)));
}

#[test]
fn real_files_are_read_alike() {
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/workspaces");
    let mut pending = vec![std::path::PathBuf::from(committed)];
    pending.extend(std::env::var_os("JP_LSP_CORPUS").map(std::path::PathBuf::from));
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                agree(&text);
                dump::everything(&Document::parse(&text));
            }
        }
    }
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "'d e'", "\"f\\n\"", "1", "true"])
        .prop_map(String::from)
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(key(), 1..4).prop_map(|keys| keys.join("."))
}

fn value() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec![
        "1",
        "-0x1f",
        "0x1F",
        "1_0",
        "1.5",
        "1e3",
        "inf",
        "true",
        "false",
        "1979-05-27",
        "07:32:00",
        "1979-05-27 07:32:00",
        "\"x\"",
        "\"\\u00e9\\t\"",
        "'y'",
        "\"\"\"\nz\n[a]\n\"\"\"",
        "'''w\r\n'''",
    ])
    .prop_map(String::from);
    scalar.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..4), array_style()).prop_map(
                |(items, (open, comma, close))| format!("[{open}{}{close}]", items.join(comma))
            ),
            (prop::collection::vec((path(), inner), 0..4), array_style()).prop_map(
                |(entries, (open, comma, close))| {
                    let entries: Vec<String> = entries
                        .into_iter()
                        .map(|(key, value)| format!("{key} = {value}"))
                        .collect();
                    format!("{{{open}{}{close}}}", entries.join(comma))
                }
            ),
        ]
    })
}

fn array_style() -> impl Strategy<Value = (&'static str, &'static str, &'static str)> {
    prop::sample::select(vec![
        ("", ",", ""),
        (" ", ", ", " "),
        ("\n", ",\n", "\n"),
        ("\n  ", ", # c\n  ", "\n"),
        (" # [x]\r\n", "\r\n,\r\n", ""),
    ])
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (path(), value()).prop_map(|(key, value)| format!("{key} = {value}\n")),
        2 => path().prop_map(|path| format!("[{path}]\n")),
        2 => path().prop_map(|path| format!("[[{path}]] # c\n")),
        1 => Just("  # comment\r\n\n".to_owned()),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 0..10).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn generated_texts_are_judged_alike(text in text()) {
        agree(&text);
    }

    #[test]
    fn damaged_texts_are_judged_alike(
        text in text(),
        at in 0..10_000_usize,
        remove in 0..2_usize,
        insert in prop::sample::select(vec!["", "", "a", ".", ",", "[", "]", "{", "}", "\"", "'", "\\", "1", "-", "*", "\0", " "]),
    ) {
        let start = text.floor_char_boundary(at % (text.len() + 1));
        let end = text.ceil_char_boundary((start + remove).min(text.len()));
        let mut text = text;
        text.replace_range(start..end, insert);
        agree(&text);
    }
}
