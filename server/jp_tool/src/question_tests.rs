use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn defaults_are_left_out_of_the_wire_form() {
    let question = Question::boolean("overwrite_file", "Overwrite `a.txt`?");
    assert_eq!(
        serde_json::to_value(&question).unwrap(),
        json!({
            "id": "overwrite_file", "text": "Overwrite `a.txt`?", "context": null,
            "answer_type": {"type": "boolean"}, "default": null,
        })
    );
}

#[test]
fn every_field_round_trips() {
    let question = Question::select("q", "Which?", ["a", "b"])
        .with_context("a diff")
        .with_default("b")
        .with_exclusive(true)
        .with_persistence(AnswerReusePolicy::None);
    let wire = json!({
        "id": "q", "text": "Which?", "context": "a diff",
        "answer_type": {"type": "select", "options": ["a", "b"]}, "default": "b",
        "exclusive": true, "persistence": "none",
    });
    assert_eq!(serde_json::to_value(&question).unwrap(), wire);
    assert_eq!(serde_json::from_value::<Question>(wire).unwrap(), question);
}

#[test]
fn the_released_spelling_is_read() {
    let read = |wire| serde_json::from_value::<Question>(wire).unwrap();
    assert_eq!(
        read(
            json!({"id": "q", "text": "?", "pre_amble": "diff", "answer_type": "Boolean", "default": true})
        ),
        Question::boolean("q", "?")
            .with_context("diff")
            .with_default(true)
    );
    assert_eq!(
        read(json!({"id": "q", "text": "?", "answer_type": {"Select": {"options": ["a"]}}})),
        Question::select("q", "?", ["a"])
    );
    assert_eq!(
        read(
            json!({"id": "q", "text": "?", "pre_amble": null, "answer_type": "Text", "default": null})
        ),
        Question::text("q", "?")
    );
}

#[test]
fn a_tool_may_write_both_spellings() {
    let question: Question = serde_json::from_value(json!({
        "id": "q", "text": "?", "context": "new", "pre_amble": "old", "answer_type": {"type": "secret"},
    }))
    .unwrap();
    assert_eq!(question, Question::secret("q", "?").with_context("new"));
}

#[test]
fn an_unknown_answer_type_says_what_to_write() {
    let error = |wire| {
        serde_json::from_value::<AnswerType>(wire)
            .unwrap_err()
            .to_string()
    };
    let advice = "write `{\"type\": \"boolean\"}`, `{\"type\": \"text\"}`, `{\"type\": \"secret\"}` or \
                  `{\"type\": \"select\", \"options\": [..]}`";
    assert_eq!(
        error(json!("Number")),
        format!(
            "unknown `answer_type` (unknown variant `Number`, expected one of `Boolean`, `Select`, `Text`, `Secret`); \
             {advice}"
        )
    );
    assert_eq!(
        error(json!({"type": "number"})),
        "unknown variant `number`, expected one of `boolean`, `select`, `text`, `secret`"
    );
    assert_eq!(error(json!({"type": "select"})), "missing field `options`");
}

#[test]
fn answers_are_held_to_their_type() {
    let select = AnswerType::Select {
        options: vec!["a".to_owned()],
    };
    for (answer_type, accepted, refused) in [
        (AnswerType::Boolean, json!(false), json!("yes")),
        (select, json!("a"), json!("b")),
        (AnswerType::Text, json!(""), json!(1)),
        (AnswerType::Secret, json!("s"), json!(null)),
    ] {
        assert!(answer_type.accepts(&accepted), "{answer_type:?}");
        assert!(!answer_type.accepts(&refused), "{answer_type:?}");
    }
}
