use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix, policy_tool},
};

#[test]
fn a_list_ends_with_a_catch_all() {
    check(
        &policy_tool(r#"run = [{ arg = "/path", prefix = "src", mode = "unattended" }]"#),
        &expect![[r#"
            //- /w/.jp/config.toml
            run = [{ arg = "/path", prefix = "src", mode = "unattended" }]
            ^^^ warning[missing-catch-all]: no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
                fix!: Append `{ mode = "ask" }`
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[path-undecided]: this rule says nothing of the other paths of a call: no rule names `/paths`, `/patterns/paths`, so the implicit last rule decides every call that gives one, as `ask`
                help: write a rule for each path that the tool takes; each path is decided on its own
                fix: Say the same of the other paths: more calls get `unattended`
        "#]],
    );
}

#[test]
fn a_list_that_is_still_being_typed_needs_no_catch_all() {
    check(
        &policy_tool(r#"run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { }]"#),
        &expect![[r#"
            //- /w/.jp/config.toml
            run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { }]
                                                                           ^^^ error[missing-required]: missing required value for `conversation.tools.edit.policy.run.1.mode`
        "#]],
    );
}

#[test]
fn a_catch_all_is_appended_in_the_layout_of_the_list() {
    let fix = |policy: &str, expected: &expect_test::Expect| {
        check_fix(&policy_tool(policy), Code::MissingCatchAll, 0, expected);
    };
    fix(
        r#"run = [{ arg = "/path", prefix = "src", mode = "unattended" }]"#,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
        "#]],
    );
    fix(
        r#"run = [ { arg = "/path", prefix = "src", mode = "unattended" }, ]"#,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [ { arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" } ]
        "#]],
    );
    fix(
        r#"run = [
  { arg = "/path", prefix = "src", mode = "unattended" }, # sources
]"#,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [
              { arg = "/path", prefix = "src", mode = "unattended" }, # sources
              { mode = "ask" },
            ]
        "#]],
    );
    fix(
        r#"run = [
    { arg = "/path", prefix = "src", mode = "unattended" } # sources
]"#,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [
                { arg = "/path", prefix = "src", mode = "unattended" }, # sources
                { mode = "ask" }
            ]
        "#]],
    );
    fix(
        "run = []",
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [{ mode = "ask" }]
    "#]],
    );
    fix(
        r#"
[[conversation.tools.edit.policy.run]]
arg = "/path"
prefix = "src/"
mode = "unattended"

# what follows
[style]"#,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]

            [[conversation.tools.edit.policy.run]]
            arg = "/path"
            prefix = "src/"
            mode = "unattended"

            [[conversation.tools.edit.policy.run]]
            mode = "ask"

            # what follows
            [style]
        "#]],
    );
    fix(
        r#"run = { strategy = "replace", value = [{ arg = "/path", prefix = "src", mode = "unattended" }] }"#,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = { strategy = "replace", value = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }] }
        "#]],
    );
}
