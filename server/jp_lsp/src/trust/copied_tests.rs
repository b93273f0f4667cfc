use jp_conversation::{ConversationId, ConversationMetadata, Timestamp};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

/// What is kept of a change, and what is left out.
fn kept(delta: Value, unsets: &[&str]) -> (Vec<Value>, Vec<String>) {
    let now = Timestamp::now();
    let mut original = Conversation::new(
        ConversationId::at(now),
        ConversationMetadata::at(now),
        Map::new(),
    );
    let Value::Object(delta) = delta else {
        panic!("a delta is a table");
    };
    let unsets = unsets.iter().map(|&path| path.to_owned()).collect();
    original.push(ConversationEvent::new(EventKind::ConfigDelta(
        ConfigDelta::of_tool(delta, [], unsets),
    )));
    let (copy, left_out) = unprivileged(&original);
    let deltas = copy.config_deltas(0);
    let deltas = deltas.map(|delta| json!([delta.delta, delta.unsets]));
    (deltas.collect(), left_out)
}

#[test]
fn what_decides_what_may_happen_is_left_out() {
    let (kept, left_out) = kept(
        json!({
            "assistant": {
                "name": "Ada",
                "tool_choice": "x",
                "model": {
                    "id": { "provider": "openai", "name": "gpt-5" },
                    "parameters": { "temperature": 0.5, "other": { "tools": [] } },
                },
            },
            "style": { "code": { "color": false }, "reasoning": { "summary_model": { "id": "openai/b" } } },
            "providers": {
                "mcp": { "evil": { "type": "stdio", "command": "sh" } },
                "llm": { "openai": { "base_url": "http://127.0.0.1:1" }, "aliases": { "a": "openai/b" } },
            },
            "conversation": { "tools": {
                "*": { "run": "unattended", "enable": true },
                "x": { "source": "local", "command": "sh", "options": { "o": "; sh" }, "summary": "s" },
                "y": {},
            } },
            "template": { "values": { "v": "w" } },
            "editor": { "cmd": "sh" },
            "extends": ["evil.toml"],
            "unknown": 1,
        }),
        &[
            "assistant",
            "assistant.model.parameters.temperature",
            "conversation.tools.x.run",
        ],
    );
    assert_eq!(
        kept,
        [json!([
            {
                "assistant": { "name": "Ada", "model": { "parameters": { "temperature": 0.5 } } },
                "style": { "code": { "color": false } },
            },
            ["assistant.model.parameters.temperature"],
        ])]
    );
    assert_eq!(
        left_out,
        [
            "assistant",
            "assistant.model.id.name",
            "assistant.model.id.provider",
            "assistant.model.parameters.other.tools",
            "assistant.tool_choice",
            "conversation.tools.*.enable",
            "conversation.tools.*.run",
            "conversation.tools.x.command",
            "conversation.tools.x.options.o",
            "conversation.tools.x.run",
            "conversation.tools.x.source",
            "conversation.tools.x.summary",
            "conversation.tools.y",
            "editor",
            "extends",
            "providers.llm.aliases.a",
            "providers.llm.openai.base_url",
            "providers.mcp",
            "style.reasoning.summary_model.id",
            "template.values.v",
            "unknown",
        ]
    );
}

#[test]
fn every_kept_path_is_one_of_the_config() {
    for path in KEPT {
        assert!(schema().lookup(path.split('.')).is_ok(), "{path}");
    }
}

#[test]
fn a_change_of_which_nothing_is_left_is_none() {
    let (kept, _) = kept(json!({ "editor": { "cmd": "sh" } }), &[]);
    assert_eq!(kept, [Value::Null; 0]);
}
