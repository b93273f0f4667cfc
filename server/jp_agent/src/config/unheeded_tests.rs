use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

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
            "`conversation.attachments` has no effect here: nothing is attached, so name the files in your question.",
            "`providers.llm.anthropic.chain_on_max_tokens` has no effect here: an answer ends at the limit of tokens.",
        ]
    );
}

#[test]
fn every_key_is_one_of_the_config() {
    for (path, _) in UNHEEDED {
        assert!(
            jp_config::schema::schema().lookup(path.split('.')).is_ok(),
            "{path}"
        );
    }
}
