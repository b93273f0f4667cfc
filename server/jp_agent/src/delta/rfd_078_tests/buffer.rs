//! What the changes of one cycle come to.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn every_touched_path_is_claimed_as_set_on_purpose() {
    let leaves = read(
        json!({ "assistant": { "model": { "id": "gpt" } } }),
        &[
            "assistant.model.parameters.temperature",
            "conversation.attachments[file://a]",
        ],
    );
    let (delta, view) = commit(vec![(0, leaves)]);
    let claims: Vec<(&str, &Claim)> = delta
        .claims
        .iter()
        .map(|(path, claim)| (path.as_str(), claim))
        .collect();
    assert_eq!(
        claims,
        [
            ("assistant.model.id.name", &Claim::Unclaimed),
            ("assistant.model.id.provider", &Claim::Unclaimed),
            ("assistant.model.parameters.temperature", &Claim::Unclaimed),
            ("conversation.attachments[file://a]", &Claim::Unclaimed),
        ]
    );
    assert_eq!(
        at(&view, "conversation.attachments"),
        Some(&json!(["file://b"]))
    );
    assert_eq!(at(&view, "assistant.model.parameters.temperature"), None);
}

#[test]
fn the_last_operation_in_call_order_wins() {
    let first = read(
        json!({ "assistant": { "name": "first", "model": { "id": "gpt" } } }),
        &[],
    );
    let second = read(
        json!({ "assistant": { "name": "second" } }),
        &["assistant.model.parameters.temperature"],
    );
    let third = read(
        json!({ "assistant": { "model": { "parameters": { "temperature": 1 } } } }),
        &["assistant.name"],
    );
    let (delta, view) = commit(vec![(0, first), (1, second), (2, third)]);
    expect![[r#"
        {
          "assistant": {
            "model": {
              "id": {
                "provider": "openai",
                "name": "gpt"
              },
              "parameters": {
                "temperature": 1
              }
            }
          }
        }
        ["assistant.name"]"#]]
    .assert_eq(&format!(
        "{}\n{:?}",
        serde_json::to_string_pretty(&delta.delta).unwrap(),
        delta.unsets
    ));
    assert_eq!(at(&view, "assistant.name"), None);
}

#[test]
fn additions_of_two_tools_both_stay() {
    let one = read(
        json!({ "conversation": { "attachments": ["file://c"] } }),
        &[],
    );
    let two = read(
        json!({ "conversation": { "attachments": ["file://d"] } }),
        &[],
    );
    let (delta, _) = commit(vec![(0, one), (1, two)]);
    assert_eq!(
        delta.delta["conversation"]["attachments"],
        json!(["file://c", "file://d"])
    );
}

#[test]
fn a_set_survives_an_unset_of_what_contains_it() {
    let delta = ConfigDelta {
        delta: json!({ "conversation": { "tools": { "t": { "command": { "program": "sh" } } } } })
            .as_object()
            .cloned()
            .unwrap_or_default(),
        unsets: vec!["conversation.tools.t.command".to_owned()],
        ..ConfigDelta::default()
    };
    let view = apply(base().value(), &delta);
    assert_eq!(
        at(&view, "conversation.tools.t.command"),
        Some(&json!({ "program": "sh" }))
    );
}

#[test]
fn what_a_table_sets_again_is_not_unset() {
    let cycle = CycleConfig::new(&json!({
        "conversation": { "tools": { "t": { "command": "cat x" } } }
    }));
    let command = json!({ "conversation": { "tools": { "t": { "command": { "shell": true } } } } });
    let unset = ["conversation.tools.t.command.shell".to_owned()];
    let leaves = LeafSet::read(&cycle, Some(&command), &unset).unwrap();
    let mut buffer = CommitBuffer::new();
    buffer.push(0, leaves);
    let delta = buffer.commit(&cycle).unwrap();
    assert_eq!(Value::Object(delta.delta), command);
    assert_eq!(delta.unsets, [] as [&str; 0]);
}

#[test]
fn an_empty_buffer_is_no_event() {
    let mut buffer = CommitBuffer::new();
    buffer.push(0, read(json!({}), &[]));
    assert!(!buffer.holds(0));
    assert_eq!(buffer.commit(&base()), None);
}

#[test]
fn a_restart_discards_and_a_commit_happens_once() {
    let mut buffer = CommitBuffer::new();
    buffer.push(0, read(json!({ "assistant": { "name": "x" } }), &[]));
    assert!(buffer.holds(0) && !buffer.holds(1));
    buffer.discard();
    assert!(!buffer.holds(0));
    assert_eq!(buffer.commit(&base()), None);
    buffer.push(0, read(json!({ "assistant": { "name": "x" } }), &[]));
    assert!(buffer.commit(&base()).is_some());
    assert_eq!(buffer.commit(&base()), None);
}

#[test]
fn proposals_are_read_against_the_start_of_the_cycle() {
    let cycle = base();
    let mut buffer = CommitBuffer::new();
    buffer.push(0, read(json!({ "assistant": { "name": "changed" } }), &[]));
    let all = grants(json!([{ "path": "assistant.name", "read": true }]));
    assert_eq!(
        filter_config(&cycle, &all),
        Some(json!({ "assistant": { "name": "n" } }))
    );
    let later = read(json!({ "assistant": { "name": "other" } }), &[]);
    assert_eq!(
        later
            .changes()
            .first()
            .and_then(|change| change.old.clone()),
        Some(json!("n"))
    );
}

/// Whether a type can be written anywhere: the inherent constant wins where the trait is implemented.
#[test]
fn the_buffer_cannot_be_serialized() {
    struct Probe<T>(std::marker::PhantomData<T>);
    trait Otherwise {
        const IS_SERIALIZE: bool = false;
    }
    impl<T> Otherwise for Probe<T> {}
    impl<T: serde::Serialize> Probe<T> {
        const IS_SERIALIZE: bool = true;
    }
    let serialized = [
        Probe::<CommitBuffer>::IS_SERIALIZE,
        Probe::<Value>::IS_SERIALIZE,
    ];
    assert_eq!(serialized, [false, true]);
}

#[test]
fn a_recorded_change_keeps_the_order_of_its_operations() {
    let name = |name: &str| read(json!({ "assistant": { "name": name } }), &[]);
    let attachments = read(
        json!({ "conversation": { "attachments": ["file://c"] } }),
        &[],
    );
    let order = |entries: Vec<LeafSet>| {
        let (delta, _) = commit(entries.into_iter().enumerate().collect());
        delta.delta.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(
        order(vec![name("a"), attachments.clone()]),
        ["assistant", "conversation"]
    );
    // The name is set last, whatever was said of it before.
    assert_eq!(
        order(vec![name("a"), attachments.clone(), name("b")]),
        ["conversation", "assistant"]
    );
    assert_eq!(
        order(vec![attachments.clone(), name("a"), attachments]),
        ["assistant", "conversation"]
    );
}
