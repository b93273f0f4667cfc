use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::UnattendedCalls;
use crate::{
    CanonicalPath, Parameter, ParameterType, Parameters, Policy, RunMode, compile, decide_paths,
    rules_from_config,
};

fn edit() -> Parameters {
    let path = || Parameter::of(ParameterType::Path);
    let text = || Parameter::of(ParameterType::String);
    Parameters::new([
        ("path", path().required()),
        ("force", Parameter::of(ParameterType::Boolean)),
        (
            "patterns",
            Parameter::array(Parameter::object([
                ("old", text().required()),
                ("paths", Parameter::array(path())),
            ])),
        ),
    ])
}

fn policy(rules: &Value, parameters: &Parameters) -> Policy<RunMode> {
    let rules = rules_from_config(rules).expect("the rules can be read");
    let (policy, problems) = compile(&rules, parameters);
    assert!(problems.is_empty(), "{problems:?}");
    policy
}

#[track_caller]
fn check(rules: &Value, path: &str, expected: &Expect) {
    let policy = policy(rules, &edit());
    let call = UnattendedCalls::of(&policy).naming(path);
    let text = call.map_or_else(|| "asks".to_owned(), |call| call.to_string());
    expected.assert_eq(&text);
}

#[test]
fn the_rule_on_the_path_decides() {
    let rules = json!([
        { "arg": "/path", "prefix": "src", "mode": "unattended" },
        { "mode": "ask" },
    ]);
    check(&rules, "src/a.rs", &expect![[r#"{"path":"src/a.rs"}"#]]);
    check(&rules, "./src/a.rs", &expect![[r#"{"path":"src/a.rs"}"#]]);
    check(&rules, "src-old/a.rs", &expect!["asks"]);
    check(&rules, "src/../../x", &expect!["asks"]);
}

#[test]
fn a_stricter_rule_before_it_asks() {
    let rules = json!([
        { "arg": "/path", "prefix": ".jp", "mode": "ask" },
        { "arg": "/patterns/paths", "prefix": ".jp", "mode": "skip" },
        { "mode": "unattended" },
    ]);
    check(&rules, ".jp/config.toml", &expect!["asks"]);
    check(&rules, ".envrc", &expect![[r#"{"path":".envrc"}"#]]);
}

#[test]
fn another_path_of_the_call_says_the_same() {
    let rules = json!([
        { "arg": "/path", "const": "a", "mode": "unattended" },
        { "arg": "/patterns/paths", "prefix": "b", "mode": "unattended" },
        { "mode": "ask" },
    ]);
    check(
        &rules,
        "b/x",
        &expect![[r#"{"path":"a","patterns":[{"old":"x","paths":["b/x"]}]}"#]],
    );
    check(&rules, "c", &expect!["asks"]);
}

#[test]
fn another_argument_can_permit_it() {
    let rules = json!([
        { "arg": "/path", "prefix": "locked", "mode": "skip" },
        { "arg": "/force", "const": true, "mode": "unattended" },
        { "mode": "ask" },
    ]);
    check(&rules, "x", &expect![[r#"{"path":"x","force":true}"#]]);
    check(
        &rules,
        "locked/x",
        &expect![[r#"{"path":"x","force":true,"patterns":[{"old":"x","paths":["locked/x"]}]}"#]],
    );
}

#[test]
fn a_declared_value_is_the_only_one() {
    let parameters = Parameters::new([(
        "path",
        Parameter::of(ParameterType::Path).one_of([json!("a/./b"), json!("c")]),
    )]);
    let policy = policy(&json!([{ "mode": "unattended" }]), &parameters);
    let calls = UnattendedCalls::of(&policy);
    assert_eq!(calls.naming("a/b"), Some(json!({ "path": "a/b" })));
    assert_eq!(calls.naming("d"), None);
}

#[test]
fn a_tool_without_paths_names_none() {
    let parameters = Parameters::new([("text", Parameter::of(ParameterType::String).required())]);
    let rules = json!([
        { "arg": "/text", "prefix": "git ", "mode": "unattended" },
        { "mode": "ask" },
    ]);
    let git = policy(&rules, &parameters);
    let calls = UnattendedCalls::of(&git);
    assert!(!calls.can_name_files());
    assert_eq!(calls.naming("a"), None);
    assert_eq!(calls.any(), Some(json!({ "text": "git x" })));
    let asks = policy(&json!([{ "mode": "ask" }]), &parameters);
    assert_eq!(UnattendedCalls::of(&asks).any(), None);
}

/// Some of everything: each name is a prefix of another one, and only some are components.
const PATHS: [&str; 5] = ["a", "a/b", "ab", "c", "."];

/// What calls name: the paths of rules, one below each, and one beside them all.
const NAMED: [&str; 10] = [
    "a", "a/b", "ab", "c", ".", "a/z", "a/b/z", "ab/z", "c/z", "z",
];

fn rule() -> impl Strategy<Value = Value> {
    let mode = prop::sample::select(vec!["ask", "unattended", "skip"]);
    let path = prop::sample::select(PATHS.to_vec());
    let pointer = prop::sample::select(vec!["/path", "/other"]);
    prop_oneof![
        (pointer.clone(), path.clone(), mode.clone())
            .prop_map(|(arg, path, mode)| json!({ "arg": arg, "prefix": path, "mode": mode })),
        (pointer, path, mode.clone())
            .prop_map(|(arg, path, mode)| json!({ "arg": arg, "const": path, "mode": mode })),
        (any::<bool>(), mode.clone())
            .prop_map(|(force, mode)| json!({ "arg": "/force", "const": force, "mode": mode })),
        mode.prop_map(|mode| json!({ "mode": mode })),
    ]
}

proptest! {
    /// All calls over the few values that rules can tell apart, each decided: one is found where there is one.
    #[test]
    fn finds_a_call_where_enumeration_does(
        rules in prop::collection::vec(rule(), 1..6),
        is_required in any::<(bool, bool, bool)>(),
    ) {
        let parameter = |kind, required| {
            let parameter = Parameter::of(kind);
            if required { parameter.required() } else { parameter }
        };
        let parameters = Parameters::new([
            ("path", parameter(ParameterType::Path, is_required.0)),
            ("other", parameter(ParameterType::Path, is_required.1)),
            ("force", parameter(ParameterType::Boolean, is_required.2)),
        ]);
        let policy = policy(&Value::from(rules), &parameters);
        let calls = UnattendedCalls::of(&policy);
        let mut any = false;
        let values = || NAMED.iter().map(|path| Some(json!(path))).chain([None]);
        let flags = [None, Some(json!(true)), Some(json!(false))];
        let mut named = std::collections::BTreeSet::new();
        for path in values() {
            for other in values() {
                for force in &flags {
                    let given = [path.clone(), other.clone(), force.clone()];
                    let required = [is_required.0, is_required.1, is_required.2];
                    if given.iter().zip(required).any(|(given, required)| required && given.is_none()) {
                        continue;
                    }
                    let names = ["path", "other", "force"];
                    let call: Value = names.iter().zip(given.clone())
                        .filter_map(|(name, given)| Some(((*name).to_owned(), given?)))
                        .collect::<serde_json::Map<_, _>>().into();
                    let decision = decide_paths(&policy, &call, |path| {
                        Some(CanonicalPath::Inside(path.to_owned()))
                    });
                    if decision.mode == RunMode::Unattended {
                        any = true;
                        named.extend(decision.paths.into_iter().map(|path| path.value));
                    }
                }
            }
        }
        prop_assert_eq!(calls.any().is_some(), any);
        for path in &NAMED {
            prop_assert_eq!(calls.naming(path).is_some(), named.contains(*path), "{}", path);
        }
    }
}
