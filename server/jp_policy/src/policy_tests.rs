use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    MatcherKind::{
        Const, Enum, ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, Pattern, Prefix,
    },
    Parameter, PatternErrorKind,
    RunMode::{self, Ask, Edit, Skip, Unattended},
};

fn parameters() -> Parameters {
    let of = Parameter::of;
    Parameters::new([
        ("path", of(ParameterType::Path)),
        ("text", of(ParameterType::String)),
        ("line", of(ParameterType::Integer)),
        ("ratio", of(ParameterType::Number)),
        ("flag", of(ParameterType::Boolean)),
        ("table", of(ParameterType::Object)),
        ("anything", Parameter::default()),
        (
            "patterns",
            Parameter::array(Parameter::object([
                ("old", of(ParameterType::String)),
                ("paths", Parameter::array(of(ParameterType::Path))),
            ])),
        ),
    ])
}

fn rule(arg: &str, kind: MatcherKind, value: Value, mode: RunMode) -> RawRule<RunMode> {
    RawRule::condition(arg, kind, value, mode)
}

fn decide(rules: &[RawRule<RunMode>], arguments: &Value) -> (RunMode, Option<usize>) {
    let (policy, problems) = compile(rules, &parameters());
    assert_eq!(problems, []);
    let decision = policy.decide(arguments);
    let evaluation = policy.evaluate(arguments);
    assert_eq!((evaluation.mode, evaluation.rule), decision);
    decision
}

fn matches(arg: &str, kind: MatcherKind, expected: Value, arguments: &Value) -> bool {
    decide(&[rule(arg, kind, expected, Skip)], arguments).1 == Some(0)
}

/// The problem of the one rule: its code and its message.
fn problem(raw: RawRule<RunMode>) -> String {
    let (policy, problems) = compile(&[raw], &parameters());
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    // A rule with a problem keeps its index and decides nothing.
    assert_eq!(policy.len(), 1);
    assert_eq!(
        policy.decide(&json!({"path": "x", "text": "x", "flag": true})),
        (Ask, None)
    );
    format!("{}: {problem}", code(&problem.kind))
}

#[test]
fn the_first_rule_whose_condition_is_met_decides() {
    let rules = [
        rule("/path", Prefix, json!("src/sensitive/"), Ask),
        rule("/path", Prefix, json!("src/"), Unattended),
        RawRule::catch_all(Ask),
    ];
    let path = |path: &str| decide(&rules, &json!({"path": path}));
    assert_eq!(path("src/sensitive/secret.rs"), (Ask, Some(0)));
    assert_eq!(path("src/lib.rs"), (Unattended, Some(1)));
    assert_eq!(path("README.md"), (Ask, Some(2)));
}

#[test]
fn ask_is_the_implicit_fallback() {
    assert_eq!(decide(&[], &json!({"path": "x"})), (Ask, None));
    let rules = [rule("/path", Const, json!("x"), Unattended)];
    assert_eq!(decide(&rules, &json!({"path": "y"})), (Ask, None));
    assert_eq!(decide(&rules, &json!({})), (Ask, None));
    assert_eq!(decide(&rules, &json!(null)), (Ask, None));
    assert_eq!(decide(&rules, &json!([{"path": "x"}])), (Ask, None));
}

#[test]
fn any_element_of_an_array_meets_the_condition() {
    let arguments = json!({"patterns": [
        {"old": "foo", "new": "bar", "paths": ["src/a.rs"]},
        {"old": "x", "new": "y", "paths": [".env"]},
    ]});
    let rules = [
        rule("/patterns/paths", Prefix, json!(".env"), Ask),
        RawRule::catch_all(Unattended),
    ];
    assert_eq!(decide(&rules, &arguments), (Ask, Some(0)));
    assert_eq!(
        decide(&rules, &json!({"patterns": []})),
        (Unattended, Some(1))
    );
    assert!(matches("/patterns/old", Const, json!("x"), &arguments));
    assert!(!matches("/patterns/old", Const, json!("y"), &arguments));
    // The permissive side of the same semantics.
    let rules = [
        rule("/patterns/paths", Prefix, json!("src/"), Unattended),
        rule("/patterns/paths", Prefix, json!(".env"), Ask),
        RawRule::catch_all(Ask),
    ];
    assert_eq!(decide(&rules, &arguments), (Unattended, Some(0)));
}

#[test]
fn paths_are_compared_by_components_and_in_normal_form() {
    let under =
        |prefix: &str, path: &str| matches("/path", Prefix, json!(prefix), &json!({"path": path}));
    assert!(under("src/", "src/lib.rs"));
    assert!(under("src", "src"));
    assert!(under("src/", "src"));
    assert!(!under("src/", "src-old/lib.rs"));
    assert!(!under("src", "src-old"));
    assert!(under("./src/", "src/lib.rs"));
    assert!(under("src", "./x/../src//lib.rs/"));
    assert!(!under("src", "src/../.env"));
    assert!(!under("src", "/src"));
    assert!(under("", "../x"));
    assert!(under(".", "a"));
    assert!(under("/", "/etc/passwd"));
    assert!(!under("/", "etc/passwd"));
    let equal =
        |value: &str, path: &str| matches("/path", Const, json!(value), &json!({"path": path}));
    assert!(equal(".env", "src/../.env"));
    assert!(!equal("./.env", ".env"));
    assert!(equal("src", "src/"));
    assert!(matches(
        "/path",
        Enum,
        json!(["a", ".env"]),
        &json!({"path": "./.env"})
    ));
    assert!(matches(
        "/path",
        Pattern,
        json!("^\\.env$"),
        &json!({"path": "x/../.env/"})
    ));
    assert!(!matches(
        "/path",
        Pattern,
        json!("/$"),
        &json!({"path": "src/"})
    ));
}

#[test]
fn strings_are_compared_byte_for_byte() {
    let under =
        |prefix: &str, text: &str| matches("/text", Prefix, json!(prefix), &json!({"text": text}));
    assert!(under("src/", "src/lib.rs"));
    assert!(under("src", "src-old"));
    assert!(!under("./src", "src"));
    assert!(under("", ""));
    assert!(under("é", "éa"));
    assert!(!under("é", "e"));
    assert!(!matches("/text", Prefix, json!(""), &json!({})));
    assert!(matches(
        "/text",
        Pattern,
        json!("rm\\s+-rf"),
        &json!({"text": "sudo rm  -rf /"})
    ));
    assert!(!matches(
        "/text",
        Pattern,
        json!("^rm"),
        &json!({"text": "sudo rm"})
    ));
}

#[test]
fn numbers_are_compared_by_value() {
    let line = |kind, expected: Value, line: Value| {
        matches("/line", kind, expected, &json!({"line": line}))
    };
    assert!(line(Const, json!(1), json!(1.0)));
    assert!(line(Const, json!(1.0), json!(1)));
    assert!(!line(
        Const,
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992_i64)
    ));
    assert!(line(
        Minimum,
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_993_i64)
    ));
    assert!(!line(
        Minimum,
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992_i64)
    ));
    assert!(line(Minimum, json!(1000), json!(1000)));
    assert!(!line(ExclusiveMinimum, json!(1000), json!(1000)));
    assert!(line(ExclusiveMinimum, json!(1000), json!(1001)));
    assert!(line(Maximum, json!(5), json!(5)));
    assert!(!line(ExclusiveMaximum, json!(5), json!(5)));
    assert!(line(ExclusiveMaximum, json!(5), json!(4.5)));
    assert!(line(Enum, json!([1, 2.0]), json!(2)));
    assert!(!line(Const, json!(1), json!("1")));
}

#[test]
fn booleans_and_tables_are_compared_as_they_are() {
    assert!(matches("/flag", Const, json!(true), &json!({"flag": true})));
    assert!(!matches(
        "/flag",
        Const,
        json!(true),
        &json!({"flag": false})
    ));
    assert!(!matches(
        "/flag",
        Const,
        json!(true),
        &json!({"flag": null})
    ));
    assert!(matches(
        "/flag",
        Enum,
        json!([false]),
        &json!({"flag": false})
    ));
    let table = json!({"a": 1, "b": [2]});
    assert!(matches(
        "/table",
        Const,
        table,
        &json!({"table": {"b": [2.0], "a": 1}})
    ));
    assert!(matches(
        "/anything",
        Const,
        json!([1]),
        &json!({"anything": [1]})
    ));
}

#[test]
fn says_which_policies_no_argument_can_change() {
    let unconditional =
        |rules: &[RawRule<RunMode>]| compile(rules, &parameters()).0.is_unconditional();
    let condition = || rule("/path", Const, json!("x"), Skip);
    assert_eq!(unconditional(&[]), Some(Ask));
    assert_eq!(unconditional(&[RawRule::catch_all(Edit)]), Some(Edit));
    assert_eq!(
        unconditional(&[RawRule::catch_all(Unattended), condition()]),
        Some(Unattended)
    );
    assert_eq!(
        unconditional(&[condition(), RawRule::catch_all(Unattended)]),
        None
    );
}

#[test]
fn rejects_rules_without_exactly_one_matcher() {
    let raw = |arg: Option<&str>, matchers: &[(MatcherKind, Value)]| RawRule {
        arg: arg.map(str::to_owned),
        matchers: matchers.to_vec(),
        mode: Unattended,
    };
    assert_eq!(
        problem(raw(Some("/line"), &[])),
        "matcher-missing: the rule has an `arg` but no matcher; add one of `const`, `enum`, `minimum`, `maximum`, `exclusive_minimum`, \
         `exclusive_maximum`, or drop `arg` to make it a catch-all"
    );
    assert_eq!(
        problem(raw(
            Some("/text"),
            &[(Prefix, json!("a")), (Const, json!("b"))]
        )),
        "matcher-multiple: the rule has 2 matchers, `prefix`, `const`; keep one, and write another rule for each of the others"
    );
    assert_eq!(
        problem(raw(None, &[(Prefix, json!("src/"))])),
        "missing-required: the matcher `prefix` has nothing to match; add `arg` with a JSON Pointer to a parameter"
    );
}

#[test]
fn rejects_matchers_that_the_type_does_not_have() {
    assert_eq!(
        problem(rule("/flag", Prefix, json!("t"), Ask)),
        "matcher-type: `prefix` does not apply to `/flag`, which is a boolean; use `const`, `enum`"
    );
    assert_eq!(
        problem(rule("/patterns/paths", Minimum, json!(1), Ask)),
        "matcher-type: `minimum` does not apply to `/patterns/paths`, which is a path; use `const`, `enum`, `pattern`, `prefix`"
    );
    assert_eq!(
        problem(rule("/patterns", Pattern, json!("x"), Ask)),
        "matcher-type: `pattern` does not apply to `/patterns`, which is an object; use `const`, `enum`"
    );
}

#[test]
fn rejects_values_of_another_type() {
    assert_eq!(
        problem(rule("/ratio", Const, json!(true), Ask)),
        "matcher-value-type: `const` on `/ratio` takes a number, not the boolean `true`"
    );
    assert_eq!(
        problem(rule("/line", Const, json!(1.5), Ask)),
        "matcher-value-type: `const` on `/line` takes an integer, not the number `1.5`"
    );
    assert_eq!(
        problem(rule("/text", Enum, json!("a"), Ask)),
        "matcher-value-type: `enum` on `/text` takes a list, not the string `a`"
    );
    assert_eq!(
        problem(rule("/text", Enum, json!(["a", 2]), Ask)),
        "matcher-value-type: `enum` on `/text` takes a list in which each value is a string, not the number `2`"
    );
    assert_eq!(
        problem(rule("/path", Prefix, json!(["src/"]), Ask)),
        "matcher-value-type: `prefix` on `/path` takes a string, not a list"
    );
    assert_eq!(
        problem(rule("/line", Minimum, json!("10"), Ask)),
        "matcher-value-type: `minimum` on `/line` takes a number, not the string `10`"
    );
    assert_eq!(
        problem(rule("/patterns/paths", Const, json!(["a"]), Ask)),
        "matcher-value-type: `const` on `/patterns/paths` takes a path, not a list"
    );
    assert_eq!(
        problem(rule("/line", Minimum, json!("é".repeat(1000)), Ask)),
        format!(
            "matcher-value-type: `minimum` on `/line` takes a number, not the string `{}...`",
            "é".repeat(60)
        )
    );
    assert_eq!(
        problem(rule("/line", Minimum, Value::Null, Ask)),
        "matcher-value-type: `minimum` on `/line` takes a number, not null"
    );
    let (_, problems) = compile(&[rule("/text", Enum, json!(["a", 2]), Ask)], &parameters());
    assert!(matches!(
        problems[0].kind,
        RuleProblemKind::MatcherValueType {
            member: Some(1),
            ..
        }
    ));
}

#[test]
fn rejects_patterns_at_their_place() {
    let range = |source: &str| {
        let (_, problems) = compile(&[rule("/text", Pattern, json!(source), Ask)], &parameters());
        match &problems[0].kind {
            RuleProblemKind::Pattern(error) => (code(&problems[0].kind), error.offset.clone()),
            other => panic!("{other}"),
        }
    };
    assert_eq!(range("a(?=b)").0, "pattern-unsupported");
    assert_eq!(range("a(?=b)").1.start, 1);
    assert_eq!(range("a[b").0, "pattern-invalid");
}

#[test]
fn shared_rules_skip_what_a_tool_does_not_have() {
    let rules = [
        rule("/missing", Const, json!("x"), Skip),
        rule("/flag", Prefix, json!("x"), Skip),
        RawRule::catch_all(Unattended),
    ];
    let (policy, problems) = compile_with(&rules, &parameters(), UnresolvedArg::Skip);
    let codes: Vec<_> = problems
        .iter()
        .map(|problem| (problem.rule, code(&problem.kind)))
        .collect();
    assert_eq!(codes, [(1, "matcher-type")]);
    assert_eq!(
        policy.decide(&json!({"missing": "x"})),
        (Unattended, Some(2))
    );
    let (_, problems) = compile(&rules, &parameters());
    assert_eq!(problems.len(), 2);
}

#[test]
fn an_open_tool_is_judged_by_its_arguments() {
    let rules = [
        rule("/query/path", Prefix, json!(".env"), Skip),
        rule("/limit", Minimum, json!(10), Edit),
        RawRule::catch_all(Unattended),
    ];
    let open = Parameters {
        open: true,
        ..Parameters::default()
    };
    let (policy, problems) = compile(&rules, &open);
    assert_eq!(problems, []);
    let table = [
        (json!({"query": {"path": ".env.local"}}), (Skip, Some(0))),
        (
            json!({"query": [{"path": "a"}, {"path": [".env"]}]}),
            (Skip, Some(0)),
        ),
        (json!({"limit": 10}), (Edit, Some(1))),
        (json!({"limit": "10"}), (Unattended, Some(2))),
        (json!({"query": 1}), (Unattended, Some(2))),
    ];
    for (arguments, expected) in table {
        assert_eq!(policy.decide(&arguments), expected, "{arguments}");
        let evaluation = policy.evaluate(&arguments);
        assert_eq!((evaluation.mode, evaluation.rule), expected, "{arguments}");
    }
}

/// The name under which a problem is reported.
fn code(kind: &RuleProblemKind) -> &'static str {
    match kind {
        RuleProblemKind::PointerSyntax { .. } => "arg-pointer-syntax",
        RuleProblemKind::Unresolved { .. } => "arg-unresolved",
        RuleProblemKind::MatcherMissing { .. } => "matcher-missing",
        RuleProblemKind::ArgMissing { .. } => "missing-required",
        RuleProblemKind::MatcherMultiple { .. } => "matcher-multiple",
        RuleProblemKind::MatcherType { .. } => "matcher-type",
        RuleProblemKind::MatcherValueType { .. } => "matcher-value-type",
        RuleProblemKind::Pattern(error) => match error.kind {
            PatternErrorKind::Invalid => "pattern-invalid",
            PatternErrorKind::Unsupported | PatternErrorKind::TooLarge => "pattern-unsupported",
        },
    }
}
