//! What can go wrong with a conversation, and what to do about it.

use std::io;

use camino::Utf8PathBuf;
use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum ConversationError {
    /// A JSON value that should be an event is none.
    #[error("{reason}")]
    InvalidEvent {
        /// What is wrong and what is expected instead.
        reason: String,
    },

    /// A line of the event log, or an element of an `events.json`, cannot be read.
    #[error("{path}: event {number}: {reason}")]
    UnreadableEvent {
        /// The file that holds the event.
        path: Utf8PathBuf,
        /// The number of the line or element, from 1.
        number: usize,
        /// What is wrong and what is expected instead.
        reason: String,
    },

    /// A file holds something other than the JSON it should hold.
    #[error("{path}: {reason}")]
    InvalidFile {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong and what is expected instead.
        reason: String,
    },

    /// A text is no timestamp.
    #[error("`{text}` is no timestamp, write `YYYY-MM-DD HH:MM:SS.ffffff` (UTC) or RFC 3339")]
    InvalidTimestamp {
        /// The text.
        text: String,
    },

    /// A text is no conversation id.
    #[error("`{text}` is no conversation id, write it as `jp-c17636257527`")]
    InvalidId {
        /// The text.
        text: String,
    },

    /// The store holds no such conversation.
    #[error("there is no conversation `{id}` in {root}")]
    NotFound {
        /// The id that was asked for.
        id: String,
        /// The directory of the store.
        root: Utf8PathBuf,
    },

    /// Another writer has the conversation open.
    #[error("conversation `{id}` is open in another process{holder}, close it there first")]
    Locked {
        /// The conversation.
        id: String,
        /// Who holds the lock, as ` (process 123)`, or nothing when unknown.
        holder: String,
    },

    /// The target of an export exists.
    #[error("`{path}` exists, export to another directory or remove it first")]
    ExportExists {
        /// The directory that stands in the way.
        path: Utf8PathBuf,
    },

    /// A writer failed halfway and cannot say any more what is on disk.
    #[error("an earlier write to conversation `{id}` failed, open it again to go on")]
    Poisoned {
        /// The conversation.
        id: String,
    },

    /// The file system refused.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or directory.
        path: Utf8PathBuf,
        /// The reason given by the operating system.
        source: io::Error,
    },
}

impl ConversationError {
    /// A closure for `map_err` that names the action and the path.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<Utf8PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    pub(crate) fn invalid_event(reason: impl Into<String>) -> Self {
        Self::InvalidEvent {
            reason: reason.into(),
        }
    }
}
