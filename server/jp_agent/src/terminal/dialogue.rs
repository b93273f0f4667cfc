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
use dialoguer::{Input, Password, Select};

use super::attention;
use super::editor::{EditorError, PreferredEditor};
use super::keys::PlainKeys;

/// What a terminal can do.
///
/// Escape is no answer; Ctrl-C is none either, and told apart as [`io::ErrorKind::Interrupted`].
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
    /// [`EditorError`], when the editor does not start, gives up or is killed.
    fn edit(&mut self, text: &str, extension: &str) -> Result<Option<String>, EditorError>;
}

/// Says whether prompts have colours, instead of what the environment says.
pub fn color_prompts(is_colored: bool) {
    dialoguer::console::set_colors_enabled_stderr(is_colored);
}

/// How many characters a line of standard output has; none where that is no terminal.
#[must_use]
pub fn terminal_width() -> Option<usize> {
    let term = Term::stdout();
    let (_, columns) = term.size_checked().filter(|_| io::stdout().is_terminal())?;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
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
    editor: PreferredEditor,
}

impl TerminalDialogue {
    /// The terminal; none when standard input or standard error is none, and nobody can be asked.
    #[must_use]
    pub fn open() -> Option<Self> {
        let is_interactive = io::stdin().is_terminal() && io::stderr().is_terminal();
        is_interactive.then(|| Self {
            term: Term::stderr(),
            editor: PreferredEditor::default(),
        })
    }

    /// The same terminal with the editor of a config. It must be trusted, since it names a program.
    #[must_use]
    pub fn with_editor(self, editor: PreferredEditor) -> Self {
        Self { editor, ..self }
    }

    /// Asks something while nobody else does, and reads it key by key.
    fn ask<T>(ask: impl FnOnce() -> dialoguer::Result<T>) -> io::Result<T> {
        let _alone = alone();
        let _keys = PlainKeys::begin();
        Self::ask_alone(ask)
    }

    fn ask_alone<T>(ask: impl FnOnce() -> dialoguer::Result<T>) -> io::Result<T> {
        forget_keys();
        let ask = || ask().map_err(|dialoguer::Error::IO(error)| error);
        attention::at_prompt(ask, |answer| answer.as_ref().is_err_and(is_interrupt))
    }
}

impl Dialogue for TerminalDialogue {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.term.write_line(text)
    }

    fn select(&mut self, title: &str, items: &[String], first: usize) -> io::Result<Option<usize>> {
        Self::ask(|| {
            Select::with_theme(&ColorfulTheme::default())
                .with_prompt(title)
                .items(items)
                .default(first)
                .interact_on_opt(&self.term)
        })
    }

    fn text(&mut self, title: &str, default: Option<&str>) -> io::Result<Option<String>> {
        let theme = ColorfulTheme::default();
        let mut input = Input::with_theme(&theme)
            .with_prompt(title)
            .allow_empty(true);
        if let Some(default) = default {
            input = input.with_initial_text(default);
        }
        Self::ask(|| input.interact_text_on(&self.term)).map(Some)
    }

    fn secret(&mut self, title: &str) -> io::Result<Option<String>> {
        let theme = ColorfulTheme::default();
        let input = Password::with_theme(&theme)
            .with_prompt(title)
            .allow_empty_password(true);
        // The terminal itself puts the line together, so that its keys keep their meaning.
        let _alone = alone();
        Self::ask_alone(|| input.interact_on(&self.term)).map(Some)
    }

    fn edit(&mut self, text: &str, extension: &str) -> Result<Option<String>, EditorError> {
        let _alone = alone();
        attention::in_editor(|| self.editor.edit(text, extension))
    }
}

/// Whether the error says that a person pressed Ctrl-C.
pub(super) fn is_interrupt(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted
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
