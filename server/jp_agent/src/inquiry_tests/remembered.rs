//! Answers that are remembered.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn an_answer_is_remembered_when_the_person_says_so() {
    let scene = Scene {
        person: Some(Answered {
            value: json!(true),
            remember: true,
        }),
        ..Scene::default()
    };
    scene.ask(go());
    let outcome = scene.ask_in("call_2", go());
    assert_eq!(outcome, QuestionOutcome::Answered(json!(true)));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"}}}
        person: None Go?
        {"type":"inquiry_response","outcome":"answered","id":"call_1.go.1","answer":true}
        {"type":"inquiry_request","id":"call_2.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"}}}
        {"type":"inquiry_response","outcome":"answered","id":"call_2.go.1","answer":true}
    "#]]);
}

#[test]
fn a_question_that_wants_to_be_asked_every_time_is() {
    let scene = Scene {
        person: Some(Answered {
            value: json!(true),
            remember: true,
        }),
        ..Scene::default()
    };
    let every_time = || go().with_persistence(AnswerReusePolicy::None);
    scene.ask(every_time());
    assert_eq!(scene.answers.remembered("deploy", "go"), None, "written");
    scene.answers.remember("deploy", "go", json!(false));
    let outcome = scene.ask(every_time());
    assert_eq!(outcome, QuestionOutcome::Answered(json!(true)), "read");
    assert_eq!(scene.log.text().matches("person:").count(), 2);
}

#[test]
fn a_remembered_answer_of_another_type_is_not_used() {
    let scene = Scene::default();
    scene.answers.remember("deploy", "go", json!("text"));
    assert_eq!(scene.ask(go()), QuestionOutcome::Answered(json!(true)));
    assert_eq!(scene.log.text().matches("person:").count(), 1);
}

#[test]
fn select_and_text_are_never_remembered() {
    for (question, value) in [
        (Question::select("go", "Which?", ["a"]), json!("a")),
        (Question::text("go", "What?"), json!("a")),
    ] {
        let scene = Scene {
            person: Some(Answered {
                value,
                remember: true,
            }),
            ..Scene::default()
        };
        scene.ask(question);
        assert_eq!(scene.answers.remembered("deploy", "go"), None);
    }
}

#[test]
fn permissions_and_answers_do_not_mix() {
    let answers = TurnAnswers::default();
    answers.remember("deploy", "__permission__", json!(true));
    let tools = json!({"assistant": {"model": {"id": "test/model"}}, "conversation": {"tools": {"deploy": {
        "source": "local", "run": "ask",
    }}}});
    let config = TurnConfig::resolve(&tools, &indexmap::IndexMap::new()).unwrap();
    let rule = |index| AskingRule::new("deploy", &config.tools["deploy"].run, index);
    assert_eq!(answers.permission(&[rule(Some(0))]), None);
    answers.remember_permission(&[rule(Some(0))], true);
    assert_eq!(answers.permission(&[rule(Some(0))]), Some(true));
    assert_eq!(answers.permission(&[rule(Some(0)), rule(None)]), None);
    assert_eq!(answers.permission(&[]), None);
    answers.remember_permission(&[rule(None)], false);
    assert_eq!(
        answers.permission(&[rule(Some(0)), rule(None)]),
        Some(false)
    );
    assert_eq!(
        answers.remembered("deploy", "__permission__"),
        Some(json!(true))
    );
}
