use expect_test::{Expect, expect};
use indexmap::IndexMap;
use pretty_assertions::assert_eq;

use super::*;
use crate::builtin::Builtins;
use crate::config::{QuestionTarget, TurnConfig};
use crate::definition::definition;

fn builtins() -> Builtins {
    Builtins::default().with(ASK_USER, AskUser)
}

fn config(user: &Value) -> TurnConfig {
    let effective = json!({
        "assistant": {"model": {"id": "test/model"}},
        "conversation": {"tools": {"*": {"run": "ask"}, ASK_USER: user}},
    });
    TurnConfig::resolve(&effective, &builtins().defaults()).unwrap()
}

fn execute(arguments: Value, answer: Option<Value>) -> Outcome {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    let answers: IndexMap<String, Value> = answer
        .map(|answer| (ASK_USER_QUESTION.to_owned(), answer))
        .into_iter()
        .collect();
    AskUser.execute(&BuiltinCall {
        name: ASK_USER,
        arguments: &arguments,
        answers: &answers,
        config: &config(&json!({})),
    })
}

/// The message of an error, which the model may learn from.
fn refused(arguments: Value, expected: Expect) {
    match execute(arguments, None) {
        Outcome::Error {
            message, transient, ..
        } => {
            assert!(transient);
            expected.assert_eq(&message);
        }
        other => panic!("expected an error, got {other:?}"),
    }
}

fn asked(arguments: Value) -> Question {
    match execute(arguments, None) {
        Outcome::NeedsInput { question } => question,
        other => panic!("expected a question, got {other:?}"),
    }
}

#[test]
fn the_question_is_missing() {
    refused(
        json!({}),
        expect!["`question` is missing or empty. Write the question as a single line of text."],
    );
}

#[test]
fn the_question_is_empty() {
    refused(
        json!({"question": "  "}),
        expect!["`question` is missing or empty. Write the question as a single line of text."],
    );
}

#[test]
fn the_question_has_two_lines() {
    refused(
        json!({"question": "First.\nSecond?"}),
        expect![
            "`question` contains a newline. Keep the question to a single line and move the rest into `context`."
        ],
    );
}

#[test]
fn a_select_without_options() {
    for arguments in [
        json!({"question": "Which?", "answer_type": "select"}),
        json!({"question": "Which?", "answer_type": "select", "options": []}),
    ] {
        refused(
            arguments,
            expect![
                "`options` is missing or empty. List at least one option when `answer_type` is `select`."
            ],
        );
    }
}

#[test]
fn options_without_a_select() {
    refused(
        json!({"question": "Which?", "answer_type": "boolean", "options": ["a"]}),
        expect![
            "`options` only applies when `answer_type` is `select`, not `boolean`. Remove `options` or set `answer_type` to `select`."
        ],
    );
    refused(
        json!({"question": "Which?", "options": []}),
        expect![
            "`options` only applies when `answer_type` is `select`, not `text`. Remove `options` or set `answer_type` to `select`."
        ],
    );
}

#[test]
fn a_default_of_the_wrong_type() {
    refused(
        json!({"question": "Go?", "answer_type": "boolean", "default": "yes"}),
        expect!["`default` must be `true` or `false` when `answer_type` is `boolean`."],
    );
    refused(
        json!({"question": "Go?", "default": true}),
        expect!["`default` must be a string when `answer_type` is `text`."],
    );
    refused(
        json!({"question": "Go?", "answer_type": "select", "options": ["a"], "default": true}),
        expect!["`default` must be one of `options` when `answer_type` is `select`."],
    );
}

#[test]
fn a_default_that_is_no_option() {
    refused(
        json!({"question": "Go?", "answer_type": "select", "options": ["a", "b"], "default": "c"}),
        expect![
            "`default` is `c`, which is not in `options`. Use one of `a`, `b`, or remove `default`."
        ],
    );
}

#[test]
fn arguments_of_unknown_shape() {
    refused(
        json!({"question": "Go?", "answer_type": "secret"}),
        expect!["`answer_type` is `secret`. Use one of `boolean`, `select` or `text`."],
    );
    refused(
        json!({"question": 1}),
        expect!["`question` must be a string."],
    );
    refused(
        json!({"question": "Go?", "answer_type": "select", "options": [1]}),
        expect!["every element of `options` must be a string."],
    );
    refused(
        json!({"question": "Go?", "answer_type": "select", "options": "a"}),
        expect!["`options` must be an array of strings."],
    );
}

#[test]
fn the_question_is_for_people_only_and_asked_every_time() {
    assert_eq!(
        asked(json!({
            "question": "Which?", "context": "Two\nlines", "answer_type": "select",
            "options": ["a", "b"], "default": "b",
        })),
        Question::select("answer", "Which?", ["a", "b"])
            .with_context("Two\nlines")
            .with_default("b")
            .with_exclusive(true)
            .with_persistence(AnswerReusePolicy::None)
    );
    let plain = asked(json!({"question": "What?", "default": null}));
    assert_eq!(plain.answer_type, AnswerType::Text);
    assert_eq!((plain.default, plain.context), (None, None));
}

#[test]
fn the_answer_comes_back_with_its_type() {
    for (arguments, answer, expected) in [
        (
            json!({"question": "Q?", "answer_type": "boolean"}),
            json!(true),
            r#"{"answer_type":"boolean","answer":true}"#,
        ),
        (
            json!({"question": "Q?", "answer_type": "select", "options": ["true"]}),
            json!("true"),
            r#"{"answer_type":"select","answer":"true"}"#,
        ),
        (
            json!({"question": "Q?"}),
            json!("true"),
            r#"{"answer_type":"text","answer":"true"}"#,
        ),
    ] {
        assert_eq!(execute(arguments, Some(answer)), Outcome::success(expected));
    }
}

#[test]
fn an_answer_that_does_not_fit_is_refused() {
    for (arguments, answer) in [
        (
            json!({"question": "Q?", "answer_type": "boolean"}),
            json!("true"),
        ),
        (
            json!({"question": "Q?", "answer_type": "select", "options": ["a"]}),
            json!("b"),
        ),
        (json!({"question": "Q?"}), json!(1)),
    ] {
        assert_eq!(
            execute(arguments, Some(answer)),
            Outcome::error("The accumulated answer does not match the requested answer type.")
        );
    }
}

#[test]
fn the_assistant_asks() {
    assert_eq!(AskUser.inquiry_source(ASK_USER), InquirySource::Assistant);
}

#[test]
fn the_model_gets_the_long_description_and_a_valid_schema() {
    let config = config(&json!({}));
    let tool = config.tools.get(ASK_USER).unwrap();
    let definition = definition(tool);
    assert_eq!(definition.name, ASK_USER);
    let defaults = AskUser.defaults();
    assert_eq!(
        definition.description.as_deref(),
        defaults["description"].as_str()
    );
    let mut schema = serde_json::to_string_pretty(&definition.parameters).unwrap();
    schema.push('\n');
    expect![[r#"
        {
          "type": "object",
          "properties": {
            "question": {
              "type": "string",
              "description": "The question text. Must be a single line; put anything longer into `context`."
            },
            "context": {
              "type": "string",
              "description": "Context shown above the question. May have several lines."
            },
            "answer_type": {
              "type": "string",
              "description": "The form of the answer. Defaults to `text`.",
              "enum": [
                "boolean",
                "select",
                "text"
              ]
            },
            "options": {
              "type": "array",
              "description": "The choices. Required when `answer_type` is `select`, forbidden otherwise.",
              "items": {
                "type": "string"
              }
            },
            "default": {
              "type": [
                "boolean",
                "string"
              ],
              "description": "Pre-populates the prompt. A boolean, one of `options`, or a string, as `answer_type` asks for."
            }
          },
          "required": [
            "question"
          ],
          "additionalProperties": false
        }
    "#]].assert_eq(&schema);
}

#[test]
fn one_setting_of_the_user_leaves_the_rest_as_it_was() {
    let plain = config(&json!({}));
    let plain = plain.tools.get(ASK_USER).unwrap();
    let config = config(&json!({"questions": {"answer": {"prompt_label": "Jean's helper"}}}));
    let tool = config.tools.get(ASK_USER).unwrap();
    let question = tool.questions.get(ASK_USER_QUESTION).unwrap();
    assert_eq!(question.prompt_label.as_deref(), Some("Jean's helper"));
    assert_eq!(question.target, QuestionTarget::User);
    assert!(tool.is_enabled && tool.is_hidden);
    assert_eq!(tool.source, plain.source);
    assert_eq!(tool.parameters, plain.parameters);
    assert_eq!(tool.description, plain.description);
}

#[test]
fn another_source_keeps_the_other_fields() {
    let plain = config(&json!({}));
    let plain = plain.tools.get(ASK_USER).unwrap();
    let config = config(&json!({"source": "local", "command": "ask"}));
    let tool = config.tools.get(ASK_USER).unwrap();
    assert!(tool.source.is_local());
    assert_eq!(tool.parameters, plain.parameters);
    assert_eq!(tool.description, plain.description);
    assert!(tool.is_hidden);
}

#[test]
fn the_defaults_run_without_asking_and_under_the_assistants_name() {
    use jp_policy::{ResultMode, RunMode};
    let config = config(&json!({}));
    let tool = config.tools.get(ASK_USER).unwrap();
    let arguments = json!({"question": "Q?"});
    assert_eq!(
        tool.run.policy.evaluate(&arguments).mode,
        RunMode::Unattended
    );
    assert_eq!(
        tool.result.policy.evaluate(&arguments).mode,
        ResultMode::Unattended
    );
    let question = tool.questions.get(ASK_USER_QUESTION).unwrap();
    assert_eq!(question.prompt_label.as_deref(), Some("Assistant"));
}

#[test]
fn it_is_disabled_by_name_and_keeps_how_it_toggles() {
    use jp_config::enable::AllowToggle;
    let config = config(&json!({"enable": {"state": false}}));
    let tool = config.tools.get(ASK_USER).unwrap();
    assert!(!tool.is_enabled);
    assert_eq!(tool.allow_toggle, AllowToggle::IfNamed);
}

#[test]
fn arguments_of_every_type_pass_preparation_unchanged() {
    let config = config(&json!({}));
    let tool = config.tools.get(ASK_USER).unwrap();
    for arguments in [
        json!({"question": "Q?", "answer_type": "boolean", "default": true}),
        json!({"question": "Q?", "answer_type": "text", "default": "true"}),
        json!({"question": "Q?", "answer_type": "select", "options": ["a"], "default": "a"}),
    ] {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        let prepared = crate::arguments::prepare(tool, &config, arguments.clone());
        assert_eq!(prepared, Ok(arguments));
    }
}
