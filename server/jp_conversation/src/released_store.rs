//! The conversations that a released `jp` keeps, to be read and never written:
//!
//! ```text
//! <user data>/jp/workspace/<name>-<id>/conversations/17758406187-missing-date/    the copy that lasts
//! <workspace>/.jp/conversations/17758406187-missing-date/                         its projection
//!                              /.archive/17673969718-iana-reference-site/         what was put away
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use crate::conversation::Conversation;
use crate::error::ConversationError;
use crate::files::{BASE_CONFIG, METADATA, read_json};
use crate::id::ConversationId;
use crate::released::{RELEASED_EVENTS, read_released};
use crate::store::ListedConversation;

const ARCHIVE: &str = ".archive";

/// The folders in which a released `jp` keeps the conversations of one workspace.
#[derive(Debug, Clone)]
pub struct ReleasedStore {
    /// Strongest first: of two equally new copies the first counts.
    roots: Vec<Utf8PathBuf>,
    /// In which links are not followed.
    workspace: Option<Utf8PathBuf>,
}

/// A conversation of a released `jp` in a list.
#[derive(Debug)]
pub struct ReleasedConversation {
    /// Id, title and times.
    pub listed: ListedConversation,
    /// Where it lies.
    pub directory: Utf8PathBuf,
}

impl ReleasedStore {
    /// The conversations in these folders, the durable one of the user before the workspace's. None needs to exist.
    #[must_use]
    pub const fn new(roots: Vec<Utf8PathBuf>) -> Self {
        Self {
            roots,
            workspace: None,
        }
    }

    /// Adds the conversations in the workspace at `root`, which counts last.
    ///
    /// Its links may be anybody's: none in its folder of conversations is followed, and none on the way leads out of it.
    #[must_use]
    pub fn with_workspace(mut self, root: &Utf8Path) -> Self {
        self.roots.push(root.join(".jp").join("conversations"));
        self.workspace = Some(root.to_owned());
        self
    }

    /// All conversations that are not put away, the one used last first.
    ///
    /// # Errors
    ///
    /// [`ConversationError::Io`] when a folder is there and cannot be read.
    pub fn list(&self) -> Result<Vec<ReleasedConversation>, ConversationError> {
        let mut newest: BTreeMap<ConversationId, Utf8PathBuf> = BTreeMap::new();
        for (id, directory) in self.directories(Utf8Path::to_owned)? {
            let is_newer = newest
                .get(&id)
                .is_none_or(|known| changed(&directory) > changed(known));
            if is_newer {
                newest.insert(id, directory);
            }
        }
        let mut found: Vec<_> = newest
            .into_iter()
            .map(|(id, directory)| ReleasedConversation {
                listed: ListedConversation {
                    id,
                    metadata: read_json(&directory.join(METADATA)),
                },
                directory,
            })
            .collect();
        found.sort_by_key(|found| {
            std::cmp::Reverse((found.listed.last_activated_at(), found.listed.id))
        });
        Ok(found)
    }

    /// Where a conversation lies, put away or not; none when there is no such conversation.
    ///
    /// # Errors
    ///
    /// As [`ReleasedStore::list`].
    pub fn find(&self, id: ConversationId) -> Result<Option<Utf8PathBuf>, ConversationError> {
        for part in ["", ARCHIVE] {
            let directories = self.directories(|root| root.join(part))?;
            let mut newest: Option<Utf8PathBuf> = None;
            for (found, directory) in directories {
                let is_newer = newest
                    .as_ref()
                    .is_none_or(|known| changed(&directory) > changed(known));
                if found == id && is_newer {
                    newest = Some(directory);
                }
            }
            if newest.is_some() {
                return Ok(newest);
            }
        }
        Ok(None)
    }

    /// Reads a conversation; none when there is no such conversation.
    ///
    /// # Errors
    ///
    /// As [`ReleasedStore::find`] and [`read_released`].
    pub fn read(&self, id: ConversationId) -> Result<Option<Conversation>, ConversationError> {
        match self.find(id)? {
            Some(directory) => read_released(&directory).map(Some),
            None => Ok(None),
        }
    }

    /// The directories that are named like conversations and hold events, in the order of the roots.
    fn directories(
        &self,
        part: impl Fn(&Utf8Path) -> Utf8PathBuf,
    ) -> Result<Vec<(ConversationId, Utf8PathBuf)>, ConversationError> {
        let mut found = Vec::new();
        for root in self.roots.iter().map(|root| part(root)) {
            if self.leads_out(&root) {
                continue;
            }
            let entries = match root.read_dir_utf8() {
                Ok(entries) => entries,
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
                {
                    continue;
                }
                Err(error) => return Err(ConversationError::io("read", root)(error)),
            };
            for entry in entries {
                // A name that is no text is no conversation's.
                let Ok(entry) = entry else { continue };
                let is_own = entry
                    .file_name()
                    .starts_with(|first: char| first.is_ascii_digit());
                let id = entry.file_name().parse::<ConversationId>();
                if let Ok(id) = id
                    && is_own
                    && entry.path().join(RELEASED_EVENTS).is_file()
                    && !self.has_links(entry.path())
                {
                    found.push((id, entry.path().to_owned()));
                }
            }
        }
        Ok(found)
    }

    /// Whether a folder is named in the workspace and leads elsewhere.
    fn leads_out(&self, folder: &Utf8Path) -> bool {
        let Some(workspace) = self.workspace.as_ref().filter(|it| folder.starts_with(it)) else {
            return false;
        };
        match (workspace.canonicalize_utf8(), folder.canonicalize_utf8()) {
            (Ok(workspace), Ok(folder)) => !folder.starts_with(workspace),
            (_, Err(error)) if error.kind() == io::ErrorKind::NotFound => false,
            // Where a link leads that leads to itself, nobody knows.
            _ => true,
        }
    }

    /// Whether a conversation of the workspace, or what is read of it, is a link.
    fn has_links(&self, directory: &Utf8Path) -> bool {
        let is_anybodys = self
            .workspace
            .as_ref()
            .is_some_and(|workspace| directory.starts_with(workspace));
        let read = [RELEASED_EVENTS, BASE_CONFIG, METADATA].map(|name| directory.join(name));
        is_anybodys && (directory.is_symlink() || read.iter().any(|file| file.is_symlink()))
    }
}

/// When a conversation was last written.
fn changed(directory: &Utf8Path) -> SystemTime {
    let of = |name: &str| fs::metadata(directory.join(name)).and_then(|it| it.modified());
    let times =
        [RELEASED_EVENTS, BASE_CONFIG].map(|name| of(name).unwrap_or(SystemTime::UNIX_EPOCH));
    times.into_iter().max().unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
#[path = "released_store_tests.rs"]
mod tests;
