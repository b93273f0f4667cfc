use expect_test::{Expect, expect};
use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value, json};

use super::{ReleasedConfig, released};
use crate::{
    code::Severity,
    schema::{NodeId, Requirement, Shape, StringFormat, schema},
    validate::{missing_global, missing_required, rejected_by_released, validate},
};

fn table(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(table) => table,
        other => panic!("{other} is no table"),
    }
}

fn of(base: Value, deltas: Vec<Value>) -> ReleasedConfig {
    let deltas: Vec<_> = deltas.into_iter().map(table).collect();
    released(&table(base), &deltas.iter().collect::<Vec<_>>(), None)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it reads better where it is called"
)]
fn check(base: Value, deltas: Vec<Value>, expected: Expect) {
    let found = of(base, deltas);
    let mut text = format!("base   {}\n", Value::Object(found.base.clone()));
    for delta in &found.deltas {
        text.push_str(&format!("delta  {}\n", Value::Object(delta.clone())));
    }
    for note in &found.notes {
        let now = note
            .now
            .as_ref()
            .map_or("left out".to_owned(), Value::to_string);
        text.push_str(&format!("{}: {now}: {}\n", note.path, note.reason));
    }
    expected.assert_eq(&text);
    assert_loads(&found);
}

/// What the released `jp` needs to load a conversation.
fn assert_loads(config: &ReleasedConfig) {
    let schema = schema();
    let mut state = Value::Object(config.base.clone());
    let deltas = config.deltas.iter().cloned().map(Some);
    for delta in std::iter::once(None).chain(deltas) {
        if let Some(delta) = delta {
            let part = Value::Object(delta.clone());
            assert_is_released(&part);
            state = super::merged(&state, &delta);
        }
        assert_is_released(&state);
        let missing = missing_required(schema, schema.root(), &state, "");
        let missing = missing
            .iter()
            .chain(&missing_global(&state))
            .map(|it| it.message.clone())
            .collect::<Vec<_>>();
        assert_eq!(missing, [""; 0]);
        assert!(state.pointer("/conversation/tools/*/run").is_some());
    }
}

fn assert_is_released(config: &Value) {
    let schema = schema();
    let wrong = validate(schema, schema.root(), config, "");
    let unreleased = rejected_by_released(schema, schema.root(), config, "");
    let errors = wrong.iter().filter(|it| it.severity == Severity::Error);
    let found: Vec<_> = errors
        .chain(&unreleased)
        .map(|it| it.message.as_str())
        .collect();
    assert_eq!(found, [""; 0], "in {config}");
}

#[test]
fn what_is_released_stays_as_it_is() {
    let base = json!({
        "assistant": { "name": "Ada", "model": { "id": { "provider": "anthropic", "name": "opus" } } },
        "conversation": { "tools": {
            "*": { "run": "ask" },
            "grep": { "source": "local", "options": { "a": null }, "access": { "fs": [{ "path": "src", "read": true }] } },
        } },
    });
    let delta = json!({ "assistant": { "model": { "id": { "name": "haiku" } } } });
    let found = of(base.clone(), vec![delta.clone()]);
    assert_eq!(Value::Object(found.base.clone()), base);
    assert_eq!(found.deltas, [table(delta)]);
    assert_eq!(found.notes, []);
    assert_loads(&found);
}

#[test]
fn an_empty_config_gets_what_is_required() {
    check(
        json!({}),
        vec![],
        expect![[r#"
            base   {"conversation":{"tools":{"*":{"run":"ask"}}},"assistant":{"model":{"id":"no-model-was-set"}}}
            conversation.tools.*.run: "ask": the released `jp` requires it, and asking is what happens without it
            assistant.model.id: "no-model-was-set": no model is named, pass one with `jp query --model`
        "#]],
    );
}

#[test]
fn a_server_over_http_is_left_out_as_a_whole() {
    check(
        json!({
            "assistant": { "model": { "id": "anthropic/opus" } },
            "providers": { "mcp": {
                "docs": { "type": "http", "url": "https://docs.example/mcp", "bearer_token_env": "DOCS_TOKEN" },
                "local": { "type": "stdio", "command": "serve" },
            } },
            "conversation": { "tools": { "*": { "run": "ask" } } },
        }),
        vec![],
        expect![[r#"
            base   {"assistant":{"model":{"id":"anthropic/opus"}},"providers":{"mcp":{"local":{"type":"stdio","command":"serve"}}},"conversation":{"tools":{"*":{"run":"ask"}}}}
            providers.mcp.docs.type: left out: the released `jp` does not know `http`
            providers.mcp.docs.url: left out: the released `jp` does not know it
            providers.mcp.docs.bearer_token_env: left out: the released `jp` does not know it
            providers.mcp.docs: left out: it is nothing without its `type`
        "#]],
    );
}

#[test]
fn the_workspace_names_a_missing_model() {
    let found = released(&Map::new(), &[], Some(&json!("anthropic/opus")));
    assert_eq!(
        found.base.get("assistant"),
        Some(&json!({ "model": { "id": "anthropic/opus" } }))
    );
    assert_loads(&found);
}

#[test]
fn what_is_not_released_is_left_out() {
    check(
        json!({
            "assistant": { "model": { "id": "anthropic/opus" } },
            "providers": { "llm": { "xai": { "base_url": "https://x.ai" } } },
            "conversation": { "tools": {
                "*": { "policy": { "run": "unattended" } },
                "one": {
                    "source": "local",
                    "run": "unattended",
                    "policy": { "run": [{ "arg": "/path", "prefix": "src", "mode": "unattended" }, { "mode": "ask" }], "result": [{ "mode": "edit" }] },
                    "parameters": { "path": { "type": ["path", "null"], "items": { "type": "path" } } },
                    "questions": { "q": { "target": "user", "prompt_label": "Who" } },
                    "access": {
                        "fs": [{ "path": "src", "read": true }],
                        "net": [{ "host": "docs.rs", "allow": true }],
                        "env": [{ "name": "A", "read": true }],
                        "config": [{ "path": "assistant.name", "write": true }],
                    },
                },
                "describe_tools": { "enable": false },
                "ask_user": { "enable": false },
                "search": { "source": "mcp.web", "access": { "fs": [] } },
            } },
        }),
        vec![],
        expect![[r#"
            base   {"assistant":{"model":{"id":"anthropic/opus"}},"providers":{"llm":{}},"conversation":{"tools":{"*":{"run":"unattended"},"one":{"source":"local","run":"ask","parameters":{"path":{"type":["string","null"],"items":{"type":"string"}}},"questions":{"q":{"target":"user"}},"access":{"fs":[{"path":"src","read":true}]},"result":"edit"},"describe_tools":{"enable":false,"source":"builtin"},"search":{"source":"mcp.web"}}}}
            conversation.tools.*.run: "unattended": it stands for `policy.run`, which the released `jp` does not know
            conversation.tools.one.run: "ask": it stands for `policy.run`, which the released `jp` does not know
            conversation.tools.one.result: "edit": it stands for `policy.result`, which the released `jp` does not know
            providers.llm.xai: left out: the released `jp` does not know it
            conversation.tools.*.policy: left out: the released `jp` does not know it
            conversation.tools.one.policy: left out: the released `jp` does not know it
            conversation.tools.one.parameters.path.type: "string": the released `jp` does not know `path`
            conversation.tools.one.parameters.path.items.type: "string": the released `jp` does not know `path`
            conversation.tools.one.questions.q.prompt_label: left out: the released `jp` does not know it
            conversation.tools.one.access.net: left out: the released `jp` does not know it
            conversation.tools.one.access.env: left out: the released `jp` does not know it
            conversation.tools.one.access.config: left out: the released `jp` does not know it
            conversation.tools.describe_tools.source: "builtin": the released `jp` requires it
            conversation.tools.ask_user: left out: missing required value for `conversation.tools.ask_user.source`
            conversation.tools.search.access: left out: only local tools have `access`
        "#]],
    );
}

#[test]
fn what_a_change_brings_is_reduced_too() {
    check(
        json!({ "assistant": { "model": { "id": "anthropic/opus" } }, "conversation": { "tools": { "*": { "run": "ask" } } } }),
        vec![
            json!({ "conversation": { "tools": { "one": { "policy": { "run": "unattended" } } } } }),
            json!({ "conversation": { "tools": { "*": { "policy": { "run": { "value": [{ "mode": "skip" }], "strategy": "append" } } } } } }),
            json!({ "assistant": { "model": { "id": { "provider": "test", "name": "strong" } }, "name": "Ada" } }),
            json!({ "conversation": { "title": { "generate": { "model": { "parameters": { "temperature": 1 } } } } } }),
            json!({ "assistant": { "instructions": { "value": [{ "title": "T" }], "strategy": "replace" } } }),
        ],
        expect![[r#"
            base   {"assistant":{"model":{"id":"anthropic/opus"}},"conversation":{"tools":{"*":{"run":"ask"}}}}
            delta  {"conversation":{"tools":{}}}
            delta  {"conversation":{"tools":{"*":{"run":"skip"}}}}
            delta  {"assistant":{"name":"Ada"}}
            delta  {"conversation":{"title":{"generate":{}}}}
            delta  {"assistant":{"instructions":{"value":[{"title":"T"}],"strategy":"replace"}}}
            conversation.tools.one.run: "unattended": it stands for `policy.run`, which the released `jp` does not know
            conversation.tools.one.policy: left out: the released `jp` does not know it
            conversation.tools.*.run: "skip": it stands for `policy.run`, which the released `jp` does not know
            conversation.tools.*.policy: left out: the released `jp` does not know it
            assistant.model.id.provider: left out: unknown variant `test`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`
            assistant.model.id: left out: it is nothing without its `provider`
            assistant.model: left out: it is nothing without its `id`
            conversation.tools.one: left out: missing required value for `conversation.tools.one.source`
            conversation.title.generate.model: left out: missing required value for `conversation.title.generate.model.id`
        "#]],
    );
}

#[test]
fn what_nobody_understands_is_left_out() {
    check(
        json!({
            "assistant": { "model": { "id": { "provider": "nobody", "name": "x" } }, "nmae": "Ada", "name": 3, "tool_choice": "off" },
            "conversation": { "tools": {
                "*": { "run": "perhaps", "enable": true },
                "off": { "source": "local", "enable": { "state": false, "allow_toggle": "never" } },
                "broken": { "source": "nowhere" },
                "unruled": { "source": "local", "access": { "fs": [{ "read": true }] } },
                "misshaped": { "source": "local", "access": { "fs": "src" } },
                "unlimited": { "source": "local", "access": { "fs": [] } },
                "odd key.": { "hidden": true, "source": "local", "access": { "fs": [{ "read": true }, { "path": "a" }] } },
            } },
            "style": null,
            "unknown": { "a": 1 },
        }),
        vec![],
        expect![[r#"
            base   {"assistant":{"model":{"id":"no-model-was-set"}},"conversation":{"tools":{"*":{"enable":true,"run":"ask"},"off":{"source":"local","enable":{"state":false,"allow_toggle":"never"}},"unruled":{"source":"local","access":{"fs":[{"path":"."}]}},"misshaped":{"source":"local","access":{"fs":[{"path":"."}]}},"unlimited":{"source":"local","access":{"fs":[]}},"odd key.":{"source":"local","access":{"fs":[{"path":"a"}]}}}}}
            assistant.model.id.provider: left out: unknown variant `nobody`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`
            assistant.model.id: left out: it is nothing without its `provider`
            assistant.model: left out: it is nothing without its `id`
            assistant.nmae: left out: unknown key `nmae`, did you mean `name`?
            assistant.name: left out: invalid type: integer `3`, expected a string; write `"3"`
            conversation.tools.*.run: left out: unknown variant `perhaps`, expected one of `ask`, `unattended`, `edit`, `skip`
            conversation.tools.broken.source: left out: unknown tool source `nowhere`, must be one of: `builtin`, `local`, `mcp`
            conversation.tools.broken: left out: it is nothing without its `source`
            conversation.tools.unruled.access.fs: left out: missing required value for `conversation.tools.unruled.access.fs.0.path`
            conversation.tools.misshaped.access.fs: left out: invalid type: string `src`, expected a list of tables; write `[{ path = "src" }]`
            conversation.tools."odd key.".hidden: left out: unknown key `hidden`, did you mean `style.hidden`?
            conversation.tools."odd key.".access.fs: left out: missing required value for `conversation.tools."odd key.".access.fs.0.path`
            style: left out: invalid type: null, expected a table; leave the key out to set nothing
            unknown: left out: unknown key `unknown`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
            conversation.tools.unruled.access.fs: [{"path":"."}]: none of its rules can be kept, so nothing is granted
            conversation.tools.misshaped.access.fs: [{"path":"."}]: none of its rules can be kept, so nothing is granted
            assistant.tool_choice: left out: `off` is locked off
            conversation.tools.*.run: "ask": the released `jp` requires it, and asking is what happens without it
            assistant.model.id: "no-model-was-set": no model is named, pass one with `jp query --model`
        "#]],
    );
}

/// What decides in a random config, one byte after the other.
struct Tape<'a>(std::slice::Iter<'a, u8>);

impl Tape<'_> {
    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte)) % limit.max(1)
    }

    /// A value that is mostly what the schema describes, unreleased keys and mistakes among it.
    fn value(&mut self, id: NodeId, depth: usize) -> Value {
        let schema = schema();
        let node = schema.node(id);
        if self.below(24) == 0 {
            return self.junk();
        }
        if let Some(wrapper) = node.wrapper.filter(|_| self.below(6) == 0) {
            return self.value(wrapper, depth);
        }
        match &node.shape {
            Shape::Boolean => json!(self.below(2) == 0),
            Shape::Integer { minimum, .. } => json!(minimum.unwrap_or(0) + 1),
            Shape::Float => json!(0.5),
            Shape::String(format) => self.text(*format),
            Shape::Enum(variants) => json!(variants[self.below(variants.len())].value),
            Shape::Any => self.junk(),
            Shape::Union(branches) => {
                let branch = branches[self.below(branches.len())];
                self.value(branch, depth)
            }
            Shape::List { item } => {
                let count = if depth == 0 { 0 } else { self.below(3) };
                (0..count).map(|_| self.value(*item, depth - 1)).collect()
            }
            Shape::Map(map) => {
                let mut table = Map::new();
                let count = if depth == 0 { 0 } else { self.below(4) };
                for _ in 0..count {
                    let key = ["a", "b", "*", "describe_tools", "odd key."][self.below(5)];
                    table.insert(key.into(), self.value(map.get(key), depth - 1));
                }
                Value::Object(table)
            }
            Shape::Struct(shape) => {
                let mut table = Map::new();
                for field in &shape.fields {
                    let is_kept = field.requirement == Requirement::Local && self.below(8) > 0
                        || (depth > 0 && self.below(3) == 0);
                    if is_kept {
                        table.insert(
                            field.name.into(),
                            self.value(field.node, depth.saturating_sub(1)),
                        );
                    }
                }
                if self.below(16) == 0 {
                    table.insert("unknown".into(), self.junk());
                }
                Value::Object(table)
            }
        }
    }

    fn text(&mut self, format: StringFormat) -> Value {
        let texts: &[&str] = match format {
            // Without `test/model`: the scripted provider is there for tests alone, and has no long form that a change of the name
            // alone could lead to.
            StringFormat::ModelId => &["anthropic/opus", "alias", "openai/gpt", "nobody/x", "a b"],
            StringFormat::ToolSource => &["local", "builtin", "mcp.web", "local.x", "nowhere"],
            StringFormat::Duration => &["5s", "soon"],
            StringFormat::Url | StringFormat::ServerAddress => &["https://a.example", "a"],
            StringFormat::ToolName => &["a", "b", "*"],
            _ => &["a", "", "x y", "5"],
        };
        json!(texts[self.below(texts.len())])
    }

    fn junk(&mut self) -> Value {
        match self.below(6) {
            0 => Value::Null,
            1 => json!("junk"),
            2 => json!(-7),
            3 => json!([[], {}]),
            4 => json!({ "a": { "b": null } }),
            _ => json!(true),
        }
    }
}

#[test]
fn a_wrapped_map_without_a_strategy_stays_a_map() {
    let base = json!({"conversation": {"labels": {"value": {"team": "core"}, "strategy": null}}});
    let found = released(base.as_object().unwrap(), &[], None);
    assert_eq!(
        found.base.get("conversation").unwrap()["labels"],
        json!({"team": "core"})
    );
    assert_loads(&found);
}

#[test]
fn the_wrapper_of_a_map_goes_with_what_it_wraps() {
    for value in [json!(null), json!(3), json!([])] {
        let labels = json!({"value": value, "strategy": "merge", "discard_when_merged": true});
        let base = json!({"conversation": {"labels": labels}});
        let found = released(base.as_object().unwrap(), &[], None);
        assert_eq!(found.base["conversation"].get("labels"), None, "{value}");
        assert_loads(&found);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever a conversation's config says, the released `jp` gets one that it loads, and gets it only once.
    #[test]
    fn anything_becomes_something_that_loads(
        base in vec(any::<u8>(), 0..600),
        changes in vec(vec(any::<u8>(), 0..200), 0..4),
    ) {
        let config = |tape: &[u8]| match Tape(tape.iter()).value(schema().root(), 7) {
            Value::Object(table) => table,
            _ => Map::new(),
        };
        let base = config(&base);
        let changes: Vec<_> = changes.iter().map(|tape| config(tape)).collect();
        let found = released(&base, &changes.iter().collect::<Vec<_>>(), None);
        assert_loads(&found);
        let again = released(&found.base, &found.deltas.iter().collect::<Vec<_>>(), None);
        prop_assert_eq!(&again.base, &found.base);
        prop_assert_eq!(&again.deltas, &found.deltas);
        prop_assert_eq!(again.notes, []);
    }
}
