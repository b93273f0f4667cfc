use expect_test::expect;
use jp_tool::Question;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::acp::permission::tests::question;

fn schema(prompt: &Prompt) -> String {
    let form = of_question("jp-c1", "call_1", prompt).unwrap();
    let form = serde_json::to_value(form).unwrap();
    assert_eq!(form["mode"], "form");
    assert_eq!(form["sessionId"], "jp-c1");
    assert_eq!(form["toolCallId"], "call_1");
    form["requestedSchema"].to_string()
}

fn sent(content: &Value) -> Filled {
    let action = json!({ "action": "accept", "content": content });
    let response: agent_client_protocol::v1::schema::CreateElicitationResponse =
        serde_json::from_value(action).unwrap();
    response.action.into()
}

#[test]
fn each_kind_of_question_is_a_field() {
    let boolean = question(Question::boolean("sure", "Sure?"));
    expect![[r#"{"type":"object","properties":{"answer":{"type":"boolean","title":"Sure?"},"remember":{"type":"boolean","title":"For the rest of this turn"}},"required":["answer"]}"#]]
        .assert_eq(&schema(&boolean));
    let select = question(Question::select("which", "Which?", ["a", "b\u{7}"]));
    expect![[r#"{"type":"object","properties":{"answer":{"type":"string","title":"Which?","oneOf":[{"const":"a","title":"a"},{"const":"b\u0007","title":"b␇"}]}},"required":["answer"]}"#]]
        .assert_eq(&schema(&select));
    let text = question(Question::text("title", "Which title?"));
    expect![[r#"{"type":"object","properties":{"answer":{"type":"string","title":"Which title?"}},"required":["answer"]}"#]]
        .assert_eq(&schema(&text));
}

#[test]
fn a_secret_has_no_form() {
    let secret = question(Question::secret("token", "Token?"));
    assert_eq!(of_question("jp-c1", "call_1", &secret), None);
}

#[test]
fn what_is_sent_is_the_answer_and_a_form_that_is_closed_cancels() {
    assert_eq!(
        sent(&json!({ "answer": true })).answer(),
        PromptAnswer::value(true)
    );
    assert_eq!(
        sent(&json!({ "answer": "a" })).answer(),
        PromptAnswer::value("a")
    );
    let remembered = PromptAnswer {
        remember: Some(Remember::Turn),
        ..PromptAnswer::value(false)
    };
    assert_eq!(
        sent(&json!({ "answer": false, "remember": true })).answer(),
        remembered
    );
    assert_eq!(sent(&json!({})).answer(), PromptAnswer::value(Value::Null));
    assert_eq!(
        Filled::Closed.answer(),
        PromptAnswer::new(PromptActionId::Cancel)
    );
    assert_eq!(Filled::Closed.text(), None);
}
