use expect_test::expect;
use jp_agent::{
    DeltaOperation, DeltaPrompt, DeltaPromptChange, PromptRequest, PromptSubject, PromptTool,
};
use jp_conversation::ConversationId;
use jp_tool::Question;
use pretty_assertions::assert_eq;
use serde_json::{Map, json};

use super::*;

pub(in super::super) fn prompt(subject: PromptSubject) -> Prompt {
    let request = PromptRequest {
        note: None,
        conversation: ConversationId::from_deciseconds(17_636_666_521),
        root: "/w".into(),
        tool: PromptTool {
            name: "note".to_owned(),
            call_id: "call_1".to_owned(),
            source: "local".to_owned(),
        },
        rule: None,
        subject,
    };
    Prompt::new("1".to_owned(), &request)
}

fn run() -> Prompt {
    prompt(PromptSubject::Run {
        arguments: Map::from_iter([("path".to_owned(), json!("a.md"))]),
        argv: None,
        rendered: None,
    })
}

pub(in super::super) fn question(question: Question) -> Prompt {
    prompt(PromptSubject::Question {
        question: Box::new(question),
        label: None,
    })
}

fn shown(prompt: &Prompt, forms: bool) -> String {
    let offers = offers(prompt, forms).into_iter();
    let lines = offers.map(|offer| {
        let option = offer.option;
        let kind = serde_json::to_value(option.kind).unwrap();
        format!(
            "{} {} {}\n",
            option.option_id,
            kind.as_str().unwrap(),
            option.name
        )
    });
    lines.collect()
}

#[test]
fn options_are_the_choices_of_the_prompt_by_what_they_do() {
    expect![[r#"
        reject reject_once Reject
        reject-turn reject_always Reject, and other calls that this rule asks for, in this turn
        approve allow_once Run
        approve-turn allow_always Run, and other calls that this rule asks for, in this turn
    "#]]
    .assert_eq(&shown(&run(), false));
    expect![[r#"
        reject reject_once Reject
        reject-turn reject_always Reject, and other calls that this rule asks for, in this turn
        reject-reason reject_once Reject with a Reason…
        approve allow_once Run
        approve-turn allow_always Run, and other calls that this rule asks for, in this turn
        edit allow_once Edit Arguments…
    "#]]
    .assert_eq(&shown(&run(), true));
}

#[test]
fn answers_of_a_question_are_options_with_ids_of_their_own() {
    let boolean = question(Question::boolean("sure", "Sure?"));
    expect![[r#"
        cancel reject_once Cancel
        yes allow_once Yes
        no reject_once No
        yes-turn allow_always Yes, for the rest of this turn
        no-turn reject_always No, for the rest of this turn
    "#]]
    .assert_eq(&shown(&boolean, false));
    let select = question(Question::select("which", "Which?", ["a", "b"]));
    expect![[r#"
        cancel reject_once Cancel
        answer allow_once a
        answer-2 allow_once b
    "#]]
    .assert_eq(&shown(&select, false));
}

#[test]
fn a_change_of_config_is_shown_as_a_diff_with_what_it_loosens() {
    let prompt = prompt(PromptSubject::Delta(DeltaPrompt {
        changes: vec![DeltaPromptChange {
            path: "assistant.model.id".to_owned(),
            op: DeltaOperation::Set,
            old: Some(json!("a/b")),
            new: Some(json!("c/d")),
        }],
        before: "id = \"a/b\"\n".to_owned(),
        after: "id = \"c/d\"\n".to_owned(),
        loosens: vec!["another model is asked".to_owned()],
    }));
    let request = request("jp-c1", "call_1", &prompt, &offers(&prompt, false));
    let content = serde_json::to_value(&request.tool_call.fields.content).unwrap();
    assert_eq!(
        content[0],
        json!({ "type": "diff", "path": format!("/w/.jp/{}.toml", prompt.conversation),
            "oldText": "id = \"a/b\"\n", "newText": "id = \"c/d\"\n" })
    );
    let details = content[1]["content"]["text"].as_str().unwrap();
    assert!(
        details.contains("loosens: another model is asked"),
        "{details}"
    );
    assert!(details.contains(&prompt.digest), "{details}");
}

#[test]
fn a_reason_rejects_and_an_edited_text_edits() {
    let reason = written(&ChoiceEffect::Reason, "not now".to_owned());
    assert_eq!(reason.action, PromptActionId::Reject);
    assert_eq!(reason.reason.as_deref(), Some("not now"));
    let edited = written(&ChoiceEffect::Edit, "{}".to_owned());
    assert_eq!(edited.action, PromptActionId::Edit);
    assert_eq!(edited.value, Some(json!("{}")));
}
