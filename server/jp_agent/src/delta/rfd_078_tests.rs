//! What RFD 078 says must, must never, always or only happen to a proposal, sentence by sentence.

#[path = "rfd_078_tests/buffer.rs"]
mod buffer;

use expect_test::{Expect, expect};
use jp_conversation::{Claim, ConfigDelta};
use jp_tool::{ConfigCapability, ConfigRule};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{
    CommitBuffer, CycleConfig, Element, Grants, LeafChange, LeafPath, LeafSet, apply, authorize,
    filter_config,
};

fn base() -> CycleConfig {
    CycleConfig::new(&json!({
        "assistant": {
            "name": "n",
            "model": { "id": "opus", "parameters": { "temperature": 0.5 } },
        },
        "conversation": {
            "attachments": ["file://a", "file://b"],
            "labels": { "team": "core", "area": "x" },
            "tools": {
                "*": { "run": "ask" },
                "t": { "source": "local", "command": "cat x", "enable": true,
                    "options": { "o": { "secret": 1, "open": 2 } },
                    "access": { "fs": [{ "path": "src", "read": true }] } },
            },
        },
        "providers": { "llm": { "aliases": {
            "opus": "anthropic/opus", "gpt": "openai/gpt", "loop": "pool", "pool": "loop" } } },
    }))
}

fn grants(rules: Value) -> Grants {
    let rules: Vec<ConfigRule> = serde_json::from_value(rules).unwrap();
    Grants::compile(&rules).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn read(config: Value, unset: &[&str]) -> LeafSet {
    let unset: Vec<String> = unset.iter().map(|&path| path.to_owned()).collect();
    LeafSet::read(&base(), Some(&config), &unset).unwrap()
}

fn names(leaves: &LeafSet) -> Vec<String> {
    leaves.changes().iter().map(LeafChange::name).collect()
}

/// What is wrong with a proposal, a line each.
#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn wrong(config: Value, unset: &[&str], expected: Expect) {
    let unset: Vec<String> = unset.iter().map(|&path| path.to_owned()).collect();
    let problems = LeafSet::read(&base(), Some(&config), &unset).unwrap_err();
    let lines = problems.iter().map(|problem| {
        let expected = problem.expected.as_deref().unwrap_or_default();
        format!("{}: {} {expected}", problem.field, problem.what)
    });
    expected.assert_eq(
        &lines
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect::<String>(),
    );
}

fn refused(config: Value, unset: &[&str], rules: Value) -> Vec<String> {
    let authorization = authorize(&read(config, unset), &grants(rules));
    let paths = authorization.unauthorized.into_iter();
    paths
        .map(|path| format!("{} {}", path.capability, path.path))
        .collect()
}

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn commit(entries: Vec<(usize, LeafSet)>) -> (ConfigDelta, Value) {
    let mut buffer = CommitBuffer::new();
    for (index, leaves) in entries.iter().rev() {
        buffer.push(*index, leaves.clone());
    }
    let delta = buffer.commit(&base()).unwrap();
    let view = apply(base().value(), &delta);
    (delta, view)
}

fn at<'v>(config: &'v Value, path: &str) -> Option<&'v Value> {
    LeafPath::new(path.split('.').map(str::to_owned).collect()).get(config)
}

#[test]
fn write_without_delete_cannot_remove() {
    let write = json!([{ "path": "conversation.attachments", "write": true }]);
    let unset = ["conversation.attachments[\"file://a\"]"];
    assert_eq!(
        refused(json!({}), &unset, write.clone()),
        ["delete conversation.attachments[\"file://a\"]"]
    );
    let replace = json!({ "conversation": { "attachments": { "value": ["file://b"], "strategy": "replace" } } });
    assert_eq!(
        refused(replace.clone(), &[], write.clone()),
        ["delete conversation.attachments"]
    );
    let both = json!([{ "path": "conversation.attachments", "write": true, "delete": true }]);
    assert_eq!(refused(replace, &[], both), Vec::<String>::new());
    let keep = json!({ "conversation": { "attachments": { "value": ["file://c", "file://b", "file://a"], "strategy": "replace" } } });
    assert_eq!(refused(keep, &[], write), Vec::<String>::new());
}

#[test]
fn replacing_a_map_needs_delete() {
    let labels = json!({ "conversation": { "labels": { "value": { "team": "core" }, "strategy": "replace" } } });
    let write = json!([{ "path": "conversation.labels", "write": true }]);
    assert_eq!(refused(labels, &[], write), ["delete conversation.labels"]);
}

#[test]
fn capabilities_do_not_imply_each_other() {
    let only_write = grants(json!([{ "path": "assistant", "write": true, "delete": true }]));
    assert_eq!(filter_config(&base(), &only_write), None);
    let only_read = json!([{ "path": "assistant", "read": true }]);
    let set = json!({ "assistant": { "name": "x" } });
    assert_eq!(
        refused(set, &[], only_read.clone()),
        ["write assistant.name"]
    );
    assert_eq!(
        refused(json!({}), &["assistant.name"], only_read),
        ["delete assistant.name"]
    );
    let only_delete = json!([{ "path": "assistant", "delete": true }]);
    let set = json!({ "assistant": { "name": "x" } });
    assert_eq!(refused(set, &[], only_delete), ["write assistant.name"]);
}

#[test]
fn reads_go_through_without_prompting() {
    let ask = grants(json!([{ "path": "assistant.name", "read": true, "apply": "ask" }]));
    assert_eq!(
        filter_config(&base(), &ask),
        Some(json!({ "assistant": { "name": "n" } }))
    );
}

#[test]
fn only_readable_paths_are_shown() {
    let rules = grants(json!([
        { "path": "conversation", "read": true },
        { "path": "conversation.tools.*.access" },
        { "path": "conversation.tools.t.options.o.secret" },
        { "path": "conversation.labels" },
        { "path": "conversation.labels.*", "read": true },
        { "path": "conversation.attachments.0" },
        { "path": "conversation.tools.*.command" },
    ]));
    assert_eq!(
        filter_config(&base(), &rules),
        Some(json!({ "conversation": {
            "labels": { "team": "core", "area": "x" },
            "tools": {
                "*": { "run": "ask" },
                "t": { "source": "local", "enable": { "state": true, "allow_toggle": "any" }, "options": { "o": { "open": 2 } } },
            },
        } }))
    );
}

#[test]
fn without_rules_there_is_no_config() {
    assert_eq!(filter_config(&base(), &grants(json!([]))), None);
    let set = json!({ "assistant": { "name": "x" } });
    assert_eq!(refused(set, &[], json!([])), ["write assistant.name"]);
}

#[test]
fn a_winning_rule_inherits_nothing() {
    let rules = json!([
        { "path": "assistant", "write": true },
        { "path": "assistant.model", "read": true },
    ]);
    let set =
        json!({ "assistant": { "name": "x", "model": { "parameters": { "temperature": 1 } } } });
    assert_eq!(
        refused(set, &[], rules),
        ["write assistant.model.parameters.temperature"]
    );
}

#[test]
fn sensitive_paths_need_insecure_allow() {
    let set =
        json!({ "conversation": { "tools": { "t": { "access": { "fs": [{ "path": "." }] } } } } });
    let plain = json!([{ "path": "conversation", "write": true, "delete": true }]);
    assert_eq!(
        refused(set.clone(), &[], plain.clone()),
        ["write conversation.tools.t.access.fs"]
    );
    let element = ["conversation.tools.t.access.fs[{\"path\":\"src\",\"read\":true}]"];
    assert_eq!(
        refused(json!({}), &element, plain),
        ["delete conversation.tools.t.access.fs[{\"path\":\"src\",\"read\":true}]"]
    );
    let insecure = json!([{ "path": "conversation.tools", "write": "insecure_allow" }]);
    assert_eq!(refused(set, &[], insecure), Vec::<String>::new());
}

#[test]
fn insecure_allow_is_plain_write_elsewhere_and_asks_by_default() {
    let set = json!({ "assistant": { "name": "x" } });
    let rules = grants(json!([{ "path": "assistant", "write": "insecure_allow" }]));
    let authorization = authorize(&read(set, &[]), &rules);
    assert!(authorization.is_granted());
    assert!(authorization.needs_ask);
    assert_eq!(authorization.asking_rule, Some(0));
}

#[test]
fn one_asking_rule_makes_the_whole_change_ask() {
    let set =
        json!({ "assistant": { "name": "x" }, "conversation": { "attachments": ["file://c"] } });
    let rules = |apply: &str| {
        grants(json!([
            { "path": "assistant", "write": true, "apply": "unattended" },
            { "path": "conversation", "write": true, "apply": apply },
        ]))
    };
    assert!(authorize(&read(set.clone(), &[]), &rules("ask")).needs_ask);
    assert!(!authorize(&read(set, &[]), &rules("unattended")).needs_ask);
}

#[test]
fn leaves_not_top_level_keys_are_authorized() {
    let set = json!({ "assistant": { "model": { "id": { "provider": "anthropic", "name": "sonnet" }, "parameters": { "temperature": 1.0 } } } });
    assert_eq!(
        names(&read(set.clone(), &[])),
        [
            "assistant.model.id.provider",
            "assistant.model.id.name",
            "assistant.model.parameters.temperature"
        ]
    );
    let parent = json!([{ "path": "assistant.model.id", "write": true }]);
    assert_eq!(
        refused(set, &[], parent),
        ["write assistant.model.parameters.temperature"]
    );
}

#[test]
fn an_alias_does_not_allow_a_provider_switch() {
    let only_name = json!([{ "path": "assistant.model.id.name", "write": true }]);
    let set = json!({ "assistant": { "model": { "id": "gpt" } } });
    assert_eq!(
        refused(set, &[], only_name),
        ["write assistant.model.id.provider"]
    );
}

#[test]
fn alias_and_expanded_form_are_the_same_leaves() {
    let alias = read(json!({ "assistant": { "model": { "id": "gpt" } } }), &[]);
    let text = read(
        json!({ "assistant": { "model": { "id": "openai/gpt" } } }),
        &[],
    );
    let table = read(
        json!({ "assistant": { "model": { "id": { "provider": "openai", "name": "gpt" } } } }),
        &[],
    );
    assert_eq!(alias, text);
    assert_eq!(alias, table);
}

#[test]
fn aliases_are_resolved_wherever_a_model_stands() {
    let leaves = read(
        json!({
            "conversation": {
                "compaction": { "rules": { "value": [{ "summary": { "model": { "id": "gpt" } } }], "strategy": "append" } },
                "tools": { "t": { "questions": { "q": { "target": { "model": { "id": "gpt" } } } } } },
            },
            "style": { "reasoning": { "summary_model": { "id": "gpt" } } },
            "providers": { "llm": { "aliases": { "fresh": "gpt" } } },
        }),
        &[],
    );
    assert_eq!(
        leaves
            .partial()
            .to_string()
            .matches("\"provider\":\"openai\"")
            .count(),
        4
    );
}

#[test]
fn an_unknown_alias_is_invalid() {
    wrong(
        json!({ "assistant": { "model": { "id": "nosuch" } }, "conversation": { "title": { "generate": { "model": { "id": "loop" } } } } }),
        &[],
        expect![[r#"
            assistant.model.id: unknown model alias `nosuch`, write an alias from `providers.llm.aliases` or `<provider>/<model>`
            conversation.title.generate.model.id: the model alias leads back to itself (`loop -> pool -> loop`), write `<provider>/<model>` for one of its names
        "#]],
    );
}

#[test]
fn structure_is_validated() {
    wrong(
        json!({
            "assistant": { "nam": 1, "model": { "idd": "x", "id": { "provider": "bogus" }, "parameters": { "temperature": "hot" } } },
            "nothing": {},
        }),
        &[],
        expect![[r#"
            assistant.nam: unknown key `nam`, did you mean `name`?
            assistant.model.idd: unknown key `idd` is silently ignored, did you mean `id`?
            assistant.model.id.provider: unknown variant 'bogus' expected one of anthropic, cerebras, deepseek, google, llamacpp, ollama, openai, openrouter, xai
            assistant.model.parameters.temperature: invalid type: string `hot`, expected a number
            nothing: unknown key `nothing`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
        "#]],
    );
}

#[test]
fn unsets_must_name_what_can_be_unset() {
    wrong(
        json!({}),
        &[
            "assistant.nam",
            "assistant.model",
            "conversation.attachments",
            "conversation.tools.t",
            "conversation.tools.t.source",
            "assistant..name",
            "conversation.attachments[",
        ],
        expect![[r#"
            assistant.nam: unknown config path `assistant.nam`, did you mean `name`?
            assistant.model: `assistant.model` is a table: unset its keys one by one
            conversation.attachments: `conversation.attachments` is a list: name the element to remove, as in `conversation.attachments["..."]`
            conversation.tools.t: `conversation.tools.t` is an entry of a map, which cannot be unset
            conversation.tools.t.source: `conversation.tools.t.source` must have a value: set another one instead
            assistant..name: config path `assistant..name` has an empty segment; write the dots only between keys
            conversation.attachments[: config path `conversation.attachments[` does not close its bracket; write a list element as `list["value"]`
        "#]],
    );
}

#[test]
fn whether_an_element_exists_is_not_validated() {
    let leaves = read(json!({}), &["conversation.attachments[\"file://gone\"]"]);
    assert_eq!(leaves.view(base().value()), *base().value());
}

#[test]
fn required_values_are_not_missed_in_a_partial() {
    assert_eq!(
        names(&read(
            json!({ "conversation": { "tools": { "fresh": { "summary": "x" } } } }),
            &[]
        )),
        ["conversation.tools.fresh.summary"]
    );
}

#[test]
fn absent_and_null_mean_no_change() {
    let leaves = read(
        json!({ "assistant": { "name": null, "model": { "id": { "name": "sonnet" } } }, "style": {} }),
        &[],
    );
    assert_eq!(names(&leaves), ["assistant.model.id.name"]);
    let view = leaves.view(base().value());
    assert_eq!(at(&view, "assistant.name"), Some(&json!("n")));
    assert_eq!(
        at(&view, "assistant.model.id.provider"),
        Some(&json!("anthropic"))
    );
    assert_eq!(
        at(&view, "assistant.model.parameters.temperature"),
        Some(&json!(0.5))
    );
}

#[test]
fn the_declared_merge_strategy_is_authoritative() {
    let set = json!({ "conversation": { "attachments": ["file://c"] }, "assistant": { "model": { "parameters": { "stop_words": ["x"] } } } });
    let (delta, view) = commit(vec![(0, read(set, &[]))]);
    assert_eq!(
        at(&view, "conversation.attachments"),
        Some(&json!(["file://a", "file://b", "file://c"]))
    );
    // Replaying merges once: the recorded list holds only what is added.
    assert_eq!(
        delta.delta["conversation"]["attachments"],
        json!(["file://c"])
    );
    assert_eq!(
        at(&view, "assistant.model.parameters.stop_words"),
        Some(&json!(["x"]))
    );
}

#[test]
fn enable_is_two_leaves() {
    let leaves = read(
        json!({ "conversation": { "tools": { "t": { "enable": "explicit" } } } }),
        &[],
    );
    assert_eq!(
        names(&leaves),
        [
            "conversation.tools.t.enable.state",
            "conversation.tools.t.enable.allow_toggle"
        ]
    );
}

#[test]
fn a_table_over_a_single_value_is_one_leaf() {
    let set = json!({ "conversation": { "tools": { "t": { "command": { "program": "sh" } } } } });
    let leaves = read(set.clone(), &[]);
    assert_eq!(names(&leaves), ["conversation.tools.t.command"]);
    let part = json!([{ "path": "conversation.tools.t.command.program", "write": true }]);
    assert_eq!(
        refused(set, &[], part),
        ["write conversation.tools.t.command"]
    );
}

#[test]
fn a_value_that_a_deny_rule_looks_into_is_not_written_as_a_whole() {
    let rules = json!([
        { "path": "conversation.tools", "write": true },
        { "path": "conversation.tools.t.options.o.secret" },
    ]);
    let set =
        json!({ "conversation": { "tools": { "t": { "options": { "o": { "open": 3 } } } } } });
    assert_eq!(
        refused(set, &[], rules),
        ["write conversation.tools.t.options.o"]
    );
}

#[test]
fn labels_that_look_like_a_wrapper_are_refused() {
    wrong(
        json!({ "conversation": { "labels": { "value": "x" } } }),
        &[],
        expect![[r#"
            conversation.labels.value: a label named `value` or `strategy` can be taken for a merge strategy, choose another name
        "#]],
    );
}

#[test]
fn duplicate_keys_dotted_names_and_stars_are_literal() {
    let config: Value = serde_json::from_str(
        r#"{"assistant": {"name": "first"}, "assistant": {"name": "last"},
            "conversation": {"tools": {"*": {"run": "skip"}, "a.b": {"run": "ask"}}}}"#,
    )
    .unwrap();
    let leaves = read(config, &[]);
    assert_eq!(
        names(&leaves),
        [
            "assistant.name",
            "conversation.tools.*.run",
            "conversation.tools.\"a.b\".run"
        ]
    );
    let only_t = json!([{ "path": "conversation.tools.t", "write": true }, { "path": "assistant", "write": true }]);
    let authorization = authorize(&leaves, &grants(only_t));
    assert_eq!(authorization.unauthorized.len(), 2);
}

#[test]
fn ten_thousand_elements_are_no_matter() {
    let list: Vec<String> = (0..10_000)
        .map(|number| format!("file://{number}"))
        .collect();
    let leaves = read(json!({ "conversation": { "attachments": list } }), &[]);
    assert_eq!(leaves.changes().len(), 1);
    assert!(leaves.changes().iter().all(|change| !change.drops));
}

#[test]
fn thousands_of_leaves_fold_and_thousands_of_removals_are_refused() {
    let labels: serde_json::Map<String, Value> = (0..5_000)
        .map(|number| (format!("label{number}"), json!("x")))
        .collect();
    let leaves = read(json!({ "conversation": { "labels": labels } }), &[]);
    let (delta, _) = commit(vec![(0, leaves.clone()), (1, leaves)]);
    assert_eq!(delta.claims.len(), 5_000);
    let removals = vec!["conversation.attachments[\"file://a\"]"; 1_001];
    wrong(
        json!({}),
        &removals,
        expect![[r#"
            unset: more than 1000 removals, return fewer at a time
        "#]],
    );
}

#[test]
fn another_lone_mode_takes_nothing_away_and_a_list_of_rules_does() {
    let tool = |run: Value| json!({"conversation": {"tools": {"t": {"policy": {"run": run}}}}});
    let rule = json!({"arg": "/path", "prefix": "src", "mode": "ask"});
    let list = |rules: Value| json!({"value": rules, "strategy": "replace"});
    let lacks_delete = |before: Value, after: Value| {
        let leaves = LeafSet::read(&CycleConfig::new(&tool(before)), Some(&tool(after)), &[]);
        let grants = grants(json!([{"path": "conversation.tools", "write": true}]));
        !authorize(&leaves.unwrap(), &grants).is_granted()
    };
    assert!(!lacks_delete(json!("ask"), json!("unattended")));
    assert!(lacks_delete(json!("ask"), list(json!([rule]))));
    assert!(lacks_delete(json!([rule]), list(json!([{"mode": "ask"}]))));
}

#[test]
fn a_value_that_an_asking_rule_looks_into_is_asked_about() {
    let options = at_path(&["conversation", "tools", "t", "options"]);
    let decided = |rules: Value| {
        let decision = grants(rules).decide(ConfigCapability::Write, &options);
        (decision.allowed, decision.asks, decision.asking_rule)
    };
    let whole =
        json!({"path": "conversation.tools.t.options", "write": true, "apply": "unattended"});
    let part = json!({"path": "conversation.tools.t.options.o", "write": true});
    assert_eq!(decided(json!([whole])), (true, false, None));
    assert_eq!(decided(json!([whole, part])), (true, true, Some(1)));
}

fn at_path(keys: &[&str]) -> LeafPath {
    LeafPath::new(keys.iter().map(|&key| key.to_owned()).collect())
}

#[test]
fn an_attachment_is_named_by_its_url_however_it_is_written() {
    let url = || "file://stale.md".to_owned();
    let stale = json!({"type": "file", "path": "stale.md"});
    let other = json!({"type": "file", "path": "stale"});
    for element in [
        Element::Json(Value::String(url())),
        Element::Identity(url()),
    ] {
        assert!(element.names(&stale), "{element:?}");
        assert!(element.names(&json!(url())), "{element:?}");
        assert!(!element.names(&other), "{element:?}");
    }
    // What is named as a whole is that and nothing else.
    assert!(!Element::Json(json!({"path": "stale.md"})).names(&stale));
}
