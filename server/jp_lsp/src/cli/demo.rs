//! `jp-lsp demo`: the whole thing on a built-in workspace with a scripted model.
//!
//! ```text
//! $ jp-lsp demo
//! ```
//!
//! It types a mistake into a config and shows the diagnostic, then runs a turn in which the model asks the person, a tool
//! proposes a config change, and the change takes effect.
//! The person of the demonstration answers by themselves, so that it needs no terminal and always ends the same way.

use std::{collections::BTreeSet, io::Write, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{
    ConfigSource, EventSink, PromptActionId, PromptAnswer, PromptAnswerType, PromptKind, Surface,
    SurfaceEvent, TurnControl, TurnOutcome,
};
use jp_conversation::{Answerer, ChatRequest, ConversationEvent, ConversationId, EventKind};
use jp_llm::Script;
use tokio::sync::{mpsc, watch};

use super::check::{self, CheckArguments, DialectName};
use crate::{
    cli::report::Format,
    disk::workspace,
    runtime::{Session, SessionError, SessionOptions, WorkspaceConfig},
};

const CONFIG: &str = include_str!("demo/config.toml");
const SCRIPT: &str = include_str!("demo/script.toml");

/// The line of the config in which the mistake is typed, right and wrong.
const RIGHT: &str = "apply = \"ask\"";
const WRONG: &str = "aply = \"ask\"";

/// Why the demonstration stopped.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The workspace cannot be written, or the output not printed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The check refused.
    #[error(transparent)]
    Check(#[from] check::CheckError),
    /// The runtime refused.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The turn did not complete.
    #[error("the turn did not complete: {0:?}")]
    Turn(TurnOutcome),
}

/// Runs the demonstration; answers the exit code 0.
///
/// # Errors
///
/// [`DemoError`].
pub fn run(output: &mut dyn Write) -> Result<u8, DemoError> {
    let folder = tempfile::tempdir()?;
    let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize()?)
        .map_err(|_| std::io::Error::other("the folder for temporary files is not UTF-8"))?;
    std::fs::create_dir(root.join(".jp"))?;
    let file = root.join(".jp/config.toml");

    writeln!(output, "== 1. A typo in a grant is found as it is typed\n")?;
    std::fs::write(&file, CONFIG.replacen(RIGHT, WRONG, 1))?;
    check_in(&root, output)?;
    writeln!(
        output,
        "\n== 2. The fix is typed, and the config is clean\n"
    )?;
    std::fs::write(&file, CONFIG)?;
    check_in(&root, output)?;
    writeln!(
        output,
        "\n== 3. A turn: the model asks, a tool proposes a config change\n"
    )?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(turn(&root, output));
    runtime.shutdown_background();
    match outcome? {
        TurnOutcome::Completed => Ok(0),
        other => Err(DemoError::Turn(other)),
    }
}

fn check_in(root: &Utf8Path, output: &mut dyn Write) -> Result<(), DemoError> {
    let arguments = CheckArguments {
        severity: Vec::new(),
        fix: false,
        watch: false,
        paths: Vec::new(),
        format: Format::Human,
        dialect: DialectName::Rfd,
        deny: None,
    };
    check::run_in(root, &arguments, false, output)?;
    Ok(())
}

/// What the person asks.
const QUESTION: &str = "Switch to a stronger model, but ask me first.";

async fn turn(root: &Utf8Path, output: &mut dyn Write) -> Result<TurnOutcome, DemoError> {
    let (sender, mut heard) = mpsc::unbounded_channel();
    let (told, calls) = watch::channel(BTreeSet::new());
    let sink = Arc::new(Lines {
        lines: sender.clone(),
        told,
    });
    let script = Script::from_toml("demo", SCRIPT).map_err(SessionError::from)?;
    let options = SessionOptions {
        script: Some(script),
        conversations: Some(root.join(".data")),
        ..SessionOptions::new(None)
    };
    let session = Session::start(root, root, sink, options)?;
    let broker = session.broker.on(Answerer::new("demo", None));
    let person = tokio::spawn(person(broker.attach(), calls, sender.clone()));
    let writer = session.open(None, QUESTION)?;
    let id = writer.conversation().id;
    let (_handle, control) = TurnControl::new();
    let request = ChatRequest {
        content: QUESTION.to_owned(),
        ..ChatRequest::default()
    };
    writeln!(output, "you        {}", request.content)?;
    let runtime = Arc::clone(&session.runtime);
    let finished = tokio::spawn(async move { runtime.turn(writer, request, control).await });
    drop(sender);
    let outcome = loop {
        match heard.recv().await {
            Some(Line::Said(line)) => writeln!(output, "{line}")?,
            Some(Line::End(outcome)) => break outcome,
            None => break TurnOutcome::Cancelled,
        }
    };
    let _ = finished.await;
    person.abort();
    let config = WorkspaceConfig::new(workspace::roots(root, root));
    let before = config.effective().ok();
    let model = |config: &serde_json::Value| {
        config
            .pointer("/assistant/model/id")
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    let after = before.as_ref().map(|config| {
        let conversation = session.conversations.read(id);
        conversation.map_or_else(
            |_| config.clone(),
            |conversation| {
                conversation
                    .config_deltas(0)
                    .fold(config.clone(), |config, delta| {
                        jp_agent::delta::apply(&config, delta)
                    })
            },
        )
    });
    writeln!(
        output,
        "\nmodel of the next cycle: {} (the file still says {})",
        after.as_ref().map(model).unwrap_or_default(),
        before.as_ref().map(model).unwrap_or_default(),
    )?;
    Ok(outcome)
}

/// What the demonstration prints.
#[derive(Debug)]
enum Line {
    Said(String),
    End(TurnOutcome),
}

/// The person of the demonstration: sees each prompt and answers it.
async fn person(
    mut surface: Surface,
    mut calls: watch::Receiver<BTreeSet<String>>,
    lines: mpsc::UnboundedSender<Line>,
) {
    while let Some(event) = surface.next().await {
        let SurfaceEvent::Show(prompt) = event else {
            continue;
        };
        // A prompt may come before its call is on record; the demonstration tells of the call first.
        if calls
            .wait_for(|told| told.contains(&prompt.tool.call_id))
            .await
            .is_err()
        {
            return;
        }
        let mut shown = format!("prompt     {}", prompt.title);
        for line in prompt.message.lines() {
            shown.push_str(&format!("\n           | {line}"));
        }
        let answer = match (&prompt.kind, &prompt.question) {
            (PromptKind::Question, Some(question)) => {
                let value = match &question.answer_type {
                    PromptAnswerType::Boolean => serde_json::Value::Bool(true),
                    PromptAnswerType::Select { options } => {
                        options.first().cloned().unwrap_or_default().into()
                    }
                    PromptAnswerType::Text | PromptAnswerType::Secret => "yes".into(),
                };
                shown.push_str(&format!("\n           answered: {value}"));
                PromptAnswer::value(value)
            }
            _ => {
                shown.push_str("\n           approved");
                PromptAnswer::new(PromptActionId::Approve)
            }
        };
        // The demonstration may have ended.
        let _ = lines.send(Line::Said(shown));
        let _ = surface
            .broker()
            .answer(&prompt.id, &prompt.digest, answer)
            .await;
    }
}

/// Turns events into lines.
#[derive(Debug)]
struct Lines {
    lines: mpsc::UnboundedSender<Line>,
    /// The ids of the calls that were told of.
    told: watch::Sender<BTreeSet<String>>,
}

impl Lines {
    fn say(&self, text: String) {
        // The demonstration may have ended.
        let _ = self.lines.send(Line::Said(text));
    }
}

impl EventSink for Lines {
    fn committed(&self, _: ConversationId, event: &ConversationEvent) {
        match &event.kind {
            EventKind::ChatResponse(jp_conversation::ChatResponse::Message(text)) => {
                self.say(format!("assistant  {text}"));
            }
            EventKind::ToolCallRequest(call) => {
                let arguments = serde_json::Value::Object(call.arguments.clone());
                self.say(format!("call       {} {arguments}", call.name));
                self.told.send_modify(|told| {
                    told.insert(call.id.clone());
                });
            }
            EventKind::ToolCallResponse(response) => {
                self.say(format!("result     {}", response.content));
            }
            EventKind::ConfigDelta(delta) => {
                self.say(format!(
                    "applied    {}",
                    serde_json::Value::Object(delta.delta.clone())
                ));
            }
            _ => {}
        }
    }

    fn delta_text(&self, _: ConversationId, _: &str) {}

    fn notice(&self, _: ConversationId, text: &str) {
        self.say(format!("notice     {text}"));
    }

    fn turn_end(&self, _: ConversationId, outcome: &TurnOutcome) {
        // The demonstration may have ended.
        let _ = self.lines.send(Line::End(outcome.clone()));
    }
}
