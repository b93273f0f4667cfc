//! Conversations on disk, one directory each:
//!
//! ```text
//! <root>/17758406187/events.jsonl       the events, written at the end only
//!                   /base_config.json   the partial configuration at the time of creation
//!                   /metadata.json      title and times
//!                   /lock               held by the one writer
//!                   /torn-<offset>      what a crash tore off, if it ever did
//! ```
//!
//! Readers need no lock. A directory whose name begins with a dot is being built, or was left behind by a crash.

use std::fs;
use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

use crate::conversation::Conversation;
use crate::error::ConversationError;
use crate::event::ConversationEvent;
use crate::files::{
    BASE_CONFIG, EVENTS, METADATA, building_directory, open_append, read_json, read_json_if_any,
    sync_directory, write_json,
};
use crate::id::ConversationId;
use crate::log::{self, LogTail};
use crate::metadata::ConversationMetadata;
use crate::part::{ConversationPart, Wanted};
use crate::timestamp::Timestamp;
use crate::writer::{ClosedConversation, ConversationWriter, Lock};

/// The conversations of one workspace.
#[derive(Debug, Clone)]
pub struct Store {
    root: Utf8PathBuf,
}

/// A conversation in a list.
#[derive(Debug)]
pub struct ListedConversation {
    /// The id.
    pub id: ConversationId,
    /// Title and times, or why they cannot be read. A conversation does not vanish because of it.
    pub metadata: Result<ConversationMetadata, ConversationError>,
}

impl ListedConversation {
    /// When the conversation was last used, as far as that is known.
    #[must_use]
    pub fn last_activated_at(&self) -> Timestamp {
        self.metadata
            .as_ref()
            .map_or(time_of(self.id), |metadata| metadata.last_activated_at)
    }
}

impl Store {
    /// The store in the directory `root`, which need not exist yet. It belongs under the user's data directory.
    #[must_use]
    pub fn new(root: impl Into<Utf8PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory of the store.
    #[must_use]
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The directory of a conversation, whether or not it exists.
    #[must_use]
    pub fn directory(&self, id: ConversationId) -> Utf8PathBuf {
        self.root.join(id.directory_name())
    }

    /// Creates a conversation and opens it for writing.
    ///
    /// Its id is the time `metadata.last_activated_at`, or the next that is free here and in the stores beside this one:
    /// whoever has several workspaces open knows conversations by their ids alone.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Io`].
    pub fn create(
        &self,
        metadata: ConversationMetadata,
        base_config: Map<String, Value>,
        events: Vec<ConversationEvent>,
    ) -> Result<ConversationWriter, ConversationError> {
        let (building, directory) = building_directory(&self.root)?;
        let mut id = ConversationId::at(metadata.last_activated_at);
        // Held before the name is there, so that nobody else can be first.
        let lock = Lock::take(&directory, id)?;
        write_json(&directory.join(BASE_CONFIG), &base_config)?;
        write_json(&directory.join(METADATA), &metadata)?;
        let events_path = directory.join(EVENTS);
        open_append(&events_path)?
            .write_all(&log::lines(&events))
            .map_err(ConversationError::io("write", &events_path))?;
        loop {
            if self.is_taken_beside(id) {
                id = id.next();
                continue;
            }
            match rename_into_place(&directory, &self.directory(id)) {
                Ok(true) => break,
                Ok(false) => id = id.next(),
                Err(error) => {
                    return Err(ConversationError::io("create", self.directory(id))(error));
                }
            }
        }
        // The directory has another name, so there is nothing left to remove.
        let _ = building.keep();
        sync_directory(&self.root)?;
        let mut conversation = Conversation::new(id, metadata, base_config);
        conversation.extend(events);
        let writer = ConversationWriter::open(self.directory(id), lock, conversation)?;
        writer.sync()?;
        Ok(writer)
    }

    /// Opens a conversation for writing. What a crash tore off is moved aside first.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Locked`] while another writer has it open, [`ConversationError::NotFound`],
    /// [`ConversationError::UnreadableEvent`], [`ConversationError::InvalidFile`], [`ConversationError::Io`].
    pub fn open(&self, id: ConversationId) -> Result<ConversationWriter, ConversationError> {
        let directory = self.existing(id)?;
        let lock = Lock::take(&directory, id)?;
        let (mut conversation, tail) = self.load(id)?;
        let recovered = crate::writer::recover(&directory, &tail)?;
        conversation.extend(recovered);
        ConversationWriter::open(directory, lock, conversation)
    }

    /// Opens a conversation again, reading only what it has gained since it was closed.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn reopen(
        &self,
        closed: ClosedConversation,
    ) -> Result<ConversationWriter, ConversationError> {
        let ClosedConversation {
            mut conversation,
            end,
        } = closed;
        let id = conversation.id;
        let directory = self.existing(id)?;
        let lock = Lock::take(&directory, id)?;
        let Ok(mut tail) = log::read_on(&directory.join(EVENTS), end) else {
            // The log is not the one that was closed; reading all of it says what is wrong.
            drop(lock);
            return self.open(id);
        };
        conversation.metadata = metadata(id, &directory)?;
        conversation.extend(std::mem::take(&mut tail.events));
        conversation.extend(crate::writer::recover(&directory, &tail)?);
        ConversationWriter::open(directory, lock, conversation)
    }

    /// Reads a conversation as it is at the moment.
    ///
    /// # Errors
    ///
    /// As [`Store::open`], without the lock.
    pub fn read(&self, id: ConversationId) -> Result<Conversation, ConversationError> {
        Ok(self.load(id)?.0)
    }

    /// Reads a part of a conversation as it is at the moment.
    ///
    /// # Errors
    ///
    /// As [`Store::read`], but only for what is read.
    pub fn read_part(
        &self,
        id: ConversationId,
        wanted: Wanted,
    ) -> Result<ConversationPart, ConversationError> {
        log::read_part(&self.existing(id)?.join(EVENTS), wanted)
    }

    /// Reads what a conversation has gained since `offset`: 0, or the [`LogTail::end`] of an earlier reading.
    ///
    /// # Errors
    ///
    /// As [`Store::read`]; [`ConversationError::InvalidFile`] when the log has become shorter than `offset`.
    pub fn read_since(
        &self,
        id: ConversationId,
        offset: u64,
    ) -> Result<LogTail, ConversationError> {
        log::read(&self.existing(id)?.join(EVENTS), offset)
    }

    /// All conversations, the one used last first.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Io`] when the directory of the store cannot be read.
    pub fn list(&self) -> Result<Vec<ListedConversation>, ConversationError> {
        let entries = match self.root.read_dir_utf8() {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ConversationError::io("read", &self.root)(error)),
        };
        let mut listed = Vec::new();
        for entry in entries {
            let entry = entry.map_err(ConversationError::io("read", &self.root))?;
            let Ok(id) = entry.file_name().parse::<ConversationId>() else {
                continue;
            };
            if id.directory_name() == entry.file_name() {
                let metadata = read_json(&entry.path().join(METADATA));
                listed.push(ListedConversation { id, metadata });
            }
        }
        listed.sort_by_key(|listed| std::cmp::Reverse((listed.last_activated_at(), listed.id)));
        Ok(listed)
    }

    /// Whether a store in the same directory as this one has a conversation with this id.
    fn is_taken_beside(&self, id: ConversationId) -> bool {
        let stores = self.root.parent().map(Utf8Path::read_dir_utf8);
        let Some(Ok(stores)) = stores else {
            return false;
        };
        stores.filter_map(Result::ok).any(|store| {
            store.path() != self.root && store.path().join(id.directory_name()).exists()
        })
    }

    fn existing(&self, id: ConversationId) -> Result<Utf8PathBuf, ConversationError> {
        let directory = self.directory(id);
        if directory.is_dir() {
            return Ok(directory);
        }
        Err(ConversationError::NotFound {
            id: id.to_string(),
            root: self.root.clone(),
        })
    }

    fn load(&self, id: ConversationId) -> Result<(Conversation, LogTail), ConversationError> {
        let directory = self.existing(id)?;
        let metadata = metadata(id, &directory)?;
        let base_config = read_json_if_any(&directory.join(BASE_CONFIG))?.unwrap_or_default();
        let mut tail = log::read(&directory.join(EVENTS), 0)?;
        let mut conversation = Conversation::new(id, metadata, base_config);
        conversation.extend(std::mem::take(&mut tail.events));
        Ok((conversation, tail))
    }
}

/// Title and times; where they are lost, the time that the id stands for.
fn metadata(
    id: ConversationId,
    directory: &Utf8Path,
) -> Result<ConversationMetadata, ConversationError> {
    let metadata = read_json_if_any(&directory.join(METADATA))?;
    Ok(metadata.unwrap_or_else(|| ConversationMetadata::at(time_of(id))))
}

/// The time that an id stands for.
fn time_of(id: ConversationId) -> Timestamp {
    let nanos = i128::from(id.deciseconds()) * 100_000_000;
    time::OffsetDateTime::from_unix_timestamp_nanos(nanos)
        .map_or(Timestamp::EPOCH, Timestamp::from_datetime)
}

/// Gives a directory its final name; `false` when the name is taken.
fn rename_into_place(from: &Utf8Path, to: &Utf8Path) -> io::Result<bool> {
    if to.try_exists()? {
        return Ok(false);
    }
    match fs::rename(from, to) {
        Ok(()) => Ok(true),
        // Somebody else was faster.
        Err(_) if to.try_exists()? => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
pub(crate) mod tests;
