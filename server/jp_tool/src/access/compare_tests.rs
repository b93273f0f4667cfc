use serde_json::json;

use super::*;

fn policy(value: serde_json::Value) -> AccessPolicy {
    serde_json::from_value(value).unwrap()
}

/// The changes, one a line.
fn changes(before: serde_json::Value, after: serde_json::Value) -> Vec<String> {
    let known = [
        "assistant.model",
        "conversation.title",
        "conversation.tools.*.run",
    ]
    .map(|path| ConfigPath::parse(path).unwrap());
    let found = compare_grants(&policy(before), &policy(after), &known).unwrap();
    let line = |change: &GrantChange| {
        format!(
            "{} -> {} {}",
            change.before.as_str(),
            change.after.as_str(),
            change.witness
        )
    };
    found.iter().map(line).collect()
}

#[test]
fn the_decisions_are_compared_and_not_the_lists() {
    let before = json!({ "fs": [{ "path": "src", "read": true }, { "path": ".", "read": true }] });
    let after = json!({ "fs": [{ "path": "./", "read": true }] });
    assert_eq!(changes(before, after), Vec::<String>::new());
}

#[test]
fn a_wider_rule_shows_a_path_that_no_rule_named() {
    let before = json!({ "fs": [{ "path": "src", "read": true }] });
    let after = json!({ "fs": [{ "path": ".", "write": true }, { "path": "src", "read": true }] });
    assert_eq!(
        changes(before, after),
        [
            r#"denied -> allowed {"fs":{"capability":"create","path":"x"}}"#,
            r#"denied -> allowed {"fs":{"capability":"update","path":"x"}}"#,
            r#"denied -> allowed {"fs":{"capability":"delete","path":"x"}}"#,
        ]
    );
}

#[test]
fn a_rule_below_another_takes_from_it() {
    let before = json!({ "fs": [{ "path": ".", "read": true }] });
    let after = json!({ "fs": [{ "path": ".", "read": true }, { "path": ".env" }] });
    assert_eq!(
        changes(before, after),
        [r#"allowed -> denied {"fs":{"capability":"read","path":".env/x"}}"#]
    );
}

#[test]
fn the_first_rule_of_a_list_closes_everything_else() {
    assert_eq!(
        changes(
            json!({}),
            json!({ "net": [{ "host": "docs.rs", "allow": true }] })
        ),
        [r#"allowed -> denied {"net":"https://example.com/"}"#]
    );
}

#[test]
fn protected_places_are_compared_by_themselves() {
    let before = json!({ "fs": [{ "path": ".", "write": true }] });
    let after =
        json!({ "fs": [{ "path": ".", "write": true }, { "path": ".git", "update": true }] });
    assert_eq!(
        changes(before, after),
        [r#"denied -> allowed {"fs":{"capability":"update","path":".git/x"}}"#]
    );
}

#[test]
fn ports_schemes_and_paths_of_a_host_are_told_apart() {
    let before = json!({ "net": [{ "host": "a.example", "allow": true }] });
    let after = json!({ "net": [
        { "host": "a.example", "allow": true },
        { "host": "a.example", "path_prefix": "/admin", "allow": false },
        { "host": "a.example", "port": 444, "scheme": "https", "allow": true },
    ] });
    assert_eq!(
        changes(before, after),
        [
            r#"allowed -> denied {"net":"https://a.example/admin/"}"#,
            r#"denied -> allowed {"net":"https://a.example:444/"}"#,
        ]
    );
}

#[test]
fn names_of_variables_are_told_apart_by_their_longest_prefix() {
    let before = json!({ "env": [{ "name": "AWS_*", "read": true }] });
    let after = json!({ "env": [{ "name": "AWS_*", "read": true }, { "name": "AWS_SECRET*" }] });
    assert_eq!(
        changes(before, after),
        [r#"allowed -> denied {"env":"AWS_SECRETX"}"#]
    );
}

#[test]
fn what_a_delta_may_write_and_who_confirms_it() {
    let rule = |write: serde_json::Value, apply: &str| json!({ "config": [{ "path": "conversation", "write": write, "apply": apply }] });
    assert_eq!(
        changes(rule(json!(true), "ask"), rule(json!(true), "unattended")),
        [r#"ask -> allowed {"config":{"capability":"write","path":"conversation.title"}}"#]
    );
    assert_eq!(
        changes(
            rule(json!(true), "ask"),
            rule(json!("insecure_allow"), "ask")
        ),
        [r#"denied -> ask {"config":{"capability":"write","path":"conversation"}}"#]
    );
}

#[test]
fn wildcards_of_both_sides_meet() {
    let before = json!({ "config": [{ "path": "conversation.tools.*.run", "write": true }] });
    let after = json!({ "config": [
        { "path": "conversation.tools.*.run", "write": true },
        { "path": "conversation.tools.edit.*", "read": true },
    ] });
    assert_eq!(
        changes(before, after),
        [
            r#"denied -> allowed {"config":{"capability":"read","path":"conversation.tools.edit.run"}}"#,
            r#"ask -> denied {"config":{"capability":"write","path":"conversation.tools.edit.run"}}"#,
            r#"denied -> allowed {"config":{"capability":"read","path":"conversation.tools.edit.x"}}"#,
        ]
    );
}

#[test]
fn a_rule_that_cannot_be_evaluated_is_said() {
    let broken = policy(json!({ "fs": [{ "path": "../up", "read": true }] }));
    let error = compare_grants(&broken, &AccessPolicy::default(), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "access.fs, rule 1: access rule path is not workspace-relative: `../up`; write it relative to the workspace, without `..`"
    );
}
