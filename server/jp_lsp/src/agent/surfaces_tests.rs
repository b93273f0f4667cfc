//! The surfaces of a prompt, as a client sees them.
//!
//! One file: each client is told by what it can show of the same prompt.

use std::{
    collections::VecDeque,
    sync::{Arc, OnceLock},
    time::Duration,
};

use expect_test::{Expect, expect};
use jp_agent::{
    BrokerConfig, PromptAnswer, PromptOutcome, PromptRequest, PromptRule, PromptSubject,
    PromptTool, Prompts as _, SourceRange,
};
use jp_conversation::ConversationId;
use jp_tool::{AnswerReusePolicy, Question};
use lsp_types::{
    CodeActionOrCommand, CodeActionParams, CodeActionResponse, ExecuteCommandParams,
    request::{CodeActionRequest, ExecuteCommand, Request},
};
use pretty_assertions::assert_eq;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    Cancelled, Context, Engine, FileReport, Routes, Snapshot, Work,
    agent::pending::ANSWER,
    server::serve,
    session::{error::RequestError, request::decode},
    wire::{Wire, write_to},
};

/// A server that does nothing but ask.
#[derive(Debug, Default)]
struct Asking {
    broker: OnceLock<Broker>,
}

/// Asks, and answers what came of it.
enum Ask {}

#[derive(Serialize, Deserialize)]
struct AskParams {
    question: Option<Question>,
    call: String,
}

impl Request for Ask {
    type Params = AskParams;
    type Result = String;
    const METHOD: &'static str = "test/ask";
}

#[derive(Deserialize)]
struct AnswerParams {
    id: String,
    digest: String,
    #[serde(flatten)]
    answer: PromptAnswer,
}

fn request(params: AskParams) -> PromptRequest {
    PromptRequest {
        note: None,
        conversation: ConversationId::from_deciseconds(17_636_666_521),
        root: "/w".into(),
        tool: PromptTool {
            name: "grep".to_owned(),
            call_id: params.call,
            source: "local".to_owned(),
        },
        rule: Some(PromptRule {
            index: Some(0),
            place: Some(SourceRange {
                file: "/w/.jp/config.toml".into(),
                start: (3, 0),
                end: (3, 12),
            }),
            rules: Vec::new(),
        }),
        subject: match params.question {
            Some(question) => PromptSubject::Question {
                question: Box::new(question),
                label: None,
            },
            None => PromptSubject::Run {
                arguments: serde_json::Map::new(),
                argv: Some(vec!["grep".to_owned(), "x y".to_owned()]),
                rendered: None,
            },
        },
    }
}

impl Engine for Asking {
    type Reading = ();
    type Analysis = Vec<Arc<FileReport>>;

    fn routes(&self) -> Routes<Self> {
        Routes::new()
            .on_waiting::<Ask, _>(|context: Context<Self>, params| async move {
                let engine = context.engine();
                let broker = engine.broker.get_or_init(|| {
                    let broker = Broker::start(BrokerConfig { deadline: None });
                    let messages = Arc::new(Semaphore::new(1));
                    let client = context.snapshot().client();
                    attach(
                        &broker,
                        &messages,
                        client,
                        context.events(),
                        context.outbox(),
                    );
                    broker
                });
                let outcome = broker.ask(request(params), CancellationToken::new()).await;
                Ok(match outcome {
                    PromptOutcome::Answered { value, remember } => {
                        format!("answered {value} {remember}")
                    }
                    other => format!("{other:?}"),
                })
            })
            .on_waiting::<ExecuteCommand, _>(
                |context: Context<Self>, params: ExecuteCommandParams| async move {
                    assert_eq!(params.command, ANSWER);
                    let argument = params.arguments.into_iter().next().unwrap_or_default();
                    let params: AnswerParams = decode(&argument)?;
                    let broker = context.engine().broker.get();
                    let broker = broker.ok_or(RequestError::Failed(String::new()))?;
                    broker
                        .answer(&params.id, &params.digest, params.answer)
                        .await
                        .map(|_| None)
                        .map_err(|error| RequestError::Failed(error.to_string()))
                },
            )
            .on::<CodeActionRequest>(|context, params: CodeActionParams| {
                let uri = params.text_document.uri;
                let prompts = context.snapshot().prompts();
                Ok(Some(prompts.code_actions(&uri, params.range, false)))
            })
    }

    fn read(&self, _: &Snapshot, _: Option<&()>, _: &Work) -> Result<(), Cancelled> {
        Ok(())
    }

    fn analyze(
        &self,
        _: &Snapshot,
        _: &Arc<()>,
        _: Option<&Self::Analysis>,
        _: &Work,
    ) -> Result<Self::Analysis, Cancelled> {
        Ok(Vec::new())
    }

    fn reports<'a>(&self, analysis: &'a Self::Analysis) -> &'a [Arc<FileReport>] {
        analysis
    }
}

/// The other side of the wire.
struct Client {
    writer: tokio::io::WriteHalf<tokio::io::DuplexStream>,
    reader: BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>,
    /// What came while something else was waited for.
    kept: VecDeque<Value>,
}

impl Client {
    async fn start(capabilities: Value) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            let (input, output) = tokio::io::split(theirs);
            let (wire, queue) = Wire::new();
            serve(Asking::default(), input, wire, write_to(output, queue)).await
        });
        let (reader, writer) = tokio::io::split(ours);
        let mut client = Self {
            writer,
            reader: BufReader::new(reader),
            kept: VecDeque::new(),
        };
        client
            .send(
                json!({"id": 0, "method": "initialize", "params": {"capabilities": capabilities}}),
            )
            .await;
        client.reply(0).await;
        client
            .send(json!({"method": "initialized", "params": {}}))
            .await;
        client
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.writer.write_all(frame.as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, id: u32, params: &AskParams) {
        self.send(json!({"id": id, "method": Ask::METHOD, "params": params}))
            .await;
    }

    async fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).await.unwrap();
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The first message that fits; others are kept for later.
    async fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(position) = self.kept.iter().position(&fits) {
            return self.kept.remove(position).unwrap();
        }
        loop {
            let message = tokio::time::timeout(Duration::from_secs(20), self.read())
                .await
                .expect("a message that never came");
            if fits(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    async fn reply(&mut self, id: u32) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
            .await
    }

    async fn call(&mut self, method: &str) -> Value {
        self.wait(|message| message["method"] == method).await
    }

    /// The diagnostics of the next publication that has some, or none.
    async fn published(&mut self, any: bool) -> Value {
        let published = self.wait(|message| {
            let shown = message["params"]["diagnostics"].as_array();
            message["method"] == "textDocument/publishDiagnostics"
                && shown.is_some_and(|shown| shown.is_empty() != any)
        });
        published.await["params"].take()
    }

    async fn actions(&mut self, id: u32) -> CodeActionResponse {
        let position = json!({"line": 3, "character": 2});
        self.send(
            json!({"id": id, "method": CodeActionRequest::METHOD, "params": {
            "textDocument": {"uri": "file:///w/.jp/config.toml"},
            "range": {"start": position, "end": position}, "context": {"diagnostics": []}}}),
        )
        .await;
        serde_json::from_value(self.reply(id).await["result"].take()).unwrap()
    }
}

fn run(call: &str) -> AskParams {
    AskParams {
        question: None,
        call: call.to_owned(),
    }
}

fn question(question: Question) -> AskParams {
    AskParams {
        question: Some(question),
        call: "call_1".to_owned(),
    }
}

fn rich() -> Value {
    json!({"experimental": {"jp": {"prompts": true}}})
}

fn check(value: &Value, expected: &Expect) {
    let mut text = serde_json::to_string_pretty(value).unwrap();
    text.push('\n');
    expected.assert_eq(&text);
}

const APPROVED: &str = "Approved { remember: false }";

#[tokio::test]
async fn a_client_that_knows_prompts_is_asked_in_full() {
    let mut client = Client::start(rich()).await;
    client.ask(1, &run("call_1")).await;
    let prompt = client.call("jp/prompt").await;
    assert_eq!(prompt["params"]["preview"]["argv"], json!(["grep", "x y"]));
    client
        .send(json!({"id": prompt["id"], "result": {"action": "approve"}}))
        .await;
    assert_eq!(client.reply(1).await["result"], APPROVED);
    let resolved = client.call("jp/promptResolved").await;
    assert_eq!(
        resolved["params"],
        json!({"id": "17636666521-1", "action": "approve"})
    );
}

#[tokio::test]
async fn a_yes_or_no_may_hold_for_the_turn() {
    for (persistence, remembered) in [
        (AnswerReusePolicy::Turn, true),
        (AnswerReusePolicy::None, false),
    ] {
        let mut client = Client::start(rich()).await;
        let mut yes_or_no = Question::boolean("answer", "Go on?");
        yes_or_no.persistence = persistence;
        client.ask(1, &question(yes_or_no)).await;
        let prompt = client.call("jp/prompt").await;
        let choices = prompt["params"]["choices"].as_array().unwrap();
        let title = "Yes, for the rest of this turn";
        let choice = choices.iter().find(|choice| choice["title"] == title);
        assert_eq!(choice.is_some(), remembered);
        let answer = choice.map_or_else(
            || json!({"action": "answer", "value": true}),
            |choice| choice["effect"]["answer"].clone(),
        );
        client
            .send(json!({"id": prompt["id"], "result": answer}))
            .await;
        assert_eq!(
            client.reply(1).await["result"],
            format!("answered true {remembered}")
        );
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again() {
    let mut client = Client::start(rich()).await;
    let select = Question::select("answer", "Which?", ["a", "b"]);
    client.ask(1, &question(select)).await;
    let prompt = client.call("jp/prompt").await;
    client
        .send(json!({"id": prompt["id"], "result": {"action": "answer", "value": "c"}}))
        .await;
    let told = client.call("window/showMessage").await;
    assert_eq!(
        told["params"]["message"],
        "the answer must be one of `a`, `b`"
    );
    let again = client.call("jp/prompt").await;
    assert_eq!(again["params"], prompt["params"]);
    client
        .send(json!({"id": again["id"], "result": {"action": "answer", "value": "b"}}))
        .await;
    assert_eq!(client.reply(1).await["result"], "answered \"b\" false");
}

#[tokio::test]
async fn null_and_an_error_leave_the_prompt_to_the_other_surfaces() {
    for refusal in [
        json!({"result": null}),
        json!({"error": {"code": -32601, "message": "?"}}),
    ] {
        let mut client = Client::start(rich()).await;
        client.ask(1, &run("call_1")).await;
        let mut reply = refusal;
        let prompt = client.call("jp/prompt").await;
        reply["id"] = prompt["id"].clone();
        client.send(reply).await;
        let (id, digest) = (&prompt["params"]["id"], &prompt["params"]["digest"]);
        let answer = json!({"id": id, "digest": digest, "action": "approve"});
        client
            .send(json!({"id": 2, "method": "workspace/executeCommand",
                "params": {"command": ANSWER, "arguments": [answer]}}))
            .await;
        assert_eq!(client.reply(2).await["result"], Value::Null);
        assert_eq!(client.reply(1).await["result"], APPROVED);
    }
}

#[tokio::test]
async fn the_command_needs_the_digest_of_the_prompt() {
    let mut client = Client::start(rich()).await;
    client.ask(1, &run("call_1")).await;
    let prompt = client.call("jp/prompt").await;
    let answer = json!({"id": prompt["params"]["id"], "digest": "0", "action": "approve"});
    client
        .send(json!({"id": 2, "method": "workspace/executeCommand",
            "params": {"command": ANSWER, "arguments": [answer]}}))
        .await;
    assert_eq!(
        client.reply(2).await["error"]["message"],
        "the digest is not that of the prompt `17636666521-1`, look at it again"
    );
}

#[tokio::test]
async fn a_plain_client_gets_a_message_with_the_safe_choice_first() {
    let mut client = Client::start(json!({})).await;
    client.ask(1, &run("call_1")).await;
    let message = client.call("window/showMessageRequest").await;
    check(
        &message["params"],
        &expect![[r#"
        {
          "type": 3,
          "message": "Run local grep tool?\ngrep 'x y'\n(grep #17636666521-1)",
          "actions": [
            {
              "title": "Reject"
            },
            {
              "title": "Reject, and other calls that this rule asks for, in this turn"
            },
            {
              "title": "Run"
            },
            {
              "title": "Run, and other calls that this rule asks for, in this turn"
            }
          ]
        }
    "#]],
    );
    client
        .send(json!({"id": message["id"], "result": {"title": "Run"}}))
        .await;
    assert_eq!(client.reply(1).await["result"], APPROVED);
}

#[tokio::test]
async fn a_dismissed_message_decides_nothing_and_the_next_prompt_has_its_own() {
    let mut client = Client::start(json!({})).await;
    client.ask(1, &run("call_1")).await;
    client.ask(2, &run("call_2")).await;
    let first = client.call("window/showMessageRequest").await;
    client.published(true).await;
    let actions = client.actions(3).await;
    let Some(CodeActionOrCommand::CodeAction(reject)) = actions.into_iter().next() else {
        panic!("expected an action");
    };
    let command = reject.command.unwrap();
    client
        .send(json!({"id": 4, "method": "workspace/executeCommand",
            "params": {"command": command.command, "arguments": command.arguments}}))
        .await;
    assert_eq!(
        client.reply(1).await["result"],
        "Rejected { reason: None, remember: false }"
    );
    // The second message waits for the first to be closed, whatever became of its prompt.
    client.reply(4).await;
    client
        .send(json!({"id": 5, "method": "test/unknown"}))
        .await;
    client.reply(5).await;
    let is_message = |message: &Value| message["method"] == "window/showMessageRequest";
    assert!(!client.kept.iter().any(is_message));
    client
        .send(json!({"id": first["id"], "result": {"title": "Run"}}))
        .await;
    let second = client.call("window/showMessageRequest").await;
    assert_ne!(second["params"]["message"], first["params"]["message"]);
    client
        .send(json!({"id": second["id"], "result": null}))
        .await;
    let actions = client.actions(6).await;
    assert_eq!(actions.len(), 5);
}

#[tokio::test]
async fn every_client_has_the_prompt_among_its_diagnostics() {
    let mut client = Client::start(json!({})).await;
    let go = Question::boolean("go", "Go\u{202e}?").with_context("Two\nlines");
    client.ask(1, &question(go)).await;
    let mut shown = client.published(true).await;
    shown["diagnostics"][0]["data"]["digest"] = "9f2c".into();
    let page = shown["diagnostics"][0]["codeDescription"].take();
    let page = page["href"].as_str().unwrap();
    assert!(page.ends_with("/pending-prompt.md"), "{page}");
    check(
        &shown,
        &expect![[r#"
        {
          "uri": "file:///w/.jp/config.toml",
          "diagnostics": [
            {
              "range": {
                "start": {
                  "line": 3,
                  "character": 0
                },
                "end": {
                  "line": 3,
                  "character": 12
                }
              },
              "severity": 3,
              "code": "pending-prompt",
              "codeDescription": null,
              "source": "jp",
              "message": "Go\\u{202e}?\nTwo\nlines\ngrep asks: Go\\u{202e}?\nDecide with a code action.",
              "data": {
                "id": "17636666521-1",
                "digest": "9f2c"
              }
            }
          ]
        }
    "#]],
    );
    let titles: Vec<String> = client
        .actions(2)
        .await
        .into_iter()
        .map(|action| match action {
            CodeActionOrCommand::CodeAction(action) => action.title,
            CodeActionOrCommand::Command(command) => command.title,
        })
        .collect();
    assert_eq!(
        titles,
        [
            "Cancel \u{2014} grep #17636666521-1",
            "Yes \u{2014} grep #17636666521-1",
            "No \u{2014} grep #17636666521-1",
            "Yes, for the rest of this turn \u{2014} grep #17636666521-1",
            "No, for the rest of this turn \u{2014} grep #17636666521-1",
        ]
    );
    let message = client.call("window/showMessageRequest").await;
    client
        .send(json!({"id": message["id"], "result": {"title": "Yes"}}))
        .await;
    assert_eq!(client.reply(1).await["result"], "answered true false");
    let cleared = client.published(false).await;
    assert_eq!(cleared["uri"], "file:///w/.jp/config.toml");
}

#[tokio::test]
async fn a_client_without_buttons_is_told_where_a_prompt_waits() {
    let mut client = Client::start(json!({})).await;
    client
        .ask(1, &question(Question::boolean("go", "Go?")))
        .await;
    let message = client.call("window/showMessageRequest").await;
    client
        .send(json!({"id": message["id"], "error": {"code": -32601, "message": "?"}}))
        .await;
    let told = client.call("window/showMessage").await;
    assert_eq!(
        told["params"],
        json!({"type": 3, "message": "Go?\n(grep #17636666521-1)\nIt waits at line 4 of `/w/.jp/config.toml`: decide \
            with a code action there."})
    );
}

#[tokio::test]
async fn a_question_for_text_says_which_command_answers_it() {
    let mut client = Client::start(json!({})).await;
    client
        .ask(1, &question(Question::secret("p", "Password?")))
        .await;
    let shown = client.published(true).await;
    let message = shown["diagnostics"][0]["message"].as_str().unwrap();
    let data = &shown["diagnostics"][0]["data"];
    let told = client.call("window/showMessage").await;
    assert_eq!(
        told["params"],
        json!({"type": 3, "message": "Password?\n(grep #17636666521-1)\nIt waits at line 4 of `/w/.jp/config.toml`: \
            answer with the command `jp.prompt.answer`, or cancel with a code action there."})
    );
    let last = message.lines().last().unwrap();
    assert_eq!(
        last,
        format!(
            "Answer with the command `jp.prompt.answer` and `{{\"id\": \"17636666521-1\", \"digest\": {}, \"action\": \
             \"answer\", \"value\": \"…\"}}`, or cancel with a code action.",
            data["digest"]
        )
    );
    let answer =
        json!({"id": data["id"], "digest": data["digest"], "action": "answer", "value": "hunter2"});
    client
        .send(json!({"id": 2, "method": "workspace/executeCommand",
            "params": {"command": ANSWER, "arguments": [answer]}}))
        .await;
    assert_eq!(
        client.reply(1).await["result"],
        "answered \"hunter2\" false"
    );
    let is_message = |message: &Value| message["method"] == "window/showMessageRequest";
    assert!(
        !client.kept.iter().any(is_message),
        "buttons cannot answer it"
    );
}
