use pretty_assertions::assert_eq;
use serde_json::{Map, json};

use super::*;

fn rules(prefixes: &[&str]) -> Vec<RawRule<RunMode>> {
    let of = |prefix: &&str| {
        let kind = jp_policy::MatcherKind::Prefix;
        RawRule::condition("/path", kind, json!(prefix), RunMode::Unattended)
    };
    prefixes.iter().map(of).collect()
}

fn written(tool: &str, added: &str) -> WrittenRule {
    WrittenRule {
        root: "/w".into(),
        tool: tool.to_owned(),
        before: rules(&["src"]),
        planned: rules(&["src", added]),
    }
}

fn call(root: &str, tool: &str, prefixes: &[&str]) -> WaitingCall {
    WaitingCall {
        root: root.into(),
        tool: tool.to_owned(),
        arguments: Map::new(),
        rules: rules(prefixes),
    }
}

fn found(rules: &WrittenRules, call: &WaitingCall) -> Vec<WrittenRule> {
    rules.for_call(call).cloned().collect()
}

#[test]
fn a_rule_answers_for_calls_that_wait_by_the_rules_it_joined() {
    let mut known = WrittenRules::default();
    known.note(written("read", "docs"));
    known.note(written("write", "docs"));
    known.note(written("read", "lib"));
    known.note(written("read", "docs"));
    assert_eq!(
        found(&known, &call("/w", "read", &["src"])),
        [written("read", "docs"), written("read", "lib")]
    );
    for other in [
        call("/x", "read", &["src"]),
        call("/w", "grep", &["src"]),
        // The conversation goes by rules of its own, or the config is saved already.
        call("/w", "read", &["src", "docs"]),
        call("/w", "read", &[]),
    ] {
        assert_eq!(found(&known, &other), [], "{other:?}");
    }
}

#[test]
fn the_latest_rules_are_remembered() {
    let mut known = WrittenRules::default();
    for number in 0..100 {
        known.note(written("read", &number.to_string()));
    }
    let left = found(&known, &call("/w", "read", &["src"]));
    assert_eq!(left.len(), 64);
    assert_eq!(left[0], written("read", "99"));
    assert_eq!(left[63], written("read", "36"));
}
