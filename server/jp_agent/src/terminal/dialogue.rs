//! How a terminal is talked to; `dialoguer` in production, a script in tests.
//!
//! ```text
//! ? Overwrite `a.txt`?
//! > Cancel
//!   Yes
//! ```

use std::fmt::Debug;
use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dialoguer::console::Term;
use dialoguer::theme::ColorfulTheme;
use dialoguer::{Editor, Input, Password, Select};

/// What a terminal can do. Escape, and an interrupt, are no answer.
pub trait Dialogue: Send + Debug {
    /// Shows text.
    ///
    /// # Errors
    ///
    /// As the terminal.
    fn show(&mut self, text: &str) -> io::Result<()>;

    /// Lets a person pick one of `items`, `first` being marked at the start.
    ///
    /// # Errors
    ///
    /// As the terminal.
    fn select(&mut self, title: &str, items: &[String], first: usize) -> io::Result<Option<usize>>;

    /// Lets a person write a line.
    ///
    /// # Errors
    ///
    /// As the terminal.
    fn text(&mut self, title: &str, default: Option<&str>) -> io::Result<Option<String>>;

    /// Lets a person write a line without echo.
    ///
    /// # Errors
    ///
    /// As the terminal.
    fn secret(&mut self, title: &str) -> io::Result<Option<String>>;

    /// Opens the person's editor; none when nothing was saved.
    ///
    /// # Errors
    ///
    /// When the editor does not start, or as the terminal.
    fn edit(&mut self, text: &str, extension: &str) -> io::Result<Option<String>>;
}

/// Held while somebody reads the terminal: prompts and the menu of an interrupt must not share its keys.
static READING: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    READING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The terminal of the process. Everything is written to standard error, since standard output has the answer.
#[derive(Debug)]
pub struct TerminalDialogue {
    term: Term,
}

impl TerminalDialogue {
    /// The terminal; none when standard input or standard error is none, and nobody can be asked.
    #[must_use]
    pub fn open() -> Option<Self> {
        let is_interactive = io::stdin().is_terminal() && io::stderr().is_terminal();
        is_interactive.then(|| Self {
            term: Term::stderr(),
        })
    }
}

impl Dialogue for TerminalDialogue {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.term.write_line(text)
    }

    fn select(&mut self, title: &str, items: &[String], first: usize) -> io::Result<Option<usize>> {
        let _alone = alone();
        forget_keys();
        let picked = Select::with_theme(&ColorfulTheme::default())
            .with_prompt(title)
            .items(items)
            .default(first)
            .interact_on_opt(&self.term);
        unless_interrupted(picked).map(Option::flatten)
    }

    fn text(&mut self, title: &str, default: Option<&str>) -> io::Result<Option<String>> {
        let _alone = alone();
        forget_keys();
        let theme = ColorfulTheme::default();
        let mut input = Input::with_theme(&theme)
            .with_prompt(title)
            .allow_empty(true);
        if let Some(default) = default {
            input = input.with_initial_text(default);
        }
        unless_interrupted(input.interact_text_on(&self.term))
    }

    fn secret(&mut self, title: &str) -> io::Result<Option<String>> {
        let _alone = alone();
        forget_keys();
        let theme = ColorfulTheme::default();
        let input = Password::with_theme(&theme)
            .with_prompt(title)
            .allow_empty_password(true);
        unless_interrupted(input.interact_on(&self.term))
    }

    fn edit(&mut self, text: &str, extension: &str) -> io::Result<Option<String>> {
        let _alone = alone();
        let edited = Editor::new()
            .extension(extension)
            .require_save(true)
            .edit(text);
        unless_interrupted(edited).map(Option::flatten)
    }
}

/// Drops the keys that were pressed before the question was there to be read.
fn forget_keys() {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        if let Err(error) = tcflush(io::stdin(), QueueSelector::IFlush) {
            tracing::debug!(%error, "keys pressed earlier stay in the queue");
        }
    }
}

fn unless_interrupted<T>(answered: dialoguer::Result<T>) -> io::Result<Option<T>> {
    match answered {
        Ok(answer) => Ok(Some(answer)),
        Err(dialoguer::Error::IO(error)) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(dialoguer::Error::IO(error)) => Err(error),
    }
}
