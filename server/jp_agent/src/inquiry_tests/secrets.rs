//! Secrets.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn a_secret_is_delivered_and_recorded_as_redacted() {
    let scene = Scene {
        person: Some(Answered {
            value: json!("hunter2"),
            remember: true,
        }),
        ..Scene::default()
    };
    for _ in 0..2 {
        assert_eq!(
            scene.ask(secret()),
            QuestionOutcome::Answered(json!("hunter2"))
        );
    }
    assert!(!scene.log.text().contains("hunter2"));
    assert_eq!(scene.answers.remembered("deploy", "go"), None);
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Password?","answer_type":{"type":"secret"},"default":"hint"}}
        person: None Password?
        {"type":"inquiry_response","outcome":"redacted","id":"call_1.go.1"}
        {"type":"inquiry_request","id":"call_1.go.2","source":{"source":"tool","name":"deploy"},"question":{"text":"Password?","answer_type":{"type":"secret"},"default":"hint"}}
        person: None Password?
        {"type":"inquiry_response","outcome":"redacted","id":"call_1.go.2"}
    "#]]);
}

#[test]
fn a_configured_secret_is_recorded_as_redacted() {
    let scene = Scene {
        config: fixed("hunter2"),
        ..Scene::default()
    };
    assert_eq!(
        scene.ask(secret()),
        QuestionOutcome::Answered(json!("hunter2"))
    );
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Password?","answer_type":{"type":"secret"},"default":"hint"}}
        {"type":"inquiry_response","outcome":"redacted","id":"call_1.go.1"}
    "#]]);
}

#[test]
fn a_remembered_answer_never_answers_a_secret() {
    let scene = Scene::default();
    scene.answers.remember("deploy", "go", json!("old"));
    let scene = Scene {
        person: None,
        ..scene
    };
    assert_eq!(scene.ask(secret()), ended(NO_PERSON, true));
}

#[test]
fn a_secret_without_a_person_fails() {
    let scene = Scene {
        person: None,
        ..Scene::default()
    };
    assert_eq!(scene.ask(secret()), ended(NO_PERSON, true));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Password?","answer_type":{"type":"secret"},"default":"hint"}}
        {"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"no_prompt_backend"}
    "#]]);
}

#[test]
fn a_secret_is_never_routed_to_the_assistant() {
    let scene = Scene {
        config: to_assistant(),
        ..Scene::default()
    };
    assert_eq!(scene.ask(secret()), ended(DENIED, true));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Password?","answer_type":{"type":"secret"},"default":"hint"}}
        {"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"assistant_routing_denied"}
    "#]]);
}
