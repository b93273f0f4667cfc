use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn a_plain_success_has_content_only() {
    let wire = r#"{"type":"success","content":"done"}"#;
    assert_eq!(
        serde_json::to_string(&Outcome::success("done")).unwrap(),
        wire
    );
    assert_eq!(Outcome::from_json(wire), Ok(Outcome::success("done")));
}

#[test]
fn a_success_carries_a_config_change() {
    let wire = json!({
        "type": "success", "content": "Model changed to sonnet, cleared stale parameters.",
        "config": {"assistant": {"model": {"id": "sonnet"}}},
        "unset": ["assistant.model.parameters.temperature", "conversation.attachments[\"stale-file.md\"]"],
    });
    let outcome = Outcome::from_json(&wire.to_string()).unwrap();
    assert_eq!(
        outcome,
        Outcome::Success {
            content: "Model changed to sonnet, cleared stale parameters.".to_owned(),
            config: Some(json!({"assistant": {"model": {"id": "sonnet"}}})),
            unset: vec![
                "assistant.model.parameters.temperature".to_owned(),
                "conversation.attachments[\"stale-file.md\"]".to_owned(),
            ],
        }
    );
    assert_eq!(serde_json::to_value(&outcome).unwrap(), wire);
}

#[test]
fn an_error_is_written_in_full_and_read_in_short() {
    assert_eq!(
        serde_json::to_string(&Outcome::fail("no")).unwrap(),
        r#"{"type":"error","message":"no","trace":[],"transient":false}"#
    );
    assert_eq!(
        Outcome::from_json(r#"{"type":"error","message":"no"}"#),
        Ok(Outcome::fail("no"))
    );
    assert_eq!(
        Outcome::from_json(r#"{"type":"error","message":"no","trace":["a"],"transient":true}"#),
        Ok(Outcome::Error {
            message: "no".to_owned(),
            trace: vec!["a".to_owned()],
            transient: true,
        })
    );
}

#[test]
fn needs_input_carries_a_question() {
    assert_eq!(
        Outcome::from_json(
            r#"{"type":"needs_input","question":{"id":"q","text":"?","answer_type":"Boolean"}}"#
        ),
        Ok(Outcome::NeedsInput {
            question: Question::boolean("q", "?"),
        })
    );
}

#[test]
fn config_changes_belong_to_success_only() {
    let error = |text| Outcome::from_json(text).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"type":"error","message":"x","config":{"a":1}}"#),
        "a `error` outcome cannot carry `config`; return it with the final `success` outcome"
    );
    assert_eq!(
        error(
            r#"{"type":"needs_input","question":{"id":"q","text":"?","answer_type":"Text"},"unset":[]}"#
        ),
        "a `needs_input` outcome cannot carry `unset`; return it with the final `success` outcome"
    );
    assert!(Outcome::from_json(r#"{"type":"error","message":"x","config":null}"#).is_ok());
}

#[test]
fn what_is_no_outcome_is_told_from_a_broken_one() {
    for text in [
        "",
        "hello",
        "[]",
        "{}",
        r#"{"type":"other"}"#,
        "{\"type\":\"success\"",
    ] {
        assert_eq!(
            Outcome::from_json(text),
            Err(OutcomeError::NotAnOutcome),
            "{text}"
        );
    }
    assert_eq!(
        Outcome::from_json(r#"{"type":"success"}"#)
            .unwrap_err()
            .to_string(),
        "invalid `success` outcome: missing field `content`"
    );
    assert_eq!(
        Outcome::from_json(r#"{"type":"success","content":"x","unset":"a"}"#)
            .unwrap_err()
            .to_string(),
        "invalid `success` outcome: invalid type: string \"a\", expected a sequence"
    );
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in r#"(\{"type":"(success|error|needs_input)")?.*"#) {
        let _ = Outcome::from_json(&text);
    }

    #[test]
    fn outcomes_round_trip(
        content in any::<String>(),
        unset in prop::collection::vec(any::<String>(), 0..3),
        trace in prop::collection::vec(any::<String>(), 0..3),
        transient in any::<bool>(),
    ) {
        for outcome in [
            Outcome::Success { content: content.clone(), config: Some(json!({"a": content})), unset },
            Outcome::Error { message: content.clone(), trace, transient },
            Outcome::NeedsInput { question: Question::text("q", content) },
        ] {
            let text = serde_json::to_string(&outcome).unwrap();
            prop_assert_eq!(Outcome::from_json(&text), Ok(outcome));
        }
    }
}
