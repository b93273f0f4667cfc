use std::{fmt::Write as _, sync::Arc};

use expect_test::{Expect, expect};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};

use super::*;

/// Compares the config of a workspace with what `jp` has of it.
#[track_caller]
fn check(fixture: &str, theirs: &Value, expected: &Expect) {
    let files = MemoryFiles::from_fixture(fixture);
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    let found = agreement(&View::new(Arc::new(graph)), theirs);
    let mut report = String::new();
    for difference in &found.differences {
        let shown = |value: &Option<Value>| match value {
            Some(value) => value.to_string(),
            None => "-".to_owned(),
        };
        let place = difference.place.iter();
        let place: String = place
            .map(|(path, line)| format!(" {path}:{}", line + 1))
            .collect();
        let (ours, theirs) = (shown(&difference.ours), shown(&difference.theirs));
        let secret = if difference.is_secret { " secret" } else { "" };
        writeln!(
            report,
            "{}: {ours}{place} | {theirs}{secret}",
            difference.path
        )
        .unwrap();
    }
    writeln!(report, "{} agree", found.agreeing).unwrap();
    expected.assert_eq(&report);
}

#[test]
fn tells_each_leaf_that_differs_with_its_place() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["more.toml"]
[assistant]
name = "Ada"
model.id = "quick"
[providers.llm.aliases]
quick = "openai/gpt-5"
[conversation.tools.'*']
run = "ask"
//- /w/.jp/more.toml
user.name = "Eve"
[conversation.tools.grep]
enable = true
source = "local"
command = { program = "grep", args = ["x"] }
"#,
        &json!({
            "inherit": false,
            "extends": ["more.toml"],
            "assistant": {
                "name": "Bob",
                "model": { "id": { "provider": "openai", "name": "gpt-5" } },
                "system_prompt": "You are a helpful assistant.",
                "instructions": { "value": [], "strategy": "replace", "discard_when_merged": false },
                "request": { "max_retries": 7, "cache": true },
            },
            "providers": { "llm": { "aliases": { "quick": { "provider": "openai", "name": "gpt-5" } } } },
            "conversation": { "tools": {
                "*": { "run": "unattended", "result": "unattended" },
                "grep": {
                    "source": "local",
                    "enable": { "state": true, "allow_toggle": "never" },
                    "command": { "program": "grep", "args": ["x", "y"], "shell": false },
                },
            } },
        }),
        &expect![[r#"
            user.name: "Eve" .jp/more.toml:1 | -
            conversation.tools.grep.enable.allow_toggle: "any" .jp/more.toml:3 | "never"
            conversation.tools.grep.command.args: ["x"] .jp/more.toml:5 | ["x","y"]
            conversation.tools.*.run: "ask" .jp/config.toml:8 | "unattended"
            assistant.name: "Ada" .jp/config.toml:3 | "Bob"
            assistant.request.max_retries: - | 7
            12 agree
        "#]],
    );
}

#[test]
fn what_nobody_sets_is_the_same_as_its_default() {
    check(
        "//- /w/.jp/config.toml\nstyle.tool_call.show = true\n[providers.mcp.tables]\ntype = \"stdio\"\ncommand = \"tables\"\n",
        &json!({
            "extends": ["config.d/**/*"],
            "style": { "code": { "color": true, "line_numbers": true } },
            "conversation": { "tools": { "*": { "style": { "inline_results": { "truncate": { "lines": 10 } } } } } },
            "providers": { "mcp": { "tables": {
                "type": "stdio", "command": "tables", "arguments": [], "optional": false, "startup_timeout_secs": 0,
            } } },
        }),
        &expect![[r#"
            style.code.line_numbers: - | true
            9 agree
        "#]],
    );
    check(
        "//- /w/.jp/config.toml\n",
        &json!({}),
        &expect![[r#"
        0 agree
    "#]],
    );
}

#[test]
fn no_secret_is_told() {
    check(
        r#"
//- /w/.jp/config.toml
template.values = { apiKey = "never-told", max = 1 }
assistant.model.parameters.max_tokens = 10
[conversation.tools.t]
source = "local"
options = { github.token = "never-told", url = "https://me:never-told@example.org/x", nested = [{ password = "never-told" }] }
command = "run --token never-told --key=never-told sk-never-told"
"#,
        &json!({
            "template": { "values": { "apiKey": "never-told-2", "max": 2 } },
            "assistant": { "model": { "parameters": { "max_tokens": 11 } } },
            "conversation": { "tools": { "t": {
                "source": "local",
                "options": { "github": { "token": 1 }, "url": "x", "nested": [{ "secretName": "never-told" }] },
                "command": { "program": "run", "args": ["--api-key", "never-told", "TOKEN=never-told"] },
            } } },
        }),
        &expect![[r#"
            template.values.apiKey: null .jp/config.toml:1 | null secret
            template.values.max: 1 .jp/config.toml:1 | 2
            assistant.model.parameters.max_tokens: 10 .jp/config.toml:2 | 11
            conversation.tools.t.options.github.token: null .jp/config.toml:5 | null secret
            conversation.tools.t.options.url: "https://(withheld)@example.org/x" .jp/config.toml:5 | "x"
            conversation.tools.t.options.nested: [{"password":"(withheld)"}] .jp/config.toml:5 | [{"secretName":"(withheld)"}]
            conversation.tools.t.command: "run --token (withheld) --key=(withheld) (withheld)" .jp/config.toml:6 | {"program":"run","args":["--api-key","(withheld)","TOKEN=(withheld)"]}
            1 agree
        "#]],
    );
}
