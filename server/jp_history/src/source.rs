//! Where recorded calls are read, and what was left out there.
//!
//! ```text
//! <user data>/jp-lsp/conversations/<workspace>/17958000000/events.jsonl         our own
//! <user data>/jp/workspace/<workspace>/conversations/17758406187-title/events.json   `jp`'s
//! <workspace>/.jp/conversations/17758406187-title/events.json                   `jp`'s, in the workspace
//! ```

use std::cmp::Reverse;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::ConversationId;

/// Who keeps the conversations of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keeper {
    /// This program.
    JpLsp,
    /// The released `jp`.
    Jp,
}

impl Keeper {
    /// The word in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::JpLsp => "jp-lsp",
            Self::Jp => "jp",
        }
    }

    /// The file of the events in the folder of a conversation.
    pub(crate) const fn events(self) -> &'static str {
        match self {
            Self::JpLsp => "events.jsonl",
            Self::Jp => "events.json",
        }
    }
}

/// A folder of conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The folder, which need not exist.
    pub folder: Utf8PathBuf,
    /// Who keeps it.
    pub keeper: Keeper,
    /// The folder that no link may lead out of; none where the folder is the person's own.
    pub within: Option<Utf8PathBuf>,
}

impl Source {
    /// The store of this program.
    #[must_use]
    pub fn own(folder: impl Into<Utf8PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            keeper: Keeper::JpLsp,
            within: None,
        }
    }

    /// A folder of `jp`'s in the person's own data.
    #[must_use]
    pub fn released(folder: impl Into<Utf8PathBuf>) -> Self {
        Self {
            keeper: Keeper::Jp,
            ..Self::own(folder)
        }
    }

    /// A folder of `jp`'s in a workspace, which no link leads out of.
    #[must_use]
    pub fn in_workspace(root: &Utf8Path) -> Self {
        Self {
            within: Some(root.to_owned()),
            ..Self::released(root.join(".jp").join("conversations"))
        }
    }

    /// The files of events, of the newest conversation first, and how many links were passed by.
    pub(crate) fn files(&self) -> (Vec<Utf8PathBuf>, usize) {
        let (mut found, mut links) = (Vec::new(), 0);
        if self.leads_out() {
            return (Vec::new(), 1);
        }
        let archive = self.folder.join(".archive");
        let folders = match self.keeper {
            Keeper::JpLsp => vec![&self.folder],
            Keeper::Jp => vec![&self.folder, &archive],
        };
        for folder in folders {
            if *folder == archive && is_link(folder) {
                links += 1;
                continue;
            }
            let Ok(entries) = folder.read_dir_utf8() else {
                continue;
            };
            for entry in entries.filter_map(Result::ok) {
                let name = entry.file_name();
                let is_own = name.starts_with(|first: char| first.is_ascii_digit());
                let Some(id) = is_own
                    .then(|| name.parse::<ConversationId>().ok())
                    .flatten()
                else {
                    continue;
                };
                let file = entry.path().join(self.keeper.events());
                if is_link(entry.path()) || is_link(&file) {
                    links += 1;
                } else if file.is_file() {
                    found.push((id, file));
                }
            }
        }
        found.sort_by_key(|(id, _)| Reverse(*id));
        (found.into_iter().map(|(_, file)| file).collect(), links)
    }

    /// Where the next call may be recorded: the folder itself, and those of its `newest` conversations.
    #[must_use]
    pub fn watched(&self, newest: usize) -> Vec<Utf8PathBuf> {
        if self.leads_out() {
            return Vec::new();
        }
        let (files, _) = self.files();
        let parents = files.iter().filter_map(|file| file.parent());
        let conversations = parents.take(newest).map(Utf8Path::to_owned);
        std::iter::once(self.folder.clone())
            .chain(conversations)
            .collect()
    }

    /// Whether a link on the way to the folder leads out of what it must lie in.
    fn leads_out(&self) -> bool {
        let Some(within) = &self.within else {
            return false;
        };
        match (within.canonicalize_utf8(), self.folder.canonicalize_utf8()) {
            (Ok(within), Ok(folder)) => !folder.starts_with(within),
            // What is not there leads nowhere.
            _ => false,
        }
    }
}

fn is_link(path: &Utf8Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// What was read of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReport {
    /// The folder.
    pub folder: Utf8PathBuf,
    /// Who keeps it.
    pub keeper: Keeper,
    /// How many conversations were read there.
    pub conversations: usize,
}

/// What was not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Records that are damaged.
    pub damaged_records: usize,
    /// Conversations that cannot be read at all, or not to their end.
    pub damaged_conversations: usize,
    /// Conversations whose file is too large.
    pub large_conversations: usize,
    /// Calls whose arguments are too large.
    pub large_calls: usize,
    /// Whether there are more calls than are kept.
    pub has_older: bool,
    /// Links that were not followed.
    pub links: usize,
    /// Records of calls that stand in another conversation too.
    pub copies: usize,
}
