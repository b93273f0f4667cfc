use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::schema::schema;

fn check(paths: &[&str], element: bool, expected: &Expect) {
    let mut out = String::new();
    for path in paths {
        let found = match schema().check_unset(path.split('.'), element) {
            Ok(_) => "may be unset".to_owned(),
            Err(error) => error.to_string(),
        };
        writeln!(out, "{path}: {found}").unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn optional_scalars_may_be_unset() {
    check(
        &[
            "assistant.name",
            "assistant.system_prompt",
            "assistant.model.parameters.temperature",
            "assistant.model.parameters.reasoning",
            "conversation.tools.t.run",
            "conversation.tools.t.command",
            "conversation.tools.t.enable.state",
            "conversation.tools.t.policy.run",
            "conversation.tools.t.parameters.p.default",
            "conversation.tools.*.cancellation_response",
        ],
        false,
        &expect![[r#"
            assistant.name: may be unset
            assistant.system_prompt: may be unset
            assistant.model.parameters.temperature: may be unset
            assistant.model.parameters.reasoning: may be unset
            conversation.tools.t.run: may be unset
            conversation.tools.t.command: may be unset
            conversation.tools.t.enable.state: may be unset
            conversation.tools.t.policy.run: may be unset
            conversation.tools.t.parameters.p.default: may be unset
            conversation.tools.*.cancellation_response: may be unset
        "#]],
    );
}

#[test]
fn anything_else_may_not() {
    check(
        &[
            "",
            "assistant",
            "assistant.nam",
            "assistant.name.x",
            "assistant.model.id",
            "assistant.model.id.provider",
            "assistant.system_prompt.strategy",
            "conversation.attachments",
            "conversation.attachments.0",
            "conversation.labels.team",
            "conversation.tools",
            "conversation.tools.*",
            "conversation.tools.*.run",
            "conversation.tools.t",
            "conversation.tools.t.enable",
            "conversation.tools.t.source",
            "conversation.tools.t.options.a",
            "conversation.tools.t.options.a.b",
            "providers.llm.aliases.haiku",
        ],
        false,
        &expect![[r#"
            : unknown config path `""`
            assistant: `assistant` is a table: unset its keys one by one
            assistant.nam: unknown config path `assistant.nam`, did you mean `name`?
            assistant.name.x: unknown config path `assistant.name.x`
            assistant.model.id: `assistant.model.id` must have a value: set another one instead
            assistant.model.id.provider: `assistant.model.id.provider` must have a value: set another one instead
            assistant.system_prompt.strategy: unknown config path `assistant.system_prompt.strategy`
            conversation.attachments: `conversation.attachments` is a list: name the element to remove, as in `conversation.attachments["..."]`
            conversation.attachments.0: unknown config path `conversation.attachments.0`
            conversation.labels.team: `conversation.labels.team` is an entry of a map, which cannot be unset
            conversation.tools: `conversation.tools` is a table: unset its keys one by one
            conversation.tools.*: `conversation.tools.*` is a table: unset its keys one by one
            conversation.tools.*.run: `conversation.tools.*.run` must have a value: set another one instead
            conversation.tools.t: `conversation.tools.t` is an entry of a map, which cannot be unset
            conversation.tools.t.enable: `conversation.tools.t.enable` is a table: unset its keys one by one
            conversation.tools.t.source: `conversation.tools.t.source` must have a value: set another one instead
            conversation.tools.t.options.a: `conversation.tools.t.options.a` is an entry of a map, which cannot be unset
            conversation.tools.t.options.a.b: `conversation.tools.t.options.a` is free-form data, in which nothing can be unset: set `conversation.tools.t.options.a` instead
            providers.llm.aliases.haiku: `providers.llm.aliases.haiku` is an entry of a map, which cannot be unset
        "#]],
    );
}

#[test]
fn elements_belong_to_lists() {
    check(
        &[
            "conversation.attachments",
            "conversation.tools.t.access.fs",
            "conversation.tools.t.policy.run",
            "assistant.name",
            "conversation.tools.t",
            "conversation.tools.t.options.a",
        ],
        true,
        &expect![[r#"
            conversation.attachments: may be unset
            conversation.tools.t.access.fs: may be unset
            conversation.tools.t.policy.run: may be unset
            assistant.name: `assistant.name` is no list: drop the `[...]`
            conversation.tools.t: `conversation.tools.t` is no list: drop the `[...]`
            conversation.tools.t.options.a: `conversation.tools.t.options.a` is no list: drop the `[...]`
        "#]],
    );
}
