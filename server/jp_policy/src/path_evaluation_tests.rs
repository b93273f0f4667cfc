use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    matcher::MatcherKind::{Const, Prefix},
    mode::RunMode::{self, Ask, Edit, Skip, Unattended},
    parameter::Parameters,
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
    let decision = evaluate_paths(&policy, arguments, canonical);
    (
        decision.evaluation.mode,
        decision.evaluation.rule,
        decision.form,
    )
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
    let decision = evaluate_paths(&policy, &arguments, canonical);
    assert_eq!(decision.outside, ["up", "lost"]);
    assert_eq!(decision.evaluation.values, [json!("up"), json!("lost")]);
}
