//! How much a server may say that nobody has asked for.
//!
//! ```text
//! tools/call  <- notifications/progress, notifications/message, … without end
//! ```

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many messages a server may send after it was last asked something.
pub(super) const MOST_MESSAGES: usize = 100_000;

/// How many bytes they may have together.
pub(super) const MOST_BYTES: usize = 512 * 1024 * 1024;

/// What a server has said since it was last asked something, and why nobody listens to it any more.
#[derive(Debug, Default)]
pub(super) struct Patience {
    messages: AtomicUsize,
    bytes: AtomicUsize,
    lost: OnceLock<String>,
}

impl Patience {
    /// The server is asked something, and may speak again.
    pub(super) fn renew(&self) {
        self.messages.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Takes note of what was heard; whether the server may go on.
    pub(super) fn bears(&self, bytes: usize, messages: usize) -> bool {
        let messages = messages + self.messages.fetch_add(messages, Ordering::Relaxed);
        let bytes = bytes + self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if messages > MOST_MESSAGES {
            self.lose(format!(
                "it sent more than {MOST_MESSAGES} messages after it was last asked something"
            ));
        } else if bytes > MOST_BYTES {
            self.lose(format!(
                "it sent more than {} MiB after it was last asked something",
                MOST_BYTES >> 20
            ));
        }
        self.lost().is_none()
    }

    /// Nobody listens from now on; the first reason counts.
    pub(super) fn lose(&self, why: impl Into<String>) {
        self.lost.get_or_init(|| why.into());
    }

    /// Why nobody listens any more.
    pub(super) fn lost(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }
}
