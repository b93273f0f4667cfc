//! The buffers that the editor holds open.
//!
//! ```json
//! { "textDocument": { "uri": "file:///w/.jp/config.toml", "version": 2 },
//!   "contentChanges": [{ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } }, "text": "x" }] }
//! ```

use std::{
    cmp::Ordering,
    collections::{BTreeMap, VecDeque},
    fmt,
    ops::Range,
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::paths::normalize;
use lsp_types::TextDocumentContentChangeEvent;
use url::Url;

use crate::line_index::{LineIndex, PositionEncoding};

/// How many edits a document remembers for incremental readers.
const EDITS_KEPT: usize = 512;

/// What names a file, however its URI is spelled: the normalized path of a `file` URI, or the URI of anything else.
///
/// `file:///c%3A/x` and `file:///C:/x` are one key on Windows.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum FileKey {
    /// A file that has a path, on disk or not.
    Path(Utf8PathBuf),
    /// A buffer without a path, such as `untitled:Untitled-1`.
    Uri(Url),
}

impl FileKey {
    /// The key of `uri`.
    #[must_use]
    pub fn of(uri: &Url) -> Self {
        if uri.scheme() == "file"
            && let Ok(path) = uri.to_file_path()
            && let Ok(path) = Utf8PathBuf::from_path_buf(path)
        {
            return Self::Path(normalize(&path));
        }
        Self::Uri(uri.clone())
    }

    /// The key of an absolute path.
    #[must_use]
    pub fn of_path(path: &Utf8Path) -> Self {
        Self::Path(normalize(path))
    }

    /// The path, when there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Utf8Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Uri(_) => None,
        }
    }

    /// A URI of this file, for one whose URI the client did not spell itself; none for a relative path.
    #[must_use]
    pub fn uri(&self) -> Option<Url> {
        match self {
            Self::Path(path) => Url::from_file_path(path).ok(),
            Self::Uri(uri) => Some(uri.clone()),
        }
    }
}

impl fmt::Display for FileKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.fmt(formatter),
            Self::Uri(uri) => uri.fmt(formatter),
        }
    }
}

/// One replacement of bytes of the former text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Edit {
    /// The bytes of the former text that are gone.
    pub range: Range<usize>,
    /// What stands in their place.
    pub text: Arc<str>,
}

/// One open buffer. Cheap to share behind `Arc`; a change copies it only while somebody else still reads it.
#[derive(Clone, Debug)]
pub struct Document {
    key: FileKey,
    uri: Url,
    language_id: Arc<str>,
    version: i32,
    revision: u64,
    text: String,
    lines: LineIndex,
    edits: VecDeque<(u64, Edit)>,
}

impl Document {
    /// What names the file.
    #[must_use]
    pub fn key(&self) -> &FileKey {
        &self.key
    }

    /// The URI as the client spelled it, for replies.
    #[must_use]
    pub fn uri(&self) -> &Url {
        &self.uri
    }

    /// The language identifier that the client gave, such as `toml`.
    #[must_use]
    pub fn language_id(&self) -> &str {
        &self.language_id
    }

    /// The client's version of the text.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// A number that no other text in the life of the server has.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where lines start.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// The edits, in order, that lead from the text of `revision` to this one.
    ///
    /// None when they are not known any more or the whole text was replaced: then read the text anew.
    #[must_use]
    pub fn edits_since(&self, revision: u64) -> Option<Vec<Edit>> {
        if revision == self.revision {
            return Some(Vec::new());
        }
        let known = self.edits.partition_point(|(before, _)| *before < revision);
        let (before, _) = self.edits.get(known)?;
        (*before == revision).then(|| {
            self.edits
                .iter()
                .skip(known)
                .map(|(_, edit)| edit.clone())
                .collect()
        })
    }

    fn replace_all(&mut self, text: String, revision: u64) {
        self.lines = LineIndex::new(&text);
        self.text = text;
        self.revision = revision;
        self.edits.clear();
    }

    fn replace(&mut self, range: Range<usize>, inserted: &str, revision: u64) {
        self.text.replace_range(range.clone(), inserted);
        self.lines.edit(&self.text, &range, inserted.len());
        if self.edits.len() == EDITS_KEPT {
            self.edits.pop_front();
        }
        self.edits.push_back((
            self.revision,
            Edit {
                range,
                text: inserted.into(),
            },
        ));
        self.revision = revision;
    }
}

/// Why a notification about a buffer could not be followed to the letter.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DocumentError {
    /// The client changed or closed a buffer that it never opened; nothing is done.
    #[error("`{0}` is not open: send `textDocument/didOpen` first")]
    NotOpen(FileKey),
    /// The client opened a buffer twice; the later text wins.
    #[error("`{0}` is open already: send `textDocument/didClose` first")]
    OpenTwice(FileKey),
    /// The version did not grow; the change is applied, because the order on the wire is what counts.
    #[error("version {given} of `{key}` does not follow version {held}: versions must grow")]
    VersionNotGrown {
        /// The buffer.
        key: FileKey,
        /// The version held before the change.
        held: i32,
        /// The version that the change brought.
        given: i32,
    },
}

/// All open buffers by file, in order of their keys.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    open: BTreeMap<FileKey, Arc<Document>>,
    revision: u64,
}

impl Documents {
    /// The buffer of `key`, when it is open.
    #[must_use]
    pub fn get(&self, key: &FileKey) -> Option<&Arc<Document>> {
        self.open.get(key)
    }

    /// The buffer of `uri`, when it is open.
    #[must_use]
    pub fn by_uri(&self, uri: &Url) -> Option<&Arc<Document>> {
        self.open.get(&FileKey::of(uri))
    }

    /// All open buffers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Document>> {
        self.open.values()
    }

    /// Takes a buffer that the client opened.
    ///
    /// # Errors
    ///
    /// [`DocumentError::OpenTwice`] when it was open; the buffer is replaced all the same.
    pub fn open(
        &mut self,
        uri: Url,
        language_id: &str,
        version: i32,
        text: String,
    ) -> Result<(), DocumentError> {
        let key = FileKey::of(&uri);
        let document = Document {
            key: key.clone(),
            uri,
            language_id: language_id.into(),
            version,
            revision: self.next_revision(),
            lines: LineIndex::new(&text),
            text,
            edits: VecDeque::new(),
        };
        match self.open.insert(key.clone(), Arc::new(document)) {
            Some(_) => Err(DocumentError::OpenTwice(key)),
            None => Ok(()),
        }
    }

    /// Applies `changes` strictly one after another; each range is meant in the text that the change before it left.
    ///
    /// # Errors
    ///
    /// [`DocumentError::NotOpen`], and then nothing is changed; [`DocumentError::VersionNotGrown`], and the changes are applied.
    pub fn change(
        &mut self,
        uri: &Url,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: PositionEncoding,
    ) -> Result<(), DocumentError> {
        let key = FileKey::of(uri);
        let mut revision = self.revision;
        let Some(document) = self.open.get_mut(&key) else {
            return Err(DocumentError::NotOpen(key));
        };
        let document = Arc::make_mut(document);
        for change in changes {
            revision += 1;
            match change.range {
                Some(range) => {
                    let bytes = document.lines.bytes(&document.text, range, encoding);
                    document.replace(bytes, &change.text, revision);
                }
                None => document.replace_all(change.text, revision),
            }
        }
        let held = std::mem::replace(&mut document.version, version);
        self.revision = revision;
        match version.cmp(&held) {
            Ordering::Greater => Ok(()),
            Ordering::Equal | Ordering::Less => Err(DocumentError::VersionNotGrown {
                key,
                held,
                given: version,
            }),
        }
    }

    /// Forgets a buffer that the client closed; the file on disk counts again.
    ///
    /// # Errors
    ///
    /// [`DocumentError::NotOpen`] when it was not open.
    pub fn close(&mut self, uri: &Url) -> Result<Arc<Document>, DocumentError> {
        let key = FileKey::of(uri);
        self.open.remove(&key).ok_or(DocumentError::NotOpen(key))
    }

    fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }
}

#[cfg(test)]
#[path = "documents_tests.rs"]
mod tests;
