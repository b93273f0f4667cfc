use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::*;

/// Compares the cases of a text by their titles, and its mistakes by their text.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    let examples = Examples::read(text);
    let mut told = String::new();
    for case in &examples.cases {
        told.push_str(&format!("case {}: {:?}\n", case.title(), case.expectations));
    }
    for Mistake { span, message } in &examples.mistakes {
        let at = text.get(span.start as usize..span.end as usize).unwrap();
        told.push_str(&format!("{at:?}: {message}\n"));
    }
    expected.assert_eq(&told);
}

#[test]
fn a_case_is_what_its_keys_say() {
    check(
        "[[case]]\nname = \"n\"\ntool = \"a\"\ncall = { path = \"x\", list = [1, 2.5, { b = true }] }\nrun = \"edit\"\nresult = \"skip\"\nrule = 2\n\
         [[case]]\ntool = \"a\"\nfs = { capability = \"create\", path = \"x\" }\nallowed = false\nrule = \"fallback\"\n\
         [[case]]\ntool = \"a\"\nnet = \"https://x\"\nallowed = true\nrule = 0\n\
         [[case]]\ntool = \"a\"\n[case.call]\n",
        &expect![[r#"
            case n: [Expectation { aspect: Run, answer: Mode("edit"), rule: Some(Number(2)) }, Expectation { aspect: Result, answer: Mode("skip"), rule: None }]
            case a fs create x: [Expectation { aspect: Allowed, answer: Allowed(false), rule: Some(Fallback) }]
            case a net https://x: [Expectation { aspect: Allowed, answer: Allowed(true), rule: Some(Fallback) }]
            "call": nothing is expected of this call: write `run = "ask"` or `result = "unattended"`, or both
        "#]],
    );
}

#[test]
fn nested_arguments_keep_their_places() {
    let text =
        "[[case]]\ntool = \"a\"\nrun = \"ask\"\ncall.patterns = [{ old = 1 }, { old = 2 }]\n";
    let examples = Examples::read(text);
    assert_eq!(examples.mistakes, []);
    let span = examples.cases[0].places["patterns[1].old"];
    assert_eq!(
        text.get(span.start as usize..span.end as usize).unwrap(),
        "2"
    );
    assert_eq!(text.find("= 2").map(|at| at + 2), Some(span.start as usize));
}

#[test]
fn what_cannot_be_expected_is_a_mistake() {
    check(
        "[[case]]\ntool = 1\ncall = []\nallowed = true\n\
         [[case]]\ntool = \"a\"\ncall = { a = nan, b = 07:32:00 }\nrun = 1\nrule = \"none\"\n\
         [[case]]\ntool = \"a\"\nenv = 1\nresult = \"ask\"\nallowed = 1\n\
         [[case]]\ntool = \"a\"\nconfig = { capability = \"update\" }\nallowed = false\n\
         [[case]]\ntool = \"a\"\nfs = \"src\"\nallowed = false\n\
         [[case]]\ntool = \"a\"\ncall = {}\nrun = \"later\"\n",
        &expect![[r#"
            "1": `tool` is a text: write the tool that is called, such as `tool = "fs_read_file"`
            "call": nothing is expected of this call: write `run = "ask"` or `result = "unattended"`, or both
            "[]": `call` is a table of arguments: write `call = { path = "src/lib.rs" }`, or `call = {}` for none
            "allowed": `allowed` goes with `fs`, `net`, `env` and `config`: of a `call` write `run = "ask"` or `result = "unattended"`
            "nan": JSON has no such number, so no call can have it: write a finite one
            "07:32:00": JSON has no dates, so no call can have one: write it as a text, `"07:32:00"`
            "1": `run` is a mode: write one of `"ask"`, `"unattended"`, `"edit"`, `"skip"`
            "\"none\"": `rule` is the number of the rule that decides, counted from 1: write `rule = 2`, or `rule = "fallback"` where none decides
            "1": `env` is a text: write `env = "HOME"`
            "result": `result` goes with `call`: of `env` write `allowed = true` or `allowed = false`
            "1": `allowed` is `true` or `false`, without quotes
            "{ capability = \"update\" }": `config` has no `path`: write `config = { capability = "read", path = "assistant.model" }`
            "\"update\"": unknown capability `update`, expected one of `read`, `write`, `delete`
            "\"src\"": `fs` is a table: write `fs = { capability = "read", path = "src/lib.rs" }`
            "\"later\"": unknown mode `later`: write one of `"ask"`, `"unattended"`, `"edit"`, `"skip"`
        "#]],
    );
}

#[test]
fn an_unfinished_text_tells_what_is_missing_once() {
    check(
        "[[case]]\ntool =\n",
        &expect![[r#"
        "[[case]]": this case asks nothing: write `call = { … }` and `run = "ask"`, or one of `fs`, `net`, `env` and `config` and `allowed = true`
        "=": missing value: write a value after `=`
    "#]],
    );
    check(
        "[[case",
        &expect![[r#"
        "[[case": this case asks nothing: write `call = { … }` and `run = "ask"`, or one of `fs`, `net`, `env` and `config` and `allowed = true`
        "[[case": this case has no `tool`: write the tool that is called, such as `tool = "fs_read_file"`
        "[[case": unclosed table header: write `]]` after the name
    "#]],
    );
    check(
        "case = ",
        &expect![[r#"
        "=": missing value: write a value after `=`
    "#]],
    );
    check(
        "[[case]]\n[[case]]\ntool = \"a\"\ncall = {}\n",
        &expect![[r#"
        "[[case]]": this case asks nothing: write `call = { … }` and `run = "ask"`, or one of `fs`, `net`, `env` and `config` and `allowed = true`
        "[[case]]": this case has no `tool`: write the tool that is called, such as `tool = "fs_read_file"`
        "call": nothing is expected of this call: write `run = "ask"` or `result = "unattended"`, or both
    "#]],
    );
}
