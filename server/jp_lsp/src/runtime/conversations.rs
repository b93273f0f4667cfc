//! The conversations of a workspace: our own, and those that `jp` keeps, which are read and never written.
//!
//! ```text
//! <user data>/jp-lsp/conversations/<workspace>/17958000000/         our own
//! <user data>/jp/workspace/<workspace>/conversations/17758406187/   `jp`'s
//! <workspace>/.jp/conversations/17758406187/                        `jp`'s, in the workspace
//! ```
//!
//! One of `jp`'s goes on as a copy under an id of its own.

use camino::Utf8Path;
use jp_config::released::{ReleasedNote, released};
use jp_conversation::{
    ChatResponse, ConfigDelta, Conversation, ConversationError, ConversationEvent, ConversationId,
    ConversationPart, ConversationWriter, EventKind, ExportReport, ListedConversation,
    ReleasedForm, ReleasedStore, Store, Timestamp, Wanted, export_released, visible,
};
use jp_history::Source;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    disk::workspace,
    runtime::{SessionError, store},
    trust::unprivileged,
};

/// Who keeps a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keeper {
    /// This program.
    JpLsp,
    /// `jp`: it can be read, and goes on as a copy.
    Jp,
}

/// The conversations of one workspace.
#[derive(Debug, Clone)]
pub struct Conversations {
    /// Our own.
    pub own: Store,
    released: ReleasedStore,
}

impl Conversations {
    /// The conversations of the workspace `root`.
    ///
    /// # Errors
    ///
    /// [`SessionError::NoDataDirectory`].
    pub fn of(root: &Utf8Path) -> Result<Self, SessionError> {
        Ok(Self::new(root, store(root)?))
    }

    /// The conversations of the workspace `root`, our own being in `own`.
    #[must_use]
    pub fn new(root: &Utf8Path, own: Store) -> Self {
        let user = workspace::user_workspace(root);
        let user = user.map(|folder| folder.join("conversations"));
        Self {
            own,
            released: ReleasedStore::new(user.into_iter().collect()).with_workspace(root),
        }
    }

    /// All conversations, the one used last first.
    ///
    /// One that was exported is listed as our own.
    ///
    /// # Errors
    ///
    /// As [`Store::list`].
    pub fn list(&self) -> Result<Vec<(Keeper, ListedConversation)>, ConversationError> {
        let mut listed: Vec<_> = self
            .own
            .list()?
            .into_iter()
            .map(|listed| (Keeper::JpLsp, listed))
            .collect();
        let released = self.released.list()?.into_iter();
        let released = released.filter(|found| !self.is_own(found.listed.id));
        listed.extend(released.map(|found| (Keeper::Jp, found.listed)));
        listed
            .sort_by_key(|(_, listed)| std::cmp::Reverse((listed.last_activated_at(), listed.id)));
        Ok(listed)
    }

    /// Whether we keep the conversation ourselves.
    #[must_use]
    pub fn is_own(&self, id: ConversationId) -> bool {
        self.own.directory(id).is_dir()
    }

    /// Whether there is such a conversation.
    ///
    /// # Errors
    ///
    /// As [`ReleasedStore::find`].
    pub fn holds(&self, id: ConversationId) -> Result<bool, ConversationError> {
        Ok(self.is_own(id) || self.released.find(id)?.is_some())
    }

    /// Reads a conversation of `jp`; none when it has none with this id.
    ///
    /// # Errors
    ///
    /// As [`ReleasedStore::read`].
    pub fn read_released(
        &self,
        id: ConversationId,
    ) -> Result<Option<Conversation>, ConversationError> {
        self.released.read(id)
    }

    /// Reads a conversation, whoever keeps it.
    ///
    /// # Errors
    ///
    /// As [`Store::read`] and [`ReleasedStore::read`].
    pub fn read(&self, id: ConversationId) -> Result<Conversation, ConversationError> {
        if !self.is_own(id)
            && let Some(found) = self.released.read(id)?
        {
            return Ok(found);
        }
        self.own.read(id)
    }

    /// Reads a part of a conversation, whoever keeps it; of one of `jp`, all is read first.
    ///
    /// # Errors
    ///
    /// As [`Store::read_part`] and [`ReleasedStore::read`].
    pub fn read_part(
        &self,
        id: ConversationId,
        wanted: Wanted,
    ) -> Result<ConversationPart, ConversationError> {
        if !self.is_own(id)
            && let Some(found) = self.released.read(id)?
        {
            return Ok(ConversationPart::of(found.events(), wanted));
        }
        self.own.read_part(id, wanted)
    }

    /// Takes back the last config change of a conversation that holds, and returns what was taken back.
    ///
    /// # Errors
    ///
    /// [`TakeBackError`].
    pub fn take_back_config(&self, id: ConversationId) -> Result<ConfigDelta, TakeBackError> {
        if !self.is_own(id) && self.released.find(id)?.is_some() {
            return Err(TakeBackError::Released(id));
        }
        let taken_back = self.own.open(id)?.take_back_config_delta()?;
        taken_back.ok_or(TakeBackError::Nothing(id))
    }
}

/// Where the calls of a workspace are on record: our own first, which say who decided.
///
/// # Errors
///
/// [`SessionError::NoDataDirectory`].
pub fn history_sources(root: &Utf8Path) -> Result<Vec<Source>, SessionError> {
    let user = workspace::user_workspace(root);
    let user = user.map(|folder| Source::released(folder.join("conversations")));
    let own = Source::own(store(root)?.root());
    let sources = [Some(own), user, Some(Source::in_workspace(root))];
    Ok(sources.into_iter().flatten().collect())
}

/// A conversation that a search found.
#[derive(Debug)]
pub struct FoundConversation {
    /// Who keeps it.
    pub keeper: Keeper,
    /// Its entry in the list.
    pub listed: ListedConversation,
    /// Where the words stand, if they stand in what was said: a line, cut short.
    pub excerpt: Option<String>,
}

impl Conversations {
    /// Gives a conversation another title, and answers it as it is kept: on one line, without what cannot be seen.
    ///
    /// # Errors
    ///
    /// [`ChangeError`].
    pub fn rename(&self, id: ConversationId, title: &str) -> Result<String, ChangeError> {
        let title: Vec<&str> = title.split_whitespace().collect();
        let title: String = title.join(" ").chars().take(LONGEST_TITLE).collect();
        let title = visible(&title).into_owned();
        if title.is_empty() {
            return Err(ChangeError::NoTitle);
        }
        let mut writer = self.ours(id)?;
        writer.update_metadata(|metadata| metadata.title = Some(title.clone()))?;
        Ok(title)
    }

    /// Removes a conversation for good.
    ///
    /// # Errors
    ///
    /// [`ChangeError`]: it stays.
    pub fn delete(&self, id: ConversationId) -> Result<(), ChangeError> {
        Ok(self.ours(id)?.discard()?)
    }

    /// Copies a conversation, without its last turns, under an id of its own; the original stays as it is.
    ///
    /// # Errors
    ///
    /// [`ChangeError::FewerTurns`] where it does not have so many turns.
    pub fn fork(
        &self,
        id: ConversationId,
        without_last: usize,
    ) -> Result<ConversationId, ChangeError> {
        let original = self.read(id)?;
        let original = match self.is_own(id) {
            true => original,
            // What `jp` has recorded was approved by nobody here.
            false => unprivileged(&original).0,
        };
        let mut starts: Vec<usize> = original
            .events()
            .iter()
            .enumerate()
            .filter(|(_, event)| event.kind == EventKind::TurnStart)
            .map(|(index, _)| index)
            .collect();
        if starts.len() < without_last {
            return Err(ChangeError::FewerTurns(id, starts.len()));
        }
        let end = starts.split_off(starts.len() - without_last);
        let end = end.first().copied().unwrap_or(original.events().len());
        let mut copy = Conversation::new(
            original.id,
            original.metadata.clone(),
            original.base_config.clone(),
        );
        copy.extend(original.events().iter().take(end).cloned());
        let writer = self.own.continue_copy(&copy, Timestamp::now())?;
        Ok(writer.conversation().id)
    }

    /// The conversations in whose title, questions or answers all the words stand, the one used last first.
    ///
    /// # Errors
    ///
    /// As [`Conversations::list`]; a conversation that cannot be read is found by its title alone.
    pub fn search(&self, words: &str) -> Result<Vec<FoundConversation>, ConversationError> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let fits = |text: &str| {
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        let mut found = Vec::new();
        for (keeper, listed) in self.list()? {
            let title = listed.metadata.as_ref().ok();
            let title = title.and_then(|metadata| metadata.title.clone());
            let is_called = title.is_some_and(|title| fits(&title));
            let said = self.read(listed.id).ok();
            let excerpt = said.as_ref().and_then(|conversation| {
                let mut texts = conversation.events().iter().filter_map(said_in);
                texts
                    .find(|text| fits(text))
                    .map(|text| excerpt(text, &words))
            });
            if is_called || excerpt.is_some() {
                found.push(FoundConversation {
                    keeper,
                    listed,
                    excerpt,
                });
            }
        }
        Ok(found)
    }

    /// Opens one of our own for writing.
    fn ours(&self, id: ConversationId) -> Result<ConversationWriter, ChangeError> {
        if !self.is_own(id) && self.released.find(id)?.is_some() {
            return Err(ChangeError::Released(id));
        }
        Ok(self.own.open(id)?)
    }
}

/// The most characters of a title.
const LONGEST_TITLE: usize = 120;

/// The most characters of an excerpt.
const LONGEST_EXCERPT: usize = 100;

/// What a person or the model said.
fn said_in(event: &ConversationEvent) -> Option<&str> {
    match &event.kind {
        EventKind::ChatRequest(request) => Some(&request.content),
        EventKind::ChatResponse(ChatResponse::Message(text)) => Some(text),
        _ => None,
    }
}

/// The line of a text in which the first of the words stands.
fn excerpt(text: &str, words: &[String]) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = words.first().map(String::as_str).unwrap_or_default();
    let line = lines
        .clone()
        .find(|line| line.to_lowercase().contains(first));
    let line = line.or_else(|| lines.next()).unwrap_or_default().trim();
    let short: String = line.chars().take(LONGEST_EXCERPT).collect();
    visible(&short).into_owned()
}

/// Why a conversation was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The conversation cannot be read or written, or is busy.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// It is not ours to write to.
    #[error("`{0}` belongs to jp and stays as it is")]
    Released(ConversationId),
    /// The title is empty.
    #[error("a title needs a word")]
    NoTitle,
    /// There are not so many turns to leave out.
    #[error("`{0}` has {1} turns, and no more can be left out")]
    FewerTurns(ConversationId, usize),
}

/// Why a config change was not taken back.
#[derive(Debug, thiserror::Error)]
pub enum TakeBackError {
    /// The conversation cannot be read or written, or is busy.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// It is not ours to write to.
    #[error(
        "`{0}` belongs to jp and stays as it is: go on with a copy of it by `jp-lsp query --conversation {0}`"
    )]
    Released(ConversationId),
    /// No config change holds in it.
    #[error("`{0}` has no config change to take back: what holds there is what the files say")]
    Nothing(ConversationId),
}

/// Writes a conversation into `parent` as `jp` stores it, with a config that the released `jp` loads.
///
/// `workspace` is the config of the workspace, for what the conversation itself does not say.
///
/// # Errors
///
/// As [`export_released`].
pub fn export(
    conversation: &Conversation,
    parent: &Utf8Path,
    workspace: Option<&Value>,
) -> Result<(ExportReport, Vec<ReleasedNote>), ConversationError> {
    let deltas: Vec<_> = conversation
        .config_deltas(0)
        .map(|delta| &delta.delta)
        .collect();
    let model = workspace.and_then(|config| config.pointer("/assistant/model/id"));
    let reduced = released(&conversation.base_config, &deltas, model);
    let form = ReleasedForm {
        base_config: reduced.base,
        deltas: reduced.deltas,
    };
    let report = export_released(conversation, parent, form)?;
    Ok((report, reduced.notes))
}
