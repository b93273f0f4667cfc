use expect_test::{Expect, expect};

use super::{GenerateError, generate, tools_with_conditions};
use crate::{
    examples::{Examples, append, holds, judge, writing::tests::graph},
    explain::tests::Paths,
};

fn tool(name: &str, policy: &str) -> String {
    format!(
        "[conversation.tools.{name}]\nsource = \"local\"\ncommand = \"x\"\n\
         parameters.path = {{ type = \"path\" }}\nparameters.line = {{ type = \"integer\" }}\n{policy}\n"
    )
}

fn check(policy: &str, known: &str, expected: &Expect) {
    let graph = graph(&format!("//- /w/.jp/config.toml\n{}", tool("t", policy)));
    let made = match generate(&graph, "t", &Paths, known) {
        Err(error) => return expected.assert_eq(&format!("error: {error}")),
        Ok(made) => made,
    };
    let text = append(known, &made.cases).unwrap();
    let all = Examples::read(&format!("{known}{text}"));
    let judged = judge(&all.cases, &graph, &Paths);
    assert_eq!((all.mistakes, judged.mistakes), (Vec::new(), Vec::new()));
    assert!(judged.verdicts.iter().all(|verdicts| holds(verdicts)));
    let short = text
        .replace("[[case]]\ntool = \"t\"\n", "")
        .replace("\n\n", "\n");
    let told = format!(
        "{short}known {}, unspeakable {}, unsure {}",
        made.known, made.unspeakable, made.unsure
    );
    expected.assert_eq(&told);
}

#[test]
fn each_border_has_a_case_that_holds_today() {
    check(
        "policy.run = [{ arg = \"/path\", prefix = \"src\", mode = \"unattended\" }, { arg = \"/line\", maximum = 9, mode = \"skip\" }]",
        "",
        &expect![[r#"
            call = { path = "src/x" }
            run = "unattended"
            call = { line = 8 }
            run = "skip"
            call = { path = "src" }
            run = "unattended"
            call = { path = "src-old" }
            run = "ask"
            call = { path = "" }
            run = "ask"
            call = { line = 9 }
            run = "skip"
            call = { line = 10 }
            run = "ask"
            call = {}
            run = "ask"
            call = { path = "src/x", line = 8 }
            run = "unattended"
            known 0, unspeakable 0, unsure 0"#]],
    );
}

#[test]
fn run_and_result_share_a_case_where_both_have_a_border() {
    check(
        "policy.run = [{ arg = \"/path\", const = \"a\", mode = \"skip\" }]\n\
         policy.result = [{ arg = \"/path\", const = \"a\", mode = \"ask\" }]",
        "",
        &expect![[r#"
            call = { path = "a" }
            run = "skip"
            result = "ask"
            call = { path = "ax" }
            run = "ask"
            result = "ask"
            call = { path = "" }
            run = "ask"
            result = "ask"
            call = {}
            run = "ask"
            result = "ask"
            call = { path = "a/x" }
            run = "ask"
            call = { path = "a-old" }
            run = "ask"
            known 0, unspeakable 0, unsure 0"#]],
    );
}

#[test]
fn what_is_there_is_not_made_again() {
    check(
        "policy.run = [{ arg = \"/path\", const = \"a\", mode = \"skip\" }]",
        "[[case]]\ntool = \"t\"\ncall = { path = \"a\" }\nrun = \"skip\"\n",
        &expect![[r#"

            call = { path = "ax" }
            run = "ask"
            call = { path = "" }
            run = "ask"
            call = {}
            run = "ask"
            call = { path = "a/x" }
            run = "ask"
            call = { path = "a-old" }
            run = "ask"
            known 1, unspeakable 0, unsure 0"#]],
    );
}

#[test]
fn rules_without_a_border_have_no_cases() {
    check(
        "policy.run = \"ask\"",
        "",
        &expect!["error: no rule of `t` has a condition: there is no border to try"],
    );
    check(
        "policy.run = [{ arg = \"/nope\", const = 1, mode = \"ask\" }]",
        "",
        &expect![
            "error: the policy of `t` cannot be used: rule 1: `/nope` does not resolve: there is no parameter `nope`; there are `path`, `line`"
        ],
    );
    let rules = "{ arg = \"/line\", const = 1, mode = \"ask\" },".repeat(65);
    check(
        &format!("policy.run = [{rules}]"),
        "",
        &expect!["error: `t` has 65 rules: cases are made for 64 at most"],
    );
    let unknown = generate(&graph("//- /w/.jp/config.toml\n"), "t", &Paths, "");
    assert!(matches!(unknown, Err(GenerateError::Undecided(_))));
}

#[test]
fn tools_without_conditions_are_left_out_and_broken_ones_are_not() {
    let config = [
        tool("one", "policy.run = \"ask\""),
        tool(
            "two",
            "policy.result = [{ arg = \"/line\", const = 1, mode = \"ask\" }]",
        ),
        tool("three", "policy.run = [{ mode = \"ask\" }]"),
        tool(
            "four",
            "policy.run = [{ arg = \"/nope\", const = 1, mode = \"ask\" }]",
        ),
    ];
    let graph = graph(&format!("//- /w/.jp/config.toml\n{}", config.concat()));
    assert_eq!(tools_with_conditions(&graph), ["two", "four"]);
}
