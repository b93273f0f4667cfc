//! The one writer of a conversation.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::config_delta::ConfigDelta;
use crate::conversation::Conversation;
use crate::error::ConversationError;
use crate::event::{ConversationEvent, EventKind};
use crate::files::{
    EVENTS, LOCK, METADATA, building_directory, open_append, sync_directory, write_json,
};
use crate::id::ConversationId;
use crate::log::{self, LogTail};
use crate::metadata::ConversationMetadata;
use crate::repair::missing_responses;
use crate::timestamp::Timestamp;

/// A conversation that is open for writing, and nobody else can write to it.
///
/// Each event is with the operating system when [`ConversationWriter::append`] returns, so it outlives the process.
/// It outlives the machine from the next turn boundary on, or from [`ConversationWriter::sync`].
#[derive(Debug)]
pub struct ConversationWriter {
    directory: Utf8PathBuf,
    conversation: Conversation,
    log: File,
    end: u64,
    /// How many events there were when it was opened.
    opened_with: usize,
    poisoned: bool,
    _lock: Lock,
}

/// What is known of a conversation that was open for writing, so that [`Store::reopen`](crate::Store::reopen) need not
/// read it again.
#[derive(Debug)]
pub struct ClosedConversation {
    pub(crate) conversation: Conversation,
    /// Where the log ended.
    pub(crate) end: u64,
}

impl ClosedConversation {
    /// The id.
    #[must_use]
    pub const fn id(&self) -> ConversationId {
        self.conversation.id
    }
}

impl ConversationWriter {
    pub(crate) fn open(
        directory: Utf8PathBuf,
        lock: Lock,
        conversation: Conversation,
    ) -> Result<Self, ConversationError> {
        let path = directory.join(EVENTS);
        let log = open_append(&path)?;
        let end = log
            .metadata()
            .map_err(ConversationError::io("read", &path))?
            .len();
        Ok(Self {
            directory,
            opened_with: conversation.events().len(),
            conversation,
            log,
            end,
            poisoned: false,
            _lock: lock,
        })
    }

    /// Gives back the right to write.
    #[must_use]
    pub fn close(self) -> ClosedConversation {
        ClosedConversation {
            conversation: self.conversation,
            end: self.end,
        }
    }

    /// Whether the conversation has gained nothing since it was opened but what a person asks for.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        let mut gained = self.conversation.events().iter().skip(self.opened_with);
        gained.all(|event| {
            matches!(
                event.kind,
                EventKind::TurnStart | EventKind::ConfigDelta(_) | EventKind::ChatRequest(_)
            )
        })
    }

    /// Removes the conversation from its store.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Io`], then it stays.
    pub fn discard(self) -> Result<(), ConversationError> {
        let root = self.directory.parent().unwrap_or(Utf8Path::new("."));
        // Under a name that nobody looks for it is gone at once, also where removing it ends halfway.
        let (_building, aside) = building_directory(root)?;
        std::fs::rename(&self.directory, aside.join("discarded"))
            .map_err(ConversationError::io("remove", &self.directory))?;
        sync_directory(root)
    }

    /// The conversation, with all that was appended.
    #[must_use]
    pub const fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The directory that holds the conversation.
    #[must_use]
    pub fn directory(&self) -> &Utf8Path {
        &self.directory
    }

    /// The size of the log: what a reader gives to `Store::read_since` to see only what comes after.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Adds an event.
    ///
    /// A [`EventKind::TurnStart`] also updates the time of last use and syncs.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Io`], then the event is neither on disk nor in memory; [`ConversationError::Poisoned`] when
    /// what an earlier failure left behind could not be taken back.
    pub fn append(&mut self, event: ConversationEvent) -> Result<(), ConversationError> {
        self.append_all(vec![event])
    }

    /// Adds events, all or none.
    ///
    /// # Errors
    ///
    /// As [`ConversationWriter::append`].
    pub fn append_all(&mut self, events: Vec<ConversationEvent>) -> Result<(), ConversationError> {
        if self.poisoned {
            let id = self.conversation.id.to_string();
            return Err(ConversationError::Poisoned { id });
        }
        let lines = log::lines(&events);
        if let Err(error) = self.log.write_all(&lines) {
            self.poisoned = self.log.set_len(self.end).is_err();
            return Err(ConversationError::io("write", self.directory.join(EVENTS))(
                error,
            ));
        }
        let turn = events
            .iter()
            .rev()
            .find(|event| event.kind == EventKind::TurnStart);
        let turn = turn.map(|event| event.timestamp);
        if turn.is_some()
            && let Err(error) = self.sync()
        {
            // What may not last must not be taken for recorded.
            self.poisoned = self.log.set_len(self.end).is_err();
            return Err(error);
        }
        self.end += u64::try_from(lines.len()).unwrap_or(u64::MAX);
        self.conversation.extend(events);
        if let Some(time) = turn {
            // The events are recorded; a time of last use that is not written loses nothing.
            let _ = self.update_metadata(|metadata| metadata.last_activated_at = time);
        }
        Ok(())
    }

    /// Makes sure that all events outlive a crash of the machine. To be called at the end of a turn.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Io`].
    pub fn sync(&self) -> Result<(), ConversationError> {
        self.log
            .sync_data()
            .map_err(ConversationError::io("sync", self.directory.join(EVENTS)))
    }

    /// Takes back the last config delta that holds, by an event of its own, and returns what was taken back.
    ///
    /// `None` where no config delta holds; nothing is recorded then.
    ///
    /// # Errors
    ///
    /// As [`ConversationWriter::append`].
    pub fn take_back_config_delta(&mut self) -> Result<Option<ConfigDelta>, ConversationError> {
        let Some(last) = self.conversation.last_config_delta().cloned() else {
            return Ok(None);
        };
        self.append(ConversationEvent::new(EventKind::ConfigDelta(
            ConfigDelta {
                takes_back: true,
                ..ConfigDelta::default()
            },
        )))?;
        self.sync()?;
        Ok(Some(last))
    }

    /// Changes title or times. The file is replaced as a whole.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Io`], then nothing has changed.
    pub fn update_metadata(
        &mut self,
        change: impl FnOnce(&mut ConversationMetadata),
    ) -> Result<(), ConversationError> {
        let mut metadata = self.conversation.metadata.clone();
        change(&mut metadata);
        if metadata != self.conversation.metadata {
            write_json(&self.directory.join(METADATA), &metadata)?;
            self.conversation.metadata = metadata;
        }
        Ok(())
    }

    /// Ends the tool calls of the last turn that never ended, as an interrupted process leaves them behind.
    ///
    /// Returns how many there were.
    ///
    /// # Errors
    ///
    /// As [`ConversationWriter::append`].
    pub fn close_interrupted_calls(&mut self) -> Result<usize, ConversationError> {
        let responses = missing_responses(self.conversation.current_turn());
        let count = responses.len();
        if count > 0 {
            self.append_all(responses)?;
            self.sync()?;
        }
        Ok(count)
    }
}

/// Puts the end of a log in order; the log must be locked.
///
/// An event that lacks only its line feed gets it, and is returned. Other torn bytes are moved to a file of their own.
pub(crate) fn recover(
    directory: &Utf8Path,
    tail: &LogTail,
) -> Result<Option<ConversationEvent>, ConversationError> {
    if tail.torn.is_empty() {
        return Ok(None);
    }
    let path = directory.join(EVENTS);
    let mut log = open_append(&path)?;
    if log::lacks_line_feed_only(&tail.torn) {
        log.write_all(b"\n")
            .and_then(|()| log.sync_data())
            .map_err(ConversationError::io("write", &path))?;
        return Ok(log::read(&path, tail.end)?.events.pop());
    }
    let aside = directory.join(format!("torn-{}", tail.end));
    let mut copy = open_append(&aside)?;
    copy.set_len(0)
        .and_then(|()| copy.write_all(&tail.torn))
        .and_then(|()| copy.sync_all())
        .map_err(ConversationError::io("write", &aside))?;
    sync_directory(directory)?;
    log.set_len(tail.end)
        .and_then(|()| log.sync_all())
        .map_err(ConversationError::io("truncate", &path))?;
    Ok(None)
}

/// The right to write to a conversation, given back on drop or when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// What the lock file says about who holds it, for error messages.
#[derive(Serialize, Deserialize)]
struct Holder {
    pid: u32,
    acquired_at: Timestamp,
}

impl Lock {
    pub(crate) fn take(
        directory: &Utf8Path,
        id: ConversationId,
    ) -> Result<Self, ConversationError> {
        let path = directory.join(LOCK);
        let mut file = open_append(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ConversationError::Locked {
                    id: id.to_string(),
                    holder: holder(&mut file),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(ConversationError::io("lock", path)(error));
            }
        }
        let holder = Holder {
            pid: std::process::id(),
            acquired_at: Timestamp::now(),
        };
        let text = serde_json::to_vec(&holder).unwrap_or_default();
        file.set_len(0)
            .and_then(|()| file.write_all(&text))
            .map_err(ConversationError::io("write", path))?;
        Ok(Self { _file: file })
    }
}

/// Who holds the lock, as ` (process 123)`, as far as the file says.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let holder = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| file.read_to_string(&mut text))
        .ok()
        .and_then(|_| serde_json::from_str::<Holder>(&text).ok());
    holder.map_or_else(String::new, |holder| format!(" (process {})", holder.pid))
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
