use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

fn tool(command: &str) -> String {
    format!(
        r#"//- /w/.jp/config.toml
[conversation.tools.renumber]
source = "local"
{command}
parameters.number = {{ type = "string", required = true }}
parameters.other = {{ type = "string" }}
"#
    )
}

#[test]
fn whole_templates_are_silent() {
    for command in [
        r#"command = "just serve-tools {{context}} {{tool}}""#,
        r#"command = "just renumber -- {{tool.arguments.number}}""#,
        r#"command = { program = "just", args = ["--", "{{ tool.arguments.number | default('') }}"] }"#,
        r#"command = { program = "echo", args = ["{{tool}}"], shell = true }"#,
        r#"command = "printf '%s' '{% for x in range(3) %}{{x}}{% endfor %}'""#,
        r#"command = "printf {{tool.name}} {{context.root}} {{tool.options.x}}""#,
    ] {
        check(&tool(command), &expect![[""]]);
    }
}

#[test]
fn word_splitting_cuts_templates() {
    let fixture = tool(
        r#"command = "just rfd-renumber -- {{tool.arguments.number}} {{tool.arguments.other | default('')}}""#,
    );
    check(
        &fixture,
        &expect![[r#"
            //- /w/.jp/config.toml
            command = "just rfd-renumber -- {{tool.arguments.number}} {{tool.arguments.other | default('')}}"
                                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: a command string is split into words before it is rendered, which cuts `{{tool.arguments.other | default('')}}` apart, and every call fails; write it without blanks, or as `{ program = .., args = [..] }`
                fix!: Write the command as a table, which keeps the template whole
        "#]],
    );
    check_fix(
        &fixture,
        Code::CommandTemplate,
        0,
        &expect![[r#"
            [conversation.tools.renumber]
            source = "local"
            command = { program = "just", args = ["rfd-renumber", "--", "{{tool.arguments.number}}", "{{tool.arguments.other | default('')}}"] }
            parameters.number = { type = "string", required = true }
            parameters.other = { type = "string" }
        "#]],
    );
}

#[test]
fn templates_and_quotes_are_closed() {
    check(
        &tool(r#"command = "just {{tool""#),
        &expect![[r#"
        //- /w/.jp/config.toml
        command = "just {{tool"
                        ^^^^^^ warning[command-template]: this template cannot be read, and every call fails: unexpected end of input, expected end of variable block
    "#]],
    );
    check(
        &tool(r#"command = "just 'it""#),
        &expect![[r#"
        //- /w/.jp/config.toml
        command = "just 'it"
                  ^^^^^^^^^^ warning[command-template]: the quotes of this command do not pair up, so it cannot be split into words; close them, or write `{ program = .., args = [..] }`
    "#]],
    );
    check(
        &tool(r#"command = { program = "just", args = ["ok", "{{tool | }}"] }"#),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = { program = "just", args = ["ok", "{{tool | }}"] }
                                                         ^^^^^^^^^^^ warning[command-template]: this template cannot be read, and every call fails: unexpected end of variable block, expected identifier
        "#]],
    );
}

#[test]
fn templates_name_what_exists() {
    check(
        &tool(r#"command = "just -- {{tool.arguments.nmuber}} {{tools}} {{tool.arguments.zzz}}""#),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = "just -- {{tool.arguments.nmuber}} {{tools}} {{tool.arguments.zzz}}"
                                                ^^^^^^ warning[command-template]: the tool has no parameter `nmuber`, so the template is always `null`; did you mean `number`?
                fix!: Write `number`
                                                           ^^^^^ warning[command-template]: a command template knows only `tool` and `context`, so `tools` is always `null`
                                                                                    ^^^ warning[command-template]: the tool has no parameter `zzz`, so the template is always `null`; declare it under `parameters.zzz`
        "#]],
    );
    check_fix(
        &tool(r#"command = "just -- {{tool.arguments.nmuber}}""#),
        Code::CommandTemplate,
        0,
        &expect![[r#"
            [conversation.tools.renumber]
            source = "local"
            command = "just -- {{tool.arguments.number}}"
            parameters.number = { type = "string", required = true }
            parameters.other = { type = "string" }
        "#]],
    );
}

#[test]
fn the_shell_reads_the_program_as_it_is() {
    check(
        &tool(r#"command = { program = "echo {{tool.arguments.number}}", shell = true }"#),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = { program = "echo {{tool.arguments.number}}", shell = true }
                                        ^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: with `shell = true` the shell reads `program` as it is, so what `{{tool.arguments.number}}` holds can run any command; pass it in `args`, which are quoted
        "#]],
    );
}

#[test]
fn formatters_are_commands_too() {
    check(
        &tool("command = \"x\"\nstyle.parameters = \"just {{ tool }}\""),
        &expect![[r#"
            //- /w/.jp/config.toml
            style.parameters = "just {{ tool }}"
                                     ^^^^^^^^^^ warning[command-template]: a command string is split into words before it is rendered, which cuts `{{ tool }}` apart, and every call fails; write it without blanks, or as `{ program = .., args = [..] }`
                fix!: Write the command as a table, which keeps the template whole
        "#]],
    );
    check(
        &tool("command = \"x\"\nstyle.parameters = \"function_call\""),
        &expect![[""]],
    );
}
