//! A terminal whose keys are nothing but keys while a prompt reads them.
//!
//! ```text
//! Ctrl-C in a prompt         the prompt reads it, and is declined
//! Ctrl-C between two keys    the same, where the terminal would else show `^C` and send a signal that is not the prompt's
//! ```

/// Keys neither make signals, nor lines, nor an echo until this is dropped.
///
/// `dialoguer` asks for the same, but only while it waits for a key: what is pressed between two of them would meet the
/// terminal as it was.
#[derive(Debug)]
pub(super) struct PlainKeys {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl PlainKeys {
    /// Changes the terminal of standard input, if it is one.
    pub(super) fn begin() -> Self {
        Self {
            #[cfg(unix)]
            before: plain(),
        }
    }
}

impl Drop for PlainKeys {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            use rustix::termios::{OptionalActions, tcsetattr};
            // Whoever still has the terminal may have lost it; there is nothing left to do then.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Drain, before);
        }
    }
}

/// Changes the terminal; answers what it was.
#[cfg(unix)]
fn plain() -> Option<rustix::termios::Termios> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let before = tcgetattr(std::io::stdin()).ok()?;
    let mut modes = before.clone();
    modes
        .local_modes
        .remove(LocalModes::ISIG | LocalModes::ICANON | LocalModes::ECHO);
    tcsetattr(std::io::stdin(), OptionalActions::Drain, &modes).ok()?;
    Some(before)
}
