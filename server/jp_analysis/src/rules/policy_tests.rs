//! What the rules of policies have in common; each finding of theirs has tests beside it.

use expect_test::expect;

use crate::fixture::{check, policy_tool};

#[test]
fn sound_rules_are_silent() {
    check(
        &policy_tool(
            r#"
run = [
    { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/path", const = "src-old", mode = "edit" },
    { arg = "/patterns/paths", prefix = ".env", mode = "skip" },
    { arg = "/paths", prefix = ".env", mode = "skip" },
    { arg = "/kind", enum = ["a", "b"], mode = "unattended" },
    { arg = "/line", minimum = 1000, mode = "ask" },
    { arg = "/force", const = true, mode = "ask" },
    { arg = "/text", pattern = "rm\\s+-rf", mode = "ask" },
    { mode = "ask" },
]
result = "unattended""#,
        ),
        &expect![[""]],
    );
}

#[test]
fn parameters_that_the_config_cannot_know_are_not_judged() {
    check(
        r#"//- /w/.jp/config.toml
[providers.mcp.docs]
type = "stdio"
command = "docs"
[conversation.tools.search]
source = "mcp.docs"
policy.run = [{ arg = "/query", prefix = "x", mode = "unattended" }, { mode = "ask" }]
[conversation.tools.describe_tools]
source = "builtin"
policy.run = [{ arg = "/tools", prefix = "x", mode = "unattended" }, { mode = "ask" }]
[conversation.tools.'*'.policy]
run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", const = "src-old", mode = "edit" },
    { arg = "/line", minimum = 5, mode = "skip" },
    { mode = "ask" },
]
"#,
        &expect![[""]],
    );
}

#[test]
fn parameters_of_another_file_are_known_and_missing_files_are_not() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["gone.toml"]
[conversation.tools.edit]
source = "local"
command = "edit"
policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            extends = ["gone.toml"]
                       ^^^^^^^^^^^ warning[extends-missing]: no file stands at `.jp/gone.toml`, so this entry adds nothing
                help: paths in `extends` are relative to the file that holds them
                fix: Remove this entry
        "#]],
    );
}

#[test]
fn rules_of_the_defaults_are_checked_for_what_holds_for_every_tool() {
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.'*'.policy]
run = [
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
    { arg = "path", prefix = "x", mode = "ask" },
    { arg = "/text", pattern = "(", mode = "ask" },
    { mode = "ask" },
]
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[rule-shadowed]: this rule never decides: rule 1 (`prefix = "src/"`) decides every call it matches, with `unattended` instead of `ask`
                .jp/config.toml:3 `{ arg = "/path", prefix = "src/", mode = "unattended" }`: rule 1 decides `unattended` first
                fix*: Move the rule above the one that covers it
                fix: Remove the rule, which decides nothing
                { arg = "path", prefix = "x", mode = "ask" },
                         ^^^^ error[arg-pointer-syntax]: `path` is not a JSON Pointer to a parameter: start it with a slash, `/path`
                fix!: Write `/path`
                { arg = "/text", pattern = "(", mode = "ask" },
                                            ^ error[pattern-invalid]: `(` is never closed; write `)` at the group's end, or `\(` for the character
                fix: Match the text itself: write `'\('`
        "#]],
    );
}

#[test]
fn results_have_rules_too() {
    check(
        &policy_tool(
            r#"result = [
    { mode = "unattended" },
    { arg = "/path", prefix = ".env", mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/path", prefix = ".env", mode = "ask" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[rule-shadowed]: this rule never decides: rule 1 (the catch-all) decides every call it matches, with `unattended` instead of `ask`
                .jp/config.toml:4 `{ mode = "unattended" }`: rule 1 decides `unattended` first
                fix*: Move the rule above the one that covers it
                fix: Remove the rule, which decides nothing
        "#]],
    );
}

#[test]
fn parameters_of_a_fragment_may_be_picked_along() {
    check(
        r#"//- /w/.jp/config.toml
config_load_paths = [".jp/tools"]
[conversation.tools.edit]
source = "local"
command = "edit"
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/pth", prefix = "doc", mode = "unattended" },
    { mode = "ask" },
]
//- /w/.jp/tools/edit.toml
[conversation.tools.edit.parameters.path]
type = "path"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/pth", prefix = "doc", mode = "unattended" },
                          ^^^ error[arg-unresolved]: `/pth` does not resolve: there is no parameter `pth`; there are none
        "#]],
    );
}
