use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix, policy_tool},
};

#[test]
fn pointers_are_json_pointers() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "path", prefix = "src", mode = "unattended" },
    { arg = "", prefix = "src", mode = "unattended" },
    { arg = "/a~b", prefix = "src", mode = "unattended" },
    { mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "path", prefix = "src", mode = "unattended" },
                         ^^^^ error[arg-pointer-syntax]: `path` is not a JSON Pointer to a parameter: start it with a slash, `/path`
                fix!: Write `/path`
                { arg = "", prefix = "src", mode = "unattended" },
                         ^ error[arg-pointer-syntax]: `` is not a JSON Pointer to a parameter: it stands for all arguments at once; name a parameter, like `/path`, or drop `arg`
                { arg = "/a~b", prefix = "src", mode = "unattended" },
                           ^^ error[arg-pointer-syntax]: `/a~b` is not a JSON Pointer to a parameter: write `~0` for a `~`, `~1` for a `/` in a name
        "#]],
    );
}

#[test]
fn pointers_lead_to_parameters() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "/pth", prefix = "src", mode = "unattended" },
    { arg = "/patterns/pahts", prefix = "src", mode = "unattended" },
    { arg = "/patterns/0/old", prefix = "src", mode = "unattended" },
    { arg = "/path/x", prefix = "src", mode = "unattended" },
    { arg = "/zzzzzz", prefix = "src", mode = "unattended" },
    { mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/pth", prefix = "src", mode = "unattended" },
                          ^^^ error[arg-unresolved]: `/pth` does not resolve: there is no parameter `pth`; did you mean `path`?
                .jp/tool.toml:6 `path`: `path` is declared here
                fix!: Write `/path`
                { arg = "/patterns/pahts", prefix = "src", mode = "unattended" },
                                   ^^^^^ error[arg-unresolved]: `/patterns/pahts` does not resolve: there is no parameter `pahts`; did you mean `paths`?
                fix!: Write `/patterns/paths`
                { arg = "/patterns/0/old", prefix = "src", mode = "unattended" },
                                   ^ error[arg-unresolved]: `/patterns/0/old` counts array elements with `0`; leave that segment out, a rule tries every element
                fix!: Write `/patterns/old`
                { arg = "/path/x", prefix = "src", mode = "unattended" },
                               ^ error[arg-unresolved]: `/path/x` does not resolve: `/path` is a path, which has no `x`; point to `/path` itself
                fix!: Write `/path`
                { arg = "/zzzzzz", prefix = "src", mode = "unattended" },
                          ^^^^^^ error[arg-unresolved]: `/zzzzzz` does not resolve: there is no parameter `zzzzzz`; there are `path`, `paths`, `text`, `kind`, `line`, `force`, `patterns`
        "#]],
    );
}

#[test]
fn unresolved_pointers_are_fixed_segment_by_segment() {
    check_fix(
        &policy_tool(
            r#"run = [{ arg = "/patterns/pahts", prefix = "src", mode = "unattended" }, { mode = "ask" }]"#,
        ),
        Code::ArgUnresolved,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [{ arg = "/patterns/paths", prefix = "src", mode = "unattended" }, { mode = "ask" }]
        "#]],
    );
}

#[test]
fn a_condition_has_one_matcher() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "/path", mode = "unattended" },
    { prefix = "src", mode = "unattended" },
    { arg = "/line", minimum = 1, maximum = 5, mode = "unattended" },
    { mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/path", mode = "unattended" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[path-undecided]: this rule says nothing of the other paths of a call: no rule names `/paths`, `/patterns/paths`, so rule 2 (`prefix = "src"`) decides every call that gives one, as `unattended`
                help: write a rule for each path that the tool takes; each path is decided on its own
                        ^^^^^^^ error[matcher-missing]: the rule has an `arg` but no matcher; add one of `const`, `enum`, `pattern`, `prefix`, or drop `arg` to make it a catch-all
                { prefix = "src", mode = "unattended" },
                  ^^^^^^ error[missing-required]: the matcher `prefix` has nothing to match; add `arg` with a JSON Pointer to a parameter
                fix: Add `arg = "/path"`
                fix: Add `arg = "/paths"`
                fix: Add `arg = "/text"`
                { arg = "/line", minimum = 1, maximum = 5, mode = "unattended" },
                                              ^^^^^^^ error[matcher-multiple]: the rule has 2 matchers, `minimum`, `maximum`; keep one, and write another rule for each of the others
                .jp/config.toml:6 `minimum`: the first matcher stands here
                fix: Remove `maximum`, so that `minimum` alone decides
                fix: Remove `minimum`, so that `maximum` alone decides
        "#]],
    );
}

#[test]
fn matchers_fit_the_type_of_the_parameter() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "/force", prefix = "t", mode = "ask" },
    { arg = "/path", minimum = 1, mode = "ask" },
    { arg = "/line", const = "5", mode = "ask" },
    { arg = "/line", const = true, mode = "ask" },
    { arg = "/kind", enum = ["a", 1], mode = "ask" },
    { arg = "/line", minimum = "5", mode = "ask" },
    { mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/force", prefix = "t", mode = "ask" },
                                  ^^^^^^ error[matcher-type]: `prefix` does not apply to `/force`, which is a boolean; use `const`, `enum`
                fix: Write `const = true`
                fix: Write `const = false`
                { arg = "/path", minimum = 1, mode = "ask" },
                                 ^^^^^^^ error[matcher-type]: `minimum` does not apply to `/path`, which is a path; use `const`, `enum`, `pattern`, `prefix`
                fix: Write `const = "1"`
                { arg = "/line", const = "5", mode = "ask" },
                                         ^^^ error[matcher-value-type]: `const` on `/line` takes an integer, not the string `5`
                fix: Write `5`
                { arg = "/line", const = true, mode = "ask" },
                                         ^^^^ error[matcher-value-type]: `const` on `/line` takes an integer, not the boolean `true`
                { arg = "/kind", enum = ["a", 1], mode = "ask" },
                                              ^ error[matcher-value-type]: `enum` on `/kind` takes a list in which each value is a string, not the number `1`
                fix: Write `"a"`
                fix: Write `"b"`
                fix: Write `"c"`
                { arg = "/line", minimum = "5", mode = "ask" },
                                           ^^^ error[type-mismatch]: invalid type: string `5`, expected a number; write `5`
                fix!: Write `5`
        "#]],
    );
}

#[test]
fn values_are_rewritten_in_the_type_of_the_parameter() {
    check_fix(
        &policy_tool(r#"run = [{ arg = "/line", const = "5", mode = "ask" }, { mode = "ask" }]"#),
        Code::MatcherValueType,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit.policy]
            run = [{ arg = "/line", const = 5, mode = "ask" }, { mode = "ask" }]
        "#]],
    );
}

#[test]
fn patterns_are_marked_where_they_go_wrong() {
    check(
        &policy_tool(
            r#"run = [
    { arg = "/text", pattern = "ab\\d(c", mode = "ask" },
    { arg = "/text", pattern = "\\t(?=x)y", mode = "ask" },
    { arg = "/text", pattern = '(a)\1', mode = "ask" },
    { mode = "ask" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/text", pattern = "ab\\d(c", mode = "ask" },
                                                 ^ error[pattern-invalid]: `(` is never closed; write `)` at the group's end, or `\(` for the character
                fix: Match the text itself: write `'ab\\d\(c'`
                { arg = "/text", pattern = "\\t(?=x)y", mode = "ask" },
                                               ^^^ error[pattern-unsupported]: the lookahead `(?=...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first
                { arg = "/text", pattern = '(a)\1', mode = "ask" },
                                               ^^ error[pattern-unsupported]: the backreference `\1` is not supported: patterns must match in linear time; write out the texts that it may repeat
        "#]],
    );
}
