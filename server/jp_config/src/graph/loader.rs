//! The state of one load: what was read, and how much more may be.
//!
//! Three subjects work on it, each in its file: the order of the sources, what a file `extends`, and the fragments under the load paths.

use std::{collections::HashSet, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::{
    Extends, FileId, Files, Graph, GraphFile, GraphProblem, GraphProblemKind, Listing, LoaderKeys,
    MAXIMUM_FILES, ReadProblem,
};
use crate::{content::Content, document::Span};

/// The most `extends` entries and targets that one load looks at, counted with repetition.
const MAXIMUM_STEPS: usize = 2 * MAXIMUM_FILES;

/// The most directories that a graph names as worth watching.
pub(super) const MAXIMUM_WATCHED: usize = 4_000;

/// A load graph on its way.
pub(super) struct Loader<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) graph: Graph,
    pub(super) by_path: IndexMap<Utf8PathBuf, FileId>,
    pub(super) keys: Vec<LoaderKeys>,
    /// What was read to see whether it is config, and is.
    pub(super) read_ahead: IndexMap<Utf8PathBuf, Arc<Content>>,
    /// The folders of the person's own config.
    pub(super) own: Vec<Utf8PathBuf>,
    /// Whether the present source or fragment is the person's own.
    pub(super) is_own: bool,
    /// How many files that `jp` looks for were found.
    pub(super) roots: u32,
    /// How many `extends` entries and targets were looked at.
    steps: usize,
    /// How many targets of the present source or fragment had been followed before.
    pub(super) repeats: usize,
    /// How many entries that lead nowhere got a guess at what they mean.
    pub(super) guesses: usize,
    reported: HashSet<(FileId, Option<Span>, String)>,
    watched: HashSet<Utf8PathBuf>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            graph: Graph::default(),
            by_path: IndexMap::new(),
            keys: Vec::new(),
            read_ahead: IndexMap::new(),
            own: Vec::new(),
            is_own: false,
            roots: 0,
            steps: 0,
            repeats: 0,
            guesses: 0,
            reported: HashSet::new(),
            watched: HashSet::new(),
        }
    }

    /// Whether the load may go on: an exponential fan-out of repeated files is cut where a person could not mean it.
    pub(super) fn step(&mut self, file: FileId, entry: &Extends) -> bool {
        self.steps += 1;
        let goes_on = self.steps <= MAXIMUM_STEPS;
        if !goes_on {
            let pattern = entry.path.clone();
            self.problem(file, entry, GraphProblemKind::ExtendsTooMany { pattern });
        }
        goes_on
    }

    fn read(&mut self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        if let Some(content) = self.read_ahead.shift_remove(path) {
            return Ok(content);
        }
        if self.graph.files.len() >= MAXIMUM_FILES {
            return Err(ReadProblem::TooMuch);
        }
        self.files.read(path)
    }

    pub(super) fn file(&mut self, path: &Utf8Path) -> FileId {
        if let Some(file) = self.by_path.get(path) {
            return *file;
        }
        let file = FileId::of(self.graph.files.len());
        let content = match self.read(path) {
            Ok(content) => Some(content),
            Err(problem) => {
                Arc::make_mut(&mut self.graph.problems).push(GraphProblem {
                    file,
                    span: None,
                    kind: GraphProblemKind::Unreadable(problem),
                });
                None
            }
        };
        self.keys
            .push(content.as_deref().map(LoaderKeys::of).unwrap_or_default());
        self.graph.files.push(Arc::new(GraphFile {
            path: path.to_owned(),
            content,
        }));
        self.by_path.insert(path.to_owned(), file);
        file
    }

    pub(super) fn keys_of(&self, file: FileId) -> &LoaderKeys {
        static NONE: LoaderKeys = LoaderKeys {
            extends: Vec::new(),
            load_paths: None,
            inherit: None,
            recognised: false,
        };
        self.keys.get(file.index()).unwrap_or(&NONE)
    }

    pub(super) fn problem(&mut self, file: FileId, entry: &Extends, kind: GraphProblemKind) {
        let problem = GraphProblem {
            file,
            span: entry.span,
            kind,
        };
        // A file that several others extend is followed each time, and wrong only once; so is an entry in many circles.
        let kind = match &problem.kind {
            GraphProblemKind::ExtendsCycle { .. } => String::new(),
            kind => format!("{kind:?}"),
        };
        if self.reported.insert((file, entry.span, kind)) {
            Arc::make_mut(&mut self.graph.problems).push(problem);
        }
    }

    pub(super) fn watch(&mut self, directory: &Utf8Path) {
        if self.watched.len() < MAXIMUM_WATCHED && self.watched.insert(directory.to_owned()) {
            Arc::make_mut(&mut self.graph.watched).push(directory.to_owned());
        }
    }
}

/// What a look into directories left out.
pub(super) fn left_out(
    listing: &Listing,
    pattern: impl Fn() -> String,
) -> impl Iterator<Item = GraphProblemKind> {
    let links = listing
        .links
        .first()
        .map(|path| GraphProblemKind::LinkOutside {
            path: path.clone(),
            more: listing.links.len() - 1,
        });
    let cut = listing
        .is_cut
        .then(|| GraphProblemKind::LoadCut { pattern: pattern() });
    let closed = listing.closed.first().cloned();
    let closed = closed.map(|path| GraphProblemKind::Unreadable(ReadProblem::Closed(path)));
    links.into_iter().chain(cut).chain(closed)
}
