use expect_test::expect;
use serde_json::{Map, json};

use super::*;
use crate::{ConversationEvent, EventKind, Timestamp, ToolCallResponse};

fn response() -> ConversationEvent {
    let response = ToolCallResponse {
        id: "c".to_owned(),
        content: "ok".to_owned(),
        is_error: false,
    };
    ConversationEvent::at(Timestamp::EPOCH, EventKind::ToolCallResponse(response))
}

fn decisions() -> CallDecisions {
    let rule = DecidingRule::new(1, r#"{"arg":"/path","prefix":"src","mode":"ask"}"#);
    CallDecisions {
        run: Some(CallDecision {
            mode: "ask".to_owned(),
            rule: Some(rule),
            outcome: DecisionOutcome::Allowed,
            by: DecidedBy::Person,
            remembered: false,
            answerer: Answerer::new("jp/prompt", Some("Visual Studio Code")),
        }),
        result: Some(CallDecision {
            mode: "unattended".to_owned(),
            rule: None,
            outcome: DecisionOutcome::Allowed,
            by: DecidedBy::Policy,
            remembered: false,
            answerer: Answerer::default(),
        }),
        grant: Some(GrantDecision {
            rule: r#"{ path = "src/a.rs", read = true }"#.to_owned(),
            outcome: DecisionOutcome::Refused,
            by: DecidedBy::Person,
            answerer: Answerer::new("terminal", None),
        }),
    }
}

#[test]
fn decisions_survive_the_store() {
    let event = response().with_decisions(&decisions());
    expect![[r#"{"timestamp":"1970-01-01 00:00:00.0","type":"tool_call_response","id":"c","content":"ok","is_error":false,"metadata":{"decisions":{"run":{"mode":"ask","rule":{"index":1,"digest":"5a3d5eefcbd53522"},"outcome":"allowed","by":"person","surface":"jp/prompt","client":"Visual Studio Code"},"result":{"mode":"unattended","rule":null,"outcome":"allowed","by":"policy"},"grant":{"rule":"{ path = \"src/a.rs\", read = true }","outcome":"refused","by":"person","surface":"terminal"}}}}"#]]
        .assert_eq(&event.to_json().to_string());
    let read = ConversationEvent::from_stored(event.to_stored()).unwrap();
    assert_eq!(read.decisions(), Some(decisions()));
}

#[test]
fn an_event_without_decisions_has_none() {
    assert_eq!(response().decisions(), None);
    assert_eq!(
        response().with_decisions(&CallDecisions::default()),
        response()
    );
    let edited = response().with_edited_arguments(Map::new(), Map::new());
    assert_eq!(edited.decisions(), None);
}

#[test]
fn what_is_no_decision_is_none() {
    for damaged in [
        json!(7),
        json!({ "run": "yes" }),
        json!({ "run": { "mode": "ask", "outcome": "allowed" } }),
        json!({ "run": { "mode": "ask", "outcome": "perhaps", "by": "person" } }),
    ] {
        let event = response().with_metadata("decisions", damaged.clone());
        assert_eq!(event.decisions(), None, "{damaged}");
    }
}

#[test]
fn a_digest_is_of_the_text_alone() {
    let digest = |index, text| DecidingRule::new(index, text).digest;
    assert_eq!(digest(0, "a"), digest(7, "a"));
    assert_ne!(digest(0, "a"), digest(0, "b"));
}

#[test]
fn a_client_cannot_fill_the_record_with_its_name() {
    let name = "n".repeat(5000);
    let answerer = Answerer::new("jp/prompt", Some(&name));
    assert_eq!(answerer.client.unwrap().len(), LONGEST_NAME);
}
