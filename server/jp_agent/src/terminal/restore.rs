//! Leaving a terminal as it was found, whatever was on it when the program had to go.
//!
//! ```text
//! $ kill -TERM <a query that waits at a prompt>     echo and cursor are back
//! ```

/// Restores the terminal on drop.
///
/// Prompts change its modes while they read, and a program that ends meanwhile would leave it without echo.
#[derive(Debug)]
pub struct RestoredTerminal {
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

impl RestoredTerminal {
    /// Remembers the terminal as it is, if standard input is one.
    #[must_use]
    pub fn remember() -> Self {
        Self {
            #[cfg(unix)]
            modes: rustix::termios::tcgetattr(std::io::stdin()).ok(),
        }
    }
}

impl Drop for RestoredTerminal {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(modes) = &self.modes
            && super::attention::is_taken()
        {
            use rustix::termios::{OptionalActions, tcsetattr};
            // Whoever still has the terminal may have lost it; there is nothing left to do then.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, modes);
            let _ = dialoguer::console::Term::stderr().show_cursor();
        }
    }
}
