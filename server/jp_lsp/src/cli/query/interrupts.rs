//! Ctrl-C while a turn runs in the terminal.
//!
//! ```toml
//! [interrupt]
//! escalation_cooldown_secs = 2
//! streaming.action = "reply"
//! tool_call.action = "prompt"
//! ```

use std::{
    io,
    time::{Duration, Instant},
};

use jp_agent::{
    ConfiguredInterrupt, Dialogue, Interrupt, InterruptReceiver, PreferredEditor, TerminalDialogue,
    TurnHandle, config::InterruptAction, interrupt_receiver,
};
use tokio::task::JoinHandle;

/// The interrupts of one turn.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    last: Option<Instant>,
    is_ending: bool,
    /// The prompt that was there when an interrupt came.
    prompt: Option<u64>,
    menu: Option<JoinHandle<io::Result<Choice>>>,
}

/// What a person makes of an interrupt.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Interrupt(Interrupt),
    /// Ctrl-C again.
    Cancel,
}

impl Interrupts {
    /// Whether a person ended the turn before its time.
    pub(super) const fn is_ending(&self) -> bool {
        self.is_ending
    }

    /// Does what the config says; a second interrupt soon after, be the first one at a prompt, at the menu, or after one that
    /// ends the turn cancels it.
    pub(super) fn interrupt(&mut self, handle: &TurnHandle, editor: Option<&PreferredEditor>) {
        let receiver = interrupt_receiver();
        if self.menu.is_some() {
            return self.cancel(handle);
        }
        match receiver {
            InterruptReceiver::Editor => return,
            // The prompt was declined by it; the next one soon after means the turn.
            InterruptReceiver::Answered => {
                if self.escalates(Instant::now(), handle.configured().cooldown) {
                    self.cancel(handle);
                }
                return;
            }
            InterruptReceiver::Prompt(number) => {
                // The prompt may be about to be declined by it, so that the next one soon after means the turn.
                self.last = Some(Instant::now());
                // A prompt that is still there after the second one knows nothing of them.
                if self.prompt.replace(number) == Some(number) {
                    self.cancel(handle);
                }
                return;
            }
            InterruptReceiver::Turn => {}
        }
        let configured = handle.configured();
        if self.escalates(Instant::now(), configured.cooldown) {
            return self.cancel(handle);
        }
        let Some(editor) = editor.cloned() else {
            let action = match configured.action {
                // Nobody is there to choose or to write.
                InterruptAction::Prompt | InterruptAction::Reply => InterruptAction::Stop,
                action => action,
            };
            let interrupt = action.interrupt(None).unwrap_or(Interrupt::Stop);
            return self.chosen(Choice::Interrupt(interrupt), handle);
        };
        self.menu = Some(tokio::task::spawn_blocking(
            move || match TerminalDialogue::open() {
                Some(dialogue) => choose(configured, &mut dialogue.with_editor(editor)),
                None => Ok(Choice::Interrupt(Interrupt::Stop)),
            },
        ));
    }

    /// Waits until a person has left the menu, and does what it says. Never ends without a menu.
    pub(super) async fn menu(&mut self, handle: &TurnHandle) {
        let Some(menu) = &mut self.menu else {
            return std::future::pending().await;
        };
        let chosen = menu.await.map_err(io::Error::other);
        self.menu = None;
        // Who cannot be asked wanted the turn to end.
        let chosen = chosen.and_then(|chosen| chosen);
        self.chosen(chosen.unwrap_or(Choice::Interrupt(Interrupt::Stop)), handle);
    }

    /// Ends the turn at once.
    pub(super) fn cancel(&mut self, handle: &TurnHandle) {
        self.is_ending = true;
        handle.cancel();
    }

    fn chosen(&mut self, choice: Choice, handle: &TurnHandle) {
        let Choice::Interrupt(interrupt) = choice else {
            return self.cancel(handle);
        };
        self.is_ending |= matches!(interrupt, Interrupt::Stop | Interrupt::Abort);
        // The time in the menu does not count.
        self.last = Some(Instant::now());
        handle.interrupt(interrupt);
    }

    fn escalates(&mut self, now: Instant, cooldown: Duration) -> bool {
        let last = self.last.replace(now);
        self.is_ending || last.is_some_and(|last| now.duration_since(last) < cooldown)
    }
}

/// What the config names, or what the person picks; leaving the menu changes nothing.
fn choose(configured: ConfiguredInterrupt, dialogue: &mut dyn Dialogue) -> io::Result<Choice> {
    match interrupt_of(configured, dialogue) {
        Ok(interrupt) => Ok(Choice::Interrupt(interrupt)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Choice::Cancel),
        Err(error) => Err(error),
    }
}

fn interrupt_of(
    configured: ConfiguredInterrupt,
    dialogue: &mut dyn Dialogue,
) -> io::Result<Interrupt> {
    let action = match configured.action {
        InterruptAction::Prompt => {
            let actions = configured.phase.actions();
            let titles: Vec<String> = actions
                .iter()
                .map(|action| action.title().to_owned())
                .collect();
            let picked = dialogue.select("Interrupted. What now?", &titles, 0)?;
            let picked = picked.and_then(|picked| actions.get(picked));
            picked.copied().unwrap_or(InterruptAction::Continue)
        }
        action => action,
    };
    let text = match action {
        InterruptAction::Reply | InterruptAction::Respond => {
            dialogue.text("What does the assistant need to know?", None)?
        }
        _ => None,
    };
    let text = text.filter(|text| !text.trim().is_empty());
    // Without a reply there is nothing to stop for; calls can be stopped without a word.
    if action == InterruptAction::Reply && text.is_none() {
        return Ok(Interrupt::Continue);
    }
    Ok(action.interrupt(text).unwrap_or(Interrupt::Continue))
}

#[cfg(test)]
#[path = "interrupts_tests.rs"]
mod tests;
