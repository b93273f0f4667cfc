//! What a server wrote to standard error at last, for whoever has to find out why it ended.
//!
//! ```text
//! it does not speak MCP: connection closed: initialize response; it wrote `cannot find the license`
//! ```

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jp_conversation::visible;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How many bytes are kept.
const KEPT: usize = 2048;

/// How many lines are told.
const LINES: usize = 5;

/// How long the rest of what was written may take to come.
const REST: Duration = Duration::from_millis(500);

/// The end of a standard error, which is read as long as it is written.
#[derive(Debug)]
pub(super) struct LastWords {
    kept: Arc<Mutex<VecDeque<u8>>>,
    reading: tokio::sync::Mutex<JoinHandle<()>>,
}

impl LastWords {
    /// Listens to `source` until it ends.
    pub(super) fn of(source: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let kept = Arc::new(Mutex::new(VecDeque::with_capacity(KEPT)));
        let reading = tokio::spawn(read(source, Arc::clone(&kept)));
        Self {
            kept,
            reading: tokio::sync::Mutex::new(reading),
        }
    }

    /// The last lines, in words that continue a sentence; nothing where nothing was written.
    pub(super) async fn quoted(&self) -> String {
        {
            let mut reading = self.reading.lock().await;
            if !reading.is_finished() {
                // Something else may hold the stream open.
                let _ = timeout(REST, &mut *reading).await;
            }
        }
        let bytes: Vec<u8> = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter().copied().collect()
        };
        let text = strip_ansi_escapes::strip(&bytes);
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let last = lines.len().saturating_sub(LINES);
        let last = lines.get(last..).unwrap_or_default();
        if last.is_empty() {
            return String::new();
        }
        format!("; it wrote `{}`", visible(&last.join(" / ")))
    }
}

async fn read(mut source: impl AsyncRead + Unpin, kept: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = vec![0; KEPT];
    while let Ok(count @ 1..) = source.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(buffer.get(..count).unwrap_or_default());
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
#[path = "last_words_tests.rs"]
mod tests;
