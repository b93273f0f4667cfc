use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::prepare;
use crate::Parameters;

fn prepared(parameters: &Value, arguments: Value) -> Result<Value, String> {
    let Value::Object(arguments) = arguments else {
        panic!("an object");
    };
    prepare(arguments, &Parameters::from_config(parameters))
        .map(Value::Object)
        .map_err(|error| error.to_string())
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
            &parameters,
            json!({"list": "[1, \"2\"]", "text": "[1]", "either": "[1]", "flag": "true"})
        ),
        Ok(json!({"list": [1, 2], "text": "[1]", "either": "[1]", "flag": true}))
    );
}

#[test]
fn defaults_are_filled_in_at_every_depth_and_checked() {
    let parameters = json!({
        "a": {"type": "integer", "default": 3},
        "o": {"type": "object", "properties": {"b": {"type": "string", "default": "x"}}},
        "l": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "boolean", "default": false}}}},
    });
    assert_eq!(
        prepared(&parameters, json!({"o": {}, "l": [{}, {"c": true}]})),
        Ok(json!({"o": {"b": "x"}, "l": [{"c": false}, {"c": true}], "a": 3}))
    );
    let parameters = json!({"a": {"type": "integer", "default": "many"}});
    assert_eq!(
        prepared(&parameters, json!({})),
        Err("`a` must be integer, not string".to_owned())
    );
}

#[test]
fn everything_that_does_not_fit_is_told() {
    let parameters = json!({
        "path": {"type": "path", "required": true},
        "o": {"type": "object", "properties": {"b": {"type": "string", "required": true}}},
        "e": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "p": {"type": ["path", "boolean"]},
    });
    assert_eq!(
        prepared(
            &parameters,
            json!({"pth": "a", "o": {"c": 1}, "e": ["a", "c"], "p": 3})
        ),
        Err(
            "unknown argument `pth`, did you mean `path`; missing argument `path`; unknown argument `o.c`; \
             missing argument `o.b`; `e[1]` must be one of `\"a\"`, `\"b\"`; `p` must be string or boolean, not number"
                .to_owned()
        )
    );
}

#[test]
fn null_stands_for_an_absent_optional_argument() {
    let parameters = json!({"a": {"type": "string"}, "b": {"type": "string", "required": true}});
    assert_eq!(
        prepared(&parameters, json!({"a": null, "b": "x"})),
        Ok(json!({"b": "x"}))
    );
    assert_eq!(
        prepared(&parameters, json!({"b": null})),
        Err("`b` must be string, not null".to_owned())
    );
}

#[test]
fn numbers_are_the_declared_ones_by_value() {
    let parameters = json!({"n": {"type": "number", "enum": [1, 9_007_199_254_740_993_i64]}});
    assert_eq!(
        prepared(&parameters, json!({"n": 1.0})),
        Ok(json!({"n": 1.0}))
    );
    assert_eq!(
        prepared(&parameters, json!({"n": 9_007_199_254_740_992_i64})),
        Err("`n` must be one of `1`, `9007199254740993`".to_owned())
    );
}
