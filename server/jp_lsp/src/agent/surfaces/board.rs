//! The surface that every client has: a diagnostic on the governing line, with code actions that answer it.
//!
//! ```json
//! {"severity": 3, "source": "jp", "code": "pending-prompt", "message": "Run local grep tool?",
//!  "range": {"start": {"line": 12, "character": 0}, "end": {"line": 12, "character": 40}}}
//! ```

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use jp_agent::{
    ChoiceEffect, Prompt, PromptActionId, PromptAnswer, PromptAnswerType, Surface, SurfaceEvent,
};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, DiagnosticSeverity,
    NumberOrString, Position, Range,
};
use tokio::sync::{Semaphore, watch};
use url::Url;

use super::{ANSWER, CONFIG, command_argument, is_plain};
use crate::{
    session::{
        documents::FileKey,
        engine::FileReport,
        event::{Event, EventSender},
        to_protocol::{self, SOURCE},
    },
    wire::Outbox,
};

/// The code of the diagnostic.
const CODE: &str = "pending-prompt";

/// The prompts that wait, of all conversations. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PendingPrompts {
    prompts: watch::Sender<BTreeMap<String, Arc<Prompt>>>,
    events: Arc<OnceLock<EventSender>>,
    messages: Arc<Semaphore>,
}

impl Default for PendingPrompts {
    fn default() -> Self {
        Self {
            prompts: watch::Sender::default(),
            events: Arc::default(),
            messages: Arc::new(Semaphore::new(1)),
        }
    }
}

impl PendingPrompts {
    /// Says where changes are told.
    pub(crate) fn connect(&self, events: &EventSender) {
        // Every analysis of a server has the same events.
        let _ = self.events.set(events.clone());
    }

    /// What keeps messages with buttons to one at a time.
    pub(super) fn messages(&self) -> Arc<Semaphore> {
        Arc::clone(&self.messages)
    }

    /// The reports, with the prompts that wait.
    pub(crate) fn add_to(&self, reports: Vec<Arc<FileReport>>) -> Vec<Arc<FileReport>> {
        let mut shown: BTreeMap<FileKey, Vec<Diagnostic>> = BTreeMap::new();
        for prompt in self.prompts.borrow().values() {
            let diagnostics = shown.entry(place(prompt).0).or_default();
            diagnostics.push(diagnostic(prompt));
        }
        if shown.is_empty() {
            return reports;
        }
        let mut merged: Vec<Arc<FileReport>> = reports
            .into_iter()
            .map(|report| match shown.remove(report.key()) {
                None => report,
                Some(prompts) => {
                    let mut diagnostics = report.diagnostics().to_vec();
                    diagnostics.extend(prompts);
                    Arc::new(FileReport::new(report.uri().clone(), diagnostics))
                }
            })
            .collect();
        // A workspace without a config file still has prompts.
        merged.extend(
            shown
                .into_iter()
                .filter_map(|(key, prompts)| Some(Arc::new(FileReport::new(key.uri()?, prompts)))),
        );
        merged
    }

    /// The prompt with an id, as long as it waits.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Prompt>> {
        self.prompts.borrow().get(id).cloned()
    }

    /// The code actions that answer the prompts on the lines of a range.
    pub(crate) fn code_actions(&self, uri: &Url, range: Range) -> Vec<CodeActionOrCommand> {
        let key = FileKey::of(uri);
        let prompts = self.prompts.borrow();
        let here = prompts.values().filter(|prompt| {
            let (file, place) = place(prompt);
            file == key && place.start.line <= range.end.line && range.start.line <= place.end.line
        });
        here.flat_map(|prompt| actions(prompt)).collect()
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Arc<Prompt>>)) {
        self.prompts.send_modify(change);
        if let Some(events) = self.events.get() {
            events.send(Event::PromptsChanged);
        }
    }
}

/// Keeps the prompts of one broker on the board until the client is gone or the broker ends.
pub(super) async fn serve(mut surface: Surface, pending: PendingPrompts, outbox: Outbox) {
    let mut shown = None;
    loop {
        let event = tokio::select! {
            event = surface.next() => event,
            () = outbox.closed() => None,
        };
        match event {
            Some(SurfaceEvent::Show(prompt)) => {
                shown = Some(prompt.id.clone());
                pending.change(|prompts| {
                    prompts.insert(prompt.id.clone(), prompt);
                });
            }
            Some(SurfaceEvent::Resolved { id, .. }) => {
                pending.change(|prompts| {
                    prompts.remove(&id);
                });
            }
            None => break,
        }
    }
    if let Some(id) = shown {
        pending.change(|prompts| {
            prompts.remove(&id);
        });
    }
}

/// The governing line, or the first line of the workspace's config.
fn place(prompt: &Prompt) -> (FileKey, Range) {
    let position = |(line, character)| Position { line, character };
    match &prompt.place {
        Some(place) => (
            FileKey::of_path(&place.file),
            Range {
                start: position(place.start),
                end: position(place.end),
            },
        ),
        None => (
            FileKey::of_path(&prompt.root.join(CONFIG)),
            Range {
                start: position((0, 0)),
                end: position((1, 0)),
            },
        ),
    }
}

fn diagnostic(prompt: &Prompt) -> Diagnostic {
    let mut lines = vec![prompt.title.clone()];
    lines.extend(prompt.context.clone());
    lines.push(prompt.message.clone());
    lines.push(match prompt.question.as_ref().map(|it| &it.answer_type) {
        Some(PromptAnswerType::Text | PromptAnswerType::Secret) => format!(
            "Answer with the command `{ANSWER}` and `{{\"id\": \"{}\", \"digest\": \"{}\", \"action\": \"answer\", \
             \"value\": \"…\"}}`, or cancel with a code action.",
            prompt.id, prompt.digest
        ),
        _ => "Decide with a code action.".to_owned(),
    });
    lines.retain(|line| !line.is_empty());
    Diagnostic {
        range: place(prompt).1,
        severity: Some(DiagnosticSeverity::INFORMATION),
        code: Some(NumberOrString::String(CODE.to_owned())),
        code_description: to_protocol::page(CODE),
        source: Some(SOURCE.to_owned()),
        message: lines.join("\n"),
        data: Some(serde_json::json!({"id": prompt.id, "digest": prompt.digest})),
        ..Diagnostic::default()
    }
}

fn actions(prompt: &Prompt) -> Vec<CodeActionOrCommand> {
    let choices = prompt.choices().into_iter();
    let answers = choices.filter_map(|choice| match choice.effect {
        ChoiceEffect::Answer(answer) if is_plain(answer.action) => Some((choice.title, *answer)),
        ChoiceEffect::Details => Some((choice.title, PromptAnswer::new(PromptActionId::Details))),
        _ => None,
    });
    answers
        .map(|(choice, answer)| {
            let title = format!("{choice} \u{2014} {} #{}", prompt.tool.name, prompt.id);
            CodeActionOrCommand::CodeAction(CodeAction {
                title: title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic(prompt)]),
                command: Some(Command {
                    title,
                    command: ANSWER.to_owned(),
                    arguments: Some(vec![command_argument(&prompt.id, &prompt.digest, &answer)]),
                }),
                ..CodeAction::default()
            })
        })
        .collect()
}
