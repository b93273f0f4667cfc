use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    MatcherKind::{
        self, Const, Enum, ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, Pattern, Prefix,
    },
    Parameter, ParameterType, Parameters, RawRule,
    RunMode::{self, Ask, Skip, Unattended},
    compile,
};

fn parameters() -> Parameters {
    let of = Parameter::of;
    Parameters::new([
        ("path", of(ParameterType::Path)),
        ("util", of(ParameterType::String)),
        ("line", of(ParameterType::Integer)),
        ("ratio", of(ParameterType::Number)),
        ("flag", of(ParameterType::Boolean)),
        ("must", of(ParameterType::Boolean).required()),
        (
            "git",
            of(ParameterType::String).one_of([json!("git add"), json!("git push"), json!("ls")]),
        ),
        (
            "level",
            of(ParameterType::Integer).one_of([json!(1), json!(2)]),
        ),
        ("paths", Parameter::array(of(ParameterType::Path))),
        ("names", Parameter::array(of(ParameterType::String))),
    ])
}

type Condition = (&'static str, MatcherKind, Value);

fn rules(conditions: &[Condition], mode: RunMode) -> Vec<RawRule<RunMode>> {
    conditions
        .iter()
        .map(|(arg, kind, value)| RawRule::condition(*arg, *kind, value.clone(), mode))
        .collect()
}

/// What is said about the last of these conditions, the others with another mode than it, and a catch-all after them.
fn last(conditions: &[Condition]) -> String {
    let mut list = rules(conditions, Ask);
    list.last_mut().unwrap().mode = Skip;
    list.push(RawRule::catch_all(Ask));
    let (policy, problems) = compile(&list, &parameters());
    assert_eq!(problems, []);
    let about = coverage(&policy)
        .into_iter()
        .filter(|finding| finding.rule() == Some(conditions.len() - 1))
        .map(|finding| match finding {
            CoverageFinding::Shadowed {
                covered_by,
                rfd_table,
                would: Skip,
                decides,
                ..
            } => {
                assert_eq!(decides, [Ask]);
                format!(
                    "{} {covered_by:?}",
                    if rfd_table { "error" } else { "warning" }
                )
            }
            CoverageFinding::NeverMatches {
                reason,
                member: None,
                ..
            } => reason.to_string(),
            CoverageFinding::NeverMatches {
                reason,
                member: Some(member),
                ..
            } => format!("member {member}: {reason}"),
            other => format!("{other:?}"),
        })
        .collect::<Vec<String>>();
    about.join("; ")
}

#[test]
fn the_five_cases_of_the_table_are_errors() {
    let prefix = ("/path", Prefix, json!("src/"));
    assert_eq!(
        last(&[prefix.clone(), ("/path", Prefix, json!("src/sensitive/"))]),
        "error [0]"
    );
    assert_eq!(
        last(&[prefix.clone(), ("/path", Const, json!("src/lib.rs"))]),
        "error [0]"
    );
    let utils = ("/util", Enum, json!(["jq", "wc", "date"]));
    assert_eq!(
        last(&[utils.clone(), ("/util", Const, json!("jq"))]),
        "error [0]"
    );
    assert_eq!(
        last(&[utils, ("/util", Enum, json!(["jq", "wc"]))]),
        "error [0]"
    );
    let list = [
        RawRule::catch_all(Ask),
        RawRule::condition("/path", Const, "x", Skip),
        RawRule::catch_all(Unattended),
        RawRule::catch_all(Ask),
    ];
    let (policy, _) = compile(&list, &parameters());
    let shadowed = |rule, would| CoverageFinding::Shadowed {
        rule,
        covered_by: vec![0],
        rfd_table: true,
        would,
        decides: vec![Ask],
    };
    assert_eq!(
        coverage(&policy),
        [
            shadowed(1, Skip),
            shadowed(2, Unattended),
            CoverageFinding::Redundant {
                rule: 3,
                covered_by: vec![0],
                rfd_table: true,
                would: Ask
            },
        ]
    );
}

#[test]
fn near_misses_of_the_table_are_silent() {
    let silent: &[[Condition; 2]] = &[
        [
            ("/path", Prefix, json!("src")),
            ("/path", Prefix, json!("src-old")),
        ],
        [
            ("/path", Prefix, json!("src")),
            ("/path", Const, json!("src-old")),
        ],
        [
            ("/path", Prefix, json!("src/a")),
            ("/path", Prefix, json!("src")),
        ],
        [
            ("/path", Prefix, json!("src")),
            ("/paths", Prefix, json!("src")),
        ],
        [
            ("/util", Enum, json!(["jq"])),
            ("/util", Enum, json!(["jq", "wc"])),
        ],
        [
            ("/util", Enum, json!(["jq", "wc"])),
            ("/util", Prefix, json!("jq")),
        ],
        [
            ("/util", Pattern, json!("^j")),
            ("/util", Prefix, json!("jq")),
        ],
        [
            ("/util", Pattern, json!("a|b")),
            ("/util", Pattern, json!("b|a")),
        ],
        [
            ("/line", Minimum, json!(4)),
            ("/line", ExclusiveMinimum, json!(2)),
        ],
        [
            ("/ratio", Minimum, json!(4)),
            ("/ratio", ExclusiveMinimum, json!(3)),
        ],
    ];
    for conditions in silent {
        assert_eq!(last(conditions), "", "{conditions:?}");
    }
}

#[test]
fn what_the_table_does_not_list_is_a_warning() {
    let table: &[(&[Condition], &str)] = &[
        (
            &[("/util", Const, json!("jq")), ("/util", Const, json!("jq"))],
            "warning [0]",
        ),
        (
            &[
                ("/util", Prefix, json!("g")),
                ("/util", Enum, json!(["git", "gh"])),
            ],
            "warning [0]",
        ),
        (
            &[
                ("/util", Const, json!("a")),
                ("/util", Prefix, json!("b")),
                ("/util", Enum, json!(["bc", "a", "bd"])),
            ],
            "warning [0, 1]",
        ),
        (
            &[
                ("/flag", Const, json!(true)),
                ("/flag", Const, json!(false)),
                ("/flag", Enum, json!([true, false])),
            ],
            "warning [0, 1]",
        ),
        (
            &[("/line", Minimum, json!(10)), ("/line", Minimum, json!(20))],
            "warning [0]",
        ),
        (
            &[
                ("/line", ExclusiveMinimum, json!(3)),
                ("/line", Minimum, json!(4)),
            ],
            "warning [0]",
        ),
        (
            &[
                ("/line", Minimum, json!(4)),
                ("/line", ExclusiveMinimum, json!(3)),
            ],
            "warning [0]",
        ),
        (
            &[
                ("/line", Maximum, json!(4)),
                ("/line", ExclusiveMinimum, json!(4)),
                ("/line", Minimum, json!(0)),
            ],
            "warning [0, 1]",
        ),
        (
            &[
                ("/line", Minimum, json!(7)),
                ("/line", Const, json!(5)),
                ("/line", Enum, json!([5, 6])),
                ("/line", Minimum, json!(5)),
            ],
            "warning [0, 2]",
        ),
        (
            &[
                ("/ratio", ExclusiveMaximum, json!(0.5)),
                ("/ratio", ExclusiveMinimum, json!(0.5)),
                ("/ratio", Const, json!(0.5)),
                ("/ratio", Maximum, json!(1)),
            ],
            "warning [0, 1, 2]",
        ),
        (
            &[("/line", Minimum, json!(5)), ("/line", Const, json!(5.0))],
            "warning [0]",
        ),
        (
            &[
                ("/util", Pattern, json!("^j")),
                ("/util", Const, json!("jq")),
            ],
            "warning [0]",
        ),
        (
            &[
                ("/util", Pattern, json!("^j")),
                ("/util", Enum, json!(["jq", "jo"])),
            ],
            "warning [0]",
        ),
        (
            &[
                ("/util", Pattern, json!("^j")),
                ("/util", Pattern, json!("^j")),
            ],
            "warning [0]",
        ),
        (
            &[
                ("/util", Prefix, json!("")),
                ("/util", Pattern, json!("^j")),
            ],
            "warning [0]",
        ),
        (
            &[
                ("/git", Const, json!("git add")),
                ("/git", Const, json!("git push")),
                ("/git", Prefix, json!("git ")),
            ],
            "warning [0, 1]",
        ),
        (
            &[
                ("/git", Const, json!("git add")),
                ("/git", Const, json!("git push")),
                ("/git", Pattern, json!("^git")),
            ],
            "warning [0, 1]",
        ),
        (
            &[
                ("/must", Const, json!(true)),
                ("/must", Const, json!(false)),
                ("/util", Const, json!("jq")),
            ],
            "warning [0, 1]",
        ),
    ];
    for (conditions, expected) in table {
        assert_eq!(last(conditions), *expected, "{conditions:?}");
    }
}

#[test]
fn absence_is_covered_by_a_catch_all_only() {
    let exhausted = |arg: &'static str, last: RunMode| {
        let mut list = rules(
            &[(arg, Const, json!(true)), (arg, Const, json!(false))],
            Ask,
        );
        list.push(RawRule::catch_all(last));
        list.push(RawRule::condition("/util", Const, "x", Ask));
        let (policy, _) = compile(&list, &parameters());
        coverage(&policy).first().and_then(CoverageFinding::rule)
    };
    assert_eq!(exhausted("/flag", Skip), Some(3));
    assert_eq!(exhausted("/must", Skip), Some(2));
    // In last place, a catch-all is no mistake.
    let mut list = rules(
        &[
            ("/must", Const, json!(true)),
            ("/must", Const, json!(false)),
        ],
        Ask,
    );
    list.push(RawRule::catch_all(Skip));
    assert_eq!(coverage(&compile(&list, &parameters()).0), []);
}

#[test]
fn rules_that_match_nothing_say_why() {
    let table: &[(Condition, &str)] = &[
        (
            ("/util", Enum, json!([])),
            "the list is empty; name the values to match, or remove the rule",
        ),
        (
            ("/path", Const, json!("./src/")),
            "paths are compared in normal form; write `src`",
        ),
        (
            ("/path", Enum, json!(["a/../b", "c/"])),
            "paths are compared in normal form; write `b`",
        ),
        (
            ("/path", Enum, json!(["a", "c/"])),
            "member 1: paths are compared in normal form; write `c`",
        ),
        (
            ("/git", Const, json!("git pull")),
            "the parameter's `enum` does not list the value",
        ),
        (
            ("/git", Enum, json!(["ls", "git pull"])),
            "member 1: the parameter's `enum` does not list the value",
        ),
        (
            ("/git", Prefix, json!("hg ")),
            "none of the values in the parameter's `enum` satisfies it",
        ),
        (
            ("/git", Pattern, json!("^hg")),
            "none of the values in the parameter's `enum` satisfies it",
        ),
        (
            ("/level", ExclusiveMinimum, json!(2)),
            "none of the values in the parameter's `enum` satisfies it",
        ),
        (("/level", Minimum, json!(2)), ""),
        (("/path", Prefix, json!("./src/")), ""),
    ];
    for (condition, expected) in table {
        assert_eq!(
            last(std::slice::from_ref(condition)),
            *expected,
            "{condition:?}"
        );
    }
}

#[test]
fn an_unattended_element_lets_a_stricter_one_through() {
    let hazard = |conditions: &[(MatcherKind, &str, RunMode)], default: RunMode| {
        let mut list: Vec<RawRule<RunMode>> = conditions
            .iter()
            .map(|(kind, value, mode)| RawRule::condition("/names", *kind, *value, *mode))
            .collect();
        list.push(RawRule::catch_all(default));
        let (policy, _) = compile(&list, &parameters());
        coverage(&policy)
            .into_iter()
            .map(|finding| match finding {
                CoverageFinding::MixedArrayHazard {
                    rule,
                    stricter_rule,
                    witness,
                } => (rule, stricter_rule, witness),
                other => panic!("{other:?}"),
            })
            .collect::<Vec<_>>()
    };
    let src = (Prefix, "src/", Unattended);
    let env = (Prefix, ".env", Ask);
    let call = |left: &str, right: &str| json!({"must": false, "names": [left, right]});
    let with_must = |hazards: Vec<(usize, Option<usize>, Value)>| {
        hazards
            .into_iter()
            .map(|(rule, stricter, mut witness)| {
                witness["must"] = json!(false);
                (rule, stricter, witness)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        with_must(hazard(&[src, env], Ask)),
        [(0, Some(1), call("src/x", ".envx"))]
    );
    // With the stricter rule first only what no rule names rides along.
    assert_eq!(
        with_must(hazard(&[env, src], Ask)),
        [(1, None, call("src/x", "x"))]
    );
    assert_eq!(with_must(hazard(&[env, src], Unattended)), []);
    assert_eq!(
        with_must(hazard(&[src, (Pattern, "\\.pem$", Skip)], Unattended)),
        [(0, Some(1), call("src/x", ".pem"))]
    );
}

#[test]
fn a_path_speaks_for_itself_alone() {
    let list = [
        RawRule::condition("/paths", Prefix, "src/", Unattended),
        RawRule::condition("/paths", Prefix, ".env", Ask),
        RawRule::catch_all(Skip),
    ];
    let (policy, _) = compile(&list, &parameters());
    assert_eq!(coverage(&policy), []);
}

/// A required path is left out where another path is decided, so rules on it leave something to the rules on others.
#[test]
fn a_required_path_leaves_something_to_the_others() {
    let path = || Parameter::of(ParameterType::Path);
    let list = [
        RawRule::condition("/path", Prefix, "", Unattended),
        RawRule::condition("/other", Prefix, ".git", Skip),
        RawRule::catch_all(Ask),
    ];
    let several = Parameters::new([("path", path().required()), ("other", path())]);
    assert_eq!(coverage(&compile(&list, &several).0), []);
    let other = Parameter::of(ParameterType::String);
    let one = Parameters::new([("path", path().required()), ("other", other)]);
    let findings = coverage(&compile(&list, &one).0);
    assert!(
        matches!(findings.as_slice(), [CoverageFinding::Shadowed { .. }]),
        "{findings:?}"
    );
}

#[test]
fn a_missing_catch_all_is_reported_last() {
    let list = rules(
        &[
            ("/path", Prefix, json!("src")),
            ("/path", Const, json!("src")),
        ],
        Ask,
    );
    let (policy, _) = compile(&list, &parameters());
    let findings = coverage(&policy);
    assert!(
        matches!(
            findings.as_slice(),
            [
                CoverageFinding::Redundant { .. },
                CoverageFinding::MissingCatchAll
            ]
        ),
        "{findings:?}"
    );
    let (policy, _) = compile::<RunMode>(&[], &parameters());
    assert_eq!(coverage(&policy), [CoverageFinding::MissingCatchAll]);
}

#[test]
fn a_rule_with_a_problem_covers_nothing() {
    let list = [
        RawRule {
            arg: None,
            matchers: vec![(Prefix, json!("x"))],
            mode: Ask,
        },
        RawRule::condition("/path", Minimum, 1, Ask),
        RawRule::condition("/path", Prefix, "src", Ask),
        RawRule::catch_all(Skip),
    ];
    let (policy, problems) = compile(&list, &parameters());
    assert_eq!(problems.len(), 2);
    assert_eq!(coverage(&policy), []);
}
