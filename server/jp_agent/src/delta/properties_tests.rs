//! Properties of the whole pipeline, under tools that send anything.

use jp_config::schema::schema;
use jp_conversation::ConfigDelta;
use jp_tool::{ApplyMode, ConfigCapability, ConfigPath, ConfigPolicy, ConfigRule, WriteGrant};
use pretty_assertions::assert_eq;
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

use super::{
    CommitBuffer, CycleConfig, Grants, LeafPath, LeafSet, apply, authorize, filter_config,
};

/// Values that are legal at their path, in every form that the schema knows.
const LEGAL: &[(&str, &str)] = &[
    ("assistant.name", r#""n""#),
    ("assistant.name", r#""m""#),
    ("assistant.system_prompt", r#""x""#),
    (
        "assistant.system_prompt",
        r#"{"value":"y","strategy":"append","separator":"line"}"#,
    ),
    (
        "assistant.system_prompt",
        r#"{"value":"z","strategy":"prepend"}"#,
    ),
    (
        "assistant.system_prompt_sections",
        r#"[{"tag":"a","content":"1"}]"#,
    ),
    (
        "assistant.system_prompt_sections",
        r#"{"value":[{"tag":"b"}],"strategy":"replace"}"#,
    ),
    ("assistant.model.id", r#""anthropic/opus""#),
    ("assistant.model.id", r#""haiku""#),
    (
        "assistant.model.id",
        r#"{"provider":"openai","name":"gpt"}"#,
    ),
    ("assistant.model.id.name", r#""only-the-name""#),
    ("assistant.model.id.provider", r#""google""#),
    ("assistant.model.parameters.temperature", "0.5"),
    ("assistant.model.parameters.temperature", "1"),
    ("assistant.model.parameters.stop_words", r#"["a","b"]"#),
    ("assistant.model.parameters.stop_words", r#"["c"]"#),
    ("assistant.model.parameters.reasoning", r#""off""#),
    (
        "assistant.model.parameters.reasoning",
        r#"{"effort":"high"}"#,
    ),
    ("assistant.model.parameters.reasoning.exclude", "true"),
    (
        "assistant.model.parameters.reasoning.effort",
        r#"{"absolute":5}"#,
    ),
    ("assistant.model.parameters.other", r#"{"k":{"x":1}}"#),
    (
        "assistant.model.parameters.other",
        r#"{"k":{"y":2},"l":[1]}"#,
    ),
    ("conversation.attachments", r#"["file://a"]"#),
    ("conversation.attachments", r#"["file://b","file://a"]"#),
    (
        "conversation.attachments",
        r#"{"value":["file://c"],"strategy":"replace"}"#,
    ),
    (
        "conversation.attachments",
        r#"{"value":["file://d"],"strategy":"prepend"}"#,
    ),
    (
        "conversation.attachments",
        r#"{"value":["file://a"],"dedup":true}"#,
    ),
    (
        "conversation.attachments",
        r#"{"value":[],"strategy":"replace","discard_when_merged":true}"#,
    ),
    ("conversation.labels", r#"{"team":"core"}"#),
    (
        "conversation.labels",
        r#"{"team":{"value":"x","run":"deny"},"k":"v"}"#,
    ),
    (
        "conversation.labels",
        r#"{"value":{"fresh":"1"},"strategy":"replace"}"#,
    ),
    (
        "conversation.labels",
        r#"{"value":{"team":"kept"},"strategy":"keep"}"#,
    ),
    ("conversation.labels.team.apply_on.new", "false"),
    (
        "conversation.compaction.rules",
        r#"[{"summary":{"model":{"id":"haiku"}}}]"#,
    ),
    ("conversation.tools.t.run", r#""ask""#),
    ("conversation.tools.t.run", r#""unattended""#),
    ("conversation.tools.t.enable", "true"),
    ("conversation.tools.t.enable", r#""explicit""#),
    ("conversation.tools.t.enable", r#"{"allow_toggle":"never"}"#),
    ("conversation.tools.t.enable.state", "false"),
    ("conversation.tools.t.command", r#""cat x""#),
    (
        "conversation.tools.t.command",
        r#"{"program":"p","args":["1","2"]}"#,
    ),
    ("conversation.tools.t.command.shell", "true"),
    ("conversation.tools.t.policy.run", r#""ask""#),
    (
        "conversation.tools.t.policy.run",
        r#"[{"arg":"/path","prefix":"src","mode":"unattended"},{"mode":"ask"}]"#,
    ),
    (
        "conversation.tools.t.policy.run",
        r#"{"strategy":"prepend","value":[{"mode":"skip"}]}"#,
    ),
    (
        "conversation.tools.t.options.o",
        r#"{"deep":{"x":1,"list":[1,2]}}"#,
    ),
    (
        "conversation.tools.t.options.o",
        r#"{"deep":{"y":{"z":null}},"list":{"value":[3],"strategy":"append"}}"#,
    ),
    (
        "conversation.tools.t.options.o",
        r#"{"value":{"only":1},"strategy":"replace"}"#,
    ),
    ("conversation.tools.t.options.o", "7"),
    (
        "conversation.tools.t.access.fs",
        r#"[{"path":"src","read":true}]"#,
    ),
    (
        "conversation.tools.t.access.config",
        r#"[{"path":"assistant","write":true}]"#,
    ),
    ("conversation.tools.t.questions.q.target", r#""assistant""#),
    ("conversation.tools.t.questions.q.answer", r#"{"any":[1]}"#),
    ("conversation.tools.t.parameters.p.type", r#""string""#),
    (
        "conversation.tools.t.parameters.p.items.enum",
        r#"[1,"two"]"#,
    ),
    ("conversation.tools.t.style.parameters", r#""json""#),
    (
        "conversation.tools.t.style.inline_results",
        r#"{"truncate":{"lines":3}}"#,
    ),
    ("conversation.tools.*.run", r#""skip""#),
    ("conversation.tools.*.enable", r#""always""#),
    ("conversation.tools.fresh", "{}"),
    ("providers.llm.aliases.haiku", r#""anthropic/haiku""#),
    ("providers.llm.aliases.fast", r#""haiku""#),
    ("providers.llm.anthropic.beta_headers", r#"["h1"]"#),
    ("providers.llm.anthropic.beta_headers", r#"["h2","h1"]"#),
    ("editor.envs", r#"["E"]"#),
    ("extends", r#"["x.toml"]"#),
    ("extends", r#"["y.toml"]"#),
    ("template.values.v", r#"{"a":[1]}"#),
    ("user.name", r#""u""#),
];

/// Entries of `unset` that are legal.
const UNSETS: &[&str] = &[
    "assistant.name",
    "assistant.system_prompt",
    "assistant.model.parameters.temperature",
    "assistant.model.parameters.reasoning",
    "conversation.attachments[\"file://a\"]",
    "conversation.attachments[file://b]",
    "conversation.tools.t.run",
    "conversation.tools.t.command",
    "conversation.tools.t.command.shell",
    "conversation.tools.t.enable.state",
    "conversation.tools.t.policy.run",
    "conversation.tools.t.policy.run[{\"mode\":\"ask\"}]",
    "conversation.tools.t.access.fs[{\"path\":\"src\",\"read\":true}]",
    "providers.llm.anthropic.beta_headers[\"h1\"]",
    "assistant.system_prompt_sections[a]",
];

/// Config paths that rules name.
const RULES: &[&str] = &[
    "assistant",
    "assistant.model",
    "assistant.model.id",
    "assistant.model.id.name",
    "assistant.model.parameters",
    "assistant.model.parameters.other.k",
    "assistant.system_prompt",
    "conversation",
    "conversation.attachments",
    "conversation.attachments.0",
    "conversation.labels",
    "conversation.labels.*",
    "conversation.labels.team",
    "conversation.tools",
    "conversation.tools.*.run",
    "conversation.tools.*.enable.state",
    "conversation.tools.*.command.program",
    "conversation.tools.t",
    "conversation.tools.t.access",
    "conversation.tools.t.command",
    "conversation.tools.t.options",
    "conversation.tools.t.options.*",
    "conversation.tools.t.options.o.deep",
    "conversation.tools.t.policy",
    "providers",
    "providers.llm.aliases.*",
    "providers.llm.anthropic",
];

fn keys(dotted: &str) -> LeafPath {
    LeafPath::new(dotted.split('.').map(str::to_owned).collect())
}

fn partial() -> impl Strategy<Value = Value> {
    vec(select(LEGAL), 0..8).prop_map(from_entries)
}

fn from_entries(entries: Vec<(&str, &str)>) -> Value {
    let mut config = Value::Object(Map::new());
    for (path, value) in entries {
        keys(path).insert(&mut config, serde_json::from_str(value).unwrap());
    }
    config
}

fn base() -> impl Strategy<Value = Value> {
    partial().prop_map(|mut config| {
        // An alias that names no model stays one until some change defines it.
        keys("providers.llm.aliases.haiku").insert(&mut config, json!("anthropic/haiku"));
        config
    })
}

fn unsets() -> impl Strategy<Value = Vec<String>> {
    vec(select(UNSETS).prop_map(str::to_owned), 0..3)
}

fn rules() -> impl Strategy<Value = Vec<ConfigRule>> {
    let write = prop_oneof![
        3 => Just(WriteGrant::Yes),
        1 => Just(WriteGrant::No),
        1 => Just(WriteGrant::InsecureAllow),
    ];
    let rule = (select(RULES), any::<bool>(), write, any::<bool>()).prop_map(
        |(path, read, write, delete)| ConfigRule {
            path: path.to_owned(),
            read,
            write,
            delete,
            apply: ApplyMode::Unattended,
        },
    );
    (any::<bool>(), any::<bool>(), vec(rule, 0..5)).prop_map(|(is_broad, delete, narrow)| {
        // Few proposals lie within narrow rules alone.
        let broad = [
            "assistant",
            "conversation",
            "providers",
            "editor",
            "extends",
            "template",
            "user",
        ];
        let broad = broad
            .into_iter()
            .filter(|_| is_broad)
            .map(|path| ConfigRule {
                path: path.to_owned(),
                read: true,
                write: WriteGrant::InsecureAllow,
                delete,
                apply: ApplyMode::Unattended,
            });
        broad.chain(narrow).collect()
    })
}

/// Any JSON, with the words in it that mean something to the pipeline.
fn hostile_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(vec![
            "replace",
            "append",
            "haiku",
            "a.b",
            "*",
            "",
            "bogus/x",
            "anthropic/x",
            "ask"
        ])
        .prop_map(Value::from),
        Just(Value::from(vec![0; 2000])),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let key = select(vec![
            "value",
            "strategy",
            "*",
            "a.b",
            "",
            "conversation",
            "tools",
            "t",
            "run",
            "access",
            "config",
            "assistant",
            "model",
            "id",
            "provider",
            "name",
            "options",
            "labels",
            "enable",
        ]);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key, inner), 0..4).prop_map(|entries| {
                Value::Object(
                    entries
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

/// A legal partial with any JSON somewhere in it, or neither part.
fn hostile() -> impl Strategy<Value = Value> {
    let few = vec(select(LEGAL), 1..4).prop_map(from_entries);
    (few, select(LEGAL), hostile_json(), 0..8_u8).prop_map(|(mut config, place, json, dice)| {
        if dice == 0 {
            return json;
        }
        if dice == 1 {
            keys(place.0).insert(&mut config, json);
        }
        config
    })
}

/// Every path at which two values differ, and what the difference takes; an absent table is an empty one.
pub(super) fn differing(
    old: &Value,
    new: &Value,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Vec<ConfigCapability>)>,
) {
    if old == new {
        return;
    }
    let none = Map::new();
    let (old, new) = match (old, new) {
        (Value::Object(old), Value::Object(new)) => (old, new),
        (Value::Object(old), Value::Null) => (old, &none),
        (Value::Null, Value::Object(new)) => (&none, new),
        (Value::Array(old), Value::Array(new)) => {
            return found.push((path.clone(), list_capabilities(old, new)));
        }
        (_, Value::Null) => return found.push((path.clone(), vec![ConfigCapability::Delete])),
        _ => return found.push((path.clone(), vec![ConfigCapability::Write])),
    };
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added) {
        path.push(key.clone());
        let before = old.get(key).unwrap_or(&Value::Null);
        let after = new.get(key).unwrap_or(&Value::Null);
        differing(before, after, path, found);
        path.pop();
    }
}

/// Elements that go take `delete`, elements that come or move take `write`; a lone mode is no list.
fn list_capabilities(old: &[Value], new: &[Value]) -> Vec<ConfigCapability> {
    let is_mode = |list: &[Value]| matches!(list, [Value::Object(rule)] if rule.len() == 1 && rule.contains_key("mode"));
    if is_mode(old) && is_mode(new) {
        return vec![ConfigCapability::Write];
    }
    let mut capabilities = Vec::new();
    if old.iter().any(|element| !new.contains(element)) {
        capabilities.push(ConfigCapability::Delete);
    }
    let mut rest = old.iter();
    if !new.iter().all(|element| rest.any(|old| old == element)) {
        capabilities.push(ConfigCapability::Write);
    }
    capabilities
}

proptest! {
    /// Whatever a tool sends, no value outside the grants changes.
    #[test]
    fn no_leaf_outside_the_grants_ever_changes(
        base in base(), rules in rules(), config in hostile(), unsets in unsets(),
    ) {
        let cycle = CycleConfig::new(&base);
        let grants = Grants::compile(&rules).unwrap();
        let policy = ConfigPolicy::compile(&rules).unwrap();
        let Ok(leaves) = LeafSet::read(&cycle, Some(&config), &unsets) else { return Ok(()) };
        if !authorize(&leaves, &grants).is_granted() {
            return Ok(());
        }
        let mut buffer = CommitBuffer::new();
        buffer.push(0, leaves);
        let Some(delta) = buffer.commit(&cycle) else { return Ok(()) };
        let mut found = Vec::new();
        differing(cycle.value(), &apply(&base, &delta), &mut Vec::new(), &mut found);
        for (path, capabilities) in found {
            let target = ConfigPath::from_keys(path).unwrap();
            for capability in capabilities {
                let decision = policy.decide(capability, &target);
                prop_assert!(decision.allowed, "{target} changed without {capability}: {delta:?}");
            }
        }
    }

    /// One event does what the proposals do one by one, in call order.
    #[test]
    fn folding_equals_applying_one_by_one(
        base in base(), entries in vec((partial(), unsets(), 0..4_usize), 1..5),
    ) {
        let cycle = CycleConfig::new(&base);
        let mut buffer = CommitBuffer::new();
        let mut ordered = Vec::new();
        for (config, unsets, index) in entries {
            let Ok(leaves) = LeafSet::read(&cycle, Some(&config), &unsets) else { continue };
            ordered.push((index, leaves.clone()));
            buffer.push(index, leaves);
        }
        ordered.sort_by_key(|(index, _)| *index);
        let mut expected = cycle.value().clone();
        for (_, leaves) in &ordered {
            let delta = leaves.partial().as_object().cloned().unwrap_or_default();
            let unsets = leaves.unsets().iter().map(ToString::to_string).collect();
            expected = apply(&expected, &ConfigDelta { delta, unsets, ..ConfigDelta::default() });
        }
        let folded = buffer.commit(&cycle);
        let applied = folded.as_ref().map_or_else(|| cycle.value().clone(), |delta| apply(&base, delta));
        let mut different = Vec::new();
        differing(&expected, &applied, &mut Vec::new(), &mut different);
        assert_eq!(different, [], "{folded:#?}\n{applied:#}\n{expected:#}");
        prop_assert_eq!(buffer.commit(&cycle), None);
        if let Some(delta) = folded {
            let partial = Value::Object(delta.delta);
            for leaf in schema().leaves(&partial) {
                prop_assert!(!delta.unsets.contains(&leaf.dotted()), "{} is set and unset", leaf.dotted());
            }
        }
    }

    /// What the prompt shows is what replaying the recorded event gives, also after a round trip through the stream.
    #[test]
    fn replaying_gives_the_view_of_the_prompt(base in base(), config in partial(), unsets in unsets()) {
        let cycle = CycleConfig::new(&base);
        let Ok(leaves) = LeafSet::read(&cycle, Some(&config), &unsets) else { return Ok(()) };
        let view = leaves.view(cycle.value());
        let mut buffer = CommitBuffer::new();
        buffer.push(0, leaves.clone());
        let Some(delta) = buffer.commit(&cycle) else { return Ok(()) };
        assert_eq!(apply(&base, &delta), view);
        for change in leaves.changes() {
            prop_assert!(delta.claims.contains_key(&change.name()), "no claim of {}", change.name());
        }
    }

    /// Writing shorthands out once is enough.
    #[test]
    fn the_normal_form_is_stable(base in base()) {
        let once = CycleConfig::new(&base);
        let twice = CycleConfig::new(once.value());
        assert_eq!(once.value(), twice.value());
    }

    /// A tool sees nothing that a rule does not grant.
    #[test]
    fn what_a_tool_sees_is_granted(base in base(), rules in rules()) {
        let cycle = CycleConfig::new(&base);
        let grants = Grants::compile(&rules).unwrap();
        let policy = ConfigPolicy::compile(&rules).unwrap();
        let Some(shown) = filter_config(&cycle, &grants) else { return Ok(()) };
        let mut found = Vec::new();
        differing(&json!({}), &shown, &mut Vec::new(), &mut found);
        for (path, _) in found {
            let path = LeafPath::new(path);
            assert_eq!(path.get(&shown), path.get(cycle.value()));
            let target = path.to_config_path().unwrap();
            prop_assert!(policy.decide(ConfigCapability::Read, &target).allowed, "{target} is shown");
        }
    }
}
