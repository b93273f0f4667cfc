use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;
use crate::schema::schema;

/// Which of some tables at a config path are merge wrappers.
fn wrappers(path: &[&str], tables: &[Value]) -> String {
    let node = schema().lookup(path.iter().copied()).unwrap().node;
    let mut text = String::new();
    for table in tables {
        let is_wrapper = schema().wrapper_of(node, table).is_some();
        text.push_str(&format!("{table}: {is_wrapper}\n"));
    }
    text
}

#[test]
fn a_table_over_a_list_is_a_wrapper_by_any_key_of_one() {
    let tables = [
        json!({}),
        json!({"value": ["a"]}),
        json!({"strategy": "replace"}),
        json!({"strategy": "replace", "unknown": 1}),
        json!({"discard_when_merged": true}),
        json!({"path": "src"}),
        json!(["a"]),
    ];
    let path = ["conversation", "tools", "t", "access", "fs"];
    expect![[r#"
        {}: true
        {"value":["a"]}: true
        {"strategy":"replace"}: true
        {"strategy":"replace","unknown":1}: true
        {"discard_when_merged":true}: true
        {"path":"src"}: false
        ["a"]: false
    "#]]
    .assert_eq(&wrappers(&path, &tables));
}

#[test]
fn a_table_over_a_map_is_a_wrapper_by_value_and_strategy() {
    let tables = [
        json!({}),
        json!({"value": {"a": "b"}}),
        json!({"strategy": "keep"}),
        json!({"value": {"a": "b"}, "strategy": "keep"}),
        json!({"value": {"a": "b"}, "strategy": "odd"}),
        json!({"value": "b", "strategy": "keep"}),
    ];
    expect![[r#"
        {}: false
        {"value":{"a":"b"}}: false
        {"strategy":"keep"}: false
        {"value":{"a":"b"},"strategy":"keep"}: true
        {"value":{"a":"b"},"strategy":"odd"}: true
        {"value":"b","strategy":"keep"}: false
    "#]]
    .assert_eq(&wrappers(&["conversation", "labels"], &tables));
}

#[test]
fn nothing_wraps_a_value_without_a_merge_wrapper() {
    let tables = [json!({}), json!({"value": 1, "strategy": "replace"})];
    expect![[r#"
        {}: false
        {"value":1,"strategy":"replace"}: false
    "#]]
    .assert_eq(&wrappers(&["assistant", "model"], &tables));
}

fn check_free_form(tables: &[Value], expected: &Expect) {
    let lines = tables.iter().map(|table| {
        let wrapped = Wrapped::of(table).map_or("-".to_owned(), |form| format!("{form:?}"));
        let by_key = merges_by_key(table);
        format!("{table}: {wrapped}, by key {by_key}\n")
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn free_form_data_is_wrapped_where_it_can_be_read_whole() {
    check_free_form(
        &[
            json!({"value": [1], "strategy": "append"}),
            json!({"value": [1], "strategy": null, "dedup": "inherit"}),
            json!({"value": [1], "strategy": "odd"}),
            json!({"value": [1], "strategy": "append", "dedup": "odd"}),
            json!({"value": "a", "strategy": "prepend", "separator": "line"}),
            json!({"value": "a", "strategy": "prepend", "separator": "odd"}),
            json!({"value": "a", "strategy": "prepend", "other": 1}),
            json!({"value": {"a": 1}, "strategy": "keep"}),
            json!({"value": {"a": 1}, "strategy": "append"}),
            json!({"value": {"a": 1}, "strategy": "keep", "discard_when_merged": null}),
            json!({"value": 3, "strategy": "append"}),
            json!({"strategy": "append"}),
            json!({"value": [1]}),
        ],
        &expect![[r#"
            {"value":[1],"strategy":"append"}: List, by key false
            {"value":[1],"strategy":null,"dedup":"inherit"}: List, by key false
            {"value":[1],"strategy":"odd"}: -, by key false
            {"value":[1],"strategy":"append","dedup":"odd"}: -, by key false
            {"value":"a","strategy":"prepend","separator":"line"}: Text, by key false
            {"value":"a","strategy":"prepend","separator":"odd"}: -, by key false
            {"value":"a","strategy":"prepend","other":1}: -, by key false
            {"value":{"a":1},"strategy":"keep"}: Map, by key false
            {"value":{"a":1},"strategy":"append"}: -, by key true
            {"value":{"a":1},"strategy":"keep","discard_when_merged":null}: -, by key true
            {"value":3,"strategy":"append"}: -, by key false
            {"strategy":"append"}: -, by key true
            {"value":[1]}: -, by key true
        "#]],
    );
}

#[test]
fn the_settings_are_what_can_be_read() {
    let wrapper = json!({"strategy": "prepend", "dedup": "true", "separator": "line", "discard_when_merged": true});
    let none = json!({"strategy": "odd", "dedup": "inherit", "separator": "odd", "discard_when_merged": "true"});
    assert_eq!(
        WrapperSettings::of(&wrapper),
        WrapperSettings {
            strategy: Some(Strategy::Prepend),
            dedup: Some(true),
            separator: "\n",
            discards: true,
        }
    );
    assert_eq!(
        WrapperSettings::of(&none),
        WrapperSettings {
            strategy: None,
            dedup: None,
            separator: "",
            discards: false,
        }
    );
}
