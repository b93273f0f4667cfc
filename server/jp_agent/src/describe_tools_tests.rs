use expect_test::expect;
use indexmap::IndexMap;
use jp_tool::Outcome;
use serde_json::json;

use super::DescribeTools;
use crate::builtin::{Builtin as _, BuiltinCall, Builtins};
use crate::config::TurnConfig;

fn describe(names: &[&str]) -> Outcome {
    let config = json!({"assistant": {"model": {"id": "test/model"}}, "conversation": {"tools": {
        "edit": {
            "source": "local",
            "summary": "Edits.",
            "description": "Edits files.\nAll of them.",
            "examples": "edit(a)",
            "parameters": {
                "path": {"type": "path", "required": true, "summary": "Where."},
                "patterns": {"type": "array", "items": {"type": "object", "properties": {
                    "old": {"type": ["string", "integer"], "enum": ["a", 1], "default": "a"},
                }}},
            },
        },
        "off": {"source": "local", "enable": false, "summary": "Hidden."},
    }}});
    let builtins = Builtins::default().with("describe_tools", DescribeTools);
    let config = TurnConfig::resolve(&config, &builtins.defaults()).unwrap();
    let arguments = json!({"tools": names});
    DescribeTools.execute(&BuiltinCall {
        name: "describe_tools",
        arguments: arguments.as_object().unwrap(),
        answers: &IndexMap::new(),
        config: &config,
    })
}

#[test]
fn everything_about_a_tool_is_told() {
    let Outcome::Success { content, .. } = describe(&["edit"]) else {
        panic!("a success");
    };
    expect![[r#"
        # edit

        Edits.

        Edits files.
        All of them.

        ## Parameters

        - `path` (path, required)
          Where.
        - `patterns` (array)
          - `old` (string or integer, default `"a"`, one of `"a"`, `1`)

        ## Examples

        edit(a)"#]]
    .assert_eq(&content);
}

#[test]
fn a_disabled_tool_is_as_unknown_as_any_other() {
    assert_eq!(
        describe(&["off", "nope"]),
        Outcome::error("There is no documentation for `off`, `nope`.")
    );
}
