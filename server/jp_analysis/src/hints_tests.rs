use std::sync::Arc;

use expect_test::{Expect, expect};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};

use super::*;
use crate::navigation::view_of_file;

/// Shows a file of the fixture with its hints in place.
fn check(fixture: &str, path: &str, expect: &Expect) {
    let files = MemoryFiles::from_fixture(fixture.trim_start());
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let file = graph.file_at(path.into()).expect("a file of the graph");
    let view = view_of_file(&graph, file);
    let document = graph.content(file).and_then(|content| content.document());
    let document = document.expect("TOML");
    let mut text = document.text().to_owned();
    let options = HintOptions {
        rule_examples: true,
    };
    for hint in hints(&view, file, document, document.span(), options)
        .iter()
        .rev()
    {
        text.insert_str(hint.offset as usize, &format!("⟨{}⟩", hint.label));
    }
    expect.assert_eq(&text);
}

const WORKSPACE: &str = r#"
//- /w/.jp/base.toml
[conversation.tools.'*']
run = "unattended"
result = "ask"
[assistant.model]
id = "fast"
//- /w/.jp/config.toml
extends = ["base.toml"]
[conversation.tools.'*']
run = "ask"
[conversation.tools.read]
source = "local"
parameters.path.type = "path"
policy.result = [
    { arg = "/path", prefix = "x", mode = "ask" },
]
access.fs = [{ path = ".", write = true }]
[conversation.tools.write]
source = "local"
run = "skip"
policy.run = [{ arg = "/path", prefix = "x", mode = "ask" }, { mode = "skip" }]
[providers.llm.aliases]
fast = "haiku"
haiku = "anthropic/claude"
"#;

#[test]
fn what_is_not_written_is_hinted() {
    check(
        WORKSPACE,
        "/w/.jp/config.toml",
        &expect![[r#"
            extends = ["base.toml"]
            [conversation.tools.'*']
            run = "ask"
            [conversation.tools.read]⟨runs: ask⟩
            source = "local"
            parameters.path.type = "path"
            policy.result = [
                { arg = "/path", prefix = "x", mode = "ask" },⟨reached by {"path":"x/x"}⟩
            ]⟨otherwise: ask⟩
            access.fs = [{ path = "."⟨the whole workspace⟩, write = true⟨= create, update, delete⟩ }]
            [conversation.tools.write]
            source = "local"
            run = "skip"
            policy.run = [{ arg = "/path", prefix = "x", mode = "ask" }, { mode = "skip" }]
            [providers.llm.aliases]
            fast = "haiku"⟨= anthropic/claude⟩
            haiku = "anthropic/claude"
        "#]],
    );
}

#[test]
fn a_value_that_a_stronger_layer_sets_is_hinted() {
    check(
        WORKSPACE,
        "/w/.jp/base.toml",
        &expect![[r#"
            [conversation.tools.'*']
            run = "unattended"⟨overridden by .jp/config.toml:3⟩
            result = "ask"
            [assistant.model]
            id = "fast"⟨= anthropic/claude⟩
        "#]],
    );
}

#[test]
fn the_fallback_is_hinted_after_every_form_of_rules() {
    check(
        r#"
//- /w/.jp/base.toml
[[conversation.tools.b.policy.run]]
mode = "edit"
//- /w/.jp/config.toml
extends = ["base.toml"]
[conversation.tools.a]
run = "ask"
policy.run = { strategy = "replace", value = [{ arg = "/ä", const = 1, mode = "skip" }] }
[conversation.tools.b]
run = "ask"
policy.run = { strategy = "prepend", value = [{ arg = "/ä", const = 1, mode = "skip" }] }
[[conversation.tools.c.policy.result]]
arg = "/x"
const = 1
mode = "edit"
[[conversation.tools.c.policy.result]]
arg = "/x"
const = 2
mode = "ask"
[[conversation.tools.d.policy.result]]
mode = "ask"
"#,
        "/w/.jp/config.toml",
        &expect![[r#"
            extends = ["base.toml"]
            [conversation.tools.a]
            run = "ask"
            policy.run = { strategy = "replace", value = [{ arg = "/ä", const = 1, mode = "skip" }]⟨otherwise: ask⟩ }⟨reached by {"ä":1}⟩
            [conversation.tools.b]
            run = "ask"
            policy.run = { strategy = "prepend", value = [{ arg = "/ä", const = 1, mode = "skip" }] }⟨reached by {"ä":1}⟩
            [[conversation.tools.c.policy.result]]⟨reached by {"x":1}⟩
            arg = "/x"
            const = 1
            mode = "edit"
            [[conversation.tools.c.policy.result]]⟨reached by {"x":2}⟩
            arg = "/x"
            const = 2
            mode = "ask"⟨otherwise: ask⟩
            [[conversation.tools.d.policy.result]]
            mode = "ask"
        "#]],
    );
}

#[test]
fn write_is_hinted_with_what_it_decides_alone() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.t]
run = "ask"
access.fs = [{ path = "ä", write = true, delete = false }, { path = "b", write = false }]
[[conversation.tools.t.access.fs]]
create = true
write = true
update = false
delete = false
path = "c"
"#,
        "/w/.jp/config.toml",
        &expect![[r#"
            [conversation.tools.t]
            run = "ask"
            access.fs = [{ path = "ä", write = true⟨= create, update⟩, delete = false }, { path = "b", write = false }]
            [[conversation.tools.t.access.fs]]
            create = true
            write = true
            update = false
            delete = false
            path = "c"
        "#]],
    );
}

#[test]
fn a_rule_has_a_call_at_the_end_of_its_line() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.a]
source = "local"
parameters.path.type = "path"
policy.run = [
    # the sources
    { arg = "/path", prefix = "src", mode = "unattended" }, # why
    { arg = "/path", const = "src/a", mode = "ask" },
    { mode = "ask" },
]
policy.result = [{ arg = "/path", prefix = "x", mode = "ask" }, { mode = "skip" }]
[conversation.tools.one]
policy.run = [{ mode = "ask" }]
[[conversation.tools.b.policy.run]]
arg = "/x"
const = 1
mode = "ask"
"#,
        "/w/.jp/config.toml",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"
            parameters.path.type = "path"
            policy.run = [
                # the sources
                { arg = "/path", prefix = "src", mode = "unattended" }, # why⟨reached by {"path":"src/a"}⟩
                { arg = "/path", const = "src/a", mode = "ask" },⟨no call reaches this rule⟩
                { mode = "ask" },
            ]
            policy.result = [{ arg = "/path", prefix = "x", mode = "ask" }⟨reached by {"path":"x/x"}⟩, { mode = "skip" }]
            [conversation.tools.one]
            policy.run = [{ mode = "ask" }]
            [[conversation.tools.b.policy.run]]⟨reached by {"x":1}⟩
            arg = "/x"
            const = 1
            mode = "ask"⟨otherwise: ask⟩
        "#]],
    );
}

#[test]
fn what_grants_everything_says_so() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.'*']
run = "unattended"
[conversation.tools.a]
source = "local"
run = "ask"
access.fs = [{ path = ".", execute = true }, { path = "src", execute = true }]
access.env = [{ name = "*", read = true }, { name = "A_*", read = true }]
[[conversation.tools.a.policy.run]]
mode = "unattended"
[conversation.tools.b]
run = "unattended"
policy.run = [{ arg = "/x", const = 1, mode = "ask" }, { mode = "unattended" }]
[conversation.tools.c]
run = "unattended"
policy.run = [{ mode = "ask" }]
"#,
        "/w/.jp/config.toml",
        &expect![[r#"
            [conversation.tools.'*']
            run = "unattended"⟨every call, without asking⟩
            [conversation.tools.a]
            source = "local"
            run = "ask"
            access.fs = [{ path = "."⟨the whole workspace⟩, execute = true }, { path = "src", execute = true }]
            access.env = [{ name = "*"⟨every variable⟩, read = true }, { name = "A_*", read = true }]
            [[conversation.tools.a.policy.run]]
            mode = "unattended"⟨every call, without asking⟩
            [conversation.tools.b]
            run = "unattended"
            policy.run = [{ arg = "/x", const = 1, mode = "ask" }⟨reached by {"x":1}⟩, { mode = "unattended"⟨every other call, without asking⟩ }]
            [conversation.tools.c]
            run = "unattended"
            policy.run = [{ mode = "ask" }]
        "#]],
    );
}
