//! What several layers, or a value above, make of a key.

use super::*;

#[test]
fn an_alias_is_resolved() {
    check(
        r#"
//- /w/.jp/config.toml
[assistant.model]
id = "fa$0st"
[providers.llm.aliases]
fast = "haiku"
haiku = "anthropic/claude-haiku-4"
"#,
        &expect![[r#"
            ["fast"]
            `assistant.model.id` is `"fast"`, from `.jp/config.toml:2`.

            `fast` is `anthropic/claude-haiku-4`.

            Which model answers.

            Type: a model such as `anthropic/claude-sonnet-5` or an alias, or a table with `provider` or `name`

            - Required: some file must set it.
            - Example: `"anthropic/claude-sonnet-5"`
            - Example: `"haiku"`
        "#]],
    );
}

#[test]
fn the_state_of_a_tool_is_resolved() {
    check_kind(
        r#"
//- /w/.jp/config.toml
[conversation.tools.'*']
enable = "explicit"
[conversation.tools.a]
source = "local"
enable.st$0ate = true
"#,
        MarkupKind::PlainText,
        &expect![[r#"
            [state]
            conversation.tools.a.enable.state is true, from .jp/config.toml:5.

            The tool is on, and is switched off only by its name.

            Whether the assistant sees the tool.

            Type: a boolean
        "#]],
    );
}

#[test]
fn an_alias_that_leads_nowhere_is_told_apart_from_an_unknown_one() {
    check(
        r#"
//- /w/.jp/config.toml
[providers.llm.aliases]
a = "b"
b = "a"
[assistant.model]
id = "$0a"
"#,
        &expect![[r#"
            ["a"]
            `assistant.model.id` is `"a"`, from `.jp/config.toml:5`.

            `a` leads to no model: what it stands for is an alias that nothing defines, or leads back to it.

            Which model answers.

            Type: a model such as `anthropic/claude-sonnet-5` or an alias, or a table with `provider` or `name`

            - Required: some file must set it.
            - Example: `"anthropic/claude-sonnet-5"`
            - Example: `"haiku"`
        "#]],
    );
}

#[test]
fn a_value_that_is_being_typed_sets_nothing() {
    check(
        r#"
//- /w/.jp/base.toml
assistant.name = "base"
//- /w/.jp/config.toml
extends = ["base.toml"]
assistant.na$0me = "x
"#,
        &expect![[r#"
            [name]
            `assistant.name` is `"base"`, from `.jp/base.toml:1`.

            A display name.

            Type: a string
        "#]],
    );
}

#[test]
fn a_key_below_a_shorthand_says_what_stands_above_it() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["lower.toml"]
[conversation.tools.t]
command = "x {{tool}}"
enable = "always"
//- /w/.jp/lower.toml
[conversation.tools.t]
command.sh$0ell = true
enable.state = false
"#,
        &expect![[r#"
            [shell]
            `conversation.tools.t.command.shell` has no value of its own: a stronger layer sets `conversation.tools.t.command` as a whole.

            Whether the system shell interprets the command.

            Set by, the strongest first:

            - `.jp/config.toml:3`: `"x {{tool}}"`
            - `.jp/lower.toml:2`: `true`

            Type: a boolean

            - Default: `false`
        "#]],
    );
    check(
        r#"
//- /w/.jp/config.toml
extends = ["lower.toml"]
[conversation.tools.t]
command = "x {{tool}}"
enable = "always"
//- /w/.jp/lower.toml
[conversation.tools.t]
enable.sta$0te = false
"#,
        &expect![[r#"
            [state]
            `conversation.tools.t.enable.state` is `true`, from `.jp/config.toml:4`.

            The tool is on, and cannot be switched off.

            Whether the assistant sees the tool.

            Set by, the strongest first:

            - `.jp/config.toml:4`: `"always"`
            - `.jp/lower.toml:2`: `false`

            Type: a boolean
        "#]],
    );
}

#[test]
fn the_value_in_a_wrapper_says_what_all_layers_come_to() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["lower.toml"]
[assistant.instructions]
val$0ue = [{ title = "b" }]
strategy = "append"
//- /w/.jp/lower.toml
[assistant.instructions]
value = [{ title = "a" }]
strategy = "append"
"#,
        &expect![[r#"
            [value]
            `assistant.instructions.value` is `[{ title = "a" }, { title = "b" }]`, from `.jp/config.toml:3`.

            The elements.

            Set by, the strongest first:

            - `.jp/config.toml:3`: `[{ title = "b" }]`
            - `.jp/lower.toml:2`: `[{ title = "a" }]`

            Type: a list of tables

            - Default: `[]`
            - In several files: the wrapper's `strategy` says how they combine.
        "#]],
    );
}
