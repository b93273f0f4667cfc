use expect_test::expect;
use jp_config::memory::MemoryFiles;
use pretty_assertions::assert_eq;

use crate::{
    Code,
    fixture::{analyse, check, check_fix},
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
        r#"command = "printf {{tool.arguments.number|upper|tojson}}""#,
        r#"command = { program = "printf", args = ["{{ 1 if tool.arguments.number is startingwith('a') else 2 }}"] }"#,
        r#"command = { program = "printf", args = ["{% macro m(a) %}{{ a }}{{ caller is defined }}{% endmacro %}{{ m(1) }}"] }"#,
        r#"command = { program = "printf", args = ["--", "{% set x = tool.arguments %}{{ x.anything }}{% with y = 1 %}{{ y }}{% endwith %}"] }"#,
        r#"command = { program = "printf", args = ["{% for key in tool.arguments %}{{ loop.index }}{{ key }}{% endfor %}"] }"#,
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
fn what_the_template_provides_for_is_no_mistake() {
    for template in [
        "{{ tool.arguments.zzz | default('x') }}",
        "{{ tool.arguments.zzz or 'x' }}",
        "{{ tool.arguments.zzz if tool.arguments.zzz is defined else 'x' }}",
        "{% if tool.arguments.zzz is not defined %}x{% else %}{{ tool.arguments.zzz.deep }}{% endif %}",
        "{{ settings | d('x') }}",
        "{{ settings is undefined }}",
    ] {
        let command = format!(r#"command = {{ program = "printf", args = ["{template}"] }}"#);
        check(&tool(&command), &expect![[""]]);
    }
    check(
        &tool(r#"command = "printf {{tool.arguments.nmuber|default(1)}}""#),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = "printf {{tool.arguments.nmuber|default(1)}}"
                                               ^^^^^^ warning[command-template]: the tool has no parameter `nmuber`, so it never has a value; did you mean `number`?
                fix!: Write `number`
        "#]],
    );
    check_fix(
        &tool(
            r#"command = { program = "printf", args = ["--", "{{ tool.arguments['nmuber'] | default(1) }}"] }"#,
        ),
        Code::CommandTemplate,
        0,
        &expect![[r#"
            [conversation.tools.renumber]
            source = "local"
            command = { program = "printf", args = ["--", "{{ tool.arguments['number'] | default(1) }}"] }
            parameters.number = { type = "string", required = true }
            parameters.other = { type = "string" }
        "#]],
    );
}

#[test]
fn what_has_no_value_is_said_by_its_consequence() {
    check(
        &tool(
            r#"command = { program = "printf", args = ["{% if tool.arguments.zzz %}-v{% endif %}", "{{ tool.arguments.yyy.deep }}", "{{ settings.a }}", "{{ tool.arguments.xxx | upper }}", "{{ (other, 1) | tojson }}"] }"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = { program = "printf", args = ["{% if tool.arguments.zzz %}-v{% endif %}", "{{ tool.arguments.yyy.deep }}", "{{ settings.a }}", "{{ tool.arguments.xxx | upper }}", "{{ (other, 1) | tojson }}"] }
                                                                          ^^^ warning[command-template]: the tool has no parameter `zzz`, so it never has a value; declare it under `parameters.zzz`
                                                                                                                   ^^^ warning[command-template]: the tool has no parameter `yyy`, so it never has a value, and every call fails; declare it under `parameters.yyy`
                                                                                                                                     ^^^^^^^^ warning[command-template]: a command template knows only `tool` and `context`, so `settings` never has a value, and every call fails
                                                                                                                                                                        ^^^ warning[command-template]: the tool has no parameter `xxx`, so it never has a value; declare it under `parameters.xxx`
                                                                                                                                                                                              ^^^^^ warning[command-template]: a command template knows only `tool` and `context`, so `other` never has a value
        "#]],
    );
}

#[test]
fn filters_tests_and_functions_are_those_of_the_runtime() {
    check(
        &tool(
            r#"command = { program = "printf", args = ["--", "{{ tool.arguments.number | uper }}", "{{ tool | to_yaml(1) }}", "{{ tool is maping }}", "{{ upper(tool.name) }}", "{{ now() }}"] }"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = { program = "printf", args = ["--", "{{ tool.arguments.number | uper }}", "{{ tool | to_yaml(1) }}", "{{ tool is maping }}", "{{ upper(tool.name) }}", "{{ now() }}"] }
                                                                                      ^^^^ warning[command-template]: there is no filter `uper`, and every call fails; did you mean `upper`?
                fix!: Write `upper`
                                                                                                           ^^^^^^^ warning[command-template]: there is no filter `to_yaml`, and every call fails
                                                                                                                                       ^^^^^^ warning[command-template]: there is no test `maping`, and every call fails; did you mean `mapping`?
                fix!: Write `mapping`
                                                                                                                                                       ^^^^^ warning[command-template]: there is no function `upper`, and every call fails; `upper` is a filter: write the value, `|` and its name
                                                                                                                                                                                 ^^^ warning[command-template]: there is no function `now`, and every call fails
        "#]],
    );
    check_fix(
        &tool(r#"command = "printf -- {{tool.arguments.number|trim|uper}}""#),
        Code::CommandTemplate,
        0,
        &expect![[r#"
            [conversation.tools.renumber]
            source = "local"
            command = "printf -- {{tool.arguments.number|trim|upper}}"
            parameters.number = { type = "string", required = true }
            parameters.other = { type = "string" }
        "#]],
    );
    check_fix(
        &tool(r#"command = { program = "printf", args = ["{{ tool.name is not strin }}"] }"#),
        Code::CommandTemplate,
        0,
        &expect![[r#"
            [conversation.tools.renumber]
            source = "local"
            command = { program = "printf", args = ["{{ tool.name is not string }}"] }
            parameters.number = { type = "string", required = true }
            parameters.other = { type = "string" }
        "#]],
    );
}

#[test]
fn values_have_no_methods_of_another_language() {
    check(
        &tool(
            r#"command = { program = "printf", args = ["--", "{{ tool.arguments.number.upper() }}", "{{ tool.arguments.number.strip(' ') }}", "{{ tool.arguments.items() }}"] }"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = { program = "printf", args = ["--", "{{ tool.arguments.number.upper() }}", "{{ tool.arguments.number.strip(' ') }}", "{{ tool.arguments.items() }}"] }
                                                                                   ^^^^^^^^ warning[command-template]: no value has a method `upper`, and every call fails; write the filter `|upper`
                fix!: Write `|upper`
                                                                                                                          ^^^^^^^^^^^ warning[command-template]: no value has a method `strip`, and every call fails
                                                                                                                                                             ^^^^^^^^ warning[command-template]: no value has a method `items`, and every call fails; write the filter `|items`
                fix!: Write `|items`
        "#]],
    );
    check_fix(
        &tool(r#"command = "printf -- {{tool.arguments.number.upper()}}""#),
        Code::CommandTemplate,
        0,
        &expect![[r#"
            [conversation.tools.renumber]
            source = "local"
            command = "printf -- {{tool.arguments.number|upper}}"
            parameters.number = { type = "string", required = true }
            parameters.other = { type = "string" }
        "#]],
    );
}

#[test]
fn there_are_no_other_templates() {
    for statement in [
        "{% include 'a' %}",
        "{% import 'a' as b %}{{ b.c() }}",
        "{% from 'a' import b %}{{ b(1) }}",
        "{% extends 'a' %}",
    ] {
        let name = statement.split(' ').nth(1).expect("a statement has a name");
        let files = MemoryFiles::from_fixture(&tool(&format!(
            r#"command = {{ program = "printf", args = ["{statement}"] }}"#
        )));
        let analysis = analyse(&files);
        let found = analysis
            .all_diagnostics()
            .flat_map(|(_, found)| found.iter());
        let messages: Vec<&str> = found.map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            [format!(
                "a command has no other templates that `{name}` could bring in, and every call fails; write the text here"
            )]
        );
    }
    check(
        &tool(r#"command = { program = "printf", args = ["a {% include 'b' %} c"] }"#),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = { program = "printf", args = ["a {% include 'b' %} c"] }
                                                          ^^^^^^^^^^^ warning[command-template]: a command has no other templates that `include` could bring in, and every call fails; write the text here
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
