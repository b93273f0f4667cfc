use jp_conversation::ConfigDelta;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn id() -> ConversationId {
    ConversationId::from_deciseconds(17_636_666_521)
}

fn change(call: &str, root: &str, approved: bool) -> SettledChange {
    let delta = json!({"assistant": {"name": call}});
    let delta = ConfigDelta {
        delta: delta.as_object().cloned().unwrap_or_default(),
        ..ConfigDelta::default()
    };
    SettledChange {
        root: root.into(),
        conversation: id(),
        call: call.to_owned(),
        tool: "rename".to_owned(),
        approved: approved.then_some(delta),
        is_kept: false,
    }
}

fn offered(changes: &ApprovedChanges) -> Vec<&str> {
    let offered = changes.offered("/w/.jp/config.toml".into());
    offered.map(|change| change.call.as_str()).collect()
}

#[test]
fn what_was_approved_is_offered_until_it_is_kept() {
    let mut changes = ApprovedChanges::default();
    changes.settle(change("call_1", "/w", true));
    changes.settle(change("call_2", "/w", false));
    changes.settle(change("call_3", "/elsewhere", true));
    changes.settle(change("call_4", "/w", true));
    assert_eq!(offered(&changes), ["call_4", "call_1"]);
    changes.kept(id(), "call_1");
    assert_eq!(offered(&changes), ["call_4"]);
    assert!(changes.find(id(), "call_1").is_ok());
}

#[test]
fn what_was_rejected_or_never_seen_says_so() {
    let mut changes = ApprovedChanges::default();
    changes.settle(change("call_1", "/w", true));
    changes.settle(change("call_1", "/w", false));
    let problem = |call| changes.find(id(), call).unwrap_err().to_string();
    assert_eq!(
        problem("call_1"),
        "the config change of call `call_1` was not approved, so there is nothing to keep"
    );
    assert_eq!(
        problem("call_9"),
        "no config change of call `call_9` in `jp-c17636666521` is known: one can be kept once it was approved and its cycle has ended, until the server ends"
    );
    assert!(offered(&changes).is_empty());
}

#[test]
fn memory_is_bounded() {
    let mut changes = ApprovedChanges::default();
    for number in 0..200 {
        changes.settle(change(&format!("call_{number}"), "/w", true));
    }
    assert!(changes.find(id(), "call_135").is_err());
    assert!(changes.find(id(), "call_136").is_ok());
    let huge = |call: &str| {
        let mut change = change(call, "/w", true);
        change.tool = "x".repeat(MAXIMUM_BYTES / 2);
        change
    };
    changes.settle(huge("a"));
    changes.settle(huge("b"));
    assert_eq!(changes.changes.len(), 1);
    let held: usize = changes.changes.iter().map(|(size, _)| size).sum();
    assert_eq!(changes.bytes, held);
}
