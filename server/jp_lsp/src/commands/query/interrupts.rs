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
    ConfiguredInterrupt, Dialogue, Interrupt, TerminalDialogue, TurnHandle, config::InterruptAction,
};

/// The interrupts of one turn.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    last: Option<Instant>,
    is_ending: bool,
}

impl Interrupts {
    /// Does what the config says; a second interrupt soon after, or after one that ends the turn, cancels it.
    pub(super) async fn interrupt(&mut self, handle: &TurnHandle, is_attended: bool) {
        let configured = handle.configured();
        if self.escalates(Instant::now(), configured.cooldown) {
            handle.cancel();
            return;
        }
        let interrupt = if is_attended {
            let asked = tokio::task::spawn_blocking(move || match TerminalDialogue::open() {
                Some(mut dialogue) => choose(configured, &mut dialogue),
                None => Ok(Interrupt::Stop),
            });
            // Who cannot be asked wanted the turn to end.
            asked
                .await
                .map_err(io::Error::other)
                .and_then(|asked| asked)
                .unwrap_or(Interrupt::Stop)
        } else {
            let action = match configured.action {
                // Nobody is there to choose or to write.
                InterruptAction::Prompt | InterruptAction::Reply => InterruptAction::Stop,
                action => action,
            };
            action.interrupt(None).unwrap_or(Interrupt::Stop)
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

/// The interrupt that the config names, or that the person picks; leaving the menu changes nothing.
fn choose(configured: ConfiguredInterrupt, dialogue: &mut dyn Dialogue) -> io::Result<Interrupt> {
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
