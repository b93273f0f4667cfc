//! One file of a reading: an open buffer, or what the disk holds.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    content::Content,
    document::Document as TomlDocument,
    graph::{FileKind, Files, Listing, LoaderKeys, MAXIMUM_SIZE, ReadProblem, Roots},
};

use crate::{
    disk::config_files::DiskFiles,
    line_index::LineIndex,
    session::{
        documents::{Document, FileKey},
        report,
        snapshot::Snapshot,
    },
};

/// One file of a graph: where its content came from.
#[derive(Debug, Clone)]
pub(super) struct FileState {
    pub(super) source: Source,
    /// How many bytes were read.
    pub(super) size: usize,
    pub(super) keys: LoaderKeys,
    pub(super) lines: Arc<LineIndex>,
}

/// Where the content of a file came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Source {
    /// An open buffer, in the revision of its text.
    Buffer(u64),
    /// The disk, by how often it changed there.
    Disk(u64),
}

pub(super) fn buffer<'a>(path: &Utf8Path, snapshot: &'a Snapshot) -> Option<&'a Arc<Document>> {
    snapshot.documents().get(&FileKey::of_path(path))
}

pub(super) fn source_of(path: &Utf8Path, snapshot: &Snapshot) -> Source {
    match buffer(path, snapshot) {
        Some(document) => Source::Buffer(document.revision()),
        None => Source::Disk(snapshot.disk_revision(path)),
    }
}

/// The disk as the workspace of `roots` may see it.
pub(super) fn disk_for(roots: &Roots, snapshot: &Snapshot) -> DiskFiles {
    if snapshot.trusts(&roots.workspace) {
        DiskFiles::trusted()
    } else {
        DiskFiles::untrusted(roots).opened()
    }
}

/// The content of an open buffer, and how many bytes it has; `before` is what was known of it.
pub(super) fn content_of(
    document: &Document,
    before: Option<(&Arc<Content>, &FileState)>,
) -> Result<(Arc<Content>, usize), ReadProblem> {
    let size = document.text().len();
    if size > MAXIMUM_SIZE {
        return Err(ReadProblem::TooLarge);
    }
    // Opening a file brings the text that the disk had a moment ago.
    if let Some((before, _)) = before
        && before.has_text(document.text())
    {
        return Ok((Arc::clone(before), size));
    }
    if let Some((before, state)) = before
        && let Source::Buffer(revision) = state.source
        && let Content::Toml(toml) = before.as_ref()
        && let Some(edits) = document.edits_since(revision)
    {
        let mut toml: TomlDocument = toml.clone();
        for edit in edits {
            toml.edit(edit.range, &edit.text);
        }
        return Ok((Arc::new(Content::Toml(toml)), size));
    }
    let path = document.key().path().unwrap_or(Utf8Path::new(""));
    Ok((Content::of_file(path, document.text(), None), size))
}

pub(super) fn lines_of(path: &Utf8Path, content: &Content, snapshot: &Snapshot) -> Arc<LineIndex> {
    if let Some(document) = buffer(path, snapshot) {
        return Arc::new(document.lines().clone());
    }
    let text = content.document().map_or("", TomlDocument::text);
    Arc::new(LineIndex::new(text))
}

/// The URI of a file: as the client spelled it, if it is open.
pub(in crate::session) fn uri_of(path: &Utf8Path, snapshot: &Snapshot) -> url::Url {
    let own = || FileKey::of_path(path).uri();
    buffer(path, snapshot)
        .map(|document| document.uri().clone())
        .or_else(own)
        .unwrap_or_else(report::nowhere)
}

/// The files of a snapshot: buffers first, then what the previous analysis read, then the disk.
pub(super) struct SnapshotFiles<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) before: HashMap<&'a Utf8Path, (&'a Arc<Content>, &'a FileState)>,
    pub(super) disk: DiskFiles,
    /// How many bytes each file was read from.
    pub(super) sizes: RefCell<HashMap<Utf8PathBuf, usize>>,
}

impl SnapshotFiles<'_> {
    /// The content of a file, and how many bytes it was made from.
    fn content(&self, path: &Utf8Path) -> (Result<Arc<Content>, ReadProblem>, usize) {
        let known = self.before.get(path).copied();
        if let Some((content, state)) = known
            && state.source == source_of(path, self.snapshot)
        {
            // What is known already counts all the same, so that a load never depends on the one before.
            let charged = self.disk.charge(state.size);
            return (charged.map(|()| Arc::clone(content)), state.size);
        }
        let read = match buffer(path, self.snapshot) {
            Some(document) => content_of(document, known).and_then(|(content, size)| {
                self.disk.charge(size)?;
                Ok((content, size))
            }),
            None => self.disk.content(path, known.map(|(content, _)| content)),
        };
        match read {
            Ok((content, size)) => (Ok(content), size),
            Err(problem) => {
                let size = buffer(path, self.snapshot).map(|document| document.text().len());
                (Err(problem), size.unwrap_or_default())
            }
        }
    }
}

impl Files for SnapshotFiles<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        let (content, size) = self.content(path);
        self.sizes.borrow_mut().insert(path.to_owned(), size);
        content
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        if buffer(path, self.snapshot).is_some() {
            return FileKind::File;
        }
        self.disk.kind(path)
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        self.disk.glob(base, pattern)
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        self.disk.walk(directory)
    }

    fn is_shut(&self, path: &Utf8Path) -> bool {
        self.disk.is_shut(path)
    }
}
