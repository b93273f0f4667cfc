use std::fmt::Write as _;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::schema::schema;

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(partial: Value, expected: Expect) {
    let mut out = String::new();
    for leaf in schema().leaves(&partial) {
        let known = if leaf.node.is_some() {
            ""
        } else {
            " (unknown)"
        };
        writeln!(out, "{} = {}{known}", leaf.dotted(), leaf.value).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn tables_and_maps_are_entered() {
    check(
        json!({
            "assistant": { "model": { "id": { "provider": "anthropic", "name": "sonnet" }, "parameters": { "temperature": 1.0 } } },
            "conversation": { "tools": { "a.b": { "run": "ask", "command": { "program": "x" } }, "*": { "style": { "hidden": true } } } },
        }),
        expect![[r#"
            assistant.model.id.provider = "anthropic"
            assistant.model.id.name = "sonnet"
            assistant.model.parameters.temperature = 1.0
            conversation.tools."a.b".run = "ask"
            conversation.tools."a.b".command.program = "x"
            conversation.tools.*.style.hidden = true
        "#]],
    );
}

#[test]
fn shorthands_are_written_out() {
    check(
        json!({
            "assistant": { "model": { "id": "anthropic/sonnet" } },
            "conversation": {
                "title": { "generate": { "model": { "id": "haiku" } } },
                "tools": { "a": { "enable": "explicit" }, "b": { "enable": { "state": false } } },
            },
        }),
        expect![[r#"
            assistant.model.id.provider = "anthropic"
            assistant.model.id.name = "sonnet"
            conversation.title.generate.model.id = "haiku"
            conversation.tools.a.enable.state = false
            conversation.tools.a.enable.allow_toggle = "if_named"
            conversation.tools.b.enable.state = false
        "#]],
    );
}

#[test]
fn lists_wrappers_and_free_form_data_are_one_leaf_each() {
    check(
        json!({
            "assistant": { "system_prompt": { "value": "x", "strategy": "append" } },
            "conversation": {
                "attachments": ["file://a"],
                "labels": { "value": {}, "strategy": "replace" },
                "tools": { "t": {
                    "options": { "a": { "deep": 1 } },
                    "policy": { "run": { "strategy": "append", "value": [{ "mode": "ask" }] } },
                    "access": { "fs": [{ "path": "." }] },
                    "questions": { "q": { "answer": { "any": 1 } } },
                } },
            },
        }),
        expect![[r#"
            assistant.system_prompt = {"value":"x","strategy":"append"}
            conversation.attachments = ["file://a"]
            conversation.labels = {"value":{},"strategy":"replace"}
            conversation.tools.t.options.a = {"deep":1}
            conversation.tools.t.policy.run = {"strategy":"append","value":[{"mode":"ask"}]}
            conversation.tools.t.access.fs = [{"path":"."}]
            conversation.tools.t.questions.q.answer = {"any":1}
        "#]],
    );
}

/// What might slip past authorization appears: unknown keys and empty entries, but not `null`.
#[test]
fn nothing_that_changes_config_is_left_out() {
    check(
        json!({
            "user": { "name": null },
            "style": {},
            "assistant": { "model": { "idd": { "x": 1 } }, "name": {} },
            "conversation": { "tools": { "fresh": {} }, "labels": { "team": "core" } },
            "nothing": { "at": "all" },
        }),
        expect![[r#"
            assistant.model.idd = {"x":1} (unknown)
            assistant.name = {}
            conversation.tools.fresh = {}
            conversation.labels.team = "core"
            nothing = {"at":"all"} (unknown)
        "#]],
    );
}
