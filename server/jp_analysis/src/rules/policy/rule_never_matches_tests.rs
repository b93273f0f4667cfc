use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix, policy_tool},
};

#[test]
fn rules_match_something() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "/text", enum = [], mode = "ask" },
    { arg = "/path", const = "./src/lib.rs", mode = "ask" },
    { arg = "/kind", const = "d", mode = "ask" },
    { arg = "/kind", prefix = "x", mode = "ask" },
    { arg = "/kind", enum = ["a", "z"], mode = "ask" },
    { mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/text", enum = [], mode = "ask" },
                                        ^^ error[rule-never-matches]: this rule matches no call: `enum = []`: the list is empty; name the values to match, or remove the rule
                fix: Remove the rule, which decides nothing
                { arg = "/path", const = "./src/lib.rs", mode = "ask" },
                                         ^^^^^^^^^^^^^^ error[rule-never-matches]: this rule matches no call: `const = "./src/lib.rs"`: paths are compared in normal form; write `src/lib.rs`
                fix: Write `src/lib.rs`
                { arg = "/kind", const = "d", mode = "ask" },
                                         ^^^ error[rule-never-matches]: this rule matches no call: `const = "d"`: the parameter's `enum` does not list it; write one of `"a"`, `"b"`, `"c"`
                fix: Remove the rule, which decides nothing
                { arg = "/kind", prefix = "x", mode = "ask" },
                                          ^^^ error[rule-never-matches]: this rule matches no call: `prefix = "x"`: no value of the parameter's `enum` satisfies it; those are `"a"`, `"b"`, `"c"`
                fix: Remove the rule, which decides nothing
                { arg = "/kind", enum = ["a", "z"], mode = "ask" },
                                              ^^^ error[rule-never-matches]: `"z"` can never equal `/kind`: the parameter's `enum` does not list it; write one of `"a"`, `"b"`, `"c"`
        "#]],
    );
}

#[test]
fn a_path_is_written_in_normal_form() {
    check_fix(
        &policy_tool(
            r#"run = [{ arg = "/path", const = "./src/lib.rs", mode = "ask" }, { mode = "edit" }]"#,
        ),
        Code::RuleNeverMatches,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [{ arg = "/path", const = "src/lib.rs", mode = "ask" }, { mode = "edit" }]
        "#]],
    );
}
