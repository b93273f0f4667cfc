use expect_test::{Expect, expect};
use serde_json::json;

use super::{boundary_calls, single_edits};
use crate::{Parameters, RunMode, compile, rules_from_config};

fn check(parameters: &serde_json::Value, rules: &serde_json::Value, expected: &Expect) {
    let rules = rules_from_config::<RunMode>(rules).unwrap();
    let (policy, problems) = compile(&rules, &Parameters::from_config(parameters));
    assert_eq!(problems, []);
    let found = boundary_calls(&policy, Some("/w"));
    assert_eq!(found.unsure, 0);
    let calls: Vec<String> = found.calls.iter().map(ToString::to_string).collect();
    expected.assert_eq(&calls.join("\n"));
}

#[test]
fn a_folder_has_itself_what_is_in_it_what_is_beside_it_and_nothing() {
    check(
        &json!({ "path": { "type": "path" } }),
        &json!([
            { "arg": "/path", "prefix": "src", "mode": "unattended" },
            { "mode": "ask" },
        ]),
        &expect![[r#"
            {"path":"src/x"}
            {}
            {"path":"src"}
            {"path":"src-old"}
            {"path":""}"#]],
    );
}

#[test]
fn a_bound_has_itself_and_what_is_just_below_and_above() {
    check(
        &json!({ "line": { "type": "integer", "required": true } }),
        &json!([
            { "arg": "/line", "minimum": 10, "mode": "skip" },
            { "mode": "ask" },
        ]),
        &expect![[r#"
            {"line":10}
            {"line":9}
            {"line":11}"#]],
    );
}

#[test]
fn a_list_has_none_one_and_two() {
    check(
        &json!({ "words": { "type": "array", "items": { "type": "string" } } }),
        &json!([
            { "arg": "/words", "enum": ["a", "b"], "mode": "unattended" },
            { "mode": "ask" },
        ]),
        &expect![[r#"
            {"words":["a"]}
            {}
            {"words":["b"]}
            {"words":[""]}
            {"words":[]}
            {"words":["a",""]}
            {"words":["ax"]}
            {"words":["a/x"]}
            {"words":["a-old"]}
            {"words":["bx"]}
            {"words":["b/x"]}
            {"words":["b-old"]}"#]],
    );
}

#[test]
fn two_paths_stand_in_one_call() {
    check(
        &json!({ "from": { "type": "path" }, "to": { "type": "path" } }),
        &json!([
            { "arg": "/from", "prefix": "src", "mode": "unattended" },
            { "arg": "/to", "const": "out", "mode": "skip" },
        ]),
        &expect![[r#"
            {"from":"src/x"}
            {"to":"out"}
            {"from":"src"}
            {"from":"src-old"}
            {"from":""}
            {"to":"outx"}
            {"to":""}
            {"from":"src","to":""}
            {}
            {"to":"out/x"}
            {"to":"out-old"}
            {"to":"ou"}"#]],
    );
}

#[test]
fn a_value_of_another_type_is_tried() {
    check(
        &json!({ "id": { "type": ["string", "integer"] } }),
        &json!([
            { "arg": "/id", "const": 1, "mode": "skip" },
            { "mode": "ask" },
        ]),
        &expect![[r#"
            {"id":1}
            {}
            {"id":0}
            {"id":2}
            {"id":""}
            {"id":"1"}"#]],
    );
}

#[test]
fn without_rules_there_is_nothing_to_try() {
    check(
        &json!({ "path": { "type": "path" } }),
        &json!([]),
        &expect![[""]],
    );
}

#[test]
fn an_edit_that_does_not_fit_changes_nothing() {
    let rules = rules_from_config::<RunMode>(&json!("ask")).unwrap();
    for edit in [
        super::SingleEdit::Remove(7),
        super::SingleEdit::Swap(0, 1),
        super::SingleEdit::Replace(3, rules[0].clone()),
    ] {
        assert_eq!(edit.of(&rules), rules);
    }
    // No rule, and each other mode.
    assert_eq!(single_edits(&rules).len(), 4);
}
