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
            `edit` would no longer ask before it runs with `path` = "src/main.rs", as in a call of this conversation
            `edit` would no longer ask for `src`"#]],
    );
}

/// A tool of two parameters whose runs are decided by these rules.
fn mail(run: &Value) -> Value {
    json!({"mail": {"source": "local", "command": "mail", "policy": {"run": run},
        "parameters": {"to": {"type": "string"}, "size": {"type": "integer"}}}})
}

#[test]
fn each_condition_is_named_in_words() {
    let conditions = [
        json!({"arg": "/to", "prefix": "bob"}),
        json!({"arg": "/to", "pattern": "@example\\.org$"}),
        json!({"arg": "/to", "const": "ann"}),
        json!({"arg": "/to", "enum": ["eve", "max"]}),
        json!({"arg": "/size", "minimum": 10}),
        json!({"arg": "/size", "maximum": -10}),
        json!({"arg": "/size", "exclusive_minimum": 5}),
        json!({"arg": "/size", "exclusive_maximum": -5}),
    ];
    let rules = |mode: &str| {
        let mut rules: Vec<Value> = conditions
            .iter()
            .cloned()
            .map(|mut rule| {
                rule["mode"] = mode.into();
                rule
            })
            .collect();
        rules.push(json!({"mode": "ask"}));
        json!(rules)
    };
    check(
        mail(&rules("ask")),
        mail(&rules("unattended")),
        &[],
        expect![[r#"
            `mail` would no longer ask for `bob` as the beginning of `to`
            `mail` would no longer ask for a `to` that matches `@example\.org$`
            `mail` would no longer ask for `to` = "ann"
            `mail` would no longer ask for a `to` among ["eve","max"]
            `mail` would no longer ask for `size` from 10 on
            `mail` would no longer ask for `size` up to -10
            `mail` would no longer ask for `size` above 5
            `mail` would no longer ask for `size` below -5"#]],
    );
    check(
        mail(&rules("skip")),
        mail(&rules("ask")),
        &[],
        expect![[r#"
            `mail` would ask instead of being skipped for `bob` as the beginning of `to`
            `mail` would ask instead of being skipped for a `to` that matches `@example\.org$`
            `mail` would ask instead of being skipped for `to` = "ann"
            `mail` would ask instead of being skipped for a `to` among ["eve","max"]
            `mail` would ask instead of being skipped for `size` from 10 on
            `mail` would ask instead of being skipped for `size` up to -10
            `mail` would ask instead of being skipped for `size` above 5
            `mail` would ask instead of being skipped for `size` below -5"#]],
    );
}

#[test]
fn the_rest_of_the_calls_is_named() {
    let docs = json!({"arg": "/path", "prefix": "docs", "mode": "unattended"});
    check(
        edit(&json!([docs, {"mode": "ask"}])),
        edit(&json!([docs, {"mode": "unattended"}])),
        &[],
        expect!["`edit` would no longer ask for calls that no rule names"],
    );
    check(
        edit(
            &json!([{"arg": "/path", "prefix": "docs/secret", "mode": "skip"}, docs, {"mode": "ask"}]),
        ),
        edit(&json!([docs, {"mode": "ask"}])),
        &[],
        expect!["`edit` would run without asking instead of being skipped for `docs/secret`"],
    );
}

#[test]
fn a_config_that_cannot_be_used_is_not_taken_for_a_safe_one() {
    check(
        json!({"t": {"source": "local", "command": "x", "run": "ask"}}),
        json!({"t": {"source": "local", "command": "x", "run": "unattended"}, "u": {"source": "lokal"}}),
        &[],
        expect![
            "the config could not be used, so it is not known what becomes looser: `conversation.tools.u.source`: unknown tool source `lokal`, must be one of: `builtin`, `local`, `mcp`"
        ],
    );
    let tools = |run: &str, choice: &str| {
        let mut config = tools(&json!({"t": {"source": "local", "command": "x", "run": run}}));
        config["assistant"]["tool_choice"] = choice.into();
        config
    };
    // A turn would end with this tool choice, and the next one would run without asking.
    let sentences = loosens(&tools("ask", "auto"), &tools("unattended", "gone"), &[]);
    assert_eq!(sentences, ["`t` would no longer ask before it runs"]);
}

#[test]
fn servers_addresses_and_formatters_are_named() {
    let config = |providers: Value, tool: Value| {
        let mut config = tools(&json!({"t": tool}));
        config["providers"] = providers;
        config
    };
    let formatter = json!({"program": "less", "args": ["-R"]});
    let sentences = loosens(
        &config(
            json!({"llm": {"openai": {"base_url": "https://a.example"}}}),
            json!({"source": "local", "command": "x", "style": {"parameters": formatter}}),
        ),
        &config(
            json!({
                "llm": {"openai": {"base_url": "https://b.example"}, "anthropic": {"base_url_env": "HOME"}},
                "mcp": {"gh": {"command": "gh-mcp"}},
            }),
            json!({"source": "local", "command": "x", "format": "unattended", "style": {"parameters": formatter}}),
        ),
        &[],
    );
    expect![[r#"
        the key in `OPENAI_API_KEY` would be sent to https://b.example
        requests to `openai` would go to `https://b.example`
        requests to `anthropic` would go where the environment variable `HOME` says, with the key in `ANTHROPIC_API_KEY`
        `t` would show its arguments with a command without asking
        the MCP server `gh` would start `gh-mcp`"#]]
    .assert_eq(&sentences.join("\n"));
}

#[test]
fn a_key_from_another_variable_is_named_with_its_address() {
    let of = |settings: Value| json!({ "providers": { "llm": { "openai": settings } } });
    let said = |before: Value, after: Value| loosens(&of(before), &of(after), &[]).join("\n");
    let secret = json!({ "api_key_env": "AWS_SECRET_ACCESS_KEY" });
    expect![[r#"
        the key in `AWS_SECRET_ACCESS_KEY` would be sent to https://api.openai.com
        requests to `openai` would carry the key in `AWS_SECRET_ACCESS_KEY`"#]]
    .assert_eq(&said(json!({}), secret.clone()));
    let there =
        json!({ "api_key_env": "AWS_SECRET_ACCESS_KEY", "base_url": "http://127.0.0.1:9/x" });
    expect![[r#"
        the key in `AWS_SECRET_ACCESS_KEY` would be sent to http://127.0.0.1:9
        requests to `openai` would go to `http://127.0.0.1:9/x`"#]]
    .assert_eq(&said(secret.clone(), there.clone()));
    // The other way round, everything goes home.
    expect!["the key in `OPENAI_API_KEY` would be sent to https://api.openai.com"]
        .assert_eq(&said(there, json!({})));
    expect![""].assert_eq(&said(secret.clone(), secret));
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
fn a_question_is_named_only_where_it_goes_to_another() {
    let asks = |questions: Value| json!({"t": {"source": "local", "questions": questions}});
    check(
        asks(json!({
            "answered": {"target": "user", "answer": true},
            "already": {"target": "assistant"},
            "handed": {"target": "user"},
            "stays": {"target": "user"},
        })),
        asks(json!({
            "answered": {"target": "user", "answer": false},
            "already": {"target": "assistant"},
            "handed": {"target": "assistant"},
            "stays": {"target": "user"},
            "new": {"target": "user"},
        })),
        &[],
        expect!["the assistant instead of you would answer the question `handed` of `t`"],
    );
}

#[test]
fn a_result_that_was_withheld_is_named() {
    let result = |mode: &str| json!({"t": {"source": "local", "result": mode}});
    check(
        result("skip"),
        result("unattended"),
        &[],
        expect!["`t` would hand its result to the assistant instead of withholding it"],
    );
    check(
        result("skip"),
        result("ask"),
        &[],
        expect!["`t` would ask about its result instead of withholding it"],
    );
    check(
        result("ask"),
        result("unattended"),
        &[],
        expect!["`t` would no longer ask before the assistant sees its result"],
    );
    check(result("ask"), result("skip"), &[], expect![""]);
}

#[test]
fn a_formatter_is_named_where_it_changes_or_asks_no_more() {
    let tool = |format: &str, parameters: &Value| json!({"t": {"source": "local", "format": format, "style": {"parameters": parameters}}});
    let (less, more) = (json!("less -R"), json!("more"));
    check(
        tool("unattended", &less),
        tool("unattended", &more),
        &[],
        expect!["`t` would show its arguments with `more`"],
    );
    check(
        tool("ask", &less),
        tool("unattended", &less),
        &[],
        expect!["`t` would show its arguments with a command without asking"],
    );
    check(
        tool("unattended", &less),
        tool("unattended", &less),
        &[],
        expect![""],
    );
    // What needs no command runs none.
    check(
        tool("ask", &json!("json")),
        tool("unattended", &json!("json")),
        &[],
        expect![""],
    );
}

#[test]
fn a_tool_from_elsewhere_is_named() {
    check(
        json!({"t": {"source": "local", "command": "x"}}),
        json!({"t": {"source": "mcp.gh.x", "command": "x"}}),
        &[],
        expect!["`t` would be another tool, from `mcp`"],
    );
}

#[test]
fn a_call_without_arguments_is_named_as_such() {
    let call = ToolCallRequest {
        id: "1".to_owned(),
        name: "edit".to_owned(),
        arguments: serde_json::Map::new(),
    };
    let other = ToolCallRequest {
        name: "other".to_owned(),
        ..call.clone()
    };
    let rules = |mode: &str| {
        edit(&json!([{"arg": "/path", "prefix": "docs", "mode": "ask"}, {"mode": mode}]))
    };
    check(
        rules("ask"),
        rules("unattended"),
        &[other.clone(), call],
        expect![[r#"
            `edit` would no longer ask before it runs without arguments, as in a call of this conversation
            `edit` would no longer ask for calls that no rule names"#]],
    );
    check(
        rules("ask"),
        rules("unattended"),
        &[other],
        expect!["`edit` would no longer ask for calls that no rule names"],
    );
}

#[test]
fn where_keys_would_go_comes_first_and_the_rest_is_counted() {
    let of = |base_url: &str, run: &str| {
        let many = (0..45).map(|number| {
            (
                format!("t{number:02}"),
                json!({"source": "local", "run": run}),
            )
        });
        let mut config = tools(&Value::Object(many.collect()));
        config["providers"] = json!({"llm": {"openai": {"base_url": base_url}}});
        config
    };
    let sentences = loosens(
        &of("https://a.example", "ask"),
        &of("https://b.example", "unattended"),
        &[],
    );
    assert_eq!(sentences.len(), 41);
    let shown = [&sentences[..3], &sentences[39..]].concat();
    expect![[r#"
        the key in `OPENAI_API_KEY` would be sent to https://b.example
        requests to `openai` would go to `https://b.example`
        `t00` would no longer ask before it runs
        `t37` would no longer ask before it runs
        and 7 more"#]]
    .assert_eq(&shown.join("\n"));
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
