use expect_test::expect;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::{definition, mcp_definition};
use crate::config::{ToolConfig, TurnConfig};

fn tool(tool: Value) -> ToolConfig {
    let mut config = json!({"assistant": {"model": {"id": "test/model"}}});
    config["conversation"]["tools"]["t"] = tool;
    let config = TurnConfig::resolve(&config, &IndexMap::new()).unwrap();
    config.tools["t"].clone()
}

#[test]
fn a_path_is_a_string_and_parameters_nest() {
    let tool = tool(json!({
        "source": "local",
        "summary": "Short.",
        "description": "Long.",
        "parameters": {
            "path": {"type": "path", "required": true, "description": "Where."},
            "either": {"type": ["path", "string"], "default": "a"},
            "patterns": {"type": "array", "items": {"type": "object", "properties": {
                "old": {"type": "string", "required": true, "enum": ["x"]},
            }}},
        },
    }));
    let definition = definition(&tool);
    assert_eq!(definition.description.as_deref(), Some("Short."));
    expect![[r#"
        {
          "type": "object",
          "properties": {
            "path": {
              "type": "string",
              "description": "Where."
            },
            "either": {
              "type": [
                "string"
              ],
              "default": "a"
            },
            "patterns": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "old": {
                    "type": "string",
                    "enum": [
                      "x"
                    ]
                  }
                },
                "required": [
                  "old"
                ]
              }
            }
          },
          "required": [
            "path"
          ],
          "additionalProperties": false
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&definition.parameters).unwrap());
}

#[test]
fn an_override_of_an_mcp_tool_tightens_and_embeds() {
    let tool = tool(json!({
        "source": "mcp.s",
        "description": "Ours. {{description}}",
        "parameters": {"q": {"required": true, "summary": "Not much. {{description}}"}},
    }));
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string"}, "q": {"type": "string", "description": "A query."},
    }});
    let definition = mcp_definition(&tool, Some("Theirs."), schema.as_object().unwrap());
    assert_eq!(definition.description.as_deref(), Some("Ours. Theirs."));
    expect![[r#"{"type":"object","required":["a","q"],"properties":{"a":{"type":"string"},"q":{"type":"string","description":"Not much. A query."}}}"#]]
        .assert_eq(&definition.parameters.to_string());
}
