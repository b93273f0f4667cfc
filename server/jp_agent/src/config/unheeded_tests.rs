use jp_config::schema::{NodeId, Shape, schema};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

/// The keys that something here reads, or that only name somebody.
const HEEDED: [&str; 27] = [
    "assistant.instructions",
    "assistant.model",
    "assistant.name",
    "assistant.request",
    "assistant.system_prompt",
    "assistant.system_prompt_sections",
    "assistant.tool_choice",
    "config_load_paths",
    "conversation.inquiry.assistant",
    "conversation.title.generate",
    "conversation.tools.*",
    "editor.cmd",
    "editor.envs",
    "extends",
    "inherit",
    "interrupt.escalation_cooldown_secs",
    "interrupt.streaming.action",
    "interrupt.tool_call.action",
    "providers.llm.aliases",
    "providers.llm.*.api_key_env",
    "providers.llm.*.app_name",
    "providers.llm.*.app_referrer",
    "providers.llm.*.base_url",
    "providers.llm.*.base_url_env",
    "providers.llm.*.beta_headers",
    "providers.mcp.*",
    "user.name",
];

#[test]
fn only_what_is_set_is_told() {
    let told = |config: Value| -> Vec<String> {
        unheeded(&config)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    };
    assert_eq!(told(json!({})), Vec::<String>::new());
    assert_eq!(
        told(json!({
            "conversation": { "attachments": [] }, "template": { "values": {} },
            "providers": { "llm": { "anthropic": { "chain_on_max_tokens": false } } },
        })),
        Vec::<String>::new()
    );
    assert_eq!(
        told(json!({
            "conversation": { "attachments": ["file://a"] },
            "providers": { "llm": { "anthropic": { "chain_on_max_tokens": true } } },
        })),
        [
            "`conversation.attachments` has no effect here: attach files to the question itself.",
            "`providers.llm.anthropic.chain_on_max_tokens` has no effect here: an answer ends at the limit of tokens.",
        ]
    );
}

#[test]
fn every_key_is_one_of_the_config() {
    for (path, _) in UNHEEDED {
        assert!(schema().lookup(path.split('.')).is_ok(), "{path}");
    }
}

/// The paths below a node that lead to values, `*` for any key of a map; what lies in itself is followed once.
fn paths(above: &[NodeId], node: NodeId, path: &str, found: &mut Vec<String>) {
    if above.contains(&node) {
        return found.push(path.to_owned());
    }
    let above = [above, &[node]].concat();
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    let fields = schema().fields(node);
    for field in fields {
        paths(&above, field.node, &below(field.name), found);
    }
    if let Shape::Map(_) = &schema().node(node).shape
        && let Some(entry) = schema().child(node, "any")
    {
        return paths(&above, entry, &below("*"), found);
    }
    if fields.is_empty() {
        found.push(path.to_owned());
    }
}

/// Whether a pattern covers a path.
fn covers(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('.').collect();
    let path: Vec<&str> = path.split('.').collect();
    pattern.len() <= path.len()
        && pattern
            .iter()
            .zip(&path)
            .all(|(pattern, key)| *pattern == "*" || pattern == key)
}

#[test]
fn every_key_of_the_config_is_heeded_or_told() {
    let mut found = Vec::new();
    paths(&[], schema().root(), "", &mut found);
    let told = UNHEEDED.iter().map(|(pattern, _)| *pattern);
    let known: Vec<&str> = HEEDED.into_iter().chain(told).collect();
    for path in &found {
        let is_known = known.iter().any(|pattern| covers(pattern, path));
        assert!(is_known, "{path} is neither");
    }
    for pattern in known {
        let is_one = found.iter().any(|path| covers(pattern, path));
        assert!(is_one, "{pattern} is none");
    }
}

#[test]
fn keys_of_any_entry_of_a_map_are_told_once() {
    let tool = json!({"style": {"inline_results": "off"}});
    let config = json!({
        "conversation": {"tools": {"*": tool, "a": tool}, "title": {"from_heading": true}},
        "style": {"markdown": {"wrap_width": 80}, "code": {}},
    });
    let told: Vec<&str> = unheeded(&config)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(
        told,
        [
            "conversation.title.from_heading",
            "conversation.tools.*.style.inline_results",
            "style"
        ]
    );
    let off = json!({"conversation": {"title": {"from_heading": false}}, "style": {"code": {}}});
    assert_eq!(unheeded(&off), []);
}
