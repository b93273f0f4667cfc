use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix, policy_tool},
};

#[test]
fn a_rule_on_one_path_says_nothing_of_the_others() {
    let fixture = policy_tool(
        r#"run = [
    # Sources.
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { mode = "ask" },
]"#,
    );
    check(
        &fixture,
        &expect![[r#"
        //- /w/.jp/config.toml
            { arg = "/path", prefix = "src/", mode = "unattended" },
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[path-undecided]: this rule says nothing of the other paths of a call: no rule names `/paths`, `/patterns/paths`, so rule 2 (the catch-all) decides every call that gives one, as `ask`
            help: write a rule for each path that the tool takes; each path is decided on its own
            fix: Say the same of the other paths: more calls get `unattended`
    "#]],
    );
    check_fix(
        &fixture,
        Code::PathUndecided,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [
            { arg = "/paths", prefix = "src/", mode = "unattended" },
            { arg = "/patterns/paths", prefix = "src/", mode = "unattended" },
            # Sources.
            { arg = "/path", prefix = "src/", mode = "unattended" },
            { mode = "ask" },
        ]
    "#]],
    );
    check_fix(
        &policy_tool(
            r#"run = [{ arg = "/path", const = "a, b", mode = "unattended" }, { mode = "skip" }]"#,
        ),
        Code::PathUndecided,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [{ arg = "/paths", const = "a, b", mode = "unattended" }, { arg = "/patterns/paths", const = "a, b", mode = "unattended" }, { arg = "/path", const = "a, b", mode = "unattended" }, { mode = "skip" }]
        "#]],
    );
    check_fix(
        &policy_tool(
            r#"[[conversation.tools.edit.policy.run]]
arg = "/path"
enum = ["a, b", "c"]
mode = "unattended"

[[conversation.tools.edit.policy.run]]
mode = "ask""#,
        ),
        Code::PathUndecided,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            [[conversation.tools.edit.policy.run]]
            arg = "/paths"
            enum = ["a, b", "c"]
            mode = "unattended"

            [[conversation.tools.edit.policy.run]]
            arg = "/patterns/paths"
            enum = ["a, b", "c"]
            mode = "unattended"

            [[conversation.tools.edit.policy.run]]
            arg = "/path"
            enum = ["a, b", "c"]
            mode = "unattended"

            [[conversation.tools.edit.policy.run]]
            mode = "ask"
        "#]],
    );
}

#[test]
fn results_are_decided_by_each_path_too() {
    check(
        &policy_tool(
            r#"result = [
    { arg = "/paths", prefix = "src/", mode = "unattended" },
    { arg = "/path", prefix = "src/", mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            result = [
            ^^^^^^ warning[missing-catch-all]: no rule of `policy.result` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
                fix!: Append `{ mode = "ask" }`
                { arg = "/paths", prefix = "src/", mode = "unattended" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[path-undecided]: this rule says nothing of the other paths of a call: no rule names `/patterns/paths`, so the implicit last rule decides every call that gives one, as `ask`
                help: write a rule for each path that the tool takes; each path is decided on its own
                fix: Say the same of the other path: more calls get `unattended`
        "#]],
    );
}

#[test]
fn what_is_closed_to_one_path_is_open_to_the_others() {
    let fixture = policy_tool(
        r#"run = [
    { arg = "/path", prefix = ".git", mode = "skip" },
    { mode = "unattended" },
]"#,
    );
    check(
        &fixture,
        &expect![[r#"
        //- /w/.jp/config.toml
            { arg = "/path", prefix = ".git", mode = "skip" },
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[path-undecided]: this rule says nothing of the other paths of a call: no rule names `/paths`, `/patterns/paths`, so rule 2 (the catch-all) decides every call that gives one, as `unattended`
            help: write a rule for each path that the tool takes; each path is decided on its own
            fix: Say the same of the other paths: more calls get `skip`
    "#]],
    );
    check_fix(
        &fixture,
        Code::PathUndecided,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [
            { arg = "/paths", prefix = ".git", mode = "skip" },
            { arg = "/patterns/paths", prefix = ".git", mode = "skip" },
            { arg = "/path", prefix = ".git", mode = "skip" },
            { mode = "unattended" },
        ]
    "#]],
    );
}

#[test]
fn near_misses_are_silent() {
    let silent = |run: &str| check(&policy_tool(run), &expect![[""]]);
    // Every path is named.
    silent(
        r#"run = [
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/paths", prefix = "src/", mode = "unattended" },
    { arg = "/patterns/paths", prefix = "src/", mode = "ask" },
    { mode = "ask" },
]"#,
    );
    // No path runs unattended.
    silent(
        r#"run = [
    { arg = "/path", prefix = ".git", mode = "skip" },
    { arg = "/text", const = "x", mode = "unattended" },
    { mode = "ask" },
]"#,
    );
    silent(r#"run = "unattended""#);
    // What is closed is closed to every path, or nothing is.
    silent(
        r#"run = [
    { arg = "/path", prefix = ".git", mode = "skip" },
    { arg = "/paths", prefix = ".git", mode = "skip" },
    { arg = "/patterns/paths", prefix = ".git", mode = "skip" },
    { mode = "unattended" },
]"#,
    );
    // A tool with one path.
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.read]
source = "local"
command = "read {{tool}}"
parameters.path = { type = "path" }
parameters.text = { type = "string" }
policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
"#,
        &expect![[""]],
    );
}

#[test]
fn a_rule_on_an_object_names_the_paths_in_it() {
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.move]
source = "local"
command = "move {{tool}}"
parameters.path = { type = "path" }
parameters.target = { type = "object", properties.path.type = "path" }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/target", const = { path = "src" }, mode = "unattended" },
    { mode = "ask" },
]
"#,
        &expect![[""]],
    );
}
