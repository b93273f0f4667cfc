use expect_test::{Expect, expect};
use serde_json::json;

use super::AliasMap;

fn check(text: &str, expected: &Expect) {
    let config = json!({"providers": {"llm": {"aliases": {
        "haiku": "anthropic/claude-haiku-4-5",
        "fast": "haiku",
        "table": {"provider": "openai", "name": "gpt"},
        "half": {"provider": "openai"},
        "bogus": {"provider": "bogus", "name": "x"},
        "wrong": "bogus/x",
        "lost": "nowhere",
        "a": "b",
        "b": "c",
        "c": "b",
        "number": 7,
    }}}});
    let shown = match AliasMap::of(&config).resolve(text) {
        Ok(id) => format!("{} {}", id.provider, id.name),
        Err(error) => format!("error: {error}"),
    };
    expected.assert_eq(&shown);
}

#[test]
fn names_lead_to_models() {
    check("openai/gpt", &expect!["openai gpt"]);
    check("haiku", &expect!["anthropic claude-haiku-4-5"]);
    check("fast", &expect!["anthropic claude-haiku-4-5"]);
    check("table", &expect!["openai gpt"]);
}

#[test]
fn names_that_lead_nowhere_are_errors() {
    check(
        "gone",
        &expect![
            "error: unknown model alias `gone`, write an alias from `providers.llm.aliases` or `<provider>/<model>`"
        ],
    );
    check(
        "lost",
        &expect![
            "error: unknown model alias `nowhere`, write an alias from `providers.llm.aliases` or `<provider>/<model>`"
        ],
    );
    check(
        "a",
        &expect![
            "error: the model alias leads back to itself (`a -> b -> c -> b`), write `<provider>/<model>` for one of its names"
        ],
    );
    check(
        "half",
        &expect!["error: model alias `half` names no whole model, it needs `provider` and `name`"],
    );
    check(
        "bogus",
        &expect![
            "error: unknown provider `bogus`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`"
        ],
    );
    check(
        "wrong",
        &expect![
            "error: unknown provider `bogus`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`"
        ],
    );
    check(
        "number",
        &expect![
            "error: model alias `number` names no whole model, it needs `provider` and `name`"
        ],
    );
    check(
        "",
        &expect!["error: model id `` is incomplete: write `<provider>/<model>` or an alias"],
    );
}
