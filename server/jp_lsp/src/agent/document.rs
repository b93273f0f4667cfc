//! A conversation as a Markdown file that any editor can open, and that grows as the conversation does.
//!
//! ```text
//! <data>/documents/<workspace>/jp-c17636666521.md
//! ```
//!
//! The file is read by editors while it is written: it appears whole, and gains whole blocks in one write each.

use std::{fs, io::Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::{ConversationError, ConversationId, GrowingMarkdown, Store};
use tokio::sync::{mpsc, oneshot};
use url::Url;

use crate::disk::data::write_whole;

/// Why a conversation cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentError {
    /// It cannot be read.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// The file cannot be written.
    #[error("`{path}` cannot be written: {problem}")]
    Write {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        problem: String,
    },
    /// The data folder has a name that no URI has.
    #[error("`{0}` is no absolute path: set `JP_LSP_DATA_DIR` to one")]
    NoUri(Utf8PathBuf),
    /// Whoever writes it is gone.
    #[error("the runtime has ended")]
    Ended,
}

/// Where it is told that the document is there.
type Ready = oneshot::Sender<Result<Url, DocumentError>>;

/// The way to a document. It is kept up to date until this is dropped.
#[derive(Debug, Clone)]
pub(super) struct ConversationDocument {
    changes: mpsc::UnboundedSender<Option<Ready>>,
}

impl ConversationDocument {
    /// The document of a conversation in the folder `directory`; nothing is written before somebody asks for it.
    ///
    /// Must be called within a runtime.
    pub(super) fn new(store: Store, id: ConversationId, directory: &Utf8Path) -> Self {
        let (changes, heard) = mpsc::unbounded_channel();
        let page = Page {
            path: directory.join(format!("{id}.md")),
            store,
            id,
            written: None,
        };
        tokio::spawn(serve(page, heard));
        Self { changes }
    }

    /// Says that the conversation has gained something.
    pub(super) fn grow(&self) {
        // The task ends only with its last sender.
        let _ = self.changes.send(None);
    }

    /// Where the document is, once everything that is recorded stands in it.
    pub(super) async fn ready(&self) -> Result<Url, DocumentError> {
        let (reply, ready) = oneshot::channel();
        if self.changes.send(Some(reply)).is_err() {
            return Err(DocumentError::Ended);
        }
        ready.await.unwrap_or(Err(DocumentError::Ended))
    }
}

async fn serve(mut page: Page, mut changes: mpsc::UnboundedReceiver<Option<Ready>>) {
    while let Some(change) = changes.recv().await {
        let mut asked: Vec<Ready> = change.into_iter().collect();
        while let Ok(change) = changes.try_recv() {
            asked.extend(change);
        }
        // Before anybody wants to see it, there is nothing to keep up to date.
        if asked.is_empty() && page.written.is_none() {
            continue;
        }
        let grown = tokio::task::spawn_blocking(move || {
            let grown = page.grow();
            (page, grown)
        });
        let Ok((back, grown)) = grown.await else {
            return;
        };
        page = back;
        if let Err(error) = &grown {
            tracing::warn!(%error, "a conversation document is out of date");
        }
        let mut grown = Some(grown.and_then(|()| page.uri()));
        for ready in asked {
            let answer = grown.take().unwrap_or_else(|| page.uri());
            // Whoever asked may have gone.
            let _ = ready.send(answer);
        }
    }
}

/// The file and what stands in it.
struct Page {
    store: Store,
    id: ConversationId,
    path: Utf8PathBuf,
    written: Option<Written>,
}

struct Written {
    markdown: GrowingMarkdown,
    /// How much of the conversation's log is in the document.
    read: u64,
    /// How long the file is.
    length: u64,
}

impl Page {
    fn uri(&self) -> Result<Url, DocumentError> {
        Url::from_file_path(&self.path).map_err(|()| DocumentError::NoUri(self.path.clone()))
    }

    /// Brings the file up to date.
    fn grow(&mut self) -> Result<(), DocumentError> {
        let is_ours = |written: &Written| {
            fs::metadata(&self.path).is_ok_and(|file| file.len() == written.length)
        };
        match self.written.take_if(|written| is_ours(written)) {
            Some(written) => self.append(written),
            None => self.begin(),
        }
    }

    /// Writes the whole conversation to a file beside, which then takes the place of the old one.
    fn begin(&mut self) -> Result<(), DocumentError> {
        let log = self.store.read_since(self.id, 0)?;
        let (markdown, text) = GrowingMarkdown::begin(&log.events);
        write_whole(&self.path, &text).map_err(|error| self.cannot_write(&error))?;
        self.written = Some(Written {
            markdown,
            read: log.end,
            length: length(&text),
        });
        Ok(())
    }

    /// Adds what is new. When that fails, the next attempt begins anew.
    fn append(&mut self, mut written: Written) -> Result<(), DocumentError> {
        let log = self.store.read_since(self.id, written.read)?;
        let text = written.markdown.append(&log.events);
        if !text.is_empty() {
            let mut options = fs::OpenOptions::new();
            let added = options
                .append(true)
                .open(&self.path)
                .and_then(|mut file| file.write_all(text.as_bytes()));
            added.map_err(|error| self.cannot_write(&error))?;
        }
        written.read = log.end;
        written.length += length(&text);
        self.written = Some(written);
        Ok(())
    }

    fn cannot_write(&self, error: &std::io::Error) -> DocumentError {
        DocumentError::Write {
            path: self.path.clone(),
            problem: error.to_string(),
        }
    }
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
