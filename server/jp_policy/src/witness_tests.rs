use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    MatcherKind::{self, Const, ExclusiveMinimum, Pattern, Prefix},
    Parameters, RawRule,
    RunMode::{self, Ask, Skip},
    compile,
};

fn parameters() -> Parameters {
    let of = Parameter::of;
    Parameters::new([
        ("command", of(ParameterType::String)),
        ("must", of(ParameterType::Boolean).required()),
        (
            "patterns",
            Parameter::array(Parameter::object([
                ("old", of(ParameterType::String).required()),
                ("paths", Parameter::array(of(ParameterType::Path))),
            ])),
        ),
        (
            "range",
            Parameter::object([
                ("from", of(ParameterType::Integer).required()),
                ("to", of(ParameterType::Integer)),
            ]),
        ),
    ])
}

fn witnesses(conditions: &[(&str, MatcherKind, Value)]) -> Vec<Option<Value>> {
    let mut rules: Vec<RawRule<RunMode>> = conditions
        .iter()
        .map(|(arg, kind, value)| RawRule::condition(*arg, *kind, value.clone(), Skip))
        .collect();
    rules.push(RawRule::catch_all(Ask));
    let (policy, problems) = compile(&rules, &parameters());
    assert_eq!(problems, []);
    let found: Vec<Option<Value>> = (0..rules.len())
        .map(|rule| witness(&policy, rule))
        .collect();
    assert_eq!(super::witnesses(&policy), found);
    assert_eq!(witness(&policy, rules.len()), None);
    found
}

#[test]
fn shows_a_valid_call_for_each_rule() {
    assert_eq!(
        witnesses(&[
            ("/must", Const, json!(true)),
            ("/command", Prefix, json!("git ")),
            ("/command", Prefix, json!("git push")),
            ("/patterns/paths", Const, json!(".env")),
            ("/range/to", ExclusiveMinimum, json!(9)),
        ]),
        [
            Some(json!({"must": true})),
            Some(json!({"command": "git x", "must": false})),
            None,
            Some(json!({"must": false, "patterns": [{"old": "x", "paths": [".env"]}]})),
            Some(json!({"must": false, "range": {"from": 0, "to": 10}})),
            Some(json!({"must": false})),
        ]
    );
}

#[test]
fn finds_texts_for_patterns_and_around_them() {
    assert_eq!(
        witnesses(&[
            ("/command", Pattern, json!("x$")),
            ("/command", Pattern, json!("^(ls|cat) [0-9]+\\b")),
            ("/command", Prefix, json!("git ")),
            ("/command", Pattern, json!("[^\\s\\S]")),
        ]),
        [
            Some(json!({"command": "x", "must": false})),
            Some(json!({"command": "ls 0", "must": false})),
            Some(json!({"command": "git ", "must": false})),
            None,
            Some(json!({"must": false})),
        ]
    );
}
