use indexmap::IndexMap;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::prepare;
use crate::config::TurnConfig;

fn prepared(parameters: Value, arguments: Value) -> Result<Value, String> {
    let mut config = json!({"assistant": {"model": {"id": "test/model"}}, "conversation": {"tools": {
        "t": {"source": "local"}, "describe_tools": {"source": "builtin"},
    }}});
    config["conversation"]["tools"]["t"]["parameters"] = parameters;
    let config = TurnConfig::resolve(&config, &IndexMap::new()).unwrap();
    let Value::Object(arguments) = arguments else {
        panic!("an object");
    };
    prepare(&config.tools["t"], &config, arguments).map(Value::Object)
}

const HINT: &str = "Call `describe_tools(tools: [\"t\"])` to learn what the tool accepts.";

fn refused(parameters: Value, arguments: Value, problem: &str) {
    assert_eq!(
        prepared(parameters, arguments),
        Err(format!("Invalid arguments: {problem}. {HINT}"))
    );
}

#[test]
fn json_in_a_string_is_coerced_only_where_no_string_is_declared() {
    let parameters = json!({
        "list": {"type": "array", "items": {"type": "integer"}},
        "text": {"type": "string"},
        "either": {"type": ["string", "array"]},
        "flag": {"type": "boolean"},
    });
    assert_eq!(
        prepared(
            parameters,
            json!({"list": "[1, \"2\"]", "text": "[1]", "either": "[1]", "flag": "true"})
        ),
        Ok(json!({"list": [1, 2], "text": "[1]", "either": "[1]", "flag": true}))
    );
}

#[test]
fn defaults_are_filled_in_at_every_depth() {
    let parameters = json!({
        "a": {"type": "integer", "default": 3},
        "o": {"type": "object", "properties": {"b": {"type": "string", "default": "x"}}},
        "l": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "boolean", "default": false}}}},
    });
    assert_eq!(
        prepared(parameters, json!({"o": {}, "l": [{}, {"c": true}]})),
        Ok(json!({"o": {"b": "x"}, "l": [{"c": false}, {"c": true}], "a": 3}))
    );
}

#[test]
fn what_is_unknown_or_missing_is_refused_at_every_depth() {
    let parameters = json!({
        "path": {"type": "path", "required": true},
        "o": {"type": "object", "properties": {"b": {"type": "string", "required": true}}},
    });
    refused(
        parameters,
        json!({"pth": "a", "o": {"c": 1}}),
        "unknown argument `pth`, did you mean `path`; missing argument `path`; unknown argument `o.c`; missing argument `o.b`",
    );
}

#[test]
fn types_and_enums_are_checked() {
    let parameters = || {
        json!({
            "n": {"type": "integer"},
            "p": {"type": ["path", "boolean"]},
            "e": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        })
    };
    refused(
        parameters(),
        json!({"n": 1.5, "p": 3, "e": ["a", "c"]}),
        "`n` must be integer, not number; `p` must be string or boolean, not number; `e[1]` must be one of `\"a\"`, `\"b\"`",
    );
    assert_eq!(
        prepared(parameters(), json!({"n": 2.0, "p": true, "e": []})),
        Ok(json!({"n": 2.0, "p": true, "e": []}))
    );
}

#[test]
fn null_stands_for_an_absent_optional_argument() {
    let parameters = || json!({"a": {"type": "string"}, "b": {"type": "string", "required": true}});
    assert_eq!(
        prepared(parameters(), json!({"a": null, "b": "x"})),
        Ok(json!({"b": "x"}))
    );
    refused(
        parameters(),
        json!({"b": null}),
        "`b` must be string, not null",
    );
}
