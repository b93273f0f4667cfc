//! The committed JSON Schema, judged by a validator that knows nothing of the schema tree.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};

use expect_test::expect_file;
use jp_config::{
    document::{Array, Document, Node},
    schema::{json_schema, schema},
    tree::{DataTree, Notation},
    validate::validate,
};
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft7::new(&json_schema()).unwrap());

/// The schema is for TOML, so data counts as written in it.
fn as_toml(value: &Value) -> DataTree<'_> {
    DataTree {
        value,
        notation: Notation::Toml,
    }
}

/// `UPDATE_EXPECT=1 cargo test -p jp_config --test json_schema` writes the file anew.
#[test]
fn the_committed_schema_is_current() {
    let text = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    expect_file!["../../../schemas/jp-config.schema.json"].assert_eq(&text);
}

#[test]
fn it_is_a_draft_07_schema() {
    assert_eq!(
        jsonschema::draft7::meta::validate(&json_schema()).map_err(|error| error.to_string()),
        Ok(())
    );
}

#[test]
fn every_reference_leads_somewhere() {
    let root = json_schema();
    let mut references = Vec::new();
    collect_references(&root, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(
            root.pointer(pointer).is_some_and(Value::is_object),
            "{reference}"
        );
    }
}

/// taplo merges what an `allOf` names and begins again, until there are `properties`.
#[test]
fn every_all_of_leads_to_properties() {
    let root = json_schema();
    let mut led = 0;
    let mut rest = vec![&root];
    while let Some(value) = rest.pop() {
        if let Some(branches) = value.get("allOf").and_then(Value::as_array) {
            let reference = branches[0]["$ref"].as_str().unwrap();
            let target = root.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            assert!(target["properties"].is_object(), "{reference}");
            led += 1;
        }
        match value {
            Value::Object(table) => rest.extend(table.values()),
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    assert_ne!(led, 0);
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(table) => {
            if let Some(Value::String(reference)) = table.get("$ref") {
                found.push(reference.clone());
            }
            table
                .values()
                .for_each(|value| collect_references(value, found));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

#[test]
fn defaults_and_examples_are_legal() {
    let schema = schema();
    for (path, id) in schema.paths() {
        let node = schema.node(id);
        if let Some(default) = &node.default {
            let found = validate(schema, id, default, &path);
            assert!(found.is_empty(), "{path} = {default}: {}", found[0].message);
        }
        for example in node.examples {
            let text = format!("value = {example}");
            let document = Document::parse(&text);
            assert!(document.errors().is_empty(), "{path}: {text}");
            let value = document.root().get("value").unwrap().value();
            let found = validate(schema, id, value, &path);
            assert!(found.is_empty(), "{path} = {example}: {}", found[0].message);
        }
    }
}

#[test]
fn a_rich_valid_file_is_accepted() {
    let value = read(include_str!("../src/validate/valid.toml"));
    assert_eq!(rejections(&value), Vec::<String>::new());
}

/// Every document here is wrong by one value; both validators must see it.
#[test]
fn wrong_documents_are_rejected_by_both_validators() {
    for text in include_str!("json_schema/wrong.toml").split("#---\n") {
        let value = read(text);
        assert!(
            !rejections(&value).is_empty(),
            "accepted by the JSON Schema:\n{text}"
        );
        let found = validate(schema(), schema().root(), as_toml(&value), "");
        assert!(!found.is_empty(), "accepted by the validator:\n{text}");
    }
}

/// Changes every value of a valid file in turn to each of some values, renames and removes every key.
///
/// The JSON Schema is exported from the tree but judged by foreign code, so each is the other's oracle.
#[test]
fn both_validators_agree_on_every_single_change() {
    let valid = read(include_str!("../src/validate/valid.toml"));
    let replacements = [
        json!(true),
        json!(-1),
        json!(11),
        json!(70_000_000_000_i64),
        json!(1.5),
        json!("ask"),
        json!("haiku"),
        json!("@@/"),
        json!([]),
        json!(["x"]),
        json!({}),
        json!({ "zzz": 1 }),
        json!({ "value": [], "strategy": "append" }),
    ];
    let mut pointers = Vec::new();
    collect_pointers(&valid, &mut String::new(), &mut pointers);
    let mut changes = 0;
    let mut disagreements = Vec::new();
    let mut judge = |changed: &Value, what: String| {
        changes += 1;
        let ours = validate(schema(), schema().root(), as_toml(changed), "").is_empty();
        if ours != VALIDATOR.is_valid(changed) {
            disagreements.push(format!("{what}: our validator says {ours}"));
        }
    };
    for pointer in &pointers {
        for replacement in &replacements {
            let mut changed = valid.clone();
            *changed.pointer_mut(pointer).unwrap() = replacement.clone();
            judge(&changed, format!("{pointer} = {replacement}"));
        }
        let mut changed = valid.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let key = key.replace("~1", "/").replace("~0", "~");
        if let Some(Value::Object(table)) = changed.pointer_mut(parent) {
            let value = table.shift_remove(&key).unwrap();
            judge(&changed, format!("{pointer} removed"));
            if let Some(Value::Object(table)) = changed.pointer_mut(parent) {
                table.insert(format!("{key}_"), value);
            }
            judge(&changed, format!("{pointer} renamed"));
        }
    }
    assert!(changes > 3000, "only {changes} changes");
    assert_eq!(disagreements, Vec::<String>::new());
}

fn collect_pointers(value: &Value, pointer: &mut String, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(table) => table
            .iter()
            .map(|(key, value)| (key.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        Value::Array(items) => (0..)
            .map(|index: usize| index.to_string())
            .zip(items)
            .collect(),
        _ => Vec::new(),
    };
    for (key, value) in children {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&key);
        found.push(pointer.clone());
        collect_pointers(value, pointer, found);
        pointer.truncate(length);
    }
}

/// Both validators agree on every file of a committed workspace, and of the folder that `JP_LSP_CORPUS` names.
#[test]
fn real_files_are_accepted() {
    let committed = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/workspaces/almanac"
    );
    let mut files = toml_files(Path::new(committed));
    assert!(!files.is_empty());
    if let Some(corpus) = std::env::var_os("JP_LSP_CORPUS") {
        files.extend(toml_files(Path::new(&corpus)));
    }
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let document = Document::parse(&text);
        let root = Node::Table(document.root());
        let errors: Vec<_> = validate(schema(), schema().root(), root, "")
            .into_iter()
            .map(|violation| violation.message)
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", path.display());
        assert_eq!(
            rejections(&read(&text)),
            Vec::<String>::new(),
            "{}",
            path.display()
        );
    }
}

fn rejections(value: &Value) -> Vec<String> {
    VALIDATOR
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn read(text: &str) -> Value {
    let document = Document::parse(text);
    let errors: Vec<_> = document
        .errors()
        .into_iter()
        .map(|error| error.message)
        .collect();
    assert_eq!(errors, Vec::<String>::new(), "{text}");
    to_json(Node::Table(document.root()))
}

fn to_json(node: Node<'_>) -> Value {
    match node {
        Node::Table(table) => table
            .into_iter()
            .map(|entry| (entry.key().to_owned(), to_json(entry.value())))
            .collect::<Map<_, _>>()
            .into(),
        Node::Array(array) => Array::items(array).map(to_json).collect(),
        Node::Str(text) => json!(text.value()),
        Node::Integer(_) => json!(node.as_i64()),
        Node::Float(_) => json!(node.as_f64()),
        Node::Boolean(_) => json!(node.as_bool()),
        Node::Datetime(text) => json!(text.text()),
        Node::Missing(_) => Value::Null,
    }
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(toml_files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}
