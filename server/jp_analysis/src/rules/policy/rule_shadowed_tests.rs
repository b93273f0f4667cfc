use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix, policy_tool},
};

#[test]
fn the_five_cases_of_the_document_are_errors() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
    { arg = "/path", const = "src/lib.rs", mode = "unattended" },
    { arg = "/text", enum = ["jq", "wc", "date"], mode = "unattended" },
    { arg = "/text", const = "jq", mode = "ask" },
    { arg = "/text", enum = ["jq", "wc"], mode = "ask" },
    { mode = "ask" },
    { arg = "/line", minimum = 5, mode = "skip" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/path", prefix = "src/", mode = "unattended" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[path-undecided]: this rule says nothing of the other paths of a call: no rule names `/paths`, `/patterns/paths`, so rule 7 (the catch-all) decides every call that gives one, as `ask`
                help: write a rule for each path that the tool takes; each path is decided on its own
                fix: Say the same of the other paths: more calls get `unattended`
                { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[rule-shadowed]: this rule never decides: rule 1 (`prefix = "src/"`) decides every call it matches, with `unattended` instead of `ask`
                .jp/config.toml:4 `{ arg = "/path", prefix = "src/", mode = "unattended" }`: rule 1 decides `unattended` first
                fix*: Move the rule above the one that covers it
                fix: Remove the rule, which decides nothing
                { arg = "/path", const = "src/lib.rs", mode = "unattended" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[rule-redundant]: this rule is redundant: rule 1 (`prefix = "src/"`) already decides `unattended` for every call it matches
                .jp/config.toml:4 `{ arg = "/path", prefix = "src/", mode = "unattended" }`: rule 1 decides `unattended` first
                fix!: Remove the rule, which decides nothing
                { arg = "/text", const = "jq", mode = "ask" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[rule-shadowed]: this rule never decides: rule 4 (`enum = ["jq","wc","date"]`) decides every call it matches, with `unattended` instead of `ask`
                .jp/config.toml:7 `{ arg = "/text", enum = ["jq", "wc", "date"], mode = "unattended" }`: rule 4 decides `unattended` first
                fix*: Move the rule above the one that covers it
                fix: Remove the rule, which decides nothing
                { arg = "/text", enum = ["jq", "wc"], mode = "ask" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[rule-shadowed]: this rule never decides: rule 4 (`enum = ["jq","wc","date"]`) decides every call it matches, with `unattended` instead of `ask`
                .jp/config.toml:7 `{ arg = "/text", enum = ["jq", "wc", "date"], mode = "unattended" }`: rule 4 decides `unattended` first
                fix*: Move the rule above the one that covers it
                fix: Remove the rule, which decides nothing
                { arg = "/line", minimum = 5, mode = "skip" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[rule-shadowed]: this rule never decides: rule 7 (the catch-all) decides every call it matches, with `ask` instead of `skip`
                .jp/config.toml:10 `{ mode = "ask" }`: rule 7 decides `ask` first
                fix*: Move the rule above the one that covers it
                fix: Remove the rule, which decides nothing
        "#]],
    );
}

#[test]
fn other_covered_rules_are_warnings() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "/force", const = true, mode = "unattended" },
    { arg = "/force", const = false, mode = "edit" },
    { arg = "/force", enum = [true, false], mode = "ask" },
    { arg = "/line", minimum = 5, mode = "ask" },
    { arg = "/line", const = 7, mode = "ask" },
    { mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/force", enum = [true, false], mode = "ask" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[rule-shadowed]: this rule never decides: rule 1 (`const = true`) and rule 2 (`const = false`) together decide every call it matches, with `unattended` or `edit` instead of `ask`
                .jp/config.toml:4 `{ arg = "/force", const = true, mode = "unattended" }`: rule 1 decides `unattended` first
                .jp/config.toml:5 `{ arg = "/force", const = false, mode = "edit" }`: rule 2 decides `edit` first
                fix: Remove the rule, which decides nothing
                { arg = "/line", const = 7, mode = "ask" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[rule-redundant]: this rule is redundant: rule 4 (`minimum = 5`) already decides `ask` for every call it matches
                .jp/config.toml:7 `{ arg = "/line", minimum = 5, mode = "ask" }`: rule 4 decides `ask` first
                fix!: Remove the rule, which decides nothing
        "#]],
    );
}

#[test]
fn a_shadowed_rule_moves_above_the_one_that_covers_it() {
    let fixture = policy_tool(
        r#"run = [
    # sources
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, # secrets
    { mode = "ask" },
]"#,
    );
    check_fix(
        &fixture,
        Code::RuleShadowed,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [
                { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, # secrets
                # sources
                { arg = "/path", prefix = "src/", mode = "unattended" },
                { mode = "ask" },
            ]
        "#]],
    );
    check_fix(
        &fixture,
        Code::RuleShadowed,
        1,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [
            # sources
            { arg = "/path", prefix = "src/", mode = "unattended" },
            { mode = "ask" },
        ]
    "#]],
    );
}

#[test]
fn a_shadowed_rule_moves_in_one_line() {
    check_fix(
        &policy_tool(
            r#"run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, { mode = "ask" }]"#,
        ),
        Code::RuleShadowed,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [{ arg = "/path", prefix = "src/sensitive/", mode = "ask" }, { arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
        "#]],
    );
}

#[test]
fn a_shadowed_rule_moves_as_a_section() {
    check_fix(
        &policy_tool(
            r#"
[[conversation.tools.edit.policy.run]]
arg = "/path"
prefix = "src/"
mode = "unattended"

[[conversation.tools.edit.policy.run]]
arg = "/path"
prefix = "src/sensitive/"
mode = "ask"

# the rest
[[conversation.tools.edit.policy.run]]
mode = "ask"
"#,
        ),
        Code::RuleShadowed,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]

            [[conversation.tools.edit.policy.run]]
            arg = "/path"
            prefix = "src/sensitive/"
            mode = "ask"

            [[conversation.tools.edit.policy.run]]
            arg = "/path"
            prefix = "src/"
            mode = "unattended"

            # the rest
            [[conversation.tools.edit.policy.run]]
            mode = "ask"

        "#]],
    );
}

#[test]
fn a_redundant_rule_is_removed() {
    check_fix(
        &policy_tool(
            r#"run = [{ arg = "/path", prefix = "src/", mode = "ask" }, { arg = "/path", const = "src/a", mode = "ask" }, { mode = "ask" }]"#,
        ),
        Code::RuleRedundant,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [{ arg = "/path", prefix = "src/", mode = "ask" }, { mode = "ask" }]
        "#]],
    );
}

#[test]
fn a_moved_rule_takes_its_comments_along() {
    check_fix(
        &policy_tool(
            r#"run = [
    # all of it
    { arg = "/path", prefix = "src/", mode = "unattended" }, # src
    # but not this
    # at all
    { arg = "/path", prefix = "src/sensitive/", mode = "ask" } # secret
]
result = "ask""#,
        ),
        Code::RuleShadowed,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [
                # but not this
                # at all
                { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, # secret
                # all of it
                { arg = "/path", prefix = "src/", mode = "unattended" }, # src
            ]
            result = "ask"
        "#]],
    );
    let sections = "//- /w/.jp/config.toml\n[conversation.tools.edit]\nsource = \"local\"\ncommand = \"edit {{tool}}\"\nparameters.path.type = \"path\"\n\n# all of it\n[[conversation.tools.edit.policy.run]]\narg = \"/path\"\nprefix = \"src\"\nmode = \"unattended\"\n\n# but not this\n[[conversation.tools.edit.policy.run]] # secret\narg = \"/path\"\nprefix = \"src/x\"\nmode = \"ask\"\n\n[[conversation.tools.edit.policy.run]]\nmode = \"ask\"\n";
    check_fix(
        sections,
        Code::RuleShadowed,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit {{tool}}"
        parameters.path.type = "path"

        # but not this
        [[conversation.tools.edit.policy.run]] # secret
        arg = "/path"
        prefix = "src/x"
        mode = "ask"

        # all of it
        [[conversation.tools.edit.policy.run]]
        arg = "/path"
        prefix = "src"
        mode = "unattended"

        [[conversation.tools.edit.policy.run]]
        mode = "ask"
    "#]],
    );
    let shared = policy_tool(
        r#"run = [{ arg = "/path", prefix = "src", mode = "unattended" }, # src
    { arg = "/path", prefix = "src/x", mode = "ask" }, # secret
    { mode = "ask" }]"#,
    );
    check_fix(
        &shared,
        Code::RuleShadowed,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [{ arg = "/path", prefix = "src/x", mode = "ask" }, { arg = "/path", prefix = "src", mode = "unattended" }, # src
            # secret
            { mode = "ask" }]
    "#]],
    );
}
