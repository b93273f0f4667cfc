use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{LayerId, Located, merge};
use crate::{schema::schema, validate::validate};

/// Merges JSON values at a config path, weakest first.
fn merged(path: &str, stack: &[Value]) -> Option<Value> {
    let schema = schema();
    let node = path
        .split('.')
        .try_fold(schema.root(), |node, key| schema.child(node, key));
    let stack = stack
        .iter()
        .map(|value| Located::from_json(value, LayerId(0)))
        .collect();
    merge(schema, node, stack).map(|located| located.to_json())
}

#[track_caller]
fn check(path: &str, stack: &[Value], expected: &Expect) {
    let shown = merged(path, stack).map_or_else(|| "nothing".to_owned(), |value| value.to_string());
    expected.assert_eq(&shown);
}

#[test]
fn null_keeps_what_the_layers_below_say() {
    for (path, value) in [
        ("user.name", json!("x")),
        ("conversation.tools.t.run", json!("ask")),
        (
            "conversation.tools.t.enable",
            json!({"state": false, "allow_toggle": "never"}),
        ),
        (
            "conversation.tools.t.access",
            json!({"fs": [{"path": "src"}]}),
        ),
        ("conversation.tools.t.access.fs", json!([{"path": "src"}])),
        (
            "conversation.tools.t.questions.q.target",
            json!({"name": "a"}),
        ),
        ("conversation.tools.t.questions.q.answer", json!(true)),
        (
            "conversation.tools.t.parameters.p.items",
            json!({"type": "string"}),
        ),
        ("assistant.model.id", json!("alias")),
        ("assistant.model.parameters.other", json!({"a": 1})),
        ("assistant.system_prompt", json!("You help.")),
        ("conversation.labels", json!({"team": "core"})),
        (
            "providers.llm.openai",
            json!({"base_url": "https://example.org"}),
        ),
    ] {
        assert_eq!(
            merged(path, &[value.clone(), Value::Null]),
            Some(value.clone()),
            "{path}"
        );
        assert_eq!(
            merged(path, &[Value::Null, value.clone()]),
            Some(value),
            "{path}"
        );
        assert_eq!(merged(path, &[Value::Null]), None, "{path}");
    }
}

#[test]
fn null_within_tables_keeps_what_the_layers_below_say() {
    check(
        "conversation.tools.t",
        &[
            json!({"run": "ask", "access": {"fs": [{"path": "src"}]}, "enable": "always"}),
            json!({"run": null, "access": null, "enable": {"state": null}, "style": null}),
        ],
        &expect![[
            r#"{"run":"ask","access":{"fs":[{"path":"src"}]},"enable":{"state":true,"allow_toggle":"never"}}"#
        ]],
    );
}

#[test]
fn null_is_a_value_of_free_form_data() {
    check(
        "conversation.tools.t.options",
        &[
            json!({"a": 1, "b": {"c": 2}}),
            json!({"a": null, "b": {"c": null}}),
        ],
        &expect![[r#"{"a":null,"b":{"c":null}}"#]],
    );
}

#[test]
fn a_model_id_in_one_text_is_the_same_as_its_table() {
    let id = "assistant.model.id";
    check(
        id,
        &[json!("openai/a"), json!({"name": "b"})],
        &expect![[r#"{"provider":"openai","name":"b"}"#]],
    );
    check(
        id,
        &[
            json!({"provider": "openai", "name": "a"}),
            json!("anthropic/b"),
        ],
        &expect![[r#""anthropic/b""#]],
    );
    check(
        id,
        &[json!("alias"), json!({"name": "b"})],
        &expect![[r#"{"name":"b"}"#]],
    );
    check(id, &[json!("alias"), json!({})], &expect![[r#""alias""#]]);
}

#[test]
fn what_stands_as_a_whole_does_not_merge_key_by_key() {
    check(
        "conversation.tools.t.questions.q.target",
        &[
            json!({"tool_choice": "auto", "instructions": [{"title": "a"}]}),
            json!({"name": "b", "instructions": {"value": [], "strategy": "prepend"}}),
        ],
        &expect![[r#"{"name":"b","instructions":{"value":[],"strategy":"prepend"}}"#]],
    );
    check(
        "conversation.title.generate.model.parameters.other",
        &[json!({"a": 1}), json!({"b": 2})],
        &expect![[r#"{"b":2}"#]],
    );
}

#[test]
fn a_parameter_without_any_type_keeps_the_type_of_the_layer_below() {
    let kind = "conversation.tools.t.parameters.p.type";
    check(
        kind,
        &[json!("string"), json!([])],
        &expect![[r#""string""#]],
    );
    check(
        kind,
        &[json!("string"), json!(["integer"])],
        &expect![[r#"["integer"]"#]],
    );
}

#[test]
fn a_list_that_discards_itself_goes_for_any_list() {
    let rules = "conversation.compaction.rules";
    let built_in = json!({"value": [{"keep_first": 1}], "discard_when_merged": true});
    check(
        rules,
        &[built_in.clone(), json!([{"keep_last": 2}])],
        &expect![[r#"[{"keep_last":2}]"#]],
    );
    check(rules, &[built_in], &expect![[r#"[{"keep_first":1}]"#]]);
}

#[test]
fn dropping_equal_elements_holds_for_later_layers_until_one_says_otherwise() {
    let sections = "assistant.system_prompt_sections";
    let deduplicated = json!({"value": [{"tag": "a"}], "dedup": true});
    check(
        sections,
        &[deduplicated.clone(), json!([{"tag": "a"}, {"tag": "b"}])],
        &expect![[r#"[{"tag":"a"},{"tag":"b"}]"#]],
    );
    check(
        sections,
        &[
            deduplicated,
            json!({"value": [{"tag": "a"}], "dedup": false}),
        ],
        &expect![[r#"[{"tag":"a"},{"tag":"a"}]"#]],
    );
}

#[test]
fn a_table_that_sets_a_sibling_costs_a_wrapper_its_strategy() {
    // `discard_when_merged` makes it plain: the list is gone although no layer mentions it again.
    check(
        "assistant",
        &[
            json!({"instructions": {"value": [{"title": "a"}], "discard_when_merged": true}}),
            json!({"name": "x"}),
        ],
        &expect![[r#"{"instructions":[],"name":"x"}"#]],
    );
    check(
        "assistant",
        &[
            json!({"instructions": {"value": [{"title": "a"}], "discard_when_merged": true}}),
            json!({"name": null, "model": {"parameters": {}}}),
        ],
        &expect![[r#"{"instructions":[{"title":"a"}],"model":{"parameters":{}}}"#]],
    );
}

#[test]
fn free_form_wrappers_that_jp_cannot_read_stand_as_written() {
    let option = "conversation.tools.t.options.k";
    let over = |wrapper: Value| merged(option, &[json!(["a"]), wrapper]);
    assert_eq!(
        over(json!({"value": ["b"], "strategy": "append"})),
        Some(json!(["a", "b"]))
    );
    let unknown = json!({"value": ["b"], "strategy": "mine"});
    assert_eq!(over(unknown.clone()), Some(unknown));
    let number = json!({"value": 1, "strategy": "append"});
    assert_eq!(over(number.clone()), Some(number));
}

#[test]
fn free_form_maps_and_texts_are_joined_as_their_wrapper_says() {
    let option = "conversation.tools.t.options.k";
    check(
        option,
        &[
            json!({"a": {"x": 1}, "b": 1}),
            json!({"value": {"a": {"y": 2}}, "strategy": "merge"}),
        ],
        &expect![[r#"{"a":{"y":2},"b":1}"#]],
    );
    check(
        option,
        &[
            json!({"a": 1, "b": 1}),
            json!({"value": {"a": 2, "c": 3}, "strategy": "keep"}),
        ],
        &expect![[r#"{"a":1,"b":1,"c":3}"#]],
    );
    check(
        option,
        &[
            json!("a"),
            json!({"value": "b", "strategy": "prepend", "separator": "space"}),
        ],
        &expect![[r#""b a""#]],
    );
    check(
        option,
        &[json!([1]), json!({"value": "b", "strategy": "append"})],
        &expect![[r#""b""#]],
    );
}

#[test]
fn an_empty_text_leaves_what_no_file_may_leave_out() {
    check(
        "assistant.model.id",
        &[
            json!({"provider": "openai", "name": "a"}),
            json!({"provider": "anthropic", "name": ""}),
        ],
        &expect![[r#"{"provider":"anthropic","name":"a"}"#]],
    );
    check("user.name", &[json!("x"), json!("")], &expect![[r#""""#]]);
}

#[test]
fn a_merged_value_is_named_as_it_stands_in_the_file() {
    let merged = Located::from_json(&json!({"user": {"name": 0.5}}), LayerId(0));
    let found = validate(schema(), schema().root(), &merged, "");
    let messages: Vec<&str> = found.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages, ["invalid type: float `0.5`, expected a string"]);
}
