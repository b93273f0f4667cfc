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
