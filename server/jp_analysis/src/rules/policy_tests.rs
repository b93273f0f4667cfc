//! The rules of policies, each with a hit, a near miss and its fixes.

use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

/// A workspace with a tool of every kind of parameter; the policy is given.
fn tool(policy: &str) -> String {
    format!(
        r#"//- /w/.jp/config.toml
extends = ["tool.toml"]
[conversation.tools.edit.policy]
{policy}
//- /w/.jp/tool.toml
[conversation.tools.edit]
source = "local"
command = "edit {{{{tool}}}}"
[conversation.tools.edit.parameters]
path = {{ type = "path", required = true }}
paths = {{ type = "array", items.type = "path" }}
text = {{ type = "string" }}
kind = {{ type = "string", enum = ["a", "b", "c"] }}
line = {{ type = "integer" }}
force = {{ type = "boolean" }}
[conversation.tools.edit.parameters.patterns]
type = "array"
items = {{ type = "object", properties = {{ old = {{ type = "string" }}, paths = {{ type = "array", items.type = "path" }} }} }}
"#
    )
}

#[test]
fn sound_rules_are_silent() {
    check(
        &tool(
            r#"
run = [
    { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/path", const = "src-old", mode = "edit" },
    { arg = "/patterns/paths", prefix = ".env", mode = "skip" },
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
fn pointers_are_json_pointers() {
    check(
        &tool(
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
        &tool(
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
                .jp/tool.toml:5 `path`: `path` is declared here
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
        &tool(
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
        "#]],
    );
}

#[test]
fn a_condition_has_one_matcher() {
    check(
        &tool(
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
                        ^^^^^^^ error[matcher-missing]: the rule has an `arg` but no matcher; add one of `const`, `enum`, `pattern`, `prefix`, or drop `arg` to make it a catch-all
                { prefix = "src", mode = "unattended" },
                  ^^^^^^ error[missing-required]: the matcher `prefix` has nothing to match; add `arg` with a JSON Pointer to a parameter
                { arg = "/line", minimum = 1, maximum = 5, mode = "unattended" },
                                              ^^^^^^^ error[matcher-multiple]: the rule has 2 matchers, `minimum`, `maximum`; keep one, and write another rule for each of the others
                .jp/config.toml:6 `minimum`: the first matcher stands here
        "#]],
    );
}

#[test]
fn matchers_fit_the_type_of_the_parameter() {
    check(
        &tool(
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
                { arg = "/path", minimum = 1, mode = "ask" },
                                 ^^^^^^^ error[matcher-type]: `minimum` does not apply to `/path`, which is a path; use `const`, `enum`, `pattern`, `prefix`
                { arg = "/line", const = "5", mode = "ask" },
                                         ^^^ error[matcher-value-type]: `const` on `/line` takes an integer, not the string `5`
                fix: Write `5`
                { arg = "/line", const = true, mode = "ask" },
                                         ^^^^ error[matcher-value-type]: `const` on `/line` takes an integer, not the boolean `true`
                { arg = "/kind", enum = ["a", 1], mode = "ask" },
                                              ^ error[matcher-value-type]: `enum` on `/kind` takes a list in which each value is a string, not the number `1`
                fix: Write `"1"`
                { arg = "/line", minimum = "5", mode = "ask" },
                                           ^^^ error[type-mismatch]: invalid type: string `5`, expected a number; write `5`
                fix!: Write `5`
        "#]],
    );
}

#[test]
fn values_are_rewritten_in_the_type_of_the_parameter() {
    check_fix(
        &tool(r#"run = [{ arg = "/line", const = "5", mode = "ask" }, { mode = "ask" }]"#),
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
        &tool(
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
                { arg = "/text", pattern = "\\t(?=x)y", mode = "ask" },
                                               ^^^ error[pattern-unsupported]: the lookahead `(?=...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first
                { arg = "/text", pattern = '(a)\1', mode = "ask" },
                                               ^^ error[pattern-unsupported]: the backreference `\1` is not supported: patterns must match in linear time; write out the texts that it may repeat
        "#]],
    );
}

#[test]
fn the_five_cases_of_the_document_are_errors() {
    check(
        &tool(
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
        &tool(
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
    let fixture = tool(
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
            # sources
            { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, # secrets
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
        &tool(
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
        &tool(
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
        &tool(
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
fn rules_match_something() {
    check(
        &tool(
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
        &tool(
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

#[test]
fn a_list_ends_with_a_catch_all() {
    check(
        &tool(r#"run = [{ arg = "/path", prefix = "src", mode = "unattended" }]"#),
        &expect![[r#"
            //- /w/.jp/config.toml
            run = [{ arg = "/path", prefix = "src", mode = "unattended" }]
            ^^^ warning[missing-catch-all]: no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
                fix!: Append `{ mode = "ask" }`
        "#]],
    );
}

#[test]
fn a_list_that_is_still_being_typed_needs_no_catch_all() {
    check(
        &tool(r#"run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { }]"#),
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
        check_fix(&tool(policy), Code::MissingCatchAll, 0, expected);
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

#[test]
fn one_element_does_not_speak_for_the_others() {
    let fixture = tool(
        r#"run = [
    { arg = "/patterns/paths", prefix = "src/", mode = "unattended" },
    { arg = "/patterns/paths", prefix = ".env", mode = "ask" },
    { mode = "ask" },
]"#,
    );
    check(
        &fixture,
        &expect![[r#"
        //- /w/.jp/config.toml
            { arg = "/patterns/paths", prefix = "src/", mode = "unattended" },
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[mixed-array-hazard]: one matching element of `/patterns/paths` suffices: a call with `{"path":"x","patterns":[{"paths":["src/x",".env/x"]}]}` is `unattended`, although rule 2 (`prefix = ".env"`) says `ask`; put the stricter rule first
            .jp/config.toml:5 `{ arg = "/patterns/paths", prefix = ".env", mode = "ask" }`: this rule asks for `ask`
            fix*: Move the stricter rule first
    "#]],
    );
    check_fix(
        &fixture,
        Code::MixedArrayHazard,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [
            { arg = "/patterns/paths", prefix = ".env", mode = "ask" },
            { arg = "/patterns/paths", prefix = "src/", mode = "unattended" },
            { mode = "ask" },
        ]
    "#]],
    );
    check(
        &tool(
            r#"run = [
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/path", prefix = ".env", mode = "ask" },
    { mode = "ask" },
]"#,
        ),
        &expect![[""]],
    );
}

#[test]
fn a_mode_that_is_ignored_may_become_the_last_rule() {
    let fixture = r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
run = "skip"
parameters.path.type = "string"
policy.run = [
    { arg = "/path", prefix = "src/", mode = "unattended" }, # sources
]
"#;
    check(
        fixture,
        &expect![[r#"
            //- /w/.jp/config.toml
            run = "skip"
            ^^^ warning[policy-overrides-run]: `run = "skip"` is ignored, because `policy.run` is set; remove it
                .jp/config.toml:6 `run`: `policy.run` decides
                fix!: Remove `run = "skip"`
                fix: Make `run = "skip"` the last rule of `policy.run`
            policy.run = [
                   ^^^ warning[missing-catch-all]: no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
                fix!: Append `{ mode = "ask" }`
        "#]],
    );
    check_fix(
        fixture,
        Code::PolicyOverridesRun,
        1,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            parameters.path.type = "string"
            policy.run = [
                { arg = "/path", prefix = "src/", mode = "unattended" }, # sources
                { mode = "skip" },
            ]
        "#]],
    );
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
run = "skip"
parameters.path.type = "string"
policy.run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            run = "skip"
            ^^^ warning[policy-overrides-run]: `run = "skip"` is ignored, because `policy.run` is set; remove it
                .jp/config.toml:6 `run`: `policy.run` decides
                fix!: Remove `run = "skip"`
        "#]],
    );
}

#[test]
fn the_policy_wins_over_the_plain_mode() {
    let fixture = r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
run = "ask"     # every time
policy.run = "unattended"
result = "ask"
[conversation.tools.'*']
result = "unattended"
policy = { result = "ask" }
"#;
    check(
        fixture,
        &expect![[r#"
        //- /w/.jp/config.toml
        run = "ask"     # every time
        ^^^ warning[policy-overrides-run]: `run = "ask"` is ignored, because `policy.run` is set; remove it
            .jp/config.toml:5 `run`: `policy.run` decides
            fix!: Remove `run = "ask"`
        result = "unattended"
        ^^^^^^ warning[policy-overrides-run]: `result = "unattended"` is ignored, because `policy.result` is set; remove it
            .jp/config.toml:9 `result`: `policy.result` decides
            fix!: Remove `result = "unattended"`
    "#]],
    );
    check_fix(
        fixture,
        Code::PolicyOverridesRun,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit"
        policy.run = "unattended"
        result = "ask"
        [conversation.tools.'*']
        result = "unattended"
        policy = { result = "ask" }
    "#]],
    );
    check_fix(
        r#"//- /w/.jp/config.toml
[conversation.tools]
edit = { source = "local", command = "edit", policy.run = "ask", run = "ask" }
"#,
        Code::PolicyOverridesRun,
        0,
        &expect![[r#"
            [conversation.tools]
            edit = { source = "local", command = "edit", policy.run = "ask" }
        "#]],
    );
    check_fix(
        r#"//- /w/.jp/config.toml
[conversation.tools]
edit = { run = "ask", source = "local", command = "edit", policy.run = "ask" }
"#,
        Code::PolicyOverridesRun,
        0,
        &expect![[r#"
            [conversation.tools]
            edit = { source = "local", command = "edit", policy.run = "ask" }
        "#]],
    );
}

#[test]
fn results_have_rules_too() {
    check(
        &tool(
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
