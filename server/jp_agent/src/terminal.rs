//! Prompts in a terminal, for `jp-lsp query`.
//!
//! ```text
//! Run local fs_delete_file tool?
//!   path: notes.md
//!   decided by rule 2, /work/.jp/config.toml:13
//! > Reject
//!   Run
//!   Run, and other calls that this rule asks for, in this turn
//! ```
//!
//! Without a person there is no [`Terminal`] to attach, and a broker without surfaces answers that there is nobody.

mod attention;
mod dialogue;
mod editor;
mod keys;
mod restore;

pub use attention::{InterruptReceiver, interrupt_receiver};
pub use dialogue::{Dialogue, TerminalDialogue, color_prompts, terminal_width};
pub use editor::{EditorError, PreferredEditor};
pub use restore::RestoredTerminal;

use std::io;
use std::sync::Arc;

use jp_conversation::Answerer;
use serde_json::{Map, Value};

use crate::broker::{Broker, Reception, SurfaceEvent};
use crate::prompt::{
    AnswerError, ChoiceEffect, Prompt, PromptActionId, PromptAnswer, PromptAnswerType,
    PromptChoice, PromptKind,
};

/// A terminal as a surface of a broker.
#[derive(Debug)]
pub struct Terminal<D> {
    dialogue: D,
    draft: Option<Draft>,
}

/// What a person wrote in the editor, so that it is not lost when the call is asked about again.
#[derive(Debug)]
struct Draft {
    call: String,
    /// The arguments that the prompt showed: ids alone are the model's, and may stand for several calls.
    shown: Map<String, Value>,
    text: String,
}

impl<D: Dialogue + 'static> Terminal<D> {
    /// A terminal that talks through `dialogue`.
    #[must_use]
    pub const fn new(dialogue: D) -> Self {
        Self {
            dialogue,
            draft: None,
        }
    }

    /// Shows prompts until the broker ends.
    ///
    /// # Errors
    ///
    /// When the terminal can no longer be read or written; whoever waits for an answer is then told that there is
    /// nobody.
    pub async fn serve(mut self, broker: &Broker) -> io::Result<()> {
        let mut surface = broker.on(Answerer::new("terminal", None)).attach();
        let broker = surface.broker().clone();
        while let Some(event) = surface.next().await {
            let SurfaceEvent::Show(prompt) = event else {
                continue;
            };
            loop {
                let asked = Arc::clone(&prompt);
                // A terminal is read by waiting for keys.
                let answered = tokio::task::spawn_blocking(move || {
                    let answer = ask(&mut self.dialogue, &mut self.draft, &asked);
                    (self, answer)
                });
                let (terminal, answer) = answered.await.map_err(io::Error::other)?;
                self = terminal;
                match broker.answer(&prompt.id, &prompt.digest, answer?).await {
                    Ok(Reception::Decided) => break,
                    Ok(Reception::Undecided) => {}
                    Err(error @ AnswerError::NotPending { .. }) => {
                        self.dialogue.show(&error.to_string())?;
                        break;
                    }
                    Err(error) => self.dialogue.show(&error.to_string())?,
                }
            }
        }
        Ok(())
    }
}

/// Asks until there is an answer. Leaving a prompt without a choice, or by Ctrl-C, is the safe answer.
fn ask(
    dialogue: &mut dyn Dialogue,
    draft: &mut Option<Draft>,
    prompt: &Prompt,
) -> io::Result<PromptAnswer> {
    dialogue.show(&heading(prompt))?;
    let safe = match prompt.kind {
        PromptKind::Question => PromptActionId::Cancel,
        _ => PromptActionId::Reject,
    };
    loop {
        let chosen = match answer_type(prompt) {
            Some(PromptAnswerType::Text) => dialogue
                .text(&prompt.title, default_text(prompt).as_deref())
                .map(Chosen::value),
            Some(PromptAnswerType::Secret) => dialogue.secret(&prompt.title).map(Chosen::value),
            _ => choose(dialogue, draft, prompt),
        };
        match chosen {
            Ok(Chosen::Answer(answer)) => return Ok(*answer),
            Ok(Chosen::Again) => {}
            Ok(Chosen::Nothing) => return Ok(PromptAnswer::new(safe)),
            Err(error) if dialogue::is_interrupt(&error) => return Ok(PromptAnswer::new(safe)),
            Err(error) => return Err(error),
        }
    }
}

enum Chosen {
    Answer(Box<PromptAnswer>),
    /// Something was shown or given up; the prompt is asked again.
    Again,
    Nothing,
}

impl Chosen {
    fn value(text: Option<String>) -> Self {
        text.map_or(Self::Nothing, |text| {
            Self::Answer(Box::new(PromptAnswer::value(text)))
        })
    }
}

fn choose(
    dialogue: &mut dyn Dialogue,
    draft: &mut Option<Draft>,
    prompt: &Prompt,
) -> io::Result<Chosen> {
    let offered = prompt.choices();
    let titles: Vec<String> = offered.iter().map(|choice| choice.title.clone()).collect();
    let first = default_choice(prompt, &offered);
    let picked = dialogue.select(&prompt.title, &titles, first)?;
    let Some(choice) = picked.and_then(|picked| offered.into_iter().nth(picked)) else {
        return Ok(Chosen::Nothing);
    };
    Ok(match choice.effect {
        ChoiceEffect::Answer(answer) => Chosen::Answer(answer),
        ChoiceEffect::Details => {
            dialogue.show(&details(prompt))?;
            Chosen::Again
        }
        ChoiceEffect::Reason => match dialogue.text("Why? The assistant reads this.", None)? {
            Some(reason) => Chosen::Answer(Box::new(PromptAnswer {
                reason: Some(reason),
                ..PromptAnswer::new(PromptActionId::Reject)
            })),
            None => Chosen::Again,
        },
        ChoiceEffect::Edit => match edit(dialogue, draft, prompt) {
            Ok(Some(answer)) => Chosen::Answer(Box::new(answer)),
            Ok(None) => Chosen::Again,
            // An editor that gives up decides nothing.
            Err(EditError::Editor(error)) => {
                dialogue.show(&error.to_string())?;
                Chosen::Again
            }
            Err(EditError::Terminal(error)) => return Err(error),
        },
    })
}

/// Why an edit came to nothing.
#[derive(Debug, thiserror::Error)]
enum EditError {
    /// The prompt stays.
    #[error(transparent)]
    Editor(#[from] EditorError),
    /// Nobody can be asked any more.
    #[error(transparent)]
    Terminal(#[from] io::Error),
}

/// Opens an editor; none when nothing was saved, everything deleted, or there is too much to edit.
fn edit(
    dialogue: &mut dyn Dialogue,
    draft: &mut Option<Draft>,
    prompt: &Prompt,
) -> Result<Option<PromptAnswer>, EditError> {
    let preview = prompt.preview.as_ref();
    if prompt.kind == PromptKind::Result {
        let Some(content) = preview.and_then(|preview| preview.content.as_deref()) else {
            dialogue.show("the result is too large to be edited")?;
            return Ok(None);
        };
        let edited = dialogue.edit(content, ".txt")?;
        return Ok(edited.map(|text| PromptAnswer {
            value: Some(Value::from(text)),
            ..PromptAnswer::new(PromptActionId::Edit)
        }));
    }
    let Some(arguments) = preview.and_then(|preview| preview.arguments.as_ref()) else {
        dialogue.show("the arguments are too large to be edited")?;
        return Ok(None);
    };
    let call = &prompt.tool.call_id;
    let is_of_this = |draft: &Draft| draft.call == *call && draft.shown == *arguments;
    let mut text = match draft.take().filter(is_of_this) {
        Some(draft) => draft.text,
        None => serde_json::to_string_pretty(arguments).map_err(io::Error::other)?,
    };
    loop {
        let edited = dialogue.edit(&text, ".json");
        let kept = edited.as_ref().ok().and_then(Option::as_ref);
        let text_now = kept.cloned().unwrap_or(text);
        if text_now.trim().is_empty() {
            return Ok(None);
        }
        *draft = Some(Draft {
            call: call.clone(),
            shown: arguments.clone(),
            text: text_now,
        });
        let Some(edited) = edited? else {
            return Ok(None);
        };
        match serde_json::from_str::<Map<String, Value>>(&edited) {
            Ok(arguments) => {
                *draft = None;
                return Ok(Some(PromptAnswer {
                    arguments: Some(Value::Object(arguments)),
                    ..PromptAnswer::new(PromptActionId::Edit)
                }));
            }
            Err(error) => dialogue.show(&format!("the arguments are no JSON object: {error}"))?,
        }
        text = edited;
    }
}

fn answer_type(prompt: &Prompt) -> Option<&PromptAnswerType> {
    prompt
        .question
        .as_ref()
        .map(|question| &question.answer_type)
}

fn default_text(prompt: &Prompt) -> Option<String> {
    let default = prompt.question.as_ref()?.default.as_ref()?;
    default.as_str().map(str::to_owned)
}

/// The choice that the question suggests, or else the first.
fn default_choice(prompt: &Prompt, offered: &[PromptChoice]) -> usize {
    let default = prompt
        .question
        .as_ref()
        .and_then(|question| question.default.as_ref());
    let is_default = |choice: &PromptChoice| match (&choice.effect, default) {
        (ChoiceEffect::Answer(answer), Some(default)) => answer.value.as_ref() == Some(default),
        _ => false,
    };
    offered.iter().position(is_default).unwrap_or(0)
}

/// What stands above the choices; the title is the question of the choices themselves.
fn heading(prompt: &Prompt) -> String {
    let mut lines = Vec::new();
    if let Some(label) = &prompt.label {
        lines.push(format!("{label}:"));
    }
    lines.extend(prompt.context.clone());
    if prompt.kind != PromptKind::Question {
        lines.extend(prompt.message.lines().map(|line| format!("  {line}")));
    }
    for sentence in prompt.delta.iter().flat_map(|delta| &delta.loosens) {
        lines.push(format!("  loosens: {sentence}"));
    }
    if let Some(place) = &prompt.place {
        let rule = prompt.rule.as_ref().and_then(|rule| rule.index);
        let rule = rule.map_or_else(String::new, |index| format!("rule {}, ", index + 1));
        let line = place.start.0.saturating_add(1);
        lines.push(format!("  decided by {rule}{}:{line}", place.file));
    }
    lines.join("\n")
}

fn details(prompt: &Prompt) -> String {
    let mut parts = vec![format!(
        "{} {}, digest {}",
        prompt.tool.name, prompt.tool.call_id, prompt.digest
    )];
    if let Some(text) = prompt.preview.as_ref().and_then(|it| it.text.clone()) {
        parts.push(text);
    }
    if let Some(delta) = &prompt.delta {
        parts.push(format!("before:\n{}", delta.before));
        parts.push(format!("after:\n{}", delta.after));
    }
    parts.join("\n\n")
}

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;
