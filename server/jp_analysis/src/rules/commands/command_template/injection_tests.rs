use std::fmt::Write as _;

use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

const PARAMETERS: &str = r#"
[conversation.tools.t.parameters]
text = { type = "string", required = true }
path = { type = "path" }
words = { type = "array", items.type = "string" }
table = { type = "object", properties = { inner = { type = "string" }, many = { type = "array", items.type = "path" } } }
count = { type = "integer" }
loud = { type = "boolean" }
kind = { type = "string", enum = ["a", "b"] }
either = { type = ["string", "integer"] }
"#;

fn tool(command: &str) -> String {
    format!(
        "//- /w/.jp/config.toml\n[conversation.tools.t]\nsource = \"local\"\ncommand = {command}\n{PARAMETERS}"
    )
}

/// A tool for each command, of which there is a finding each.
fn tools(commands: &[&str]) -> String {
    let mut fixture = String::from("//- /w/.jp/config.toml\n");
    for (index, command) in commands.iter().enumerate() {
        let parameters = PARAMETERS.replace("tools.t.", &format!("tools.t{index}."));
        writeln!(
            fixture,
            "[conversation.tools.t{index}]\nsource = \"local\"\ncommand = {command}\n{parameters}"
        )
        .unwrap();
    }
    fixture
}

#[test]
fn a_value_may_be_an_option() {
    check(
        &tools(&[
            r#""git grep -n {{tool.arguments.text}} .""#,
            r#""grep -rn {{tool.arguments.path}}""#,
            r#"{ program = "rg", args = ["--hidden", "{{tool.arguments.either}}"] }"#,
            r#"{ program = "tar", args = ["{{ tool['arguments']['text'] }}"] }"#,
            r#"{ program = "cat docs | grep", args = ["{{tool.arguments.text}}"], shell = true }"#,
            r#""find -{{tool.arguments.text}}""#,
            r#""sudo -u me -- env A=b timeout 5 find --{{tool.arguments.table.inner}}=x""#,
            r#"{ program = "ls", args = ["{% if tool.arguments.loud %}-l{% else %}{{ tool.arguments.text }}{% endif %}"] }"#,
            r#"{ program = "ls", args = ["{% for path in tool.arguments.table.many %}{{ path }}{% endfor %}"] }"#,
            r#"{ program = "ls", args = ["{{ tool.arguments.text if tool.arguments.loud else 'x' }}"] }"#,
            r#""ls {{tool.answers.where}}""#,
            r#""ls {{tool.arguments.words[0]}}""#,
            r#""grep sh file {{tool.arguments.text}}""#,
        ]),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = "git grep -n {{tool.arguments.text}} ."
                                   ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds may begin with `-`, and `git` would take it for an option; write `-e` before it, or join it to its option as in `--option={{tool.arguments.text}}`
                fix*: Write `-e` before it
            command = "grep -rn {{tool.arguments.path}}"
                                ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.path}}` holds may begin with `-`, and `grep` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.arguments.path}}`
                fix*: Write `--` before it
            command = { program = "rg", args = ["--hidden", "{{tool.arguments.either}}"] }
                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.either}}` holds may begin with `-`, and `rg` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.arguments.either}}`
                fix*: Write `--` before it
            command = { program = "tar", args = ["{{ tool['arguments']['text'] }}"] }
                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{ tool['arguments']['text'] }}` holds may begin with `-`, and `tar` would take it for an option; write `--` before it, or join it to its option as in `--option={{ tool['arguments']['text'] }}`
                fix*: Write `--` before it
            command = { program = "cat docs | grep", args = ["{{tool.arguments.text}}"], shell = true }
                                                              ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds may begin with `-`, and `grep` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.arguments.text}}`
                fix*: Write `--` before it
            command = "find -{{tool.arguments.text}}"
                             ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds may begin with `-`, and `find` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.arguments.text}}`
            command = "sudo -u me -- env A=b timeout 5 find --{{tool.arguments.table.inner}}=x"
                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.table.inner}}` holds may begin with `-`, and `find` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.arguments.table.inner}}`
            command = { program = "ls", args = ["{% if tool.arguments.loud %}-l{% else %}{{ tool.arguments.text }}{% endif %}"] }
                                                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{ tool.arguments.text }}` holds may begin with `-`, and `ls` would take it for an option; write `--` before it, or join it to its option as in `--option={{ tool.arguments.text }}`
                fix*: Write `--` before it
            command = { program = "ls", args = ["{% for path in tool.arguments.table.many %}{{ path }}{% endfor %}"] }
                                                                                            ^^^^^^^^^^ warning[command-template]: what `{{ path }}` holds may begin with `-`, and `ls` would take it for an option; write `--` before it, or join it to its option as in `--option={{ path }}`
                fix*: Write `--` before it
            command = { program = "ls", args = ["{{ tool.arguments.text if tool.arguments.loud else 'x' }}"] }
                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{ tool.arguments.text if tool.arguments.loud else 'x' }}` holds may begin with `-`, and `ls` would take it for an option; write `--` before it, or join it to its option as in `--option={{ tool.arguments.text if tool.arguments.loud else 'x' }}`
                fix*: Write `--` before it
            command = "ls {{tool.answers.where}}"
                          ^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.answers.where}}` holds may begin with `-`, and `ls` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.answers.where}}`
                fix*: Write `--` before it
            command = "ls {{tool.arguments.words[0]}}"
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.words[0]}}` holds may begin with `-`, and `ls` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.arguments.words[0]}}`
                fix*: Write `--` before it
            command = "grep sh file {{tool.arguments.text}}"
                                    ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds may begin with `-`, and `grep` would take it for an option; write `--` before it, or join it to its option as in `--option={{tool.arguments.text}}`
                fix*: Write `--` before it
        "#]],
    );
}

#[test]
fn what_cannot_be_an_option_is_silent() {
    for command in [
        r#""git grep -n -e {{tool.arguments.text}} .""#,
        r#""git log --end-of-options {{tool.arguments.text}}""#,
        r#""grep -rn -- {{tool.arguments.path}}""#,
        r#""rg --regexp={{tool.arguments.text}}""#,
        r#""rg -e{{tool.arguments.text}}""#,
        r#""cat ./{{tool.arguments.path}}""#,
        r#""head {{tool.arguments.count}} {{tool.arguments.loud}} {{tool.arguments.kind}}""#,
        r#""serve {{tool}} {{context}} {{tool.arguments}} {{tool.name}} {{tool.options.any}} {{context.root}}""#,
        r#""serve {{tool.arguments.words}} {{tool.arguments.table}} {{tool.arguments.text|tojson}} {{tool.arguments.text|length}}""#,
        r#""echo {{tool.arguments.text}}""#,
        r#""printf %s {{tool.arguments.text}}""#,
        r#"{ program = "cd docs && grep -rn --", args = ["{{tool.arguments.text}}"], shell = true }"#,
        r#""sh scripts/find.sh {{tool.arguments.text}}""#,
        r#"{ program = "ls", args = ["{{ '-l' if tool.arguments.text else '' }}", "{{ tool.arguments.text == 'x' }}", "{{ 'x' ~ tool.arguments.text }}"] }"#,
        r#"{ program = "ls", args = ["{# {{tool.arguments.text}} #}x"] }"#,
    ] {
        check(&tool(command), &expect![[""]]);
    }
}

#[test]
fn a_value_may_be_code() {
    check(
        &tools(&[
            r#"{ program = "sh", args = ["-c", "echo {{tool.arguments.text}}"] }"#,
            r#""bash -euo pipefail -c 'grep {{tool.arguments.text|tojson}} *'""#,
            r#""/usr/bin/env -S zsh -lc 'ls {{tool}}'""#,
            r#"{ program = "sudo", args = ["-u", "me", "sh", "-c", "x {{tool.arguments}}"] }"#,
            r#""find . -exec sh -c 'mv {{tool.arguments.path}} x' ;""#,
            r#""python3.12 -Ic 'print({{tool.arguments.words}})'""#,
            r#""python -cprint({{tool.arguments.text}})""#,
            r#"{ program = "node", args = ["--eval={{tool.arguments.text}}"] }"#,
            r#""perl -lane 'print {{tool.arguments.text}}' file""#,
            r#""ruby -e {{tool.arguments.text}}""#,
            r#""deno eval --ext=ts {{tool.arguments.text}}""#,
            r#""pwsh -NoProfile -Command Get-Item {{tool.arguments.path}}""#,
            r#""cmd.exe /d /c dir {{tool.arguments.path}}""#,
            r#""ssh -p 22 host ls {{tool.arguments.path}}""#,
            r#""awk -F: '/{{tool.arguments.text}}/' file""#,
            r#""sed s/{{tool.arguments.text}}/x/ file""#,
            r#""xargs -n 1 bash -c 'x {{tool.answers.q}}'""#,
            r#"{ program = "sh -c", args = ["ls {{tool.arguments.path}}"], shell = true }"#,
        ]),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = { program = "sh", args = ["-c", "echo {{tool.arguments.text}}"] }
                                                            ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `sh -c` runs, so it can run any command; pass it as an argument of its own behind the code
                help: in the code of a shell, `"$1"` is the second word behind the code; the first one is the name `$0`
            command = "bash -euo pipefail -c 'grep {{tool.arguments.text|tojson}} *'"
                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text|tojson}}` holds becomes a part of the code that `bash -c` runs, so it can run any command; pass it as an argument of its own behind the code
                help: in the code of a shell, `"$1"` is the second word behind the code; the first one is the name `$0`
            command = "/usr/bin/env -S zsh -lc 'ls {{tool}}'"
                                                   ^^^^^^^^ warning[command-template]: what `{{tool}}` holds becomes a part of the code that `zsh -lc` runs, so it can run any command; pass it as an argument of its own behind the code
                help: in the code of a shell, `"$1"` is the second word behind the code; the first one is the name `$0`
            command = { program = "sudo", args = ["-u", "me", "sh", "-c", "x {{tool.arguments}}"] }
                                                                             ^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments}}` holds becomes a part of the code that `sh -c` runs, so it can run any command; pass it as an argument of its own behind the code
                help: in the code of a shell, `"$1"` is the second word behind the code; the first one is the name `$0`
            command = "find . -exec sh -c 'mv {{tool.arguments.path}} x' ;"
                                              ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.path}}` holds becomes a part of the code that `sh -c` runs, so it can run any command; pass it as an argument of its own behind the code
                help: in the code of a shell, `"$1"` is the second word behind the code; the first one is the name `$0`
            command = "python3.12 -Ic 'print({{tool.arguments.words}})'"
                                             ^^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.words}}` holds becomes a part of the code that `python3.12 -c` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "python -cprint({{tool.arguments.text}})"
                                      ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `python -c` runs, so it can run any command; pass it as an argument of its own behind the code
            command = { program = "node", args = ["--eval={{tool.arguments.text}}"] }
                                                          ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `node --eval` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "perl -lane 'print {{tool.arguments.text}}' file"
                                         ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `perl -e` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "ruby -e {{tool.arguments.text}}"
                               ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `ruby -e` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "deno eval --ext=ts {{tool.arguments.text}}"
                                          ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `deno eval` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "pwsh -NoProfile -Command Get-Item {{tool.arguments.path}}"
                                                         ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.path}}` holds becomes a part of the code that `pwsh -Command` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "cmd.exe /d /c dir {{tool.arguments.path}}"
                                         ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.path}}` holds becomes a part of the code that `cmd /c` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "ssh -p 22 host ls {{tool.arguments.path}}"
                                         ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.path}}` holds becomes a part of the code that `ssh` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "awk -F: '/{{tool.arguments.text}}/' file"
                                 ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `awk` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "sed s/{{tool.arguments.text}}/x/ file"
                             ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `sed` runs, so it can run any command; pass it as an argument of its own behind the code
            command = "xargs -n 1 bash -c 'x {{tool.answers.q}}'"
                                             ^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.answers.q}}` holds becomes a part of the code that `bash -c` runs, so it can run any command; pass it as an argument of its own behind the code
                help: in the code of a shell, `"$1"` is the second word behind the code; the first one is the name `$0`
            command = { program = "sh -c", args = ["ls {{tool.arguments.path}}"], shell = true }
                                                       ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.path}}` holds becomes a part of the code that `sh -c` runs, so it can run any command; pass it as an argument of its own behind the code
                help: in the code of a shell, `"$1"` is the second word behind the code; the first one is the name `$0`
        "#]],
    );
}

#[test]
fn what_stands_behind_code_is_data() {
    for command in [
        r#"{ program = "sh", args = ["-c", 'grep -- "$1" .', "sh", "{{tool.arguments.text}}"] }"#,
        r#""bash -c 'ls -- \"$0\"' {{tool.arguments.path}}""#,
        r#""python3 -c 'import sys; print(sys.argv)' {{tool.arguments.text}}""#,
        r#""python3 -c 'print({{tool.arguments.text|tojson}})'""#,
        r#""node -e 'f({{tool.arguments.table|tojson}})'""#,
        r#""sh -c 'head -{{tool.arguments.count}} {{tool.arguments.kind}} {{context.root}} {{tool.name}}'""#,
        r#""awk '{print}' {{tool.arguments.path}}""#,
        r#""perl -e 'print @ARGV' -- {{tool.arguments.text}}""#,
    ] {
        check(&tool(command), &expect![[""]]);
    }
}

#[test]
fn a_value_may_be_the_program() {
    check(
        &tools(&[
            r#""{{tool.arguments.text}}""#,
            r#""env A=b ./scripts/{{tool.arguments.path}} x""#,
            r#"{ program = "bin/{{tool.arguments.kind}}", args = ["{{tool.arguments.count}}"] }"#,
        ]),
        &expect![[r#"
            //- /w/.jp/config.toml
            command = "{{tool.arguments.text}}"
                       ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.text}}` holds decides which program runs; write the program out, and pass the value as an argument
            command = "env A=b ./scripts/{{tool.arguments.path}} x"
                                         ^^^^^^^^^^^^^^^^^^^^^^^ warning[command-template]: what `{{tool.arguments.path}}` holds decides which program runs; write the program out, and pass the value as an argument
        "#]],
    );
}

#[test]
fn options_end_where_the_program_understands_it() {
    let fix = |command: &str, expected: &expect_test::Expect| {
        let fixture = tool(command).replace(PARAMETERS, "parameters.text.type = \"string\"\n");
        check_fix(&fixture, Code::CommandTemplate, 0, expected);
    };
    fix(
        r#""git grep -n {{tool.arguments.text}} .""#,
        &expect![[r#"
        [conversation.tools.t]
        source = "local"
        command = "git grep -n -e {{tool.arguments.text}} ."
        parameters.text.type = "string"
    "#]],
    );
    fix(
        r#""git show {{tool.arguments.text}}""#,
        &expect![[r#"
        [conversation.tools.t]
        source = "local"
        command = "git show --end-of-options {{tool.arguments.text}}"
        parameters.text.type = "string"
    "#]],
    );
    fix(
        "{ program = \"just\", args = [\n    \"find\", # what\n    \"{{tool.arguments.text}}\",\n] }",
        &expect![[r#"
            [conversation.tools.t]
            source = "local"
            command = { program = "just", args = [
                "find", # what
                "--", "{{tool.arguments.text}}",
            ] }
            parameters.text.type = "string"
        "#]],
    );
    fix(
        "{ program = \"cd x && grep -n\", args = [\"{{tool.arguments.text}}\"], shell = true }",
        &expect![[r#"
            [conversation.tools.t]
            source = "local"
            command = { program = "cd x && grep -n", args = ["--", "{{tool.arguments.text}}"], shell = true }
            parameters.text.type = "string"
        "#]],
    );
}
