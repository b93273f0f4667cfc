use std::sync::Arc;

use expect_test::{Expect, expect};

use super::effects;
use crate::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
    schema::schema,
    view::View,
};

/// Asserts what the files of the workspace `/w` set off, beside those of the person in `/home`.
fn check(fixture: &str, expected: &Expect) {
    let files = MemoryFiles::from_fixture(fixture);
    let roots = Roots {
        user_global: Some("/home/global".into()),
        user_workspace: Some("/home/private".into()),
        decisions: Vec::new(),
        ..Roots::workspace_only("/w")
    };
    let view = View::new(Arc::new(Graph::load(&roots, &files)));
    let lines: Vec<String> = effects(&view)
        .into_iter()
        .map(|setting| {
            let file = setting.file.map(|file| view.graph().path(file).as_str());
            let line = setting.line.map_or("-".to_owned(), |line| line.to_string());
            format!(
                "{:?} {} = {} ({}:{line})",
                setting.effect,
                setting.path,
                setting.value,
                file.unwrap_or("-"),
            )
        })
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn everything_that_starts_or_sends_is_found() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["more.toml", "data.json"]
assistant.model.id = "openai/gpt-5"
editor.cmd = "hx"
editor.envs = ["MINE"]
plugins.command.ticket.run = "unattended"

[providers.llm.openai]
base_url = "http://127.0.0.1:9"
base_url_env = "WHERE"
api_key_env = "AWS_SECRET_ACCESS_KEY"
app = 1

[providers.mcp."a.b"]
type = "stdio"
command = "sh"
arguments = ["-c", "true"]
optional = true

[conversation.tools.'*']
run = "ask"
style.parameters = "json"
//- /w/.jp/more.toml
[conversation.tools.grep]
source = "local"
command = "grep x"
style.parameters = "show {{tool}}"
//- /w/.jp/data.json
{"conversation": {"tools": {"list": {"source": "local", "command": {"program": "ls", "args": []}}}}}
//- /w/.jp.toml
[conversation.tools.sed]
source = "local"
command = { program = "sed", args = ["-n"] }
"#,
        &expect![[r#"
            Process conversation.tools.grep.command = "grep x" (/w/.jp/more.toml:3)
            Process conversation.tools.grep.style.parameters = "show {{tool}}" (/w/.jp/more.toml:4)
            Process conversation.tools.list.command = {"program":"ls","args":[]} (/w/.jp/data.json:-)
            Process conversation.tools.sed.command = {"program":"sed","args":["-n"]} (/w/.jp.toml:3)
            Process editor.cmd = "hx" (/w/.jp/config.toml:3)
            Process editor.envs = ["MINE"] (/w/.jp/config.toml:4)
            Plugin plugins.command.ticket = {"run":"unattended"} (/w/.jp/config.toml:5)
            Address providers.llm.openai.base_url = "http://127.0.0.1:9" (/w/.jp/config.toml:8)
            AddressVariable providers.llm.openai.base_url_env = "WHERE" (/w/.jp/config.toml:9)
            Key providers.llm.openai.api_key_env = "AWS_SECRET_ACCESS_KEY" (/w/.jp/config.toml:10)
            Process providers.mcp."a.b" = {"type":"stdio","command":"sh","arguments":["-c","true"],"optional":true} (/w/.jp/config.toml:13)"#]],
    );
}

#[test]
fn what_sets_nothing_off_is_left_out() {
    check(
        r#"//- /w/.jp/config.toml
assistant.model.id = "openai/gpt-5"
providers.llm.aliases.fast = "openai/gpt-5"
[conversation.tools.'*']
run = "unattended"
style.parameters = "function_call"
[conversation.tools.ask_user]
source = "builtin"
"#,
        &expect![""],
    );
}

#[test]
fn options_count_where_a_command_has_a_place_for_them() {
    check(
        r#"//- /home/global/config.toml
[conversation.tools.mine]
source = "local"
command = "mine {{ tool['options'].word }}"
//- /w/.jp/config.toml
conversation.tools.mine.options.word = "; sh"
[conversation.tools.formatted]
source = "builtin"
style.parameters = "show {{tool}}"
options = { word = "a" }
[conversation.tools.table]
source = "builtin"
command = { program = "sh", args = ["-c", "{% set t = tool %}{{ t.options }}"] }
options.word = "b"
[conversation.tools.other]
source = "builtin"
command = "grep {{tool.arguments.text}}"
options.word = "c"
[conversation.tools.none]
source = "builtin"
options.word = "d"
"#,
        &expect![[r#"
            Input conversation.tools.mine.options = {"word":"; sh"} (/w/.jp/config.toml:1)
            Process conversation.tools.formatted.style.parameters = "show {{tool}}" (/w/.jp/config.toml:4)
            Input conversation.tools.formatted.options = {"word":"a"} (/w/.jp/config.toml:5)
            Process conversation.tools.table.command = {"program":"sh","args":["-c","{% set t = tool %}{{ t.options }}"]} (/w/.jp/config.toml:8)
            Input conversation.tools.table.options = {"word":"b"} (/w/.jp/config.toml:9)
            Process conversation.tools.other.command = "grep {{tool.arguments.text}}" (/w/.jp/config.toml:12)"#]],
    );
    check(
        r#"//- /w/.jp/config.toml
conversation.tools.'*'.style.parameters = "show {{tool.options}}"
conversation.tools.none.options.word = "d"
"#,
        &expect![[r#"
            Process conversation.tools.*.style.parameters = "show {{tool.options}}" (/w/.jp/config.toml:1)
            Input conversation.tools.none.options = {"word":"d"} (/w/.jp/config.toml:2)"#]],
    );
}

#[test]
fn the_persons_own_files_are_left_out_but_not_what_the_workspace_makes_of_them() {
    check(
        r#"//- /home/global/config.toml
providers.llm.openai.base_url = "https://mine"
providers.llm.google.base_url = "https://mine"
[providers.mcp.mine]
type = "stdio"
command = "mine"
[providers.mcp.ours]
type = "stdio"
command = "ours"
//- /home/private/config.toml
providers.llm.google.base_url = "https://private"
editor.cmd = "hx"
//- /w/.jp/config.toml
providers.llm.google.base_url = "https://theirs"
[providers.mcp.ours]
type = "stdio"
arguments = ["--more"]
"#,
        &expect![[
            r#"Process providers.mcp.ours = {"type":"stdio","command":"ours","arguments":["--more"]} (/w/.jp/config.toml:2)"#
        ]],
    );
}

#[test]
fn the_schema_names_what_has_an_effect() {
    let schema = schema();
    let mut paths: Vec<String> = schema
        .paths()
        .into_iter()
        .filter_map(|(path, id)| {
            let effect = schema.node(id).effect?;
            Some(format!("{effect:?} {}", path.replace("<key>", "*")))
        })
        .collect();
    paths.dedup();
    expect![[r#"
        Process conversation.tools.*.style.parameters
        Process conversation.tools.*.command
        Process conversation.tools.*.style.parameters
        Input conversation.tools.*.options
        Process editor.cmd
        Process editor.envs
        Key providers.llm.anthropic.api_key_env
        Address providers.llm.anthropic.base_url
        Key providers.llm.cerebras.api_key_env
        Address providers.llm.cerebras.base_url
        Key providers.llm.deepseek.api_key_env
        Address providers.llm.deepseek.base_url
        Key providers.llm.google.api_key_env
        Address providers.llm.google.base_url
        Address providers.llm.llamacpp.base_url
        Address providers.llm.ollama.base_url
        Key providers.llm.openai.api_key_env
        Address providers.llm.openai.base_url
        AddressVariable providers.llm.openai.base_url_env
        Key providers.llm.openrouter.api_key_env
        Address providers.llm.openrouter.base_url
        Key providers.llm.xai.api_key_env
        Address providers.llm.xai.base_url
        Process providers.mcp.*
        Plugin plugins.command.*"#]]
    .assert_eq(&paths.join("\n"));
}
