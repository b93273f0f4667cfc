use expect_test::{Expect, expect};
use pretty_assertions::{assert_eq, assert_ne};
use serde_json::json;

use super::*;
use crate::source_range::SourceRange;

fn request(subject: PromptSubject) -> PromptRequest {
    PromptRequest {
        note: None,
        conversation: ConversationId::from_deciseconds(17_636_666_521),
        root: "/work".into(),
        tool: PromptTool {
            name: "fs_delete_file".to_owned(),
            call_id: "call_1".to_owned(),
            source: "local".to_owned(),
        },
        rule: Some(PromptRule {
            index: Some(1),
            place: Some(SourceRange {
                file: "/work/.jp/config.toml".into(),
                start: (12, 0),
                end: (12, 40),
            }),
            rules: Vec::new(),
        }),
        subject,
    }
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn run(value: Value) -> PromptSubject {
    PromptSubject::Run {
        arguments: arguments(value),
        argv: None,
        rendered: None,
    }
}

/// The parameters of `jp/prompt`, the digest left out.
fn check(subject: PromptSubject, expected: Expect) {
    let mut prompt = Prompt::new("3".to_owned(), &request(subject));
    assert_eq!(prompt.digest.len(), 64);
    prompt.digest = "9f2c".to_owned();
    let mut json = serde_json::to_string_pretty(&prompt).unwrap();
    json.push('\n');
    expected.assert_eq(&json);
}

#[test]
fn a_run_prompt_on_the_wire() {
    check(
        run(json!({"file": "notes.md"})),
        expect![[r#"
            {
              "id": "3",
              "digest": "9f2c",
              "conversation": "jp-c17636666521",
              "kind": "run",
              "title": "Run local fs_delete_file tool?",
              "message": "file: notes.md",
              "tool": {
                "name": "fs_delete_file",
                "callId": "call_1"
              },
              "rule": {
                "index": 1,
                "uri": "file:///work/.jp/config.toml",
                "range": {
                  "start": {
                    "line": 12,
                    "character": 0
                  },
                  "end": {
                    "line": 12,
                    "character": 40
                  }
                }
              },
              "preview": {
                "kind": "arguments",
                "text": "file: notes.md",
                "arguments": {
                  "file": "notes.md"
                }
              },
              "actions": [
                {
                  "id": "reject",
                  "title": "Reject"
                },
                {
                  "id": "approve",
                  "title": "Run"
                },
                {
                  "id": "edit",
                  "title": "Edit Arguments…"
                },
                {
                  "id": "details",
                  "title": "Show Details"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn a_question_on_the_wire() {
    check(
        PromptSubject::Question {
            question: Box::new(
                Question::select("answer", "Which\u{202e}?", ["backup", "abort"])
                    .with_context("Two\nlines\u{7}")
                    .with_default("abort"),
            ),
            label: Some("Assistant".to_owned()),
        },
        expect![[r#"
            {
              "id": "3",
              "digest": "9f2c",
              "conversation": "jp-c17636666521",
              "kind": "question",
              "title": "Which\\u{202e}?",
              "message": "Assistant asks: Which\\u{202e}?",
              "label": "Assistant",
              "context": "Two\nlines␇",
              "tool": {
                "name": "fs_delete_file",
                "callId": "call_1"
              },
              "rule": {
                "index": 1,
                "uri": "file:///work/.jp/config.toml",
                "range": {
                  "start": {
                    "line": 12,
                    "character": 0
                  },
                  "end": {
                    "line": 12,
                    "character": 40
                  }
                }
              },
              "question": {
                "text": "Which\\u{202e}?",
                "answerType": {
                  "type": "select",
                  "options": [
                    "backup",
                    "abort"
                  ]
                },
                "default": "abort"
              },
              "actions": [
                {
                  "id": "cancel",
                  "title": "Cancel"
                },
                {
                  "id": "answer",
                  "title": "Answer…"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn a_config_change_on_the_wire() {
    check(
        PromptSubject::Delta(DeltaPrompt {
            changes: vec![
                DeltaPromptChange {
                    path: "assistant.model.id".to_owned(),
                    op: DeltaOperation::Set,
                    old: Some(json!("anthropic/a")),
                    new: Some(json!("anthropic/b")),
                },
                DeltaPromptChange {
                    path: "assistant.tool_choice".to_owned(),
                    op: DeltaOperation::Set,
                    old: Some(json!("auto")),
                    new: Some(json!("auto")),
                },
                DeltaPromptChange {
                    path: "assistant.name".to_owned(),
                    op: DeltaOperation::Unset,
                    old: Some(json!("JP")),
                    new: None,
                },
            ],
            before: "a = 1\n".to_owned(),
            after: "a = 2\n".to_owned(),
            loosens: vec!["`grep` runs without asking".to_owned()],
        }),
        expect![[r#"
            {
              "id": "3",
              "digest": "9f2c",
              "conversation": "jp-c17636666521",
              "kind": "delta",
              "title": "Apply the config change proposed by fs_delete_file?",
              "message": "⟳ Configuration delta proposed by tool 'fs_delete_file':\nassistant.model.id: \"anthropic/a\" → \"anthropic/b\"\nassistant.name: (unset)\nnothing else changes: assistant.tool_choice stays \"auto\"",
              "tool": {
                "name": "fs_delete_file",
                "callId": "call_1"
              },
              "rule": {
                "index": 1,
                "uri": "file:///work/.jp/config.toml",
                "range": {
                  "start": {
                    "line": 12,
                    "character": 0
                  },
                  "end": {
                    "line": 12,
                    "character": 40
                  }
                }
              },
              "delta": {
                "changes": [
                  {
                    "path": "assistant.model.id",
                    "op": "set",
                    "old": "anthropic/a",
                    "new": "anthropic/b"
                  },
                  {
                    "path": "assistant.tool_choice",
                    "op": "set",
                    "old": "auto",
                    "new": "auto"
                  },
                  {
                    "path": "assistant.name",
                    "op": "unset",
                    "old": "JP"
                  }
                ],
                "before": "a = 1\n",
                "after": "a = 2\n",
                "loosens": [
                  "`grep` runs without asking"
                ]
              },
              "actions": [
                {
                  "id": "reject",
                  "title": "Reject"
                },
                {
                  "id": "approve",
                  "title": "Apply"
                },
                {
                  "id": "details",
                  "title": "Show Details"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn a_result_on_the_wire() {
    check(
        PromptSubject::Result {
            content: "secret\u{1b}[2J\n".to_owned(),
            is_error: false,
            edit: false,
        },
        expect![[r#"
            {
              "id": "3",
              "digest": "9f2c",
              "conversation": "jp-c17636666521",
              "kind": "result",
              "title": "Deliver fs_delete_file result to assistant?",
              "message": "secret",
              "tool": {
                "name": "fs_delete_file",
                "callId": "call_1"
              },
              "rule": {
                "index": 1,
                "uri": "file:///work/.jp/config.toml",
                "range": {
                  "start": {
                    "line": 12,
                    "character": 0
                  },
                  "end": {
                    "line": 12,
                    "character": 40
                  }
                }
              },
              "preview": {
                "kind": "text",
                "text": "secret\n",
                "content": "secret\u001b[2J\n"
              },
              "actions": [
                {
                  "id": "reject",
                  "title": "Withhold"
                },
                {
                  "id": "approve",
                  "title": "Deliver"
                },
                {
                  "id": "edit",
                  "title": "Edit Result…"
                },
                {
                  "id": "details",
                  "title": "Show Details"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn titles_say_where_a_tool_comes_from() {
    let mut asked = request(run(json!({})));
    asked.tool.source = "mcp.github".to_owned();
    let title = Prompt::new("1".to_owned(), &asked).title;
    assert_eq!(title, "Run mcp fs_delete_file tool from github server?");
    asked.subject = PromptSubject::Edit {
        arguments: Map::new(),
    };
    asked.tool.source = "builtin".to_owned();
    let title = Prompt::new("1".to_owned(), &asked).title;
    assert_eq!(
        title,
        "Edit the arguments of the builtin fs_delete_file tool?"
    );
}

#[test]
fn a_digest_depends_on_everything_that_is_approved_and_on_no_order() {
    let of = |subject| digest(&request(subject));
    let base = of(run(json!({"a": 1, "b": {"c": 2, "d": 3}})));
    assert_eq!(base, of(run(json!({"b": {"d": 3, "c": 2}, "a": 1}))));
    assert_ne!(base, of(run(json!({"a": 1, "b": {"c": 2, "d": "3"}}))));
    assert_ne!(
        base,
        of(PromptSubject::Edit {
            arguments: arguments(json!({"a": 1, "b": {"c": 2, "d": 3}}))
        })
    );
    let mut with_argv = run(json!({"a": 1, "b": {"c": 2, "d": 3}}));
    if let PromptSubject::Run { argv, .. } = &mut with_argv {
        *argv = Some(vec!["rm".to_owned()]);
    }
    assert_ne!(base, of(with_argv));
    let mut other = request(run(json!({"a": 1, "b": {"c": 2, "d": 3}})));
    other.tool.call_id = "call_2".to_owned();
    assert_ne!(base, digest(&other));
}

#[test]
fn what_cannot_be_shown_whole_cannot_be_remembered() {
    let whole = Prompt::new("1".to_owned(), &request(run(json!({"a": "b"}))));
    assert!(whole.may_remember);
    let long = "x".repeat(100_000);
    let cut = Prompt::new("1".to_owned(), &request(run(json!({"a": long}))));
    assert!(!cut.may_remember);
}

#[test]
fn only_yes_and_no_are_remembered_and_only_where_the_tool_allows_it() {
    let may = |question: Question| {
        Prompt::new(
            "1".to_owned(),
            &request(PromptSubject::Question {
                question: Box::new(question),
                label: None,
            }),
        )
        .may_remember
    };
    assert!(may(Question::boolean("q", "Go?")));
    assert!(!may(
        Question::boolean("q", "Go?").with_persistence(jp_tool::AnswerReusePolicy::None)
    ));
    assert!(!may(Question::select("q", "Go?", ["a"])));
    assert!(!may(Question::text("q", "Go?")));
    assert!(!may(Question::secret("q", "Go?")));
}

#[test]
fn edited_arguments_are_an_object_and_edited_results_a_string() {
    let decide = |subject: PromptSubject, answer: Value| {
        let request = request(subject);
        let prompt = Prompt::new("1".to_owned(), &request);
        answer::decide(&prompt, &request, serde_json::from_value(answer).unwrap())
    };
    let edit = || PromptSubject::Edit {
        arguments: Map::new(),
    };
    let result = || PromptSubject::Result {
        content: "x".to_owned(),
        is_error: false,
        edit: true,
    };
    let edited = |value| Ok(Some(PromptOutcome::Edited { value }));
    assert_eq!(
        decide(edit(), json!({"action": "edit", "arguments": {"a": 1}})),
        edited(json!({"a": 1}))
    );
    assert_eq!(
        decide(edit(), json!({"action": "edit", "value": "{\"a\": 1}"})),
        edited(json!({"a": 1}))
    );
    assert_eq!(
        decide(result(), json!({"action": "edit", "value": "y"})),
        edited(json!("y"))
    );
    let problem = |decided: Result<_, AnswerError>| decided.unwrap_err().to_string();
    assert_eq!(
        problem(decide(edit(), json!({"action": "edit", "arguments": [1]}))),
        "edited arguments are an object, send them as `arguments`"
    );
    assert_eq!(
        problem(decide(edit(), json!({"action": "edit", "value": "a=1"}))),
        "the arguments are no JSON object (expected value at line 1 column 1), write for example `{\"path\": \"src\"}`"
    );
    assert_eq!(
        problem(decide(result(), json!({"action": "edit"}))),
        "an edited result is a string, send it as `value`"
    );
    assert_eq!(
        problem(decide(edit(), json!({"action": "approve"}))),
        "the action `approve` is not offered, choose one of `reject`, `edit`, `details`"
    );
}
