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
            `assistant.model.id`

            `fast` is `anthropic/claude-haiku-4`.

            Which model answers.

            - Type: a model such as `anthropic/claude-sonnet-5` or an alias, or a table with `provider` or `name`
            - Required: some layer must set it.
            - Example: `"anthropic/claude-sonnet-5"`
            - Example: `"haiku"`

            Effective value: `"fast"`

            Set by, the strongest first:

            - `.jp/config.toml:2`: `"fast"`
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
            conversation.tools.a.enable.state

            The tool is on, and only naming it switches it.

            Whether the assistant sees the tool.

            - Type: a boolean
            - Layers: a later layer's value stands.

            Effective value: true

            Set by, the strongest first:

            - .jp/config.toml:5: true
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
            `assistant.model.id`

            `a` leads to no model: what it stands for is an alias that nothing defines, or leads back to it.

            Which model answers.

            - Type: a model such as `anthropic/claude-sonnet-5` or an alias, or a table with `provider` or `name`
            - Required: some layer must set it.
            - Example: `"anthropic/claude-sonnet-5"`
            - Example: `"haiku"`

            Effective value: `"a"`

            Set by, the strongest first:

            - `.jp/config.toml:5`: `"a"`
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
            `assistant.name`

            A display name.

            - Type: a string
            - Layers: a later layer's value stands.

            Effective value: `"base"`

            Set by, the strongest first:

            - `.jp/base.toml:1`: `"base"`
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
            `conversation.tools.t.command.shell`

            Whether the system shell interprets the command.

            - Type: a boolean
            - Default: `false`
            - Layers: a later layer's value stands.

            `conversation.tools.t.command` is set as a whole by a stronger layer, so this key has no value of its own.

            Set by, the strongest first:

            - `.jp/config.toml:3`: `"x {{tool}}"`
            - `.jp/lower.toml:2`: `true`
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
            `conversation.tools.t.enable.state`

            The tool is on, and nothing switches it.

            Whether the assistant sees the tool.

            - Type: a boolean
            - Layers: a later layer's value stands.

            Effective value: `true`

            Set by, the strongest first:

            - `.jp/config.toml:4`: `"always"`
            - `.jp/lower.toml:2`: `false`
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
            `assistant.instructions.value`

            The elements.

            - Type: a list of tables
            - Default: `[]`
            - Layers: the wrapper's `strategy` says how layers combine.

            Effective value: `[{ title = "a" }, { title = "b" }]`

            Set by, the strongest first:

            - `.jp/config.toml:3`: `[{ title = "b" }]`
            - `.jp/lower.toml:2`: `[{ title = "a" }]`
        "#]],
    );
}
