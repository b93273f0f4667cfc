use std::sync::Arc;

use expect_test::{Expect, expect};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::View;
use crate::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};

fn view(fixture: &str) -> View {
    let files = MemoryFiles::from_fixture(fixture);
    View::new(Arc::new(Graph::load(&Roots::workspace_only("/w"), &files)))
}

fn check(path: &[&str], fixture: &str, expected: &Expect) {
    let view = view(fixture);
    let shown = view
        .effective(path)
        .map_or("nothing".to_owned(), |located| {
            let layers: Vec<String> = located
                .origins
                .iter()
                .filter_map(|origin| view.file(origin.layer))
                .map(|file| {
                    view.graph()
                        .path(file)
                        .file_name()
                        .unwrap_or_default()
                        .to_owned()
                })
                .collect();
            format!("{} <- {}", located.to_json(), layers.join(", "))
        });
    expected.assert_eq(&shown);
}

const TWO: &str = "//- /w/.jp/config.toml\nextends = [\"a.toml\"]\n";

#[test]
fn a_later_scalar_replaces_and_both_places_are_known() {
    check(
        &["conversation", "tools", "*", "run"],
        &format!(
            "{TWO}[conversation.tools.'*']\nrun = \"ask\"\n//- /w/.jp/a.toml\nconversation.tools.'*'.run = \"skip\"\n"
        ),
        &expect![[r#""ask" <- a.toml, config.toml"#]],
    );
}

#[test]
fn access_rules_append_across_layers() {
    check(
        &["conversation", "tools", "t", "access", "fs"],
        &format!(
            "{TWO}[[conversation.tools.t.access.fs]]\npath = \"src\"\n//- /w/.jp/a.toml\n[[conversation.tools.t.access.fs]]\npath = \".\"\n"
        ),
        &expect![[r#"[{"path":"."},{"path":"src"}] <- a.toml, config.toml"#]],
    );
}

#[test]
fn every_kind_of_access_rule_appends_and_may_start_over() {
    for (kind, key) in [("net", "host"), ("env", "name"), ("config", "path")] {
        let path = ["conversation", "tools", "t", "access", kind];
        let lower =
            format!("//- /w/.jp/a.toml\n[[conversation.tools.t.access.{kind}]]\n{key} = \"a\"\n");
        let appended =
            format!("{TWO}[[conversation.tools.t.access.{kind}]]\n{key} = \"b\"\n{lower}");
        let replaced = format!(
            "{TWO}[conversation.tools.t.access.{kind}]\nstrategy = \"replace\"\nvalue = [{{ {key} = \"b\" }}]\n{lower}"
        );
        let effective = |fixture: &str| view(fixture).effective(&path).unwrap().to_json();
        assert_eq!(effective(&appended), json!([{key: "a"}, {key: "b"}]));
        assert_eq!(effective(&replaced), json!([{key: "b"}]));
    }
}

#[test]
fn a_replace_wrapper_starts_over() {
    check(
        &["conversation", "tools", "t", "access", "fs"],
        &format!(
            "{TWO}[conversation.tools.t.access.fs]\nstrategy = \"replace\"\nvalue = [{{ path = \"src\" }}]\n//- /w/.jp/a.toml\n[[conversation.tools.t.access.fs]]\npath = \".\"\n"
        ),
        &expect![[r#"[{"path":"src"}] <- config.toml"#]],
    );
}

#[test]
fn policy_rules_replace_across_layers() {
    check(
        &["conversation", "tools", "t", "policy", "run"],
        &format!(
            "{TWO}conversation.tools.t.policy.run = \"ask\"\n//- /w/.jp/a.toml\nconversation.tools.t.policy.run = [{{ mode = \"skip\" }}]\n"
        ),
        &expect![[r#"[{"mode":"ask"}] <- config.toml"#]],
    );
}

#[test]
fn a_policy_wrapper_prepends_to_a_mode_alone() {
    check(
        &["conversation", "tools", "t", "policy", "run"],
        &format!(
            "{TWO}conversation.tools.t.policy.run = {{ strategy = \"prepend\", value = [{{ arg = \"/p\", const = 1, mode = \"skip\" }}] }}\n//- /w/.jp/a.toml\nconversation.tools.t.policy.run = \"ask\"\n"
        ),
        &expect![[
            r#"[{"arg":"/p","const":1,"mode":"skip"},{"mode":"ask"}] <- a.toml, config.toml"#
        ]],
    );
}

#[test]
fn an_enable_table_overrides_only_what_it_names() {
    check(
        &["conversation", "tools", "t", "enable"],
        &format!(
            "{TWO}conversation.tools.t.enable = {{ state = true }}\n//- /w/.jp/a.toml\nconversation.tools.t.enable = {{ allow_toggle = \"never\" }}\n"
        ),
        &expect![[r#"{"allow_toggle":"never","state":true} <- a.toml, config.toml"#]],
    );
}

#[test]
fn an_enable_shorthand_overrides_both_fields() {
    check(
        &["conversation", "tools", "t", "enable"],
        &format!(
            "{TWO}conversation.tools.t.enable = \"explicit\"\n//- /w/.jp/a.toml\nconversation.tools.t.enable = {{ allow_toggle = \"never\" }}\n"
        ),
        &expect![[r#"{"state":false,"allow_toggle":"if_named"} <- config.toml"#]],
    );
}

#[test]
fn a_model_id_keeps_its_provider_and_an_alias_starts_over() {
    check(
        &["assistant", "model", "id"],
        &format!(
            "{TWO}[assistant.model.id]\nname = \"b\"\n//- /w/.jp/a.toml\n[assistant.model.id]\nprovider = \"openai\"\nname = \"a\"\n"
        ),
        &expect![[r#"{"provider":"openai","name":"b"} <- a.toml, config.toml"#]],
    );
    check(
        &["assistant", "model", "id"],
        &format!(
            "{TWO}[assistant.model.id]\nname = \"b\"\n//- /w/.jp/a.toml\nassistant.model.id = \"alias\"\n"
        ),
        &expect![[r#"{"name":"b"} <- a.toml, config.toml"#]],
    );
}

#[test]
fn options_merge_deeply() {
    check(
        &["conversation", "tools", "t", "options"],
        &format!(
            "{TWO}[conversation.tools.t.options]\na.x = 2\nlist = [3]\n//- /w/.jp/a.toml\n[conversation.tools.t.options]\na = {{ x = 1, y = 1 }}\nlist = [1, 2]\n"
        ),
        &expect![[r#"{"a":{"x":2,"y":1},"list":[3]} <- a.toml, config.toml"#]],
    );
}

#[test]
fn a_system_prompt_can_be_appended_to() {
    check(
        &["assistant", "system_prompt"],
        &format!(
            "{TWO}[assistant.system_prompt]\nvalue = \"Be brief.\"\nstrategy = \"append\"\nseparator = \"space\"\n//- /w/.jp/a.toml\nassistant.system_prompt = \"You help.\"\n"
        ),
        &expect![[r#""You help. Be brief." <- a.toml, config.toml"#]],
    );
}

#[test]
fn the_system_prompt_trap_is_as_in_jp() {
    check(
        &["assistant", "system_prompt"],
        &format!(
            "{TWO}[assistant.system_prompt]\nvalue = \"Be brief.\"\n//- /w/.jp/a.toml\nassistant.system_prompt = \"You help.\"\n"
        ),
        &expect![[r#""" <- a.toml, config.toml"#]],
    );
}

#[test]
fn json_null_keeps_what_other_files_say() {
    check(
        &["assistant", "name"],
        "//- /w/.jp/config.json\n{ \"extends\": [\"a.toml\"], \"assistant\": { \"name\": null } }\n//- /w/.jp/a.toml\nassistant.name = \"x\"\n",
        &expect![[r#""x" <- a.toml"#]],
    );
}

#[test]
fn keys_come_from_all_layers_in_order() {
    let view = view(&format!(
        "{TWO}[conversation.tools.b]\n[conversation.tools.a]\n//- /w/.jp/a.toml\n[conversation.tools.c]\n[conversation.tools.b]\n"
    ));
    let keys: Vec<String> = view.keys(&["conversation", "tools"]).into_iter().collect();
    assert_eq!(keys, ["c", "b", "a"]);
}

#[test]
fn a_key_named_value_is_a_key_where_nothing_is_wrapped() {
    check(
        &[
            "conversation",
            "tools",
            "t",
            "parameters",
            "p",
            "default",
            "value",
        ],
        "//- /w/.jp/config.toml\nconversation.tools.t.parameters.p.default = { value = 1 }\n",
        &expect!["1 <- config.toml"],
    );
}

#[test]
fn the_value_in_a_wrapper_is_what_the_wrapper_comes_to() {
    check(
        &["conversation", "attachments", "value"],
        &format!(
            "{TWO}conversation.attachments = {{ value = [\"file://b\"], strategy = \"append\" }}\n//- /w/.jp/a.toml\nconversation.attachments = [\"file://a\"]\n"
        ),
        &expect![[r#"["file://a","file://b"] <- a.toml, config.toml"#]],
    );
}
