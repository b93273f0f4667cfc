use std::{collections::BTreeSet, fmt::Write as _};

use expect_test::{Expect, expect, expect_file};
use pretty_assertions::assert_eq;

use super::{Merge, NullMeaning, Requirement, Sensitivity, Shape, StringFormat, schema};

#[test]
fn every_path_is_listed() {
    let mut out = String::new();
    for (path, id) in schema().paths() {
        let node = schema().node(id);
        let released = if node.released { "" } else { " (unreleased)" };
        let default = match &node.default {
            Some(default) => format!(" = {default}"),
            None => String::new(),
        };
        let null = match node.null {
            NullMeaning::Unset => "",
            NullMeaning::Empty => " (null: empty, in YAML)",
            NullMeaning::Refused => " (null: refused)",
            NullMeaning::Kept => " (null: refused, and kept)",
            NullMeaning::Value => " (null: a value)",
        };
        writeln!(
            out,
            "{path}: {}{default} [{:?}]{null}{released}",
            schema().describe(id),
            node.merge
        )
        .unwrap();
    }
    expect_file!["schema/paths.txt"].assert_eq(&out);
}

/// The schema of the released `jp`, one path a line.
const RELEASED: &str = include_str!("schema/released_paths.txt");

#[test]
fn every_path_of_the_released_jp_is_known() {
    let ours: BTreeSet<String> = schema().paths().into_iter().map(|(path, _)| path).collect();
    let unknown: Vec<_> = RELEASED
        .lines()
        .filter(|line| !line.starts_with('#'))
        // The enum of rules for the default conversation appears as five tables there.
        .filter(|path| !path.starts_with("conversation.default_id."))
        .filter(|path| !ours.contains(*path))
        .collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

#[test]
fn every_value_that_a_user_can_write_is_documented() {
    let undocumented: Vec<_> = schema()
        .paths()
        .into_iter()
        .filter(|(_, id)| schema().node(*id).doc.is_empty())
        .map(|(path, _)| path)
        .collect();
    assert_eq!(undocumented, Vec::<String>::new());
    for (_, node) in schema().nodes() {
        assert!(
            node.doc.is_empty() || node.doc.ends_with('.'),
            "{}",
            node.doc
        );
        if let Shape::Enum(variants) = node.shape {
            assert!(variants.iter().all(|variant| variant.doc.ends_with('.')));
        }
    }
}

fn check_lookup(paths: &[&str], expected: &Expect) {
    let mut out = String::new();
    for path in paths {
        let found = match schema().lookup(path.split('.')) {
            Ok(found) => {
                let wildcard = if found.wildcard { ", wildcard" } else { "" };
                let free_form = if found.free_form { ", free-form" } else { "" };
                format!("{}{wildcard}{free_form}", schema().describe(found.node))
            }
            Err(error) => format!(
                "segment {}: {:?}, suggestion {:?}",
                error.index, error.kind, error.suggestion
            ),
        };
        writeln!(out, "{path}: {found}").unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn lookup_follows_unions_wrappers_maps_and_lists() {
    check_lookup(
        &[
            "assistant.model.id.provider",
            "conversation.tools.x.enable.state",
            "conversation.tools.*.access",
            "conversation.tools.x.access.fs.0.path",
            "conversation.tools.x.access.fs.[].path",
            "conversation.tools.x.access.fs.strategy",
            "conversation.tools.x.access.fs.value.3.read",
            "conversation.tools.x.policy.run.2.mode",
            "conversation.tools.x.policy.run.strategy",
            "conversation.tools.x.parameters.a.items.items.properties.b.type",
            "conversation.tools.x.options.a.b.c",
            "conversation.labels.team",
            "conversation.labels.value.team",
            "conversation.labels.*.run",
        ],
        &expect![[r#"
            assistant.model.id.provider: one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`
            conversation.tools.x.enable.state: a boolean
            conversation.tools.*.access: a table, wildcard
            conversation.tools.x.access.fs.0.path: a path
            conversation.tools.x.access.fs.[].path: a path
            conversation.tools.x.access.fs.strategy: one of `append`, `prepend`, `replace`
            conversation.tools.x.access.fs.value.3.read: a boolean
            conversation.tools.x.policy.run.2.mode: one of `ask`, `unattended`, `edit`, `skip`
            conversation.tools.x.policy.run.strategy: one of `append`, `prepend`, `replace`
            conversation.tools.x.parameters.a.items.items.properties.b.type: one of `string`, `path`, `integer`, `number`, `boolean`, `array`, `object`, `null`, or a list of strings
            conversation.tools.x.options.a.b.c: any value, free-form
            conversation.labels.team: a string or a table with `value`, `apply_on` or `run`
            conversation.labels.value.team: a string or a table with `value`, `apply_on` or `run`
            conversation.labels.*.run: one of `ask`, `unattended`, `deny`, wildcard
        "#]],
    );
}

#[test]
fn lookup_says_which_segment_is_wrong() {
    check_lookup(
        &[
            "assistent",
            "assistant.model.ids",
            "assistant.*",
            "assistant.name.x",
            "conversation.tools.x.access.fs.path",
            "conversation.tools.x.*",
            "conversation.tools.x.options.a.*",
            "conversation.attachments.*",
            "inherit.0",
        ],
        &expect![[r#"
            assistent: segment 0: UnknownKey, suggestion Some("assistant")
            assistant.model.ids: segment 2: UnknownKey, suggestion Some("id")
            assistant.*: segment 1: WildcardOnNonMap, suggestion None
            assistant.name.x: segment 2: NotATable, suggestion None
            conversation.tools.x.access.fs.path: segment 5: NotAnIndex, suggestion None
            conversation.tools.x.*: segment 3: WildcardOnNonMap, suggestion None
            conversation.tools.x.options.a.*: segment 5: WildcardOnNonMap, suggestion None
            conversation.attachments.*: segment 2: WildcardOnNonMap, suggestion None
            inherit.0: segment 1: NotATable, suggestion None
        "#]],
    );
}

#[test]
fn headers_enter_lists_without_an_index_and_take_the_star_literally() {
    let node = |path: &str| {
        schema()
            .lookup_header(path.split('.'))
            .map(|found| found.node)
    };
    let in_list = node("assistant.instructions.examples.good").unwrap();
    assert_eq!(schema().formats(in_list), [StringFormat::Multiline]);
    let defaults = node("conversation.tools.*").unwrap();
    assert!(schema().field(defaults, "source").is_none());
    assert!(
        schema()
            .field(node("conversation.tools.x").unwrap(), "source")
            .is_some()
    );
    assert!(node("conversation.tools.x.access.fs.nothing").is_err());
}

/// The map positions that RFD 078 allows a `*` at, and a fixed key of each kind.
#[test]
fn wildcards_are_legal_in_maps_only() {
    let legal = |path: &str| {
        let index = path.split('.').count() - 1;
        schema().is_map_position(path.split('.'), index)
    };
    for path in [
        "conversation.tools.*",
        "conversation.tools.t.parameters.*",
        "conversation.tools.t.parameters.p.properties.*",
        "conversation.tools.t.parameters.p.items.properties.*",
        "conversation.tools.t.questions.*",
        "conversation.tools.t.options.*",
        "conversation.labels.*",
        "providers.llm.aliases.*",
        "providers.mcp.*",
        "plugins.command.*",
        "template.values.*",
        "assistant.model.parameters.other.*",
        "conversation.title.generate.model.parameters.other.*",
        "style.reasoning.summary_model.parameters.other.*",
    ] {
        assert!(legal(path), "{path}");
    }
    for path in [
        "*",
        "assistant.*",
        "conversation.tools.t.*",
        "conversation.tools.t.options.k.*",
        "template.values.k.*",
        "plugins.command.p.options.*",
        "providers.llm.*",
        "conversation.attachments.*",
        "nothing.*",
    ] {
        assert!(!legal(path), "{path}");
    }
}

#[test]
fn sensitive_and_privileged_paths_are_those_of_the_decisions() {
    expect!["conversation.tools.*.access"]
        .assert_eq(&schema().paths_of(Sensitivity::Sensitive).join("\n"));
    expect![[r#"
        config_load_paths
        extends
        conversation.tools.*.run
        conversation.tools.*.format
        conversation.tools.*.result
        conversation.tools.*.policy
        conversation.tools.*.style.parameters
        conversation.tools.*.source
        conversation.tools.*.command
        conversation.tools.*.questions
        editor
        providers.llm.anthropic.api_key_env
        providers.llm.anthropic.base_url
        providers.llm.cerebras.api_key_env
        providers.llm.cerebras.base_url
        providers.llm.deepseek.api_key_env
        providers.llm.deepseek.base_url
        providers.llm.google.api_key_env
        providers.llm.google.base_url
        providers.llm.llamacpp.base_url
        providers.llm.ollama.base_url
        providers.llm.openai.api_key_env
        providers.llm.openai.base_url
        providers.llm.openai.base_url_env
        providers.llm.openrouter.api_key_env
        providers.llm.openrouter.base_url
        providers.llm.xai.api_key_env
        providers.llm.xai.base_url
        providers.mcp
        plugins"#]]
    .assert_eq(&schema().paths_of(Sensitivity::Privileged).join("\n"));
}

#[test]
fn recursion_shares_one_shape() {
    let find = |path: &str| schema().lookup(path.split('.')).unwrap().node;
    let parameter = find("conversation.tools.t.parameters.p");
    let items = find("conversation.tools.t.parameters.p.items");
    let property = find("conversation.tools.t.parameters.p.properties.q.items.properties.r");
    for id in [items, property] {
        assert_eq!(schema().fields(id).len(), schema().fields(parameter).len());
        assert_eq!(schema().node(id).merge, Merge::Struct);
    }
}

#[test]
fn unions_know_their_variants_and_formats() {
    let choice = schema().lookup(["assistant", "tool_choice"]).unwrap().node;
    let values: Vec<_> = schema().variants(choice).iter().map(|v| v.value).collect();
    assert_eq!(values, ["auto", "none", "required"]);
    assert_eq!(schema().formats(choice), [StringFormat::ToolName]);
    let source = schema()
        .field(
            schema()
                .lookup(["conversation", "tools", "t"])
                .unwrap()
                .node,
            "source",
        )
        .unwrap();
    assert_eq!(source.requirement, Requirement::Conditional);
}
