use indexmap::IndexMap;
use jp_llm::ToolChoice;
use jp_policy::RunMode;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::TurnConfig;

fn config(tools: Value) -> Value {
    let mut config = json!({"assistant": {"model": {"id": "test/model"}}});
    config["conversation"]["tools"] = tools;
    config
}

fn resolve(tools: Value) -> TurnConfig {
    TurnConfig::resolve(&config(tools), &IndexMap::new()).unwrap()
}

fn refusal(config: &Value) -> String {
    TurnConfig::resolve(config, &IndexMap::new())
        .unwrap_err()
        .to_string()
}

fn run_of(tools: Value) -> Option<RunMode> {
    resolve(tools).tools["t"].run.policy.is_unconditional()
}

#[test]
fn policy_run_wins_over_run_and_both_over_the_defaults() {
    let defaults = json!({"run": "unattended", "policy": {"run": "skip"}});
    let tool = |own: Value| {
        let mut tool = json!({"source": "local"});
        for (key, value) in own.as_object().unwrap() {
            tool[key] = value.clone();
        }
        json!({"*": defaults, "t": tool})
    };
    let own = json!({"run": "unattended", "policy": {"run": "edit"}});
    assert_eq!(run_of(tool(own)), Some(RunMode::Edit));
    assert_eq!(
        run_of(tool(json!({"run": "unattended"}))),
        Some(RunMode::Unattended)
    );
    assert_eq!(run_of(tool(json!({}))), Some(RunMode::Skip));
    assert_eq!(
        run_of(json!({"*": {"run": "unattended"}, "t": {"source": "local"}})),
        Some(RunMode::Unattended)
    );
}

#[test]
fn a_tool_without_any_run_mode_asks() {
    assert_eq!(
        run_of(json!({"t": {"source": "local"}})),
        Some(RunMode::Ask)
    );
}

#[test]
fn the_deciding_config_path_is_known() {
    let tools =
        resolve(json!({"*": {"policy": {"run": [{"mode": "ask"}]}}, "t": {"source": "local"}}));
    let run = &tools.tools["t"].run;
    assert_eq!(
        run.path.as_deref(),
        Some(
            ["conversation", "tools", "*", "policy", "run"]
                .map(str::to_owned)
                .as_slice()
        )
    );
    assert!(run.is_list);
}

#[test]
fn a_default_rule_for_a_parameter_that_the_tool_lacks_is_skipped() {
    let rules = json!([{"arg": "/path", "prefix": "src", "mode": "unattended"}, {"mode": "skip"}]);
    let tools = json!({"*": {"policy": {"run": rules}}, "t": {"source": "local"}});
    assert_eq!(run_of(tools), Some(RunMode::Skip));
}

#[test]
fn a_rule_that_cannot_be_obeyed_stops_the_turn() {
    let tools = |run: Value| config(json!({"t": {"source": "local", "policy": {"run": run}}}));
    assert_eq!(
        refusal(&tools(json!([{"mode": "ask"}, {"mode": "allow"}]))),
        "tool `t`, rule 2 of policy.run: unknown mode `allow`, expected one of `ask`, `unattended`, `edit`, `skip`"
    );
    assert_eq!(
        refusal(&tools(json!([{"prefix": "a", "mode": "ask"}]))),
        "tool `t`, rule 1 of policy.run: the matcher `prefix` has nothing to match; add `arg` with a JSON Pointer to a parameter"
    );
}

#[test]
fn access_that_nobody_enforces_is_refused() {
    assert_eq!(
        refusal(&config(
            json!({"t": {"source": "builtin", "access": {"fs": []}}})
        )),
        "`conversation.tools.t.access`: `access` is only supported on local tools, but `t` is a builtin tool; remove it"
    );
    assert_eq!(
        refusal(&config(
            json!({"t": {"source": "local", "access": {"files": []}}})
        )),
        "`conversation.tools.t.access`: `files` is no kind of access, write `fs`, `net`, `env` or `config`"
    );
}

#[test]
fn aliases_are_followed_and_circles_are_found() {
    let model = |aliases: Value| {
        json!({
            "assistant": {"model": {"id": "a"}},
            "providers": {"llm": {"aliases": aliases}},
        })
    };
    let found = TurnConfig::resolve(
        &model(json!({"a": "b", "b": {"provider": "openai", "name": "gpt"}})),
        &IndexMap::new(),
    );
    assert_eq!(found.unwrap().model.id.to_string(), "openai/gpt");
    assert_eq!(
        refusal(&model(json!({"a": "b", "b": "a"}))),
        "`assistant.model.id`: the model alias leads back to itself (`a -> b -> a`), write `<provider>/<model>` for one of its names"
    );
    assert_eq!(
        refusal(&model(json!({"a": "b"}))),
        "`assistant.model.id`: unknown model alias `b`, write an alias from `providers.llm.aliases` or `<provider>/<model>`"
    );
    assert_eq!(
        refusal(&json!({})),
        "`assistant.model.id`: is missing, write `<provider>/<model>` or an alias"
    );
}

#[test]
fn enable_is_inherited_part_by_part() {
    let tools = resolve(json!({
        "*": {"enable": false},
        "a": {"source": "local"},
        "b": {"source": "local", "enable": {"state": true}},
        "c": {"source": "local", "enable": "explicit"},
    }));
    let enabled: Vec<&str> = tools
        .enabled_tools()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(enabled, ["b"]);
}

#[test]
fn a_forced_tool_must_be_enabled() {
    let choose = |choice: &str, enable: bool| {
        let mut config = config(json!({"t": {"source": "local", "enable": enable}}));
        config["assistant"]["tool_choice"] = choice.into();
        TurnConfig::resolve(&config, &IndexMap::new())
            .map(|config| config.tool_choice)
            .map_err(|error| error.to_string())
    };
    assert_eq!(choose("t", true), Ok(ToolChoice::Tool("t".to_owned())));
    assert_eq!(
        choose("t", false),
        Err("`assistant.tool_choice`: the tool `t` is not enabled, set `conversation.tools.t.enable = true` or choose `auto`".to_owned())
    );
    assert_eq!(
        choose("u", true),
        Err("`assistant.tool_choice`: `u` is no tool, write `auto`, `none`, `required` or the name of a tool".to_owned())
    );
}

#[test]
fn a_user_changes_one_key_of_a_builtin_tool_and_keeps_the_others() {
    let builtins = IndexMap::from([(
        "describe_tools".to_owned(),
        json!({"source": "builtin", "run": "unattended", "enable": {"state": true, "allow_toggle": "if_named"}}),
    )]);
    let user = config(json!({
        "t": {"source": "local"},
        "describe_tools": {"enable": {"state": false}},
    }));
    let config = TurnConfig::resolve(&user, &builtins).unwrap();
    let tool = &config.tools["describe_tools"];
    assert!(!tool.is_enabled);
    assert_eq!(
        tool.run.policy.is_unconditional(),
        Some(RunMode::Unattended)
    );
    let names: Vec<&String> = config.tools.keys().collect();
    assert_eq!(names, ["describe_tools", "t"]);
}

#[test]
fn the_system_prompt_is_put_together_by_position() {
    let config = json!({"assistant": {
        "model": {"id": "test/model"},
        "system_prompt": "Base.",
        "system_prompt_sections": [
            {"content": "late", "position": 5, "title": "T"},
            {"content": "early", "tag": "x", "position": -1},
        ],
        "instructions": [{"title": "Style", "items": ["Be brief.", "Be kind."]}],
    }});
    let config = TurnConfig::resolve(&config, &IndexMap::new()).unwrap();
    assert_eq!(
        config.system_prompt.as_deref(),
        Some("Base.\n\n<x>\nearly\n</x>\n\n# T\n\nlate\n\n# Style\n\n- Be brief.\n- Be kind.")
    );
}

#[test]
fn a_second_model_overrides_only_what_it_names() {
    let config = resolve(json!({}));
    let layer = json!({"model": {"id": "openai/gpt", "parameters": {"temperature": 0.5}}});
    let second = config
        .with_assistant(&[layer.as_object().unwrap()])
        .unwrap();
    assert_eq!(second.model.id.to_string(), "openai/gpt");
    assert_eq!(second.model.parameters.temperature, Some(0.5));
    assert_eq!(second.system_prompt, config.system_prompt);
}
