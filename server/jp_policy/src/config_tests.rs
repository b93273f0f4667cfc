use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;
use crate::mode::{ResultMode, RunMode};

#[track_caller]
fn refuses(policy: &Value, index: usize, message: &str) {
    let (rule, error) = rules_from_config::<RunMode>(policy).unwrap_err();
    assert_eq!((rule, error.to_string().as_str()), (index, message));
}

#[test]
fn reads_a_mode_as_a_catch_all() {
    assert_eq!(
        rules_from_config(&json!("skip")),
        Ok(vec![RawRule::catch_all(ResultMode::Skip)])
    );
}

#[test]
fn reads_rules_in_order_with_their_matchers() {
    let rules = rules_from_config(&json!([
        { "arg": "/path", "prefix": "src/", "mode": "unattended" },
        { "arg": "/n", "minimum": 1, "maximum": 2, "mode": "edit" },
        { "mode": "ask" },
    ]));
    let mut both = RawRule::condition("/n", MatcherKind::Minimum, 1, RunMode::Edit);
    both.matchers.push((MatcherKind::Maximum, json!(2)));
    assert_eq!(
        rules,
        Ok(vec![
            RawRule::condition("/path", MatcherKind::Prefix, "src/", RunMode::Unattended),
            both,
            RawRule::catch_all(RunMode::Ask),
        ])
    );
}

#[test]
fn never_reads_a_broken_condition_as_a_catch_all() {
    refuses(
        &json!([{ "mode": "ask" }, { "arg": null, "mode": "unattended" }]),
        1,
        "`arg` is `null`; leave the key out, or write a value",
    );
    refuses(
        &json!([{ "arg": 1, "mode": "unattended" }]),
        0,
        "`arg` is a string, like `\"/path\"`",
    );
    refuses(
        &json!([{ "arg": "/path", "prefix": null, "mode": "unattended" }]),
        0,
        "`prefix` is `null`; leave the key out, or write a value",
    );
    refuses(
        &json!([{ "arg": "/path", "prefx": "src", "mode": "unattended" }]),
        0,
        "a rule has no `prefx`; it has `arg`, one matcher and `mode`",
    );
}

#[test]
fn says_which_modes_there_are() {
    refuses(
        &json!([{ "mode": "never" }]),
        0,
        "unknown mode `never`, expected one of `ask`, `unattended`, `edit`, `skip`",
    );
    refuses(
        &json!([{}]),
        0,
        "the rule has no `mode`; add one of `ask`, `unattended`, `edit`, `skip`",
    );
    refuses(
        &json!([{ "mode": null }]),
        0,
        "the rule has no `mode`; add one of `ask`, `unattended`, `edit`, `skip`",
    );
    refuses(
        &json!(["ask"]),
        0,
        "a rule is a table, like `{ mode = \"ask\" }`",
    );
    refuses(&json!(true), 0, "a policy is a mode or a list of rules");
}

#[test]
fn reads_nested_parameters() {
    let parameters = Parameters::from_config(&json!({
        "path": { "type": "path", "required": true },
        "patterns": {
            "type": "array",
            "items": { "type": "object", "properties": { "old": { "type": "string", "enum": ["a"] } } },
        },
    }));
    assert_eq!(
        parameters,
        Parameters::new([
            ("path", Parameter::of(ParameterType::Path).required()),
            (
                "patterns",
                Parameter::array(Parameter::object([(
                    "old",
                    Parameter::of(ParameterType::String).one_of([json!("a")])
                )]))
            ),
        ])
    );
}

#[test]
fn an_unknown_type_makes_everything_possible() {
    assert_eq!(
        Parameter::from_config(&json!({ "type": ["string", "text"] })),
        Parameter::default()
    );
    assert_eq!(Parameter::from_config(&json!({})), Parameter::default());
    assert_eq!(Parameters::from_config(&json!(1)), Parameters::default());
}

#[test]
fn null_makes_a_parameter_optional_and_keeps_the_other_types() {
    assert_eq!(
        Parameter::from_config(&json!({ "type": ["array", "null"], "required": true })),
        Parameter::of(ParameterType::Array)
    );
}

#[test]
fn an_empty_enum_declares_nothing() {
    assert_eq!(
        Parameter::from_config(&json!({ "type": "string", "enum": [] })),
        Parameter::of(ParameterType::String)
    );
}

#[test]
fn items_without_a_type_are_those_of_an_array() {
    assert_eq!(
        Parameter::from_config(&json!({ "items": { "type": "path" } })),
        Parameter::array(Parameter::of(ParameterType::Path))
    );
}
