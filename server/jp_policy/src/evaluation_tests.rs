use std::fmt::Write as _;

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::{
    MatcherKind::{Const, Prefix},
    Parameter, ParameterType, Parameters, RawRule,
    RunMode::{Ask, Skip, Unattended},
    UnresolvedArg, compile_with,
};

fn check(arguments: &Value, expected: &Expect) {
    let parameters = Parameters::new([
        ("path", Parameter::of(ParameterType::Path)),
        (
            "paths",
            Parameter::array(Parameter::of(ParameterType::Path)),
        ),
    ]);
    let rules = [
        RawRule::condition("/missing", Const, "x", Skip),
        RawRule::condition("/path", Const, 7, Skip),
        RawRule::condition("/paths", Prefix, ".env", Ask),
        RawRule::condition("/path", Prefix, "src/", Unattended),
        RawRule::catch_all(Ask),
    ];
    let (policy, _) = compile_with(&rules, &parameters, UnresolvedArg::Skip);
    let evaluation = policy.evaluate(arguments);
    let mut text = format!("{} {:?}", evaluation.mode, evaluation.rule);
    for value in &evaluation.values {
        let _ = write!(text, " {value}");
    }
    for trace in &evaluation.trace {
        let (index, verdict, reason) = (trace.index, trace.verdict.keyword(), &trace.reason);
        let _ = write!(text, "\n{index} {verdict}: {reason}");
    }
    text.push('\n');
    expected.assert_eq(&text);
}

#[test]
fn names_the_rule_the_values_and_the_reasons() {
    check(
        &json!({"path": "./src/lib.rs"}),
        &expect![[r#"
            unattended Some(3) "./src/lib.rs"
            0 skipped: the tool has no parameter `/missing`
            1 skipped: the rule is invalid
            2 not_matched: the call has no value at `/paths`
            3 matched: `"./src/lib.rs"` at `/path` satisfies `prefix`
            4 skipped: rule 4 decides before it
        "#]],
    );
    check(
        &json!({"path": "README.md", "paths": ["a", "b"]}),
        &expect![[r#"
            ask Some(4)
            0 skipped: the tool has no parameter `/missing`
            1 skipped: the rule is invalid
            2 not_matched: none of the 2 values at `/paths` satisfies `prefix`
            3 not_matched: `"README.md"` at `/path` does not satisfy `prefix`
            4 matched: a rule without a condition matches every call
        "#]],
    );
    check(
        &json!({"paths": ["a", ".env", ".env/x"]}),
        &expect![[r#"
            ask Some(2) ".env" ".env/x"
            0 skipped: the tool has no parameter `/missing`
            1 skipped: the rule is invalid
            2 matched: `".env"` at `/paths` satisfies `prefix`
            3 skipped: rule 3 decides before it
            4 skipped: rule 3 decides before it
        "#]],
    );
}
