use std::collections::VecDeque;
use std::sync::Mutex;

use expect_test::{Expect, expect};
use jp_conversation::ConversationId;
use jp_tool::Question;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::broker::BrokerConfig;
use crate::delta::{CycleConfig, LeafSet, prompt_of_rule};
use crate::ports::Prompts as _;
use crate::prompt::{
    GrantPrompt, PromptOutcome, PromptRequest, PromptRule, PromptSubject, PromptTool,
};
use crate::source_range::SourceRange;

/// A person who does this, one after another.
#[derive(Debug, Clone)]
enum Deed {
    Pick(&'static str),
    Write(&'static str),
    Escape,
    Interrupt,
    GiveUp,
    Hang,
}

#[derive(Debug, Clone, Default)]
struct Script {
    deeds: Arc<Mutex<VecDeque<Deed>>>,
    screen: Arc<Mutex<String>>,
}

impl Script {
    fn print(&self, line: &str) {
        let mut screen = self.screen.lock().unwrap();
        screen.push_str(line);
        screen.push('\n');
    }

    fn next(&self) -> io::Result<Option<&'static str>> {
        match self.deeds.lock().unwrap().pop_front() {
            Some(Deed::Pick(text) | Deed::Write(text)) => Ok(Some(text)),
            Some(Deed::Escape) => Ok(None),
            Some(Deed::Interrupt) => Err(io::ErrorKind::Interrupted.into()),
            Some(Deed::Hang | Deed::GiveUp) | None => Err(io::Error::other("the terminal is gone")),
        }
    }

    fn written(&self) -> io::Result<Option<String>> {
        let text = self.next()?;
        self.print(&format!("< {text:?}"));
        Ok(text.map(str::to_owned))
    }
}

impl Dialogue for Script {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.print(text);
        Ok(())
    }

    fn select(&mut self, title: &str, items: &[String], first: usize) -> io::Result<Option<usize>> {
        self.print(&format!("? {title}"));
        for (number, item) in items.iter().enumerate() {
            self.print(&format!(
                "{} {item}",
                if number == first { ">" } else { " " }
            ));
        }
        let picked = self.next()?;
        self.print(&format!("< {picked:?}"));
        Ok(picked.map(|picked| items.iter().position(|item| item == picked).unwrap()))
    }

    fn text(&mut self, title: &str, default: Option<&str>) -> io::Result<Option<String>> {
        self.print(&format!("? {title} {default:?}"));
        self.written()
    }

    fn secret(&mut self, title: &str) -> io::Result<Option<String>> {
        self.print(&format!("? {title} (no echo)"));
        Ok(self.next()?.map(str::to_owned))
    }

    fn edit(&mut self, text: &str, extension: &str) -> Result<Option<String>, EditorError> {
        self.print(&format!("edit {extension}: {text}"));
        let next = self
            .deeds
            .lock()
            .unwrap()
            .pop_front_if(|deed| matches!(deed, Deed::GiveUp));
        if next.is_some() {
            return Err(EditorError::NotStarted(vec!["$EDITOR: gone".to_owned()]));
        }
        Ok(self.written()?)
    }
}

fn run() -> PromptSubject {
    PromptSubject::Run {
        arguments: json!({"path": "notes.md"}).as_object().cloned().unwrap(),
        argv: None,
        rendered: None,
    }
}

fn question(question: Question) -> PromptSubject {
    PromptSubject::Question {
        question: Box::new(question),
        label: Some("Assistant".to_owned()),
    }
}

async fn play_each(subjects: Vec<PromptSubject>, deeds: Vec<Deed>) -> (Vec<PromptOutcome>, String) {
    let script = Script::default();
    script.deeds.lock().unwrap().extend(deeds);
    let broker = Broker::start(BrokerConfig { deadline: None });
    let terminal = Terminal::new(script.clone());
    let serving = tokio::spawn({
        let broker = broker.clone();
        async move { terminal.serve(&broker).await }
    });
    // The question must not come before the surface.
    while !broker.is_available() {
        tokio::task::yield_now().await;
    }
    let request = |subject| PromptRequest {
        note: None,
        conversation: ConversationId::from_deciseconds(1),
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
                end: (12, 9),
            }),
            rules: Vec::new(),
        }),
        subject,
    };
    let mut outcomes = Vec::new();
    for subject in subjects {
        let asked = broker.ask(request(subject), CancellationToken::new());
        outcomes.push(asked.await);
    }
    serving.abort();
    let screen = script.screen.lock().unwrap().clone();
    (outcomes, screen)
}

async fn play(subject: PromptSubject, deeds: Vec<Deed>) -> (PromptOutcome, String) {
    let (mut outcomes, screen) = play_each(vec![subject], deeds).await;
    (outcomes.remove(0), screen)
}

async fn check(subject: PromptSubject, deeds: Vec<Deed>, expected: Expect) -> PromptOutcome {
    let (outcome, screen) = play(subject, deeds).await;
    expected.assert_eq(&screen);
    outcome
}

#[tokio::test]
async fn a_call_is_approved_after_a_look_at_the_details() {
    let outcome = check(
        run(),
        vec![
            Deed::Pick("Reject with a Reason\u{2026}"),
            Deed::Escape,
            Deed::Pick("Run, and other calls that this rule asks for, in this turn"),
        ],
        expect![[r#"
              path: notes.md
              decided by rule 2, /work/.jp/config.toml:13
            ? Run local fs_delete_file tool?
            > Reject
              Reject, and other calls that this rule asks for, in this turn
              Reject with a Reason…
              Run
              Run, and other calls that this rule asks for, in this turn
              Edit Arguments…
              Show Details
            < Some("Reject with a Reason…")
            ? Why? The assistant reads this. None
            < None
            ? Run local fs_delete_file tool?
            > Reject
              Reject, and other calls that this rule asks for, in this turn
              Reject with a Reason…
              Run
              Run, and other calls that this rule asks for, in this turn
              Edit Arguments…
              Show Details
            < Some("Run, and other calls that this rule asks for, in this turn")
        "#]],
    )
    .await;
    assert_eq!(outcome, PromptOutcome::Approved { remember: true });
}

#[tokio::test]
async fn a_grant_is_seen_as_the_config_that_it_changes() {
    let fs = json!([{"path": "docs", "read": true}]);
    let tool = json!({"source": "local", "command": "cat", "access": {"fs": fs}});
    let base = CycleConfig::new(&json!({"conversation": {"tools": {"fs_delete_file": tool}}}));
    let rule = json!({"value": [{"path": "src/a.rs", "read": true}], "strategy": "append"});
    let change = json!({"conversation": {"tools": {"fs_delete_file": {"access": {"fs": rule}}}}});
    let leaves = LeafSet::read(&base, Some(&change), &[]).unwrap();
    let grant = PromptSubject::Grant(Box::new(GrantPrompt {
        capability: "read".to_owned(),
        path: "src/a.rs".into(),
        rule: r#"{ path = "src/a.rs", read = true }"#.to_owned(),
        delta: prompt_of_rule(&leaves, &base, &[]),
    }));
    let deeds = vec![Deed::Pick("Show Details"), Deed::Pick("Grant")];
    let outcome = check(grant, deeds, expect![[r#"
          fs_delete_file could not read `src/a.rs`, since no rule grants it. This rule would, for the rest of the conversation:
          { path = "src/a.rs", read = true }
          loosens: `fs_delete_file` would be allowed to read `src/a.rs`
          decided by rule 2, /work/.jp/config.toml:13
        ? Grant `read` on `src/a.rs` to fs_delete_file?
        > Reject
          Reject with a Reason…
          Grant
          Show Details
        < Some("Show Details")
        fs_delete_file call_1, digest 9434f28965b2ad5358f80e0bfdbb7690c9c34e1f487016679e029b2618bdcb03

        before:
        [conversation.tools.fs_delete_file.access]
        fs = [
          { path = "docs", read = true },
        ]


        after:
        [conversation.tools.fs_delete_file.access]
        fs = [
          { path = "docs", read = true },
          { path = "src/a.rs", read = true },
        ]

        ? Grant `read` on `src/a.rs` to fs_delete_file?
        > Reject
          Reject with a Reason…
          Grant
          Show Details
        < Some("Grant")
    "#]]).await;
    assert_eq!(outcome, PromptOutcome::Approved { remember: false });
}

#[tokio::test]
async fn a_rejection_carries_its_reason() {
    let deeds = vec![
        Deed::Pick("Reject with a Reason\u{2026}"),
        Deed::Write("keep it"),
    ];
    assert_eq!(
        play(run(), deeds).await.0,
        PromptOutcome::Rejected {
            reason: Some("keep it".to_owned()),
            remember: false
        }
    );
}

#[tokio::test]
async fn leaving_a_prompt_is_the_safe_answer() {
    let rejected = PromptOutcome::Rejected {
        reason: None,
        remember: false,
    };
    assert_eq!(play(run(), vec![Deed::Escape]).await.0, rejected);
    let asked = question(Question::text("answer", "Why?"));
    let left = play(asked, vec![Deed::Escape]).await.0;
    assert_eq!(left, PromptOutcome::Cancelled);
}

#[tokio::test]
async fn ctrl_c_declines_a_prompt_and_nothing_more() {
    let rejected = PromptOutcome::Rejected {
        reason: None,
        remember: false,
    };
    assert_eq!(play(run(), vec![Deed::Interrupt]).await.0, rejected);
    let reason = vec![Deed::Pick("Reject with a Reason\u{2026}"), Deed::Interrupt];
    assert_eq!(play(run(), reason).await.0, rejected);
    let asked = question(Question::text("answer", "Why?"));
    let left = play(asked, vec![Deed::Interrupt]).await.0;
    assert_eq!(left, PromptOutcome::Cancelled);
}

#[tokio::test]
async fn an_editor_that_gives_up_decides_nothing_and_loses_nothing() {
    let outcome = check(
        PromptSubject::Edit {
            arguments: json!({"path": "a"}).as_object().cloned().unwrap(),
        },
        vec![
            Deed::Pick("Edit Arguments\u{2026}"),
            Deed::GiveUp,
            Deed::Pick("Edit Arguments\u{2026}"),
            Deed::Write("{\"path\": "),
            Deed::GiveUp,
            Deed::Pick("Edit Arguments\u{2026}"),
            Deed::Write("{\"path\": \"b\"}"),
        ],
        expect![[r#"
              path: a
              decided by rule 2, /work/.jp/config.toml:13
            ? Edit the arguments of the local fs_delete_file tool?
            > Reject
              Reject with a Reason…
              Edit Arguments…
              Show Details
            < Some("Edit Arguments…")
            edit .json: {
              "path": "a"
            }
            no editor can be started ($EDITOR: gone), set `editor.cmd` or `$EDITOR` to a program and its arguments
            ? Edit the arguments of the local fs_delete_file tool?
            > Reject
              Reject with a Reason…
              Edit Arguments…
              Show Details
            < Some("Edit Arguments…")
            edit .json: {
              "path": "a"
            }
            < Some("{\"path\": ")
            the arguments are no JSON object: EOF while parsing a value at line 1 column 9
            edit .json: {"path": 
            no editor can be started ($EDITOR: gone), set `editor.cmd` or `$EDITOR` to a program and its arguments
            ? Edit the arguments of the local fs_delete_file tool?
            > Reject
              Reject with a Reason…
              Edit Arguments…
              Show Details
            < Some("Edit Arguments…")
            edit .json: {"path": 
            < Some("{\"path\": \"b\"}")
        "#]],
    )
    .await;
    let edited = json!({"path": "b"}).as_object().cloned().unwrap();
    let edited = serde_json::Value::Object(edited);
    assert_eq!(outcome, PromptOutcome::Edited { value: edited });
}

#[tokio::test]
async fn a_result_is_not_delivered_by_an_editor_that_gives_up() {
    let result = PromptSubject::Result {
        content: "All is well.".to_owned(),
        is_error: false,
        edit: true,
    };
    let deeds = vec![
        Deed::Pick("Edit Result\u{2026}"),
        Deed::GiveUp,
        Deed::Escape,
    ];
    let (outcome, screen) = play(result, deeds).await;
    let rejected = PromptOutcome::Rejected {
        reason: None,
        remember: false,
    };
    assert_eq!(outcome, rejected, "{screen}");
}

#[tokio::test]
async fn edited_arguments_are_checked_and_edited_again() {
    let outcome = check(
        PromptSubject::Edit {
            arguments: json!({"path": "a"}).as_object().cloned().unwrap(),
        },
        vec![
            Deed::Pick("Edit Arguments\u{2026}"),
            Deed::Write("{\"path\": "),
            Deed::Write("  \n"),
            Deed::Pick("Edit Arguments\u{2026}"),
            Deed::Write("{\"path\": \"b\"}"),
        ],
        expect![[r#"
              path: a
              decided by rule 2, /work/.jp/config.toml:13
            ? Edit the arguments of the local fs_delete_file tool?
            > Reject
              Reject with a Reason…
              Edit Arguments…
              Show Details
            < Some("Edit Arguments…")
            edit .json: {
              "path": "a"
            }
            < Some("{\"path\": ")
            the arguments are no JSON object: EOF while parsing a value at line 1 column 9
            edit .json: {"path": 
            < Some("  \n")
            ? Edit the arguments of the local fs_delete_file tool?
            > Reject
              Reject with a Reason…
              Edit Arguments…
              Show Details
            < Some("Edit Arguments…")
            edit .json: {"path": 
            < Some("{\"path\": \"b\"}")
        "#]],
    )
    .await;
    assert_eq!(
        outcome,
        PromptOutcome::Edited {
            value: json!({"path": "b"})
        }
    );
}

/// Ids of calls are the model's, and may be the same in one answer or in the next.
#[tokio::test]
async fn what_was_written_for_a_call_is_not_shown_for_another() {
    let edit = |text: &str| PromptSubject::Edit {
        arguments: json!({ "path": text }).as_object().cloned().unwrap(),
    };
    let deeds = vec![
        Deed::Pick("Edit Arguments\u{2026}"),
        Deed::Write("{\"path\": \"FIRST\"}"),
        Deed::Pick("Edit Arguments\u{2026}"),
        Deed::Write("{\"path\": \"SECOND\"}"),
        Deed::Pick("Edit Arguments\u{2026}"),
        Deed::Write("{\"path\": \"THIRD\"}"),
    ];
    let subjects = vec![edit("first"), edit("second"), edit("first")];
    let (_, screen) = play_each(subjects, deeds).await;
    let opened: Vec<&str> = screen
        .lines()
        .skip_while(|line| !line.contains("edit .json"))
        .filter(|line| line.contains("\"path\": ") && !line.contains('<'))
        .map(str::trim)
        .collect();
    assert_eq!(
        opened,
        [
            r#""path": "first""#,
            r#""path": "second""#,
            r#""path": "first""#
        ]
    );
}

#[tokio::test]
async fn an_edited_result_is_a_text() {
    let subject = PromptSubject::Result {
        content: "raw\u{202e}".to_owned(),
        is_error: false,
        edit: true,
    };
    let deeds = vec![Deed::Pick("Edit Result\u{2026}"), Deed::Write("clean")];
    let (outcome, screen) = play(subject, deeds).await;
    assert_eq!(
        outcome,
        PromptOutcome::Edited {
            value: json!("clean")
        }
    );
    assert!(screen.contains("edit .txt: raw\u{202e}\n"), "{screen}");
}

#[tokio::test]
async fn each_type_of_question_is_asked_in_its_way() {
    let answered = |value| PromptOutcome::Answered {
        value,
        remember: false,
    };
    let boolean = Question::boolean("answer", "Go?")
        .with_default(false)
        .with_context("Two\nlines");
    assert_eq!(
        check(
            question(boolean),
            vec![Deed::Pick("Yes")],
            expect![[r#"
            Assistant:
            Two
            lines
              decided by rule 2, /work/.jp/config.toml:13
            ? Go?
              Cancel
              Yes
            > No
              Yes, for the rest of this turn
              No, for the rest of this turn
            < Some("Yes")
        "#]]
        )
        .await,
        answered(json!(true))
    );
    let select = Question::select("answer", "Which?", ["a\u{202e}", "b"]).with_default("b");
    assert_eq!(
        check(
            question(select),
            vec![Deed::Pick("a\\u{202e}")],
            expect![[r#"
                Assistant:
                  decided by rule 2, /work/.jp/config.toml:13
                ? Which?
                  Cancel
                  a\u{202e}
                > b
                < Some("a\\u{202e}")
            "#]]
        )
        .await,
        answered(json!("a\u{202e}"))
    );
    let text = Question::text("answer", "What?").with_default("x");
    assert_eq!(
        check(
            question(text),
            vec![Deed::Write("y")],
            expect![[r#"
            Assistant:
              decided by rule 2, /work/.jp/config.toml:13
            ? What? Some("x")
            < Some("y")
        "#]]
        )
        .await,
        answered(json!("y"))
    );
    let secret = Question::secret("answer", "Password?");
    assert_eq!(
        check(
            question(secret),
            vec![Deed::Write("hunter2")],
            expect![[r#"
                Assistant:
                  decided by rule 2, /work/.jp/config.toml:13
                ? Password? (no echo)
            "#]]
        )
        .await,
        answered(json!("hunter2"))
    );
}

#[tokio::test]
async fn a_terminal_that_is_gone_is_nobody() {
    let (outcome, _) = play(run(), vec![Deed::Hang]).await;
    assert_eq!(
        outcome,
        PromptOutcome::Unavailable {
            reason: "the last prompt surface was lost".to_owned()
        }
    );
}
