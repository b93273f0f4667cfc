use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    matcher::MatcherKind::{Const, Prefix},
    mode::RunMode::{self, Ask, Edit, Skip, Unattended},
    parameter::{Parameter, ParameterType, Parameters},
    policy::{RawRule, compile},
};

fn parameters() -> Parameters {
    let path = || Parameter::of(ParameterType::Path);
    Parameters::new([
        ("path", path()),
        ("paths", Parameter::array(path())),
        (
            "moves",
            Parameter::array(Parameter::object([("from", path()), ("to", path())])),
        ),
        ("text", Parameter::of(ParameterType::String)),
    ])
}

/// `link` leads to `.git`, `up` and whatever starts with `..` out of the workspace, `lost` nobody knows where.
fn canonical(path: &str) -> Option<CanonicalPath> {
    match path {
        "lost" => None,
        "up" => Some(CanonicalPath::Outside),
        path if path.starts_with("..") => Some(CanonicalPath::Outside),
        path => Some(CanonicalPath::Inside(match path.strip_prefix("link") {
            Some(rest) => format!(".git{rest}"),
            None => path.to_owned(),
        })),
    }
}

fn decide(rules: &[RawRule<RunMode>], arguments: &Value) -> (RunMode, Option<usize>, PathForm) {
    let (policy, problems) = compile(rules, &parameters());
    assert_eq!(problems, []);
    let decided = evaluate_paths(&policy, arguments, canonical);
    let decision = decide_paths(&policy, arguments, canonical);
    assert_eq!(decided.decision, decision);
    assert_eq!(
        (decided.evaluation.mode, decided.evaluation.rule),
        (decision.mode, decision.rule)
    );
    (decision.mode, decision.rule, decision.form)
}

#[test]
fn a_link_does_not_dodge_a_rule() {
    let rules = [
        RawRule::condition("/path", Prefix, ".git/", Skip),
        RawRule::condition("/paths", Prefix, ".git/", Ask),
        RawRule::catch_all(Unattended),
    ];
    let lexical = PathForm::Lexical;
    let table = [
        (json!({"path": "src"}), (Unattended, Some(2), lexical)),
        (json!({"path": ".git/config"}), (Skip, Some(0), lexical)),
        (
            json!({"path": "link/config"}),
            (Skip, Some(0), PathForm::Canonical),
        ),
        (
            json!({"paths": ["src", "link"]}),
            (Ask, Some(1), PathForm::Canonical),
        ),
        (json!({"text": "link"}), (Unattended, Some(2), lexical)),
    ];
    for (arguments, expected) in table {
        assert_eq!(decide(&rules, &arguments), expected, "{arguments}");
    }
}

#[test]
fn a_link_does_not_gain_a_permission_either() {
    let rules = [
        RawRule::condition("/path", Prefix, ".git/", Unattended),
        RawRule::condition("/path", Const, "edited", Edit),
    ];
    let decided = decide(&rules, &json!({"path": "link/x"}));
    assert_eq!(decided, (Ask, None, PathForm::Lexical));
    // `edit` and `ask` are equally strict: the form as given names the rule.
    let decided = decide(&rules, &json!({"path": "edited"}));
    assert_eq!(decided, (Edit, Some(1), PathForm::Lexical));
}

#[test]
fn a_path_that_leaves_the_workspace_is_never_unattended() {
    let rules = [
        RawRule::condition("/path", Prefix, "..", Unattended),
        RawRule::condition("/text", Const, "no", Skip),
        RawRule::catch_all(Unattended),
    ];
    let lexical = PathForm::Lexical;
    let table = [
        (json!({"path": "../x"}), (Ask, None, lexical)),
        (json!({"path": "up"}), (Ask, None, lexical)),
        (json!({"path": "lost"}), (Ask, None, lexical)),
        (json!({"paths": ["src", "up"]}), (Ask, None, lexical)),
        (
            json!({"moves": [{"from": "a", "to": "up"}]}),
            (Ask, None, lexical),
        ),
        (json!({"path": "src"}), (Unattended, Some(2), lexical)),
        (
            json!({"path": "src", "text": "no"}),
            (Skip, Some(1), lexical),
        ),
        (
            json!({"paths": ["up"], "text": "no"}),
            (Skip, Some(1), lexical),
        ),
    ];
    for (arguments, expected) in table {
        assert_eq!(decide(&rules, &arguments), expected, "{arguments}");
    }
    assert_eq!(
        decide(
            &[RawRule::catch_all(Unattended)],
            &json!({"moves": [{"to": "up"}]})
        ),
        (Ask, None, lexical)
    );
    let (policy, _) = compile(&rules, &parameters());
    let arguments = json!({"path": "up", "moves": [{"from": "lost"}]});
    let decided = evaluate_paths(&policy, &arguments, canonical);
    assert_eq!(
        decided.decision.outside().collect::<Vec<_>>(),
        ["up", "lost"]
    );
    assert_eq!(decided.evaluation.values, [json!("up"), json!("lost")]);
}

/// Each path with the mode and the rule that it gets alone.
fn each(
    rules: &[RawRule<RunMode>],
    arguments: &Value,
) -> Vec<(String, String, RunMode, Option<usize>)> {
    let (policy, problems) = compile(rules, &parameters());
    assert_eq!(problems, []);
    decide_paths(&policy, arguments, canonical)
        .paths
        .into_iter()
        .map(|path| (path.pointer, path.value, path.mode, path.rule))
        .collect()
}

#[test]
fn a_rule_on_one_path_lets_no_other_path_through() {
    let rules = [
        RawRule::condition("/path", Prefix, "src", Unattended),
        RawRule::condition("/paths", Prefix, "src", Unattended),
        RawRule::catch_all(Ask),
    ];
    let lexical = PathForm::Lexical;
    let table = [
        (json!({"path": "src"}), (Unattended, Some(0), lexical)),
        (
            json!({"path": "src", "paths": ["src/a", "src/b"]}),
            (Unattended, Some(0), lexical),
        ),
        (
            json!({"path": "src", "paths": ["src/a", "secret"]}),
            (Ask, Some(2), lexical),
        ),
        (
            json!({"path": "secret", "paths": ["src/a"]}),
            (Ask, Some(2), lexical),
        ),
        (
            json!({"path": "src", "moves": [{"from": "src/a"}]}),
            (Ask, Some(2), lexical),
        ),
        (
            json!({"paths": ["src/a", "src/a"], "text": "secret"}),
            (Unattended, Some(1), lexical),
        ),
    ];
    for (arguments, expected) in table {
        assert_eq!(decide(&rules, &arguments), expected, "{arguments}");
    }
    assert_eq!(
        each(
            &rules,
            &json!({"path": "src", "paths": ["x", "src/a"], "moves": [{"to": "up"}]})
        ),
        [
            ("/path".to_owned(), "src".to_owned(), Unattended, Some(0)),
            ("/paths/0".to_owned(), "x".to_owned(), Ask, Some(2)),
            (
                "/paths/1".to_owned(),
                "src/a".to_owned(),
                Unattended,
                Some(1)
            ),
            ("/moves/0/to".to_owned(), "up".to_owned(), Ask, Some(2)),
        ]
    );
}

#[test]
fn what_is_no_path_stays_beside_each_path() {
    let rules = [
        RawRule::condition("/text", Const, "dry run", Unattended),
        RawRule::condition("/path", Prefix, "src", Unattended),
        RawRule::catch_all(Ask),
    ];
    let decided = decide(
        &rules,
        &json!({"path": "a", "paths": ["b"], "text": "dry run"}),
    );
    assert_eq!(decided, (Unattended, Some(0), PathForm::Lexical));
}

#[test]
fn every_rule_that_asks_is_named() {
    let rules = [
        RawRule::condition("/path", Prefix, "src", Unattended),
        RawRule::condition("/paths", Prefix, "docs", Ask),
        RawRule::condition("/paths", Prefix, "etc", Edit),
        RawRule::condition("/paths", Prefix, "sys", Skip),
    ];
    let (policy, _) = compile(&rules, &parameters());
    let asking = |arguments: Value| {
        let decision = decide_paths(&policy, &arguments, canonical);
        (decision.mode, decision.rule, decision.asking)
    };
    assert_eq!(
        asking(json!({"path": "src"})),
        (Unattended, Some(0), vec![])
    );
    assert_eq!(
        asking(json!({"path": "src", "paths": ["docs", "x"]})),
        (Ask, Some(1), vec![None, Some(1)])
    );
    // Whoever edits is asked as well; the other way round, the edit would be lost.
    assert_eq!(
        asking(json!({"path": "src", "paths": ["docs", "etc"]})),
        (Edit, Some(2), vec![Some(1), Some(2)])
    );
    assert_eq!(
        asking(json!({"paths": ["docs", "etc", "sys"]})),
        (Skip, Some(3), vec![])
    );
}

#[test]
fn an_object_that_a_rule_names_as_a_whole_holds_its_path_alone() {
    let rules = [
        RawRule::condition("/moves", Const, json!({"from": "src"}), Unattended),
        RawRule::catch_all(Ask),
    ];
    let lexical = PathForm::Lexical;
    let table = [
        (
            json!({"moves": [{"from": "src"}]}),
            (Unattended, Some(0), lexical),
        ),
        (
            json!({"moves": [{"from": "src"}, {"from": "src"}]}),
            (Unattended, Some(0), lexical),
        ),
        (
            json!({"moves": [{"from": "src"}, {"from": "secret"}]}),
            (Ask, Some(1), lexical),
        ),
    ];
    for (arguments, expected) in table {
        assert_eq!(decide(&rules, &arguments), expected, "{arguments}");
    }
}

/// Ten thousand paths take as many lookups as there are paths, and a walk that does not begin anew for each.
#[test]
fn each_of_many_paths_is_looked_up_once() {
    let rules: Vec<RawRule<RunMode>> = (0..1_000)
        .map(|number| RawRule::condition("/paths", Prefix, format!("src/{number}"), Unattended))
        .chain([RawRule::catch_all(Ask)])
        .collect();
    let (policy, _) = compile(&rules, &parameters());
    let paths: Vec<String> = (0..10_000)
        .map(|number| format!("src/{}/x", number % 1_000))
        .collect();
    let mut looked_up = 0;
    let mut decide = |paths: &[String]| {
        let decision = decide_paths(&policy, &json!({"paths": paths}), |path| {
            looked_up += 1;
            canonical(path)
        });
        (decision.mode, decision.rule)
    };
    assert_eq!(decide(&paths), (Unattended, Some(0)));
    let mut paths = paths;
    paths.push("secret".to_owned());
    assert_eq!(decide(&paths), (Ask, Some(1_000)));
    assert_eq!(looked_up, 20_001);
}
