use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn rule(path: &str, read: bool, write: WriteGrant) -> ConfigRule {
    ConfigRule {
        path: path.to_owned(),
        read,
        write,
        ..ConfigRule::default()
    }
}

/// The example of RFD 078, "Evaluation: longest prefix match".
fn example() -> Vec<ConfigRule> {
    vec![
        rule("conversation", true, WriteGrant::No),
        rule("conversation.tools", true, WriteGrant::InsecureAllow),
        rule(
            "conversation.tools.toggle_tools.access",
            false,
            WriteGrant::No,
        ),
    ]
}

fn decided(rules: &[ConfigRule], target: &str) -> String {
    let policy = ConfigPolicy::compile(rules).unwrap();
    let target = ConfigPath::parse(target).unwrap();
    let mut granted = Vec::new();
    let mut rule = None;
    for capability in [
        ConfigCapability::Read,
        ConfigCapability::Write,
        ConfigCapability::Delete,
    ] {
        let decision = policy.decide(capability, &target);
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
fn the_longest_prefix_decides_alone() {
    for (target, expected) in [
        ("conversation.attachments", "read by 0"),
        ("conversation.tools.fs_read_file", "read+write by 1"),
        ("conversation.tools.toggle_tools.access.config", " by 2"),
        ("assistant.model", " by none"),
        ("conversations", " by none"),
    ] {
        assert_eq!(decided(&example(), target), expected, "{target}");
    }
}

#[test]
fn without_rules_everything_is_denied() {
    assert_eq!(decided(&[], "assistant.model"), " by none");
    let path = ConfigPath::parse("assistant.model").unwrap();
    let decision = ConfigPolicy::default().decide(ConfigCapability::Read, &path);
    assert_eq!((decision.allowed, decision.reason), (false, Reason::NoRule));
}

#[test]
fn a_star_is_exactly_one_key() {
    let rules = [rule("conversation.tools.*.run", true, WriteGrant::No)];
    assert_eq!(decided(&rules, "conversation.tools.x.run"), "read by 0");
    assert_eq!(decided(&rules, "conversation.tools.*.run"), "read by 0");
    assert_eq!(decided(&rules, "conversation.tools.x.run.y"), "read by 0");
    assert_eq!(decided(&rules, "conversation.tools.run"), " by none");
    assert_eq!(decided(&rules, "conversation.tools.x.y.run"), " by none");
}

#[test]
fn a_star_and_a_key_count_the_same() {
    let star = rule("a.*.c", true, WriteGrant::No);
    let key = rule("a.b.c", false, WriteGrant::No);
    assert_eq!(decided(&[star.clone(), key.clone()], "a.b.c"), " by 1");
    assert_eq!(decided(&[key, star], "a.b.c"), "read by 1");
}

#[test]
fn a_longer_path_behind_a_star_is_found() {
    let rules = [
        rule("a.b", false, WriteGrant::No),
        rule("a.*.c", true, WriteGrant::No),
        rule("*.b.c.d", true, WriteGrant::Yes),
    ];
    assert_eq!(decided(&rules, "a.b.c"), "read by 1");
    assert_eq!(decided(&rules, "a.b.x"), " by 0");
    assert_eq!(decided(&rules, "a.b.c.d"), "read+write by 2");
}

#[test]
fn a_sensitive_path_is_changed_only_with_acknowledgement() {
    let with = |write| ConfigRule {
        delete: true,
        ..rule("conversation.tools", true, write)
    };
    for (write, target, expected) in [
        (
            WriteGrant::Yes,
            "conversation.tools.x.access.fs",
            "read by 0",
        ),
        (WriteGrant::Yes, "conversation.tools.x", "read by 0"),
        (
            WriteGrant::Yes,
            "conversation.tools.x.run",
            "read+write+delete by 0",
        ),
        (
            WriteGrant::No,
            "conversation.tools.x.access.fs",
            "read by 0",
        ),
        (
            WriteGrant::InsecureAllow,
            "conversation.tools.x.access.fs",
            "read+write+delete by 0",
        ),
    ] {
        assert_eq!(decided(&[with(write)], target), expected, "{target}");
    }
}

#[test]
fn rules_round_trip() {
    let wire = json!([
        {"path": "a", "read": false, "write": "insecure_allow", "delete": true, "apply": "unattended"},
        {"path": "b", "read": true, "write": true, "delete": false, "apply": "ask"},
    ]);
    let rules: Vec<ConfigRule> = serde_json::from_value(wire.clone()).unwrap();
    assert_eq!(serde_json::to_value(&rules).unwrap(), wire);
    assert_eq!(
        serde_json::from_value::<ConfigRule>(json!({"path": "a"})).unwrap(),
        rule("a", false, WriteGrant::No)
    );
    assert_eq!(
        serde_json::from_value::<ConfigRule>(json!({"path": "a", "write": "insecure"}))
            .unwrap_err()
            .to_string(),
        "invalid value: string \"insecure\", expected `true`, `false` or `\"insecure_allow\"`"
    );
}

#[test]
fn a_broken_path_breaks_the_policy() {
    assert_eq!(
        ConfigPolicy::compile(&[
            rule("a", true, WriteGrant::No),
            rule("a.b*", false, WriteGrant::No)
        ])
        .unwrap_err()
        .to_string(),
        "access.config, rule 2: config path `a.b*` holds `b*`; write `*` alone for any key, or the whole key"
    );
}
