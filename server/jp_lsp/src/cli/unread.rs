//! Whether anybody still reads standard output.
//!
//! ```text
//! $ jp-lsp check --watch | head -1     # ends when `head` does, and not with the next change
//! ```

/// Waits until nobody reads standard output any more; for ever where the system does not tell.
#[cfg(unix)]
pub(super) fn wait() {
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::Errno,
    };

    let stdout = std::io::stdout();
    let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    loop {
        // What has an error says so unasked.
        let mut streams = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut streams, None) {
            Ok(_) if streams.iter().any(|it| it.revents().intersects(gone)) => return,
            Err(Errno::INTR) => {}
            Ok(_) | Err(_) => return never(),
        }
    }
}

/// Only Unix tells.
#[cfg(not(unix))]
pub(super) fn wait() {
    never();
}

fn never() {
    loop {
        std::thread::park();
    }
}
