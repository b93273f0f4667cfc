use std::sync::Arc;

use expect_test::{Expect, expect};
use jp_config::{
    document::Document,
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use pretty_assertions::assert_eq;

use super::effective;

#[track_caller]
fn check(files: &[(&str, &str)], expected: &Expect) {
    let mut memory = MemoryFiles::default();
    for (path, text) in files {
        memory.insert(format!("/w/{path}"), text);
    }
    let graph = Graph::load(&Roots::workspace_only("/w"), &memory);
    let shown = effective(&View::new(Arc::new(graph)));
    assert_eq!(Document::parse(&shown).errors(), Vec::new(), "{shown}");
    expected.assert_eq(&shown);
}

#[test]
fn each_value_names_the_file_and_the_line_that_decided_it() {
    check(
        &[
            (
                ".jp/config.toml",
                "extends = [\"tools/grep.toml\"]\n\n[assistant.model]\nid = \"anthropic/a\"\n\n[conversation.tools.grep]\nrun = \"ask\"\nenable = true\npolicy.run = [{ arg = \"/p\", prefix = \"src\", mode = \"ask\" }, { mode = \"skip\" }]\n",
            ),
            (
                ".jp/tools/grep.toml",
                "[conversation.tools.grep]\nsource = \"local\"\nrun = \"skip\"\nstyle = {}\n\n[conversation.tools.grep.parameters.p]\ntype = \"string\"\n",
            ),
        ],
        &expect![[r#"
            extends = ["tools/grep.toml"] # .jp/config.toml:1

            [conversation.tools.grep]
            source = "local" # .jp/tools/grep.toml:2
            run = "ask" # .jp/config.toml:7

            [conversation.tools.grep.style] # .jp/tools/grep.toml:4

            [conversation.tools.grep.parameters.p]
            type = "string" # .jp/tools/grep.toml:7

            [conversation.tools.grep.enable]
            state = true # .jp/config.toml:8
            allow_toggle = "any" # .jp/config.toml:8

            [[conversation.tools.grep.policy.run]]
            arg = "/p" # .jp/config.toml:9
            prefix = "src" # .jp/config.toml:9
            mode = "ask" # .jp/config.toml:9

            [[conversation.tools.grep.policy.run]]
            mode = "skip" # .jp/config.toml:9

            [assistant.model]
            id = "anthropic/a" # .jp/config.toml:4
        "#]],
    );
}

#[test]
fn the_elements_of_a_list_from_several_places_are_told_apart() {
    check(
        &[
            (
                ".jp/config.toml",
                "extends = [\"a.toml\", \"b.json\"]\nconfig_load_paths = [\n  \"x\",\n  \"y\",\n]\n",
            ),
            (".jp/a.toml", "config_load_paths = [\n  \"z\",\n]\n"),
            (".jp/b.json", "{ \"assistant\": { \"name\": \"ü\\n# b\" } }"),
        ],
        &expect![[r#"
            config_load_paths = [
                "x", # .jp/config.toml:3
                "y", # .jp/config.toml:4
            ]
            extends = ["a.toml", "b.json"] # .jp/config.toml:1

            [assistant]
            name = """
            ü
            # b""" # .jp/b.json
        "#]],
    );
}

#[test]
fn what_is_broken_or_empty_is_left_out() {
    check(&[(".jp/config.toml", "")], &expect![[r#""#]]);
    check(
        &[(
            ".jp/config.toml",
            "[assistant]\nname =\r[conversation]\r\ntitle.generate.auto = false\n",
        )],
        &expect![[r#"
            [assistant] # .jp/config.toml:1

            [conversation.title.generate]
            auto = false # .jp/config.toml:4
        "#]],
    );
}

#[test]
fn the_name_of_a_file_stays_in_its_comment() {
    check(
        &[
            (".jp/config.toml", "extends = [\"a\\nb = 1 #.toml\"]\n"),
            (".jp/a\nb = 1 #.toml", "[assistant]\nname = \"x\"\n"),
        ],
        &expect![[r##"
            extends = ["""
            a
            b = 1 #.toml"""] # .jp/config.toml:1

            [assistant]
            name = "x" # .jp/a\nb = 1 #.toml:2
        "##]],
    );
}
