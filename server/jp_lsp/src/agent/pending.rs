//! The prompts that wait for a person, as diagnostics and code actions on the lines that govern them.
//!
//! ```json
//! {"severity": 3, "source": "jp", "code": "pending-prompt", "message": "Run local grep tool?",
//!  "range": {"start": {"line": 12, "character": 0}, "end": {"line": 12, "character": 40}}}
//! ```

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use jp_agent::{ChoiceEffect, Prompt, PromptActionId, PromptAnswer, PromptAnswerType};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, DiagnosticSeverity,
    NumberOrString, Position, Range,
};
use serde_json::{Value, json};
use url::Url;

use crate::session::{
    documents::FileKey,
    report::{self, FileReport, SOURCE},
};

/// The code of the diagnostic.
const CODE: &str = "pending-prompt";

/// The command that answers a prompt.
pub(crate) const ANSWER: &str = "jp.prompt.answer";

/// The file on whose first line a prompt waits that no line of config governs.
pub(super) const CONFIG: &str = ".jp/config.toml";

/// The prompts that wait, of all conversations, by id.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingPrompts {
    prompts: BTreeMap<String, Arc<Prompt>>,
}

impl PendingPrompts {
    /// Adds a prompt.
    pub(crate) fn show(&mut self, prompt: Arc<Prompt>) {
        self.prompts.insert(prompt.id.clone(), prompt);
    }

    /// Takes a prompt away that somebody has decided, or that nobody can decide any more.
    pub(crate) fn resolve(&mut self, id: &str) {
        self.prompts.remove(id);
    }

    /// The reports, with the prompts that wait.
    pub(crate) fn add_to<'a>(&self, reports: &'a [Arc<FileReport>]) -> Cow<'a, [Arc<FileReport>]> {
        let mut shown: BTreeMap<FileKey, Vec<Diagnostic>> = BTreeMap::new();
        for prompt in self.prompts.values() {
            let diagnostics = shown.entry(place(prompt).0).or_default();
            diagnostics.push(diagnostic(prompt));
        }
        if shown.is_empty() {
            return Cow::Borrowed(reports);
        }
        let mut merged: Vec<Arc<FileReport>> = reports
            .iter()
            .map(|report| match shown.remove(report.key()) {
                None => Arc::clone(report),
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
        Cow::Owned(merged)
    }

    /// The prompt with an id, as long as it waits.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Prompt>> {
        self.prompts.get(id).cloned()
    }

    /// The code actions that answer the prompts on the lines of a range; `with_rules` for a client that makes edits.
    pub(crate) fn code_actions(
        &self,
        uri: &Url,
        range: Range,
        with_rules: bool,
    ) -> Vec<CodeActionOrCommand> {
        let key = FileKey::of(uri);
        let here = self.prompts.values().filter(|prompt| {
            let (file, place) = place(prompt);
            file == key && place.start.line <= range.end.line && range.start.line <= place.end.line
        });
        here.flat_map(|prompt| actions(prompt, with_rules))
            .collect()
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
        code_description: report::page(CODE),
        source: Some(SOURCE.to_owned()),
        message: lines.join("\n"),
        data: Some(json!({"id": prompt.id, "digest": prompt.digest})),
        ..Diagnostic::default()
    }
}

fn actions(prompt: &Prompt, with_rules: bool) -> Vec<CodeActionOrCommand> {
    let choices = match with_rules {
        true => prompt.choices_with_rules(),
        false => prompt.choices(),
    };
    let choices = choices.into_iter();
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

/// The argument of `jp.prompt.answer` for an answer without a text of its own.
fn command_argument(id: &str, digest: &str, answer: &PromptAnswer) -> Value {
    let mut argument = json!({"id": id, "digest": digest, "action": answer.action});
    if let Some(fields) = argument.as_object_mut() {
        if let Some(value) = &answer.value {
            fields.insert("value".to_owned(), value.clone());
        }
        if answer.remember.is_some() {
            fields.insert("remember".to_owned(), "turn".into());
        }
    }
    argument
}

/// Whether an answer is one that takes nothing more than a click.
pub(super) fn is_plain(action: PromptActionId) -> bool {
    !matches!(action, PromptActionId::Edit | PromptActionId::Details)
}
