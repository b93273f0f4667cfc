use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

/// The examples of RFD 076, "Evaluation: longest prefix match".
fn example() -> Vec<FsRule> {
    vec![
        FsRule::new(".").with_read(true).with_write(true),
        FsRule::new("src").with_read(true),
        FsRule::new("src/generated")
            .with_read(true)
            .with_write(true),
    ]
}

/// The granted capabilities, and the rule that decided.
fn decided(rules: &[FsRule], target: &str) -> String {
    let policy = FsPolicy::compile(rules).unwrap();
    let mut granted = Vec::new();
    let mut rule = None;
    for capability in FsCapability::ALL {
        let decision = policy.decide(capability, Utf8Path::new(target));
        if decision.allowed {
            granted.push(capability.as_str());
        }
        rule = decision.rule;
    }
    format!(
        "{} by {}",
        granted.join("+"),
        rule.map_or("none".to_owned(), |rule| rule.to_string())
    )
}

#[test]
fn the_most_specific_rule_decides_alone() {
    let rules = example();
    let write = "read+create+update+delete";
    assert_eq!(decided(&rules, "README.md"), format!("{write} by 0"));
    assert_eq!(decided(&rules, "src/lib.rs"), "read by 1");
    assert_eq!(
        decided(&rules, "src/generated/schema.rs"),
        format!("{write} by 2")
    );
    assert_eq!(decided(&rules, "tests/main.rs"), format!("{write} by 0"));
    assert_eq!(decided(&rules, "."), format!("{write} by 0"));
}

#[test]
fn matching_is_by_component() {
    let rules = [FsRule::new("src").with_read(true)];
    assert_eq!(decided(&rules, "src/lib.rs"), "read by 0");
    assert_eq!(decided(&rules, "src"), "read by 0");
    assert_eq!(decided(&rules, "src_generated/foo.rs"), " by none");
}

#[test]
fn glob_characters_are_literal() {
    let rules = [FsRule::new("*").with_read(true)];
    assert_eq!(decided(&rules, "a"), " by none");
    assert_eq!(decided(&rules, "*/a"), "read by 0");
}

#[test]
fn of_equal_paths_the_last_declared_decides() {
    let rules = [
        FsRule::new("src").with_read(true),
        FsRule::new("./src/").with_execute(true),
    ];
    assert_eq!(decided(&rules, "src/a"), "execute by 1");
}

#[test]
fn explicit_capabilities_override_the_alias() {
    let at = |rule: FsRule| decided(&[rule], "a");
    let rule = || FsRule::new(".");
    assert_eq!(at(rule().with_write(true)), "create+update+delete by 0");
    assert_eq!(
        at(rule().with_write(true).with_delete(false)),
        "create+update by 0"
    );
    assert_eq!(at(rule().with_create(true)), "create by 0");
    assert_eq!(
        at(rule().with_write(false).with_update(true)),
        "update by 0"
    );
    assert_eq!(at(rule()), " by 0");
}

#[test]
fn without_rules_nothing_is_restricted() {
    assert_eq!(
        decided(&[], "a"),
        "read+create+update+delete+execute by none"
    );
}

#[test]
fn a_target_that_is_not_canonical_is_denied() {
    for rules in [vec![], example()] {
        let policy = FsPolicy::compile(&rules).unwrap();
        for target in ["../a", "/a", "src/../a"] {
            let decision = policy.decide(FsCapability::Read, Utf8Path::new(target));
            assert_eq!(
                (decision.allowed, decision.reason),
                (false, Reason::NotCanonical)
            );
        }
    }
}

#[test]
fn a_rule_that_could_never_match_breaks_the_policy() {
    for path in ["/etc", "../a", "a/../b"] {
        let error = FsPolicy::compile(&[FsRule::new("."), FsRule::new(path)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "access.fs, rule 2: access rule path is not workspace-relative: `{path}`; \
                 write it relative to the workspace, without `..`"
            )
        );
    }
}

#[test]
fn a_rule_is_written_in_both_spellings() {
    let rule = FsRule::new("src").with_read(true);
    assert_eq!(
        serde_json::to_value(&rule).unwrap(),
        json!({
            "path": "src", "lexical_path": "src", "external": false, "approved_target": null,
            "read": true, "write": null, "create": null, "update": null, "delete": null, "execute": null,
        })
    );
    let root = serde_json::to_value(FsRule::new(".")).unwrap();
    assert_eq!(
        (&root["path"], &root["lexical_path"]),
        (&json!("."), &json!(""))
    );
}

#[test]
fn a_rule_is_read_in_either_spelling() {
    let expected = FsRule::new("src").with_read(true);
    for wire in [
        json!({"path": "src", "read": true}),
        json!({"lexical_path": "src", "read": true, "write": null}),
        json!({"path": "src", "lexical_path": "src", "read": true}),
    ] {
        assert_eq!(serde_json::from_value::<FsRule>(wire).unwrap(), expected);
    }
    let sentinel: FsRule = serde_json::from_value(json!({"lexical_path": ""})).unwrap();
    assert_eq!(sentinel, FsRule::new("."));
}

#[test]
fn a_rule_that_contradicts_itself_is_refused() {
    let error = |wire| {
        serde_json::from_value::<FsRule>(wire)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(json!({"path": "a", "lexical_path": "b"})),
        "fs rule has `path` = `a` and `lexical_path` = `b`; write one of them"
    );
    assert_eq!(error(json!({"read": true})), "fs rule has no `path`");
}
