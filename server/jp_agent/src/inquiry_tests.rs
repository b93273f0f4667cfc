#[path = "inquiry_tests/remembered.rs"]
mod remembered;
#[path = "inquiry_tests/secrets.rs"]
mod secrets;

use std::sync::Mutex;

use expect_test::{Expect, expect};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use pretty_assertions::assert_eq;
use serde_json::{Map, json};

use super::*;
use crate::decision::AskingRule;
use crate::prompt::PromptOutcome::{Answered, Cancelled, Unavailable, Withdrawn};

/// Keeps what is recorded, and what a prompt or a model is asked, in the order in which it happens.
#[derive(Debug, Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    fn text(&self) -> String {
        let mut text = self.0.lock().unwrap().join("\n");
        text.push('\n');
        text
    }
}

#[derive(Debug)]
struct Recorder<'a>(&'a Log);

impl InquiryRecorder for Recorder<'_> {
    fn record(&self, kind: EventKind) -> Result<(), AgentError> {
        let event = ConversationEvent::new(kind);
        let mut json = event.to_json();
        json.as_object_mut().unwrap().shift_remove("timestamp");
        self.0.add(json.to_string());
        Ok(())
    }

    fn events(&self) -> Vec<ConversationEvent> {
        Vec::new()
    }
}

/// A person who says this, or nobody.
#[derive(Debug)]
struct Person<'a>(&'a Log, Option<PromptOutcome>);

impl Prompts for Person<'_> {
    fn ask(&self, request: PromptRequest, _: CancellationToken) -> BoxFuture<'_, PromptOutcome> {
        let PromptSubject::Question { question, label } = request.subject else {
            panic!("expected a question, got {:?}", request.subject);
        };
        self.0.add(format!("person: {label:?} {}", question.text));
        let outcome = self.1.clone().expect("somebody is there");
        async move { outcome }.boxed()
    }

    fn is_available(&self) -> bool {
        self.1.is_some()
    }
}

/// A model that says this.
#[derive(Debug)]
struct Model<'a>(&'a Log, Result<Value, InquiryError>);

impl InquiryBackend for Model<'_> {
    fn inquire(
        &self,
        call: InquiryCall,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<Value, InquiryError>> {
        self.0.add(format!("model: {}", call.question.text));
        let answer = self.1.clone();
        async move { answer }.boxed()
    }
}

struct Scene {
    log: Log,
    answers: TurnAnswers,
    config: QuestionConfig,
    person: Option<PromptOutcome>,
    model: Result<Value, InquiryError>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            log: Log::default(),
            answers: TurnAnswers::default(),
            config: QuestionConfig::default(),
            person: Some(answered(true)),
            model: Ok(json!(false)),
        }
    }
}

fn answered(value: impl Into<Value>) -> PromptOutcome {
    Answered {
        value: value.into(),
        remember: false,
    }
}

fn turn() -> Arc<TurnConfig> {
    let config = json!({"assistant": {"model": {"id": "test/model"}}});
    Arc::new(TurnConfig::resolve(&config, &indexmap::IndexMap::new()).unwrap())
}

impl Scene {
    fn ask(&self, question: Question) -> QuestionOutcome {
        self.ask_in("call_1", question)
    }

    fn ask_in(&self, call: &str, question: Question) -> QuestionOutcome {
        let inquirer = Inquirer {
            answers: &self.answers,
            recorder: &Recorder(&self.log),
            prompts: &Person(&self.log, self.person.clone()),
            backend: &Model(&self.log, self.model.clone()),
        };
        let asked = AskedQuestion {
            conversation: ConversationId::from_deciseconds(17_636_666_521),
            root: "/work".into(),
            tool: PromptTool {
                name: "deploy".to_owned(),
                call_id: call.to_owned(),
                source: "local".to_owned(),
            },
            rule: None,
            question,
            source: InquirySource::Tool {
                name: "deploy".to_owned(),
            },
            config: Some(&self.config),
            turn: turn(),
            tools: Vec::new(),
        };
        inquirer
            .answer(asked, CancellationToken::new())
            .now_or_never()
            .expect("nothing waits")
            .unwrap()
    }

    fn log(&self, expected: Expect) {
        expected.assert_eq(&self.log.text());
    }
}

fn go() -> Question {
    Question::boolean("go", "Go?")
}

fn secret() -> Question {
    Question::secret("go", "Password?").with_default("hint")
}

fn to_assistant() -> QuestionConfig {
    QuestionConfig {
        target: QuestionTarget::Assistant(Map::new()),
        ..QuestionConfig::default()
    }
}

fn fixed(answer: impl Into<Value>) -> QuestionConfig {
    QuestionConfig {
        answer: Some(answer.into()),
        ..QuestionConfig::default()
    }
}

fn ended(content: &str, is_error: bool) -> QuestionOutcome {
    QuestionOutcome::Ended {
        content: content.to_owned(),
        is_error,
    }
}

const NO_PERSON: &str = "deploy cannot run because no interactive terminal is available. Do not retry this tool call in this turn; continue without user input or explain what information is missing.";
const DENIED: &str = "deploy requires a human answer and cannot be routed to the assistant. Do not retry this tool call in this turn.";
const INVALID: &str = "deploy: the configured conversation.tools.deploy.questions.go.answer value does not match the question's answer_type. Update the configuration; do not retry.";

#[test]
fn precedence_a_configured_answer_is_used_without_routing() {
    let scene = Scene {
        config: QuestionConfig {
            answer: Some(json!(true)),
            ..to_assistant()
        },
        person: None,
        ..Scene::default()
    };
    // Also where only a person may answer: who pins an answer has opted out of routing.
    let outcome = scene.ask(go().with_exclusive(true));
    assert_eq!(outcome, QuestionOutcome::Answered(json!(true)));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"},"exclusive":true}}
        {"type":"inquiry_response","outcome":"answered","id":"call_1.go.1","answer":true}
    "#]]);
}

#[test]
fn precedence_a_person_who_is_there_is_asked() {
    let scene = Scene {
        config: QuestionConfig {
            prompt_label: Some("Release".to_owned()),
            ..QuestionConfig::default()
        },
        ..Scene::default()
    };
    let outcome = scene.ask(go().with_context("diff").with_default(false));
    assert_eq!(outcome, QuestionOutcome::Answered(json!(true)));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"},"default":false,"context":"diff"}}
        person: Some("Release") Go?
        {"type":"inquiry_response","outcome":"answered","id":"call_1.go.1","answer":true}
    "#]]);
}

#[test]
fn a_label_changes_neither_route_nor_source() {
    let ask = |label: Option<&str>, person: Option<PromptOutcome>| {
        let scene = Scene {
            config: QuestionConfig {
                prompt_label: label.map(str::to_owned),
                ..QuestionConfig::default()
            },
            person,
            ..Scene::default()
        };
        let outcome = scene.ask(go());
        let log = scene.log.text();
        let recorded: Vec<&str> = log.lines().filter(|line| line.starts_with('{')).collect();
        (outcome, recorded.join("\n"))
    };
    for person in [Some(answered(true)), None] {
        let plain = ask(None, person.clone());
        assert_eq!(ask(Some("Assistant"), person), plain);
    }
}

#[test]
fn precedence_without_a_person_a_model_answers() {
    let scene = Scene {
        person: None,
        ..Scene::default()
    };
    assert_eq!(scene.ask(go()), QuestionOutcome::Answered(json!(false)));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"}}}
        model: Go?
        {"type":"inquiry_response","outcome":"answered","id":"call_1.go.1","answer":false}
    "#]]);
}

#[test]
fn precedence_without_a_person_an_exclusive_question_fails() {
    let scene = Scene {
        person: None,
        ..Scene::default()
    };
    assert_eq!(scene.ask(go().with_exclusive(true)), ended(NO_PERSON, true));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"},"exclusive":true}}
        {"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"no_prompt_backend"}
    "#]]);
}

#[test]
fn precedence_the_assistant_answers_where_the_config_says_so() {
    let scene = Scene {
        config: to_assistant(),
        ..Scene::default()
    };
    assert_eq!(scene.ask(go()), QuestionOutcome::Answered(json!(false)));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"}}}
        model: Go?
        {"type":"inquiry_response","outcome":"answered","id":"call_1.go.1","answer":false}
    "#]]);
}

#[test]
fn precedence_the_assistant_never_answers_an_exclusive_question() {
    let scene = Scene {
        config: to_assistant(),
        ..Scene::default()
    };
    assert_eq!(scene.ask(go().with_exclusive(true)), ended(DENIED, true));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"},"exclusive":true}}
        {"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"assistant_routing_denied"}
    "#]]);
}

#[test]
fn a_configured_answer_that_does_not_fit_names_its_key() {
    for (question, answer) in [
        (go(), json!("yes")),
        (Question::select("go", "Which?", ["a", "b"]), json!("c")),
        (Question::text("go", "What?"), json!(1)),
        (Question::secret("go", "Password?"), json!(1)),
    ] {
        let scene = Scene {
            config: fixed(answer),
            ..Scene::default()
        };
        assert_eq!(scene.ask(question), ended(INVALID, true));
        let log = scene.log.text();
        let (_, response) = log.trim_end().split_once('\n').unwrap();
        assert_eq!(
            response,
            r#"{"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"invalid_static_answer"}"#
        );
    }
}

#[test]
fn a_person_who_cancels_or_is_interrupted_cancels_the_question() {
    for outcome in [Cancelled, Withdrawn] {
        let scene = Scene {
            person: Some(outcome),
            ..Scene::default()
        };
        assert_eq!(
            scene.ask(go()),
            ended("Tool input cancelled by user.", false)
        );
        scene.log(expect![[r#"
            {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"}}}
            person: None Go?
            {"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"user"}
        "#]]);
    }
}

#[test]
fn a_person_who_is_lost_is_not_replaced_by_a_model() {
    let scene = Scene {
        person: Some(Unavailable {
            reason: "gone".to_owned(),
        }),
        ..Scene::default()
    };
    assert_eq!(scene.ask(go()), ended(NO_PERSON, true));
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"}}}
        person: None Go?
        {"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"no_prompt_backend"}
    "#]]);
}

#[test]
fn a_model_that_is_cancelled_cancels_as_the_user() {
    let scene = Scene {
        config: to_assistant(),
        model: Err(InquiryError::Cancelled),
        ..Scene::default()
    };
    assert_eq!(
        scene.ask(go()),
        ended("Tool input cancelled by user.", false)
    );
    scene.log(expect![[r#"
        {"type":"inquiry_request","id":"call_1.go.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Go?","answer_type":{"type":"boolean"}}}
        model: Go?
        {"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"user"}
    "#]]);
}

#[test]
fn a_model_that_fails_is_a_backend_error() {
    for (model, error) in [
        (
            Err(InquiryError::MissingStructuredData),
            "the answer holds no structured data",
        ),
        (
            Err(InquiryError::AnswerExtraction("there is none".to_owned())),
            "the structured data holds no fitting `answer`: there is none",
        ),
        (Err(InquiryError::Other("no model".to_owned())), "no model"),
        (
            Err(InquiryError::Provider(jp_llm::LlmError::Incomplete {
                provider: "test",
            })),
            "the answer of test ended early",
        ),
        (
            Ok(json!("no boolean")),
            "the structured data holds no fitting `answer`: it does not match the answer type",
        ),
    ] {
        let scene = Scene {
            config: to_assistant(),
            model,
            ..Scene::default()
        };
        let content = format!(
            "The tool 'deploy' asked a follow-up question (\"Go?\") that was routed to a secondary assistant for \
             resolution, but the secondary assistant failed to provide a valid answer. Error: {error} You may retry the \
             tool call or end the turn."
        );
        assert_eq!(scene.ask(go()), ended(&content, true));
        let log = scene.log.text();
        let response = log.lines().last();
        assert_eq!(
            response,
            Some(
                r#"{"type":"inquiry_response","outcome":"cancelled","id":"call_1.go.1","reason":"backend_error"}"#
            )
        );
    }
}

#[test]
fn attempts_are_counted_by_call_and_question_through_the_whole_turn() {
    let scene = Scene::default();
    let id = |call, question| scene.answers.next_inquiry_id(call, question);
    assert_eq!(id("call_1", "go"), "call_1.go.1");
    assert_eq!(id("call_1", "go"), "call_1.go.2");
    assert_eq!(id("call_1", "stop"), "call_1.stop.1");
    assert_eq!(id("call_2", "go"), "call_2.go.1");
    assert_eq!(id("call_1", "go"), "call_1.go.3");
    assert_eq!(
        TurnAnswers::default().next_inquiry_id("call_1", "go"),
        "call_1.go.1"
    );
}

#[test]
fn nothing_is_asked_that_could_not_be_recorded() {
    #[derive(Debug)]
    struct Full;
    impl InquiryRecorder for Full {
        fn record(&self, _: EventKind) -> Result<(), AgentError> {
            Err(AgentError::config("", "the disk is full"))
        }
        fn events(&self) -> Vec<ConversationEvent> {
            Vec::new()
        }
    }
    let log = Log::default();
    let inquirer = Inquirer {
        answers: &TurnAnswers::default(),
        recorder: &Full,
        prompts: &Person(&log, Some(answered(true))),
        backend: &Model(&log, Ok(json!(true))),
    };
    let asked = AskedQuestion {
        conversation: ConversationId::from_deciseconds(1),
        root: "/work".into(),
        tool: PromptTool {
            name: "deploy".to_owned(),
            call_id: "call_1".to_owned(),
            source: "local".to_owned(),
        },
        rule: None,
        question: go(),
        source: InquirySource::Assistant,
        config: None,
        turn: turn(),
        tools: Vec::new(),
    };
    let outcome = inquirer
        .answer(asked, CancellationToken::new())
        .now_or_never();
    assert!(outcome.unwrap().is_err());
    assert_eq!(log.text(), "\n");
}
