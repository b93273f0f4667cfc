//! Whom an interrupt is for: the turn, or the prompt that a person looks at.
//!
//! ```text
//! ^C at a prompt          the prompt is declined, the turn knows nothing of it
//! ^C in an editor         the editor's own affair
//! ^C at any other time    the turn's
//! ```
//!
//! Ctrl-C at a prompt is a key, which the prompt reads, and a signal as well, which arrives a little earlier or later.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whom an interrupt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptReceiver {
    /// The turn.
    Turn,
    /// A prompt has taken it, and is gone.
    Answered,
    /// The prompt with this number, which is still there: it may be about to go, or the signal came from elsewhere.
    Prompt(u64),
    /// An editor.
    Editor,
}

#[derive(Debug)]
struct Attention {
    /// What a person looks at.
    open: Option<Open>,
    /// How many prompts there were.
    number: u64,
    /// Signals of which the prompt knew nothing when they came.
    early: usize,
    /// Prompts that took a key whose signal is still to come.
    late: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Prompt,
    Editor,
}

static ATTENTION: Mutex<Attention> = Mutex::new(Attention {
    open: None,
    number: 0,
    early: 0,
    late: 0,
});

fn attention() -> MutexGuard<'static, Attention> {
    ATTENTION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says whom an interrupt is for that has just come; each is to be asked about once.
#[must_use]
pub fn interrupt_receiver() -> InterruptReceiver {
    attention().receiver()
}

/// Whether a person looks at a prompt or an editor.
#[cfg(unix)]
pub(super) fn is_taken() -> bool {
    attention().open.is_some()
}

/// Notes that a prompt is shown, until the end of `ask`, which says whether an interrupt ended it.
pub(super) fn at_prompt<T>(ask: impl FnOnce() -> T, is_interrupted: impl FnOnce(&T) -> bool) -> T {
    attention().begin(Open::Prompt);
    let answer = ask();
    attention().end(is_interrupted(&answer));
    answer
}

/// Notes that an editor has the terminal, until the end of `edit`.
pub(super) fn in_editor<T>(edit: impl FnOnce() -> T) -> T {
    attention().begin(Open::Editor);
    let edited = edit();
    attention().end(false);
    edited
}

impl Attention {
    fn begin(&mut self, open: Open) {
        self.open = Some(open);
        self.number += 1;
        self.early = 0;
    }

    fn end(&mut self, is_interrupted: bool) {
        self.open = None;
        match (is_interrupted, self.early) {
            (true, 0) => self.late += 1,
            _ => self.early = 0,
        }
    }

    fn receiver(&mut self) -> InterruptReceiver {
        match self.open {
            _ if self.late > 0 => {
                self.late -= 1;
                InterruptReceiver::Answered
            }
            None => InterruptReceiver::Turn,
            Some(Open::Editor) => InterruptReceiver::Editor,
            Some(Open::Prompt) => {
                self.early += 1;
                InterruptReceiver::Prompt(self.number)
            }
        }
    }
}

#[cfg(test)]
#[path = "attention_tests.rs"]
mod tests;
