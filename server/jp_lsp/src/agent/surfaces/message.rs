//! The surface of clients that know messages with buttons and nothing more.
//!
//! ```json
//! {"method": "window/showMessageRequest", "params": {"type": 3, "message": "Run local grep tool? …",
//!  "actions": [{"title": "Reject"}, {"title": "Run"}]}}
//! ```
//!
//! Clients stack messages and pile them up, so there is one at a time, and no two say the same.
//! A message that is dismissed decides nothing.
//! What buttons cannot answer is told without any, with the place where it waits.

use std::sync::Arc;

use jp_agent::{
    Broker, ChoiceEffect, Prompt, PromptAnswer, PromptAnswerType, PromptChoice, PromptKind,
    Surface, SurfaceEvent,
};
use lsp_types::{
    MessageActionItem, MessageType, ShowMessageRequestParams, request::ShowMessageRequest,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{
    agent::{
        pending::{ANSWER, CONFIG, is_plain},
        rules::RuleDesk,
    },
    wire::Outbox,
};

/// More buttons than this are no help.
const BUTTON_LIMIT: usize = 8;

/// Shows prompts until the client is gone or the broker ends.
pub(super) async fn serve(
    mut surface: Surface,
    rules: RuleDesk,
    messages: Arc<Semaphore>,
    outbox: Outbox,
) {
    let mut waiting = CancellationToken::new();
    loop {
        let event = tokio::select! {
            event = surface.next() => event,
            () = outbox.closed() => return,
        };
        // Whatever waits for its turn to be shown is about the prompt before.
        waiting.cancel();
        match event {
            Some(SurfaceEvent::Show(prompt)) => {
                waiting = CancellationToken::new();
                tokio::spawn(ask(
                    surface.broker().clone(),
                    prompt,
                    rules.clone(),
                    Arc::clone(&messages),
                    waiting.clone(),
                    outbox.clone(),
                ));
            }
            Some(SurfaceEvent::Resolved { .. }) => {}
            None => return,
        }
    }
}

async fn ask(
    broker: Broker,
    prompt: Arc<Prompt>,
    rules: RuleDesk,
    messages: Arc<Semaphore>,
    waiting: CancellationToken,
    outbox: Outbox,
) {
    let Some(buttons) = buttons(rules.choices(&prompt)) else {
        outbox.show(severity(&prompt), elsewhere(&prompt));
        return;
    };
    while let Some(answer) = show(&prompt, &buttons, &messages, &waiting, &outbox).await {
        if rules.takes(&prompt, &answer).await {
            // Whatever came of that, a prompt that still waits is shown again.
            continue;
        }
        if let Err(error) = broker.answer(&prompt.id, &prompt.digest, answer).await {
            outbox.show(MessageType::WARNING, error.to_string());
        }
        return;
    }
}

/// Shows the message of a prompt while that waits; the answer, if one is picked.
async fn show(
    prompt: &Prompt,
    buttons: &[(String, PromptAnswer)],
    messages: &Semaphore,
    waiting: &CancellationToken,
    outbox: &Outbox,
) -> Option<PromptAnswer> {
    // An earlier message may stay open long after its prompt was decided elsewhere.
    let _turn = tokio::select! {
        biased;
        () = waiting.cancelled() => return None,
        turn = messages.acquire() => turn,
    };
    let params = ShowMessageRequestParams {
        typ: severity(prompt),
        message: text(prompt),
        actions: Some(
            buttons
                .iter()
                .map(|(title, _)| MessageActionItem {
                    title: title.clone(),
                    properties: std::collections::HashMap::new(),
                })
                .collect(),
        ),
    };
    let picked = match outbox.request::<ShowMessageRequest>(params).await {
        Ok(Ok(Some(picked))) => picked,
        // Some clients know no messages with buttons.
        Ok(Err(_)) => {
            outbox.show(severity(prompt), elsewhere(prompt));
            return None;
        }
        // Dismissed, superseded, or the window is gone: no decision by this surface.
        Ok(Ok(None)) | Err(_) => return None,
    };
    let mut buttons = buttons.iter();
    let (_, answer) = buttons.find(|(title, _)| *title == picked.title)?;
    Some(answer.clone())
}

/// The buttons, the safe one first; none for a prompt that buttons cannot answer.
fn buttons(choices: Vec<PromptChoice>) -> Option<Vec<(String, PromptAnswer)>> {
    let choices = choices.into_iter();
    let buttons: Vec<(String, PromptAnswer)> = choices
        .filter_map(|choice| match choice.effect {
            ChoiceEffect::Answer(answer) if is_plain(answer.action) => {
                Some((choice.title, *answer))
            }
            _ => None,
        })
        .collect();
    // With nothing but a way out, the person would have to look elsewhere anyway.
    (2..=BUTTON_LIMIT)
        .contains(&buttons.len())
        .then_some(buttons)
}

fn severity(prompt: &Prompt) -> MessageType {
    let loosens = prompt
        .delta
        .as_ref()
        .is_some_and(|delta| !delta.loosens.is_empty());
    if loosens {
        MessageType::WARNING
    } else {
        MessageType::INFO
    }
}

/// What to say of a prompt that buttons cannot answer: the question, and where it waits.
fn elsewhere(prompt: &Prompt) -> String {
    let (file, line) = match &prompt.place {
        Some(place) => (place.file.clone(), place.start.0),
        None => (prompt.root.join(CONFIG), 0),
    };
    let answer = match prompt.question.as_ref().map(|it| &it.answer_type) {
        Some(PromptAnswerType::Text | PromptAnswerType::Secret) => {
            format!("answer with the command `{ANSWER}`, or cancel with a code action there")
        }
        _ => "decide with a code action there".to_owned(),
    };
    format!(
        "{}\nIt waits at line {} of `{file}`: {answer}.",
        text(prompt),
        line + 1
    )
}

fn text(prompt: &Prompt) -> String {
    let mut lines = vec![prompt.title.clone()];
    lines.extend(prompt.context.clone());
    if prompt.kind != PromptKind::Question {
        lines.push(prompt.message.clone());
    } else if let Some(label) = &prompt.label {
        lines.insert(0, format!("{label}:"));
    }
    for sentence in prompt.delta.iter().flat_map(|delta| &delta.loosens) {
        lines.push(format!("loosens: {sentence}"));
    }
    lines.push(format!("({} #{})", prompt.tool.name, prompt.id));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}
