use expect_test::{Expect, expect};

use crate::{
    Code,
    fixture::{check_fix, policy_tool},
};

/// Compares the policy after a fix of its first finding with a code.
#[track_caller]
fn fixed(policy: &str, code: Code, fix: usize, expected: &Expect) {
    check_fix(&policy_tool(policy), code, fix, expected);
}

#[test]
fn the_values_of_an_argument_complete_a_rule() {
    let policy = "run = [{ arg = \"/force\", mode = \"ask\" }, { mode = \"ask\" }]";
    fixed(
        policy,
        Code::MatcherMissing,
        1,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [{ arg = "/force", const = false, mode = "ask" }, { mode = "ask" }]
    "#]],
    );
    let policy = "[[conversation.tools.edit.policy.run]]\narg = \"/kind\" # why\nmode = \"skip\"\n\n[[conversation.tools.edit.policy.run]]\nmode = \"ask\"";
    fixed(
        policy,
        Code::MatcherMissing,
        2,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        [[conversation.tools.edit.policy.run]]
        arg = "/kind" # why
        const = "c"
        mode = "skip"

        [[conversation.tools.edit.policy.run]]
        mode = "ask"
    "#]],
    );
}

#[test]
fn a_matcher_gets_a_parameter_that_it_fits() {
    let policy = "run = [{ minimum = 3, mode = \"skip\" }, { mode = \"ask\" }]";
    fixed(
        policy,
        Code::MissingRequired,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [{ minimum = 3, arg = "/line", mode = "skip" }, { mode = "ask" }]
    "#]],
    );
}

#[test]
fn one_of_two_matchers_stays() {
    let policy = "run = [\n    { arg = \"/line\", minimum = 1, maximum = 9, mode = \"skip\" }, # both\n    { mode = \"ask\" },\n]";
    fixed(
        policy,
        Code::MatcherMultiple,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [
            { arg = "/line", minimum = 1, mode = "skip" }, # both
            { mode = "ask" },
        ]
    "#]],
    );
    fixed(
        policy,
        Code::MatcherMultiple,
        1,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [
            { arg = "/line", maximum = 9, mode = "skip" }, # both
            { mode = "ask" },
        ]
    "#]],
    );
}

#[test]
fn a_matcher_of_another_type_becomes_a_value() {
    let policy =
        "run = [{ arg = \"/line\", prefix = \"12\", mode = \"skip\" }, { mode = \"ask\" }]";
    fixed(
        policy,
        Code::MatcherType,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [{ arg = "/line", const = 12, mode = "skip" }, { mode = "ask" }]
    "#]],
    );
    let policy = "run = [{ arg = \"/kind\", minimum = 3, mode = \"skip\" }, { mode = \"ask\" }]";
    fixed(
        policy,
        Code::MatcherType,
        1,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [{ arg = "/kind", const = "b", mode = "skip" }, { mode = "ask" }]
    "#]],
    );
}
