use expect_test::{Expect, expect};
use jp_conversation::ToolCallRequest;
use serde_json::{Value, json};

use super::loosens;

fn tools(tools: &Value) -> Value {
    json!({"assistant": {"model": {"id": "test/model"}}, "conversation": {"tools": tools}})
}

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(before: Value, after: Value, calls: &[ToolCallRequest], expected: Expect) {
    let sentences = loosens(&tools(&before), &tools(&after), calls);
    expected.assert_eq(&sentences.join("\n"));
}

fn edit(policy: &Value) -> Value {
    json!({"edit": {"source": "local", "command": "edit", "policy": {"run": policy},
        "parameters": {"path": {"type": "path", "required": true}}}})
}

#[test]
fn nothing_is_said_of_what_becomes_stricter() {
    check(
        json!({"*": {"run": "unattended"}, "t": {"source": "local", "command": "x"}}),
        json!({"*": {"run": "ask"}, "t": {"source": "local", "command": "x", "enable": false}}),
        &[],
        expect![""],
    );
}

#[test]
fn a_mode_for_every_call_is_one_sentence() {
    check(
        json!({"*": {"run": "ask"}, "t": {"source": "local"}, "u": {"source": "local", "run": "skip"}}),
        json!({"*": {"run": "unattended", "result": "unattended"}, "t": {"source": "local"}, "u": {"source": "local", "run": "ask"}}),
        &[],
        expect![[r#"
            `t` would no longer ask before it runs
            `u` would ask instead of being skipped"#]],
    );
}

#[test]
fn rules_are_compared_on_recorded_calls_and_on_witnesses() {
    let call = ToolCallRequest {
        id: "1".to_owned(),
        name: "edit".to_owned(),
        arguments: json!({"path": "src/main.rs"})
            .as_object()
            .cloned()
            .unwrap_or_default(),
    };
    check(
        edit(&json!([{"arg": "/path", "prefix": "docs", "mode": "unattended"}, {"mode": "ask"}])),
        edit(
            &json!([{"arg": "/path", "prefix": "docs", "mode": "unattended"},
            {"arg": "/path", "prefix": "src", "mode": "unattended"}, {"mode": "ask"}]),
        ),
        &[call],
        expect![[r#"
            `edit` would no longer ask before it runs with `path` = "src/main.rs"
            `edit` would no longer ask before it runs with `path` = "src/x""#]],
    );
}

#[test]
fn results_questions_commands_and_tools_are_named() {
    check(
        json!({"t": {"source": "local", "command": "cat", "enable": false, "result": "ask",
            "questions": {"sure": {"target": "user"}}}}),
        json!({"t": {"source": "local", "command": "sh -c x", "enable": true, "result": "unattended",
                "questions": {"sure": {"answer": true}, "more": {"target": "assistant"}}},
            "fresh": {"source": "local", "command": "rm -rf", "run": "unattended"}}),
        &[],
        expect![[r#"
            the assistant could call `t`
            `t` would run `sh -c x`
            `t` would no longer ask before the assistant sees its result
            `t` would no longer ask its question `sure`
            the assistant instead of you would answer the question `more` of `t`
            there would be a further tool `fresh`, running `rm -rf`
            `fresh` would run without asking"#]],
    );
}

#[test]
fn grants_are_compared_where_a_rule_stands() {
    let access = |access: &Value| json!({"t": {"source": "local", "access": access}});
    check(
        access(&json!({
            "fs": [{"path": ".", "read": true}, {"path": "secret"}],
            "net": [{"host": "a.example", "allow": true}],
            "env": [{"name": "A", "read": true}],
            "config": [{"path": "assistant", "read": true, "write": true}],
        })),
        access(&json!({
            "fs": [{"path": ".", "read": true}, {"path": "secret", "read": true}, {"path": "src", "write": true}],
            "net": [{"host": "a.example", "allow": true}, {"host": "b.example", "path_prefix": "/x", "allow": true}],
            "env": [{"name": "AWS_*", "read": true}],
            "config": [{"path": "assistant", "read": true, "write": true, "delete": true, "apply": "unattended"}],
        })),
        &[],
        expect![[r#"
            `t` would be allowed to read `secret`
            `t` would be allowed to create `src`
            `t` would be allowed to change `src`
            `t` would be allowed to delete `src`
            `t` would be allowed to connect to `https://b.example/x`
            `t` would be allowed to read the environment variable `AWS_*`
            `t` would change the config at `assistant` without asking
            `t` would be allowed to unset the config at `assistant`
            `t` would unset the config at `assistant` without asking"#]],
    );
}

#[test]
fn a_lifted_restriction_is_named() {
    check(
        json!({"t": {"source": "local", "access": {"fs": [{"path": "src", "read": true}]}}}),
        json!({"t": {"source": "local"}}),
        &[],
        expect!["`t` would have no restriction on files of the workspace"],
    );
}

#[test]
fn hostile_text_is_made_visible() {
    check(
        json!({}),
        json!({"t\u{202e}": {"source": "local", "command": "x \u{1b}[2J"}}),
        &[],
        expect![[r#"there would be a further tool `t\u{202e}`, running `x ␛[2J`"#]],
    );
}
