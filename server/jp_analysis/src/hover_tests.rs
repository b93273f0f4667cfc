#[path = "hover_tests/layers.rs"]
mod layers;

use std::sync::Arc;

use expect_test::{Expect, expect};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};

use super::*;
use crate::{navigation::view_of_file, text::markup::MarkupKind};

/// Hovers at the `$0` of a fixture and shows the span and the text.
fn check(fixture: &str, expect: &Expect) {
    check_kind(fixture, MarkupKind::Markdown, expect);
}

fn check_kind(fixture: &str, kind: MarkupKind, expect: &Expect) {
    let mut files = MemoryFiles::from_fixture(fixture.trim_start());
    let (path, offset) = take_marker(&mut files);
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let file = graph
        .file_at(&path)
        .expect("the marked file is part of the graph");
    let view = view_of_file(&graph, file);
    let document = graph.content(file).and_then(|content| content.document());
    let document = document.expect("a TOML file");
    let shown = match hover(&view, file, document, offset, None, style(kind)) {
        None => "nothing\n".to_owned(),
        Some(hover) => {
            let text = document
                .text()
                .get(hover.span.range())
                .expect("a valid span");
            format!("[{text}]\n{}\n", hover.text)
        }
    };
    expect.assert_eq(&shown);
}

fn style(kind: MarkupKind) -> Style<'static> {
    Style {
        kind,
        link: &|_, _| None,
    }
}

fn take_marker(files: &mut MemoryFiles) -> (camino::Utf8PathBuf, usize) {
    let path = files
        .paths()
        .find(|path| files.text(path).is_some_and(|text| text.contains("$0")))
        .expect("a marker")
        .to_owned();
    let text = files.text(&path).unwrap_or_default().to_owned();
    let offset = text.find("$0").unwrap_or_default();
    files.insert(path.clone(), &text.replacen("$0", "", 1));
    (path, offset)
}

#[test]
fn a_key_has_doc_type_default_layers() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["base.toml"]
[conversation.tools.'*']
re$0sult = "ask"
//- /w/.jp/base.toml
[conversation.tools.'*']
result = "unattended"
"#,
        &expect![[r#"
            [result]
            `conversation.tools.*.result` is `"ask"`, from `.jp/config.toml:3`.

            `ask`: A human confirms every result before the assistant sees it.

            Whether a human is asked before the assistant sees a result.

            Set by, the strongest first:

            - `.jp/config.toml:3`: `"ask"`
            - `.jp/base.toml:2`: `"unattended"`

            Type: one of `unattended`, `ask`, `edit`, `skip`

            - Default: `"unattended"`
            - Privileged: it decides what runs or whether a human is asked.
        "#]],
    );
}

#[test]
fn a_value_has_the_doc_of_its_variant() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.a]
source = "local"
run = "una$0ttended"
"#,
        &expect![[r#"
            ["unattended"]
            `conversation.tools.a.run` is `"unattended"`, from `.jp/config.toml:3`.

            `unattended`: Calls run without confirmation.

            Whether a human is asked before the tool runs; `policy.run` wins over it.

            Type: one of `ask`, `unattended`, `edit`, `skip`

            - Privileged: it decides what runs or whether a human is asked.
        "#]],
    );
}

#[test]
fn an_access_rule_reads_in_plain_words() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.a]
source = "local"
[[conversation.tools.a.access.fs]]
path = "."
read = true
[[conversation.tools.a.access.f$0s]]
path = "src"
read = true
create = true
[[conversation.tools.a.access.fs]]
path = "src/secret"
"#,
        &expect![[r#"
            [fs]
            `conversation.tools.a.access.fs #2`

            Rule 2 of 3: `a` may read and create files at and below `src`.

            - Except at and below `src/secret`, where rule 3 decides.
            - It decides alone here, whatever rule 1 (`.`) says.

            A rule for one path and everything below it; it applies in full, and inherits nothing.

            Type: a table with `path`
        "#]],
    );
}

#[test]
fn a_config_rule_says_that_it_is_sensitive() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.a]
source = "local"
access.config = [{ path = "conversation.tools", wri$0te = true, apply = "unattended" }]
"#,
        &expect![[r#"
            [write]
            `conversation.tools.a.access.config #1.write`

            Rule 1 of 1: `a` may change config at and below `conversation.tools`.

            - Changes apply without asking.
            - The path is sensitive: it touches the access rules of tools, and only `write = "insecure_allow"` reaches them.

            Whether the tool may return changed values.

            Type: a boolean or `insecure_allow`

            - Default: `false`

            A path that touches a sensitive one needs `"insecure_allow"`.
        "#]],
    );
}

#[test]
fn a_policy_rule_has_a_witness() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.a]
source = "local"
parameters.path = { type = "path", summary = "Where to look." }
policy.run = [
    { arg = "/path", prefix = "src/gen", mode = "skip" },
    { ar$0g = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", const = "src/a", mode = "ask" },
]
"#,
        &expect![[r#"
            [arg]
            `conversation.tools.a.policy.run #2.arg`

            `/path`: path.

            ```text
            Where to look.
            ```

            Rule 2 of 3: if `/path` starts with `"src"`, the tool runs without asking (`unattended`).

            Reached by `{"path":"src/a"}`.

            The argument to look at, as a JSON Pointer into the tool's parameters, such as `/path` or `/patterns/paths`.

            Type: a JSON Pointer such as `/path`

            Where the pointer meets an array, any element may match.
            A rule without it matches every call.
        "#]],
    );
}

#[test]
fn a_policy_rule_that_nothing_reaches_says_why() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.a]
source = "local"
parameters.path = { type = "path" }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", const = "src/a", mode = "a$0sk" },
]
"#,
        &expect![[r#"
            ["ask"]
            `conversation.tools.a.policy.run #2.mode`

            Rule 2 of 2: if `/path` is `"src/a"`, the tool asks before it runs (`ask`).

            No call reaches it: rule 1 decides first, and the tool runs without asking (`unattended`).

            `ask`: A human confirms every call.

            How the user is involved in a call that matches.

            Type: one of `ask`, `unattended`, `edit`, `skip`

            - Required in this table.
        "#]],
    );
}

#[test]
fn a_tool_has_a_card() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["tools/*.toml"]
[conversation.tools.'*']
run = "ask"
[assistant]
tool_choice = "re$0ad"
//- /w/.jp/tools/read.toml
[conversation.tools.read]
source = "local"
enable = "explicit"
summary = "Read a `file`."
parameters.path = { type = "path", required = true }
parameters.tags = { type = "array", items.type = "string" }
access.fs = [{ path = ".", read = true }]
"#,
        &expect![[r#"
            ["read"]
            `assistant.tool_choice` is `"read"`, from `.jp/config.toml:5`.

            `read` is a local tool, off, and is switched on only by its name.

            ```text
            Read a `file`.
            ```

            - Calls: `ask`, from `conversation.tools.'*'.run`: the tool asks before it runs
            - Results: `unattended`, the built-in default: the result is delivered without asking
            - Takes `path` (path, required), `tags` (list of string)
            - Access rules: 1 `fs`
            - Can remove its own guard: no

            Whether the model must call a tool: `auto`, `none`, `required`, or the name of the tool that it must call.

            Type: one of `auto`, `none`, `required`, or the name of a tool

            - Default: `"auto"`
        "#]],
    );
}

#[test]
fn a_card_counts_the_rules_that_decide() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.re$0ad]
source = "local"
command = "read"
policy.run = [{ mode = "ask" }, { mode = "skip" }]
policy.result = [{ arg = "/path", prefix = "src", mode = "ask" }]
parameters.path = { type = "path", required = true }
"#,
        &expect![[r#"
            [read]
            `conversation.tools.read`

            `read` is a local tool, on, and can be switched off.

            - Calls: `ask`, from `conversation.tools.read.policy.run`: the tool asks before it runs
            - Results: 1 rule decides, from `conversation.tools.read.policy.result`
            - Takes `path` (path, required)
            - Access: no rules; files, network and environment are not restricted, config is closed
            - Can remove its own guard: no

            A tool that the assistant may call.

            Type: a table
        "#]],
    );
}

#[test]
fn hostile_text_is_shown_letter_for_letter() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools."a`[x](command:y)"]
sou$0rce = "local"
summary = "<img src=x>"
"#,
        &expect![[r#"
            [source]
            ``conversation.tools."a`[x](command:y)".source`` is `"local"`, from `.jp/config.toml:2`.

            Where the tool comes from: `builtin`, `local` or `mcp.<server>`, each with an optional tool name, as in `mcp.github.search`.

            Type: a tool source such as `local` or `mcp.<server>`

            - Required: some file must set it.
            - Privileged: it decides what runs or whether a human is asked.
            - Example: `"local"`
            - Example: `"mcp.github.search"`

            Some layer must set it.
        "#]],
    );
}

#[test]
fn blanks_and_comments_say_nothing() {
    check(
        "\n//- /w/.jp/config.toml\n# comm$0ent\n",
        &expect![[r#"
        nothing
    "#]],
    );
    check(
        "\n//- /w/.jp/config.toml\n\n$0\n",
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn a_parameter_is_told_by_its_type_and_meaning() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.t.parameters."a/b"]
type = "array"
items.type = "object"
items.properties.na$0me = { type = "string", enum = ["ä"], required = true, summary = "who" }
"#,
        &expect![[r#"
            [name]
            `conversation.tools.t.parameters."a/b".items.properties.name`

            `/a~1b/name`: string, required.

            - One of `"ä"`

            ```text
            who
            ```

            An argument of a tool: a small JSON Schema.

            Type: a table
        "#]],
    );
}

#[test]
fn an_access_rule_of_a_tool_that_takes_none_says_so() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.t]
source = "mcp.github"
access.env = [{ na$0me = "A_*", read = true }]
policy.run = [{ arg = "/x", const = 1, mode = "skip" }]
"#,
        &expect![[r#"
            [name]
            `conversation.tools.t.access.env #1.name`

            Rule 1 of 1: `t` may read every variable that starts with `A_`.

            - Nothing checks it: access rules are for local tools, and `mcp.github` is the source of this one.

            The name of the variable, or a prefix of names that ends in `*`.

            Type: the name of an environment variable, or a prefix such as `AWS_*`

            - Required in this table.
        "#]],
    );
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.$0t]
source = "builtin"
policy.run = [{ arg = "/x", const = 1, mode = "skip" }]
"#,
        &expect![[r#"
            [t]
            `conversation.tools.t`

            `t` is a builtin tool, on, and can be switched off.

            - Calls: 1 rule decides, from `conversation.tools.t.policy.run`
            - Results: `unattended`, the built-in default: the result is delivered without asking
            - Access: grants are for local tools; nothing here limits what this one reaches

            A tool that the assistant may call.

            Type: a table
        "#]],
    );
}

#[test]
fn a_template_tells_the_argument_that_it_puts_in() {
    check(
        r#"
//- /w/.jp/config.toml
[conversation.tools.t]
source = "local"
parameters.path = { type = "path", required = true, summary = "what to show" }
command = { program = "cat", args = ["--", "{{tool.argu$0ments.path}}"] }
"#,
        &expect![[r#"
            ["{{tool.arguments.path}}"]
            `conversation.tools.t.command.args #2`

            `/path`: path, required.

            ```text
            what to show
            ```

            Type: a command line
        "#]],
    );
}
